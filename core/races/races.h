// SPDX-License-Identifier: BSD-3-Clause
// races: ORIEL_CHECK=races. Finds accesses to the memory of windows that conflict and that
// nothing orders (MPI-4.1 12.7). The layers above tell it what a program accesses and what
// orders its processes; without ORIEL_CHECK=races that is one test of process.races.
//
// Glossary
//   clock      vector clock: how far each process of the job had come, as far as this one
//              knows; its own count goes up when accesses of it are complete
//   stamp      of accesses: the clock of their origin when they were issued, and its count
//              when they were complete. One comes before another if the clock of that
//              has this count.
//   history    accesses to memory of this process, by address
//   pending    accesses of this process that are not complete, by window and target
//   meeting    of the members of a communicator, in a collective call: each learns the
//              clocks of the others
//   call site  where the program calls a procedure
#pragma once

#include "datatype/datatype.h"

enum {
    MESSAGE_CLOCK = MESSAGE_NEXT_KIND, // of a process, that others wait for
    MESSAGE_SITE,                      // the text of a call site
    MESSAGE_STAMP,                     // of the accesses that follow
    MESSAGE_ACCESSES,                  // to memory of the receiver, which are complete
    RACES_NEXT_KIND
};

int races_start(void); // MPI_ERR_NO_MEM
void races_stop(void);

static inline bool races_are_checked(void)
{
    return unlikely(process.races != NULL);
}

// ---- order ----------------------------------------------------------------------------
// Clocks on their way are told apart by the context of a communicator and a number: of a
// meeting, or one of these.
enum order {
    ORDER_POST = -1,
    ORDER_COMPLETE = -2,
    ORDER_GRANT = -3,   // of the lock
    ORDER_RELEASE = -4, // the same
    ORDER_RECEIVED = -5,
    ORDER_UPDATE = -6, // an accumulate follows
    ORDER_FLUSH = -7,  // accesses are complete
    ORDER_ASK = -8,    // the sender has fetched: answer with what updates come after
    ORDER_ANSWER = -9
};

// Sends the clock to a process of the job, before what orders its accesses is sent. Callers
// of these three hold the message lock.
void races_send_clock(int job_rank, uint64_t context, int64_t number);
// Learns all such clocks of a process that have come.
void races_learn_clock(int job_rank, uint64_t context, int64_t number);

// The same of the messages of a program, and of those that carry out its nonblocking
// collective calls: before one is sent, when a probe has found it, and when it is matched,
// or dropped since it has been cancelled. Those with the same key are matched in the order
// in which they are sent.
struct message_key {
    uint64_t context; // of the communicator
    int channel, tag;
};
// What the program receives, to be compared with what is sent. NULL: nothing is compared.
struct received {
    const void *request;
    const struct datatype *type;
};
void races_sent(int job_rank, struct message_key key, const struct datatype *type);
void races_probed(int job_rank, struct message_key key);
void races_matched(int job_rank, struct message_key key,
                   const struct received *receive);
void races_cancelled(int job_rank, struct message_key key);

// The members of a communicator call both. All that they have done before the first comes
// before all that they do after the second, which waits for them unless the call that
// brings them together has failed.
struct meeting;
struct watched_window;
struct meeting *races_meet(const struct communicator *comm);
void races_meeting_end(struct meeting *meeting, bool has_met);
// The same in a fence, which completes the accesses of this process.
struct meeting *races_meet_in_fence(struct watched_window *window,
                                    const struct communicator *comm, int assert);
// MPI_Win_post, before the origins are told, and MPI_Win_wait. Callers of the latter hold
// the message lock.
void races_post(struct watched_window *window, int assert);
void races_wait(struct watched_window *window);

// What has been done under the lock of a member, and before updates of its memory, in memory
// that local peers share. Each is [size of the job].
struct lock_clocks {
    _Atomic(uint64_t) *shared,
        *exclusive; // by holders of the lock, of which the latter
                    // have held it alone
    _Atomic(uint64_t)
        *updates; // by origins of accumulates: who fetches comes after them
    _Atomic(uint64_t)
        *flushes; // by origins of what is complete: MPI_Win_sync comes after
};
enum { LOCK_CLOCKS = 4 };
void races_locked(struct lock_clocks clocks, int lock_type);
void races_unlocked(struct lock_clocks clocks, int lock_type);
// The same for a lock that this process holds for one on another node, which learns the
// clock ORDER_GRANT, and has sent ORDER_RELEASE.
void races_locked_for(int job_rank, uint64_t context, struct lock_clocks clocks,
                      int lock_type);
