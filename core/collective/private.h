// SPDX-License-Identifier: BSD-3-Clause
// What the files of collective/ share. See collective.h for the glossary.
#pragma once

#include "collective/schedule.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

// Bytes that a member can leave in its slot in one round.
enum { SLOT_BYTES = 8192 };

// What a member leaves for the others of its node.
struct slot {
    _Alignas(CACHE_LINE) uint64_t total; // bytes in all rounds, or total_refused
    _Alignas(max_align_t) char bytes[SLOT_BYTES];
};

// In place of bytes: who writes this has failed with the class.
static inline uint64_t total_refused(int error_class)
{
    return UINT64_MAX - (uint64_t)error_class;
}
// That class, or 0.
static inline int refused_class(uint64_t total)
{
    return total >= total_refused(MPI_ERR_LASTCODE) ? (int)(UINT64_MAX - total) : 0;
}

// Lies in the segment. Members arrive round by round; what one has written into its
// slot before it arrived, all may read until they arrive in the next round. So a member
// writes into its two slots in turn, and no second synchronisation is needed.
struct shared_buffer {
    _Alignas(CACHE_LINE) _Atomic(uint32_t) arrivals; // of all rounds, modulo 2^32
    _Alignas(CACHE_LINE) _Atomic(uint32_t) departed; // members that use it no more
    int node_size;                                   // members
    _Atomic(bool) is_broken; // a member has left a round because a process has died
    struct shared_buffer *next_retired; // of the process that allocated it
    struct slot slots[];                // [node_size][2]
};

// What this layer keeps for the process.
struct collectives {
    _Atomic(uint32_t) contexts; // communicators that this process has named
    _Atomic(struct shared_buffer *) retired; // until all members have left
    struct schedule *schedules;              // under way
    struct refusal *refusals;                // of schedules that are not under way
};

