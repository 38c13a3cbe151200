// SPDX-License-Identifier: BSD-3-Clause
// boot: the processes of the job, and a small key-value exchange through the launcher.
//
// Glossary
//   rank      number of a process in the job, 0 .. size-1 (= rank in MPI_COMM_WORLD)
//   node      processes that share memory; ORIEL_FAKE_NODES makes several of a machine
//   leader    the lowest rank of a node
//   driver    how one kind of launcher is spoken to (PMI-1 wire, PMIx, none)
#pragma once

#include "base/base.h"

struct boot {
    int rank, size;
    // From boot_find_nodes on:
    int node, node_count;     // index of this process's node; number of nodes
    int node_rank, node_size; // position among, and number of, the node's processes
    int first;                // the leader of this node
    int machine_size;         // processes on this machine, which may be several nodes
    const int *node_members;  // [node_size] ranks of this node, ascending
    int block;                // ranks are on nodes in blocks of so many, of which the
                              // last may have fewer; 0: they are not, and there are
    int *tables;              // of this process alone, private; NULL: they are shared
    const int *node_of;       // [size] node of each rank
    const int *node_rank_of;  // [size] position of each rank in its node
    const int *leaders;       // [node_count] leader of each node
    // -1 when the launcher does not say:
    int app_number;                   // MPI_APPNUM
    int universe_size;                // MPI_UNIVERSE_SIZE, at least `size`
    char job[64];                     // a name that no other job on the machine has
    const char *launcher;             // "PMI-1", "PMIx" or "singleton", for people
    const struct boot_driver *driver; // private
    void *driver_state;               // private
};

// Finds the launcher (PMI_FD / PMI_PORT, PMIX_NAMESPACE, else none), learns rank and
// size; waits for no other process.
// A launcher that Oriel cannot speak to gives MPI_ERR_OTHER with its name and remedy.
// Uses process.options; sets process.rank.
int boot_start(struct boot **boot);
// The number of processes in the job, as far as it can be told at any time: before the
// start from the environment, afterwards from what was learnt then. 0: unknown.
int boot_job_size(void);
// The CPUs on which the job may run on this host, a bit each, as far as Oriel's mpiexec
// tells them: 0 otherwise.
void boot_cores(uint64_t words[], int count);
// Learns the nodes. Collective over the job: some launchers have to be told by every
// process where it is.
int boot_find_nodes(struct boot *boot);
// The bytes of the tables of where each rank is, which a process needs once its node has
// been found unless nodes are blocks; then 0.
size_t boot_tables_bytes(const struct boot *boot);
// Copies the tables to memory that all processes of the node have, where each then uses
// them instead of its own.
void boot_copy_tables(const struct boot *boot, void *shared);
void boot_use_tables(struct boot *boot, const void *shared);

// The node of a rank.
static inline int boot_node(const struct boot *boot, int rank)
{
    return boot->block > 0 ? rank / boot->block : boot->node_of[rank];
}

static inline int boot_leader(const struct boot *boot, int node)
{
    return boot->block > 0 ? node * boot->block : boot->leaders[node];
}

// Is that rank on this node? Without a division in jobs with blocks.
static inline bool boot_is_local(const struct boot *boot, int rank)
{
    return likely(boot->block > 0)
               ? (unsigned)(rank - boot->first) < (unsigned)boot->node_size
               : boot->node_of[rank] == boot->node;
}

// The position of a rank of this node.
static inline int boot_local_rank(const struct boot *boot, int rank)
{
    return likely(boot->block > 0) ? rank - boot->first : boot->node_rank_of[rank];
}

// Key-value exchange: puts of all processes before a fence are seen by gets after it.
// Keys up to 63 and values up to 1023 printable characters without blanks; a key is put
// once. A get names the rank that has put the key, or BOOT_LAUNCHER for a key of the
// launcher. A key that has not been put gives MPI_ERR_NAME.
int boot_put(struct boot *boot, const char *key, const char *value);
int boot_fence(struct boot *boot);
enum { BOOT_LAUNCHER = -1 };
int boot_get(struct boot *boot, int rank, const char *key, char *value,
             size_t value_size);

// Has the launcher asked what this process waits for? It is told by a line of text. Any
// thread may call.
bool boot_must_tell(struct boot *boot);
void boot_tell(struct boot *boot, const char *text);

// Ends the whole job with exit code `code` (1 if its low eight bits are 0); does not
// return. The caller has said why on standard error; `why` is for the launcher. Without
// a boot (NULL) only this process ends.
_Noreturn void boot_abort(struct boot *boot, int code, const char *why);

// Only asks the launcher for that.
void boot_ask_to_abort(struct boot *boot, int code, const char *why);

// Says goodbye to the launcher and frees `boot`.
void boot_stop(struct boot *boot);

// ---- PMI-1 wire ---------------------------------------------------------------
// Process and launcher send each other lines of words "key=value" over a stream socket.
// launch/ is the other end, so these few functions depend on nothing else.
enum { WIRE_LINE_BYTES = 4096, WIRE_KEY_BYTES = 64, WIRE_VALUE_BYTES = 1024 };

struct wire {
    int fd;
    size_t used; // bytes received and not yet taken
    char bytes[WIRE_LINE_BYTES];
};

// Reads once: > 0 when bytes have come, 0 when the other end is gone, -1 with errno
// (EMSGSIZE: a line is longer than WIRE_LINE_BYTES).
int wire_receive(struct wire *wire);
// Takes the first whole line out, without its end; false when there is none yet.
bool wire_line(struct wire *wire, char line[WIRE_LINE_BYTES]);
// Sends one line; `format` has no end of line. False with errno.
bool wire_send(struct wire *wire, const char *format, ...) PRINTF_LIKE(2, 3);

// The value of the word `key` in a line; false when the line has no such word or the
// value does not fit.
bool wire_word(const char *line, const char *key, char *value, size_t value_size);
// The same for a decimal number in minimum .. maximum.
bool wire_number(const char *line, const char *key, int minimum, int maximum,
                 int *number);
