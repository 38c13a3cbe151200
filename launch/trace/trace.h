// SPDX-License-Identifier: BSD-3-Clause
// trace: the library that mpiexec --trace preloads. It takes the place of the MPI_
// procedures, records each call and has the library carry it out by its PMPI_ name.
//
// Glossary
//   record    one call, or a run of calls
//   run       quick calls that differ in nothing that is recorded; runs of up to RECENT
//             sorts of calls may alternate
//   chunk     piece of the trace's file. One thread records in one that is mapped, and
//             copies it to the next place of a ring when it is full
//   recorder  what a thread has to record with
//   site      address in the program to which a call returns
//   object    window or communicator; its number is that of its making in this process
#pragma once

#pragma GCC visibility push(default) // what programs call
#include <mpi.h>
#pragma GCC visibility pop

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- the file -------------------------------------------------------------------------
// oriel-trace reads it: what changes here changes TRACE_VERSION, and launch/trace/files.py.
enum {
    TRACE_VERSION = 1,
    TRACE_NONE = -1, // no object, or no peer
    HEADER_BYTES = 4096,
    CHUNK_BYTES = 1 << 18,
    RING_CHUNKS = 64, // then the oldest is overwritten: 16 MiB, or 262,080 records
    ALIGNMENTS = 2,   // at the start and at the end
    HOST_BYTES = 64,
    DOMAIN_BYTES = 80,
};

// 64 bytes, a cache line. Times are ticks.
struct record {
    uint64_t begin, end; // of the run
    uint64_t entered;    // when the call under way began, 0 if none is
    uint64_t inside;     // ticks spent in the calls
    uint64_t site;
    uint64_t bytes; // of all calls
    int32_t object, peer;
    uint32_t calls;
    uint16_t procedure, detail; // the type of a lock, or assertions
};

struct chunk {
    uint64_t sequence; // among all that the process has begun
    uint32_t thread;
    uint32_t used;      // records
    uint64_t unwritten; // records that found no room, of this thread so far
    uint64_t reserved[5];
    struct record records[CHUNK_BYTES / sizeof(struct record) - 1];
};

// The same moment by three clocks.
struct moment {
    uint64_t ticks, monotonic, real; // the last two in nanoseconds
};

// What has to be added to this process's monotonic clock to have that of rank 0.
struct alignment {
    uint64_t monotonic; // when it was measured, 0: it was not
    int64_t offset;
    uint64_t doubt; // the most by which it may be wrong, in nanoseconds
};

struct header {
    char magic[8]; // "ORIELTRC"
    uint32_t version, header_bytes, chunk_bytes, chunks;
    int32_t rank, size;
    uint32_t pid, has_ended; // by MPI_Finalize
    uint64_t job;            // the same for all processes of a job
    struct moment first, last;
    struct alignment alignments[ALIGNMENTS];
    char host[HOST_BYTES];
    char clock_domain[DOMAIN_BYTES]; // whose processes have the same monotonic clock
};

struct traced_procedure {
    const char *name, *works_on, *data, *shared;
};
extern const struct traced_procedure trace_procedures[];
extern const int trace_procedure_count;

// ---- recorders ------------------------------------------------------------------------
struct site_cache {
    uint64_t returns, site; // in the Fortran layer, and in the program
    ptrdiff_t distance;     // from the frame to where the site lies on the stack
};
enum { SITES_CACHED = 64, OBJECTS_CACHED_BITS = 6, RECENT = 8 };

// A window or communicator that was used lately.
struct known_object {
    uintptr_t handle; // 0: the place is free
    int32_t number;
};

struct recorder {
    struct chunk *chunk;
    struct record *recent[RECENT]; // that may become runs, or NULL
    unsigned turn;                 // the one that was used last
    int depth;                     // of calls under way: a callback may call again
    uint64_t unwritten;
    struct known_object objects[1 << OBJECTS_CACHED_BITS]; // by a hash of the handle
    uintptr_t datatype;                                    // whose size is known
    uint64_t type_bytes;
    struct site_cache sites[SITES_CACHED];
    struct recorder *next_free;
};

// The recorder of this thread, or NULL: then nothing is recorded.
struct recorder *recorder_get(void);

// A call under way.
struct call {
    struct recorder *recorder;
    struct record *record;
    uint64_t bytes;
};
struct call call_begin(uint64_t returns, uintptr_t frame, int procedure, int object,
                       int peer, int detail, uint64_t bytes);
void call_end(struct call *call);

// Begins the call of the function that it stands in, which ends with the function's
// block, also by an exception.
#define CALL_BEGINS(procedure, object, peer, detail, bytes)                            \
    struct call call __attribute__((cleanup(call_end), unused)) = call_begin(          \
        (uintptr_t)__builtin_return_address(0), (uintptr_t)__builtin_frame_address(0), \
        procedure, object, peer, detail, bytes)

// ---- what the generated procedures ask ------------------------------------------------
// The number of an object; TRACE_NONE for what is none.
int trace_window(MPI_Win win);
int trace_communicator(MPI_Comm comm);
// It has been made, has got a name, is about to be freed.
void trace_window_begins(MPI_Win win);
void trace_communicator_begins(MPI_Comm comm);
void trace_window_named(MPI_Win win);
void trace_communicator_named(MPI_Comm comm);
void trace_window_ends(MPI_Win win);
void trace_communicator_ends(MPI_Comm comm);
// The bytes of one element.
uint64_t trace_type_bytes(MPI_Datatype datatype);
// The library has perhaps been started, or is perhaps about to end.
void trace_library_begins(void);
void trace_library_ends(void);

// ---- the parts of the library ---------------------------------------------------------
// The trace's file. False after a message: then the process is not traced.
bool file_open(void);
struct header *file_header(void);
// One more line of the text beside it, as printf has it.
void file_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Writes the recorder's chunk to the file and empties it.
void chunk_write(struct recorder *recorder);

void moment_take(struct moment *moment);
// The name of the monotonic clock that this process has.
void clock_domain_find(char domain[DOMAIN_BYTES]);
// Agrees with all processes on the number of the job, and compares clocks with rank 0.
void clocks_compare_first(struct header *header);
void clocks_compare_last(struct header *header);

// Where the program has called: where `returns` leads, or if that is in the Fortran
// layer, what has called the layer's function, whose callee's frame is `frame`.
uint64_t site_find(struct recorder *recorder, uint64_t returns, uintptr_t frame);
// Writes which files lie where in memory.
void sites_print_files(void);