// What it keeps for a communicator.
struct comm_collective {
    struct node_map *node_map;           // owns the communicator's arrays by node
    struct shared_buffer *shared_buffer; // of node_members; NULL: of this process alone
    uint32_t sequence;                   // of rounds on the shared buffer
    uint32_t schedules;                  // that have been made
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
// A collective call of this member has failed because a process has died, so that its
// rounds and those of others do not fit together any more.
void shared_buffer_break(const struct communicator *comm);
// Ends a round: returns when all members of the node have arrived. `slots` as returned
// by member_slot before the round stay readable until this member arrives again.
// MPI_ERR_PROC_ABORTED when the shared buffer is broken.
int node_arrive(struct communicator *comm);

// The error of a call that another member has refused. Who knows of a death may have gone
// on with another call, which is no error of the program.
int fail_refused(int error_class);
// After a round: MPI_ERR_TRUNCATE unless all members have shown this total.
int slots_agree(const struct communicator *comm, const struct slot *slots,
                uint64_t total);

// `node_rank` is the position of the source among the node's members. MPI_ERR_TRUNCATE
// when the source has more bytes or less, or fails with an error `err` of its own.
int node_broadcast(struct communicator *comm, void *bytes, size_t size, int node_rank,
                   int err);

static inline bool is_leader(const struct communicator *comm)
{
    return comm->node_rank == 0;
}

// Runs a leader's schedule. One whose node has failed refuses it, unless by a death, of
// which the others learn by themselves.
static inline int leaders_run(struct schedule *schedule, int node_err)
{
    if (!node_err)
        return schedule_run(schedule);
    if (node_err != MPI_ERR_PROC_ABORTED)
        return schedule_refuse(schedule, node_err);
    schedule_free(schedule);
    return node_err;
}

// ---- refusals (refusal.c); the message lock is held
// The number of the schedule that comes next, which all members count.
static inline int schedule_number(struct communicator *comm)
{
    return (int)(comm->collective->schedules++ & INT_MAX);
}
// All other members' schedules of this number fail with the class; or, with the members
// of a schedule of their own, theirs with this tag.
void refusal_send(const struct communicator *comm, const struct group *apart, int tag,
                  int error_class);
// The same for who does not hold the lock.
void refusal_send_unlocked(const struct communicator *comm, const struct group *apart,
                           int tag, int error_class);
// The class with which another member has refused it before it began here, or 0.
int refusal_take(const struct communicator *comm, bool is_apart, int tag);
// Ends a schedule that is under way; false: there is none.
bool schedule_refused(uint64_t context, bool is_apart, int tag, int error_class);
void refusals_start(void); // the message lock is free
void refusals_stop(void);

// ---- making communicators
// Unique in the job without agreement.
uint64_t context_next(void);
// A communicator over `group`, of which this process is a member, without context,
// shared buffer and error handler.
int communicator_plan(const struct communicator *parent, struct group *group,
                      struct communicator **planned);
// One that never came to be: its shared buffer has no other users. NULL is allowed.
void communicator_abandon(struct communicator *comm);
// All members of an intracommunicator return an error if one has one.
int communicator_agree(struct communicator *comm, int err);
// Over the members of `group` alone, who send their messages over `carrier` with a tag.
int communicator_make_apart(struct communicator *carrier, int tag, struct group *group,
                            struct errhandler *errhandler, struct communicator **made);
// Completes a planned communicator that has a context: shared buffer and error handler.
// All its members call it and return every error; the communicator is abandoned then.
int communicator_set_up(struct communicator *comm, struct errhandler *errhandler);
// The program gets a handle, or none for NULL.
int communicator_publish(struct communicator *made, struct communicator **newcomm);
// The group of those who chose a color, in the order of their keys.
struct choice {
    int color, key, rank;
};
int group_of_color(const struct group *members, struct choice *choices, int color,
                   struct group **group);

// What a group's members call together: a tag of a text.
int tag_of_text(const char *text);
// `made` gets a context that both groups agree on: rank 0 of `local` asks the leader of
// the other group, a remote rank of `comm`.
void append_swap_contexts(struct schedule *schedule, struct communicator *comm,
                          struct communicator *local, int remote_leader,
                          struct communicator *made);
// Like MPI_Comm_split on an intracommunicator, without a handle; NULL without a color.
int split_members(struct communicator *comm, int color, int key,
                  struct communicator **made);
// ---- topologies
// A program may have no array where there are no numbers.
static inline void copy_ints(int *to, const int from[], int count)
{
    if (count > 0)
        memcpy(to, from, (size_t)count * sizeof *to);
}
// With room for so many numbers; NULL after fail(MPI_ERR_NO_MEM).
struct topology *topology_new(int kind, MPI_Count numbers);
void topology_share(const struct communicator *from, struct communicator *to);
void topology_release(struct topology *topology); // NULL is allowed
// A communicator over the first `count` members, with `topology`, whose reference is
// taken over; the others have NULL and get none. All return an error if one has `err`.
int topology_communicator(struct communicator *comm_old, int count, int err,
                          struct topology *topology, struct communicator **made);
// MPI_ERR_TOPOLOGY unless the communicator has one of this kind; 0: any.
int check_topology(const struct communicator *comm, int kind);

// MPI_ERR_GROUP unless all of `group` are in the group of `comm`.
int check_subset(const struct communicator *comm, const struct group *group);
// The members of both groups with one color, in the order of keys; NULL for those
// without one, or without partners.
int intercommunicator_split(struct communicator *comm, int color, int key,
                            struct communicator **made);

// Where a group's members sit; shared by all communicators over the same group object.
struct node_map {
    _Atomic(int) references;
    int leader_count, node_size;
    int *node_index_of; // [size of the group] start of the one allocation of all three
    int *leaders;       // [leader_count] lowest rank of each node
    int *node_members;  // [node_size] ranks on this node
};
int node_map_make(const struct group *group, struct node_map **map);
void node_map_release(struct node_map *map);

enum { TAG_SHARED_BUFFER };
