// SPDX-License-Identifier: BSD-3-Clause
// The buffer that the members of a communicator on one node share, and rounds on it.
// See collective.h for the glossary.
#pragma once

#include "collective/state.h"

#include <stddef.h>

// Bytes that a member can leave in its slot in one round.
enum { SLOT_BYTES = 8192 };

// Where local peers find the buffers of a member: from which they read, and to which they
// write. Places are those of single_copy.h; 0: there is none within reach.
struct shown {
    uint64_t from, to;
};

// What a member leaves for the others of its node: data, or where long data are.
struct slot {
    _Alignas(CACHE_LINE) uint64_t total; // bytes in all rounds, or total_refused
    union {
        _Alignas(max_align_t) char bytes[SLOT_BYTES];
        struct shown shown;
    };
};

// In place of a number of bytes: the writer has failed with the class.
static inline uint64_t total_refused(int error_class)
{
    return UINT64_MAX - (uint64_t)error_class;
}
// The class of a total that stands for an error, or 0.
static inline int refused_class(uint64_t total)
{
    return total >= total_refused(MPI_ERR_LASTCODE) ? (int)(UINT64_MAX - total) : 0;
}

// Lies in the segment. Members arrive round by round. Data that a member has written
// into its slot before it arrived may be read by all until they arrive in the next
// round. So a member writes into its two slots in turn, and needs no second
// synchronisation.
struct shared_buffer {
    _Alignas(CACHE_LINE) _Atomic(uint32_t) arrivals; // of all rounds, modulo 2^32
    _Atomic(uint32_t) raised[2]; // the last even and odd round in which a member had
                                 // something to tell the others
    _Alignas(CACHE_LINE) _Atomic(uint32_t) departed; // members that use it no more
    int node_size;                                   // members
    _Atomic(bool) is_broken; // a member has left a round because a process has died
    struct shared_buffer *next_retired; // of the process that allocated it
    struct slot slots[];                // [node_size][2]
    // [node_size] _Atomic(bool): members that copy from and to buffers of others
};

// The node's member with the lowest rank allocates the shared buffer.
int shared_buffer_make(int node_size, struct shared_buffer **buffer);
// A member leaves; the one that allocated it frees it when all others have left.
void shared_buffer_leave(struct shared_buffer *buffer, bool is_owner);

// The slot of a member of the node in the round that comes next.
static inline struct slot *member_slot(const struct communicator *comm, int node_rank)
{
    uint32_t turn = comm->collective->sequence & 1;
    return &comm->collective->shared_buffer->slots[(size_t)node_rank * 2 + turn];
}
// The slot in the same round of the member that is `members` further on.
static inline const struct slot *slot_after(const struct slot *slot, int members)
{
    return slot + (ptrdiff_t)members * 2;
}
// The number of a member among all processes of the node.
int member_process(const struct communicator *comm, int node_rank);
// A collective call of this member has failed because a process has died, so that its
// rounds and those of others do not fit together any more.
void shared_buffer_break(const struct communicator *comm);
// Ends a round: returns when all members of the node have arrived. `slots` as returned
// by member_slot before the round stay readable until this member arrives again.
// MPI_ERR_PROC_ABORTED when the shared buffer is broken.
int node_arrive(struct communicator *comm);
// After a round, and before the next one, a member copies from and to the buffers of
// others. `err` is what its copies have returned; copies_end is a round. A member whose
// round fails returns when nobody copies any more, so that its memory does not change
// later.
int copies_begin(struct communicator *comm);
int copies_end(struct communicator *comm, int err);

// The error of a call that another member has refused. A member that knows of a death
// may have gone on with another call, which is no error of the program.
int fail_refused(int error_class);
// After a round: MPI_ERR_TRUNCATE unless all members have shown this total.
int slots_agree(const struct communicator *comm, const struct slot *slots,
                uint64_t total);

// Blocks of members pass through the slots in rounds: a member leaves `length` bytes of
// each of its blocks in its slot, from byte `done` on, and takes from the slots of the
// others what is for it.
typedef void leave_pieces(const struct communicator *comm, const void *blocks,
                          char *slot_bytes, size_t done, size_t length);
typedef void take_pieces(const struct communicator *comm, const void *blocks,
                         const struct slot *slots, size_t done, size_t length);
struct passage {
    uint64_t total; // on which members agree
    size_t size;    // of the longest block
    size_t most;    // that pass of a block in one round
    leave_pieces *leave;
    take_pieces *take;
};
// MPI_ERR_TRUNCATE as from slots_agree, or the error `err` of this member or of another.
static inline int slots_pass(struct communicator *comm, const struct passage *passage,
                             const void *blocks, int err)
{
    size_t done = 0;
    do {
        size_t left = passage->size - done, most = passage->most;
        size_t length = left < most ? left : most;
        const struct slot *slots = member_slot(comm, 0);
        struct slot *own = member_slot(comm, comm->node_rank);
        own->total = err ? total_refused(err) : passage->total;
        if (length > 0 && !err)
            passage->leave(comm, blocks, own->bytes, done, length);
        int failed = node_arrive(comm);
        if (!failed)
            failed = slots_agree(comm, slots, passage->total);
        if (failed)
            return err ? err : failed;
        if (length > 0)
            passage->take(comm, blocks, slots, done, length);
        done += length;
    } while (done < passage->size);
    return 0;
}

// Where a piece of `length` bytes for each other member lies in the slot of its owner: in
// the order of their ranks, from the owner's next one on.
static inline size_t piece_place(const struct communicator *comm, int owner, int to,
                                 size_t length)
{
    int before = to - owner - 1;
    return (size_t)(before < 0 ? before + comm->node_size : before) * length;
}
// So long may these pieces be, in whole cache lines.
static inline size_t longest_piece(const struct communicator *comm)
{
    size_t others = (size_t)comm->node_size - 1;
    return SLOT_BYTES / others / CACHE_LINE * CACHE_LINE;
}
