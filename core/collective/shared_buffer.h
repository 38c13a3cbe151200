// SPDX-License-Identifier: BSD-3-Clause
// The buffer that the members of a communicator on one node share, and rounds on it.
// See collective.h for the glossary.
#pragma once

#include "collective/state.h"

#include <stddef.h>

enum {
    SLOT_BYTES = 8192, // that a member can leave for the others in one round
    INSIDE_BYTES = 48, // of these, in the slot itself
    SLOTS = 64,        // members are fewer rounds than that apart
    // Pieces of SLOT_BYTES that a member may be ahead. Two are not enough: who has left the
    // second would wait for those who still take the first.
    PIECES_AHEAD = 4,
    UNIT_BYTES = PIECES_AHEAD * SLOT_BYTES / UNITS
};

enum { ALL_MEMBERS = -1, NO_MEMBER = -3 };

// Where local peers find the buffers of a member: from which they read, and to which they
// write. Places are those of single_copy.h; 0: there is none within reach.
struct shown {
    uint64_t from, to;
};

// What a member leaves for the others of its node in one round: data, or where long data
// are. Short data and the number of the round come in one cache line.
struct slot {
    _Alignas(CACHE_LINE) _Atomic(uint32_t) round; // the last one in which it was shown
    uint32_t data;                                // bytes from here to the data
    uint64_t total; // bytes in all rounds, or total_refused
    union {
        _Alignas(max_align_t) char inside[INSIDE_BYTES];
        struct shown shown;
    };
};
_Static_assert(sizeof(struct slot) == CACHE_LINE, "a slot is a cache line");

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

// The part of one member, which alone writes it.
struct member_slots {
    _Alignas(CACHE_LINE) _Atomic(uint64_t) begun; // round before which it needs no data
    _Atomic(bool) is_copying;                     // from and to buffers of others
    struct slot slots[SLOTS];                     // used in turn
    // For data that do not fit into a slot: a power of two of units, at a multiple of it.
    char units[UNITS][UNIT_BYTES];
};

// Lies in the segment.
struct shared_buffer {
    _Alignas(CACHE_LINE) _Atomic(uint32_t) arrivals; // in all barriers, modulo 2^32
    _Atomic(uint32_t) raised[2]; // the last even and odd barrier in which a member had
                                 // something to tell the others
    _Atomic(uint64_t) failed[2]; // the same of the leader, with the class of its error
    _Alignas(CACHE_LINE) _Atomic(uint32_t) departed; // members that use it no more
    int node_size;                                   // members
    _Atomic(bool) is_broken; // a member has left a round because a process has died
    bool has_slots; // else it is for barriers alone, and memory of a window follows
    struct shared_buffer *next_retired; // of the process that allocated it
    struct member_slots members[];      // [node_size]
};

// The node's member with the lowest rank allocates the shared buffer.
int shared_buffer_make(int node_size, struct shared_buffer **buffer);
// The same without slots, with so many bytes for a window from a cache line on.
int barrier_buffer_make(int node_size, size_t bytes, struct shared_buffer **buffer);
// A member leaves; the one that allocated it frees it when all others have left.
void shared_buffer_leave(struct shared_buffer *buffer, bool is_owner);

// The number of a member among all processes of the node.
int member_process(const struct communicator *comm, int node_rank);
// A collective call of this member has failed because a process has died, so that its
// rounds and those of others do not fit together any more.
void shared_buffer_break(const struct communicator *comm);

// A barrier behind what the leader alone has done. All return the error `err` with which it
// comes; that of another member is its own.
int leader_await(struct communicator *comm, int err);

// ---- rounds
// A member begins a round, fills its slot, shows it, and waits for the members whose data
// it needs, or for nobody. All members take part in the same rounds in the same order. The
// calls that wait return MPI_ERR_PROC_ABORTED when the shared buffer is broken.

// Begins the next round: the slot of this member, with room for `bytes` of data. Slots of
// the round before are readable until this one is shown.
int round_begin(struct communicator *comm, size_t bytes, struct slot **own);
void round_show(struct communicator *comm, struct slot *own);
// Waits until members have shown the slots of this round: ALL_MEMBERS, NO_MEMBER or one.
int round_await(struct communicator *comm, int from);
// The same; MPI_ERR_TRUNCATE unless their totals are this one, or what they refuse.
int round_agree(struct communicator *comm, int from, uint64_t total);

// The slot of the member with node rank 0 in this round.
static inline const struct slot *round_slots(const struct communicator *comm)
{
    return &comm->collective->shared_buffer->members[0]
                .slots[comm->collective->sequence % SLOTS];
}
// The slot in the same round of the member that is `members` further on.
static inline const struct slot *slot_after(const struct slot *slot, int members)
{
    const char *start = (const char *)slot;
    return (const struct slot *)(start +
                                 members * (ptrdiff_t)sizeof(struct member_slots));
}
static inline const char *slot_data(const struct slot *slot)
{
    return (const char *)slot + slot->data;
}
static inline char *own_data(struct slot *own)
{
    return (char *)own + own->data;
}

// After a round, and before the next one, a member copies from and to the buffers of
// others. `err` is what its copies have returned; copies_end is a barrier, and fails for
// all members if one's copies have. A member whose round fails returns when nobody copies
// any more, so that its memory does not change later.
int copies_begin(struct communicator *comm);
int copies_end(struct communicator *comm, int err);

// The error of a call that another member has refused. A member that knows of a death
// may have gone on with another call, which is no error of the program.
int fail_refused(int error_class);

// Blocks of members pass through the slots in rounds: a member leaves `length` bytes of
// each of its blocks in its slot, from byte `done` on, and takes from the slots of the
// others what is for it.
typedef void leave_pieces(const struct communicator *comm, const void *blocks,
                          char *data, size_t done, size_t length);
typedef void take_pieces(const struct communicator *comm, const void *blocks,
                         const struct slot *slots, size_t done, size_t length);
struct passage {
    uint64_t total; // on which members agree
    size_t size;    // of the longest block
    size_t most;    // that pass of a block in one round
    size_t left;    // blocks that this member leaves
    int from;       // from which members it takes
    leave_pieces *leave;
    take_pieces *take;
};
// MPI_ERR_TRUNCATE as from round_agree, or the error `err` of this member or of another.
// Where one round is enough, a member needs no others than those from which it takes. Else
// the first round tells all whether they agree on how many there are.
static inline int slots_pass(struct communicator *comm, const struct passage *passage,
                             const void *blocks, int err)
{
    size_t done = 0;
    do {
        size_t left = passage->size - done, most = passage->most;
        size_t length = left < most ? left : most;
        struct slot *own;
        int failed = round_begin(comm, err ? 0 : passage->left * length, &own);
        if (failed)
            return err ? err : failed;
        own->total = err ? total_refused(err) : passage->total;
        if (passage->left * length > 0 && !err)
            passage->leave(comm, blocks, own_data(own), done, length);
        round_show(comm, own);
        if (err)
            return err;
        bool is_first_of_many = done == 0 && left > most;
        failed = round_agree(comm, is_first_of_many ? ALL_MEMBERS : passage->from,
                             passage->total);
        if (failed)
            return failed;
        if (length > 0 && passage->from != NO_MEMBER)
            passage->take(comm, blocks, round_slots(comm), done, length);
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