void races_unlocked_for(int job_rank, uint64_t context, struct lock_clocks clocks,
                        int lock_type);

// MPI_Win_sync: the process may have seen by loads what is complete in memory of a local
// peer, and others may see by loads what it has done.
void races_synced(struct lock_clocks clocks);

// ---- windows --------------------------------------------------------------------------
struct watched_window_plan {
    const struct communicator *comm;
    const _Atomic(char *) *name; // see object_set_name
    uint32_t handle;             // by which messages name it
    bool is_dynamic;
    struct lock_clocks clocks; // of the own memory
    const void *base;
    uint64_t bytes;
    bool is_programs; // the memory has not been allocated by the window
};
// NULL without memory: then nothing is known of it.
struct watched_window *races_watch(const struct watched_window_plan *plan);
void races_unwatch(struct watched_window *window);
// Memory of a dynamic window.
void races_attached(struct watched_window *window, const void *base, uint64_t bytes);
void races_detached(struct watched_window *window, const void *base);

// ---- buffers --------------------------------------------------------------------------
enum access_epoch {
    IN_FENCE,
    IN_START,
    IN_SHARED_LOCK,
    IN_EXCLUSIVE_LOCK,
    IN_UNCHECKED_LOCK,
    IN_NO_EPOCH
};

// What a call does with memory of the program: until the operation is complete here, or,
// without a window and a request, while the call lasts.
struct buffer_use {
    const void *address;
    MPI_Count count;
    const struct datatype *type;
    bool is_written;
    const struct watched_window *window; // of a one-sided operation, or NULL
    int target;
    enum access_epoch epoch;
    const void *request; // that completes it, or NULL
};
// Tells of another use that is not complete, if one of the two writes. The message lock is
// free, as for what follows.
void races_use_buffers(const struct buffer_use uses[], int count);
// The same of a buffer of a collective call, of which it uses so much.
void races_use_demand(const void *address, bool is_written, const struct demand *demand,
                      const void *request);
// The operations at a target, or at all with MPI_ANY_SOURCE, are complete here; that of a
// request is.
void races_return_buffers(const struct watched_window *window, int target);
void races_return_buffers_of(const void *request);

// ---- accesses -------------------------------------------------------------------------
enum access_kind {
    WATCHED_GET,
    WATCHED_PUT,
    WATCHED_ACCUMULATE,
    WATCHED_LOAD,
    WATCHED_STORE
};

// An access by an operation at a target of the window, which has this handle there. The
// bytes are those of `count` elements at an offset of its memory.
struct watched_access {
    enum access_kind kind;
    enum access_epoch epoch;
    bool is_complete; // with the call, as far as the program can tell
    bool fetches;     // an accumulate: origins may wait for each other by these
    int target;       // rank in the window
    uint32_t handle;
    struct lock_clocks clocks; // of a local peer
    uint64_t offset;
    MPI_Count count;
    const struct datatype *type;
    const struct datatype *given; // at the origin
    const struct op *op;          // of an accumulate; NULL: MPI_Compare_and_swap
};
// With what the call does with its buffers.
void races_access(struct watched_window *window, const struct watched_access *access,
                  const struct buffer_use uses[], int use_count);

// A put or get of one block, of data of one type.
struct watched_block {
    enum access_kind kind;
    int target;
    const void *place; // in the call of the program
    uint64_t offset;
    const void *address; // of the buffer
    uint64_t bytes;
    const struct datatype *type;
};
// Takes the access of a call that does what the one before it did, from the same place in
// the program, with other bytes; else says false and takes nothing. A stream of puts is
// told of by this. No other thread of the program is in a call.
bool races_access_again(struct watched_window *window,
                        const struct watched_block *block);
// All accesses to a target, or to all with MPI_ANY_SOURCE, are complete.
void races_complete(struct watched_window *window, int target);
