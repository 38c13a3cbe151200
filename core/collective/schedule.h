// SPDX-License-Identifier: BSD-3-Clause
// schedule: a collective call as a list of steps of one process. The thread that
// handles messages goes on with the schedules under way, so that the blocking, the
// nonblocking and the persistent form of a call are one schedule, run in three ways.
//
// Glossary
//   elements  a typed buffer: `count` elements of `type` at `at`
//   step      a send or receive, which begins and does not wait; a copy, a reduction or
//             a call, which are done when they are reached; or a wait for the end of
//             all sends and receives before it
//   scratch   memory of a schedule, freed with it
//   peers     the members of a communicator among whom an algorithm runs
#pragma once

#include "collective/node_map.h"

struct elements {
    char *at;
    MPI_Count count;
    struct datatype *type;
};

static inline struct elements elements_of(const void *at, MPI_Count count,
                                          struct datatype *type)
{
    return (struct elements){(char *)at, count, type};
}
// `count` elements from element `first` on, of a buffer that may go on behind `count`.
static inline struct elements elements_part(struct elements all, MPI_Count first,
                                            MPI_Count count)
{
    return (struct elements){all.at + first * all.type->extent, count, all.type};
}
static inline size_t elements_bytes(struct elements elements)
{
    return (size_t)(elements.count * elements.type->size);
}
// Copies element by element; MPI_ERR_TRUNCATE when `to` is too short.
int elements_copy(struct elements from, struct elements to);

struct schedule;

// Every member of `comm` makes its schedules in the same order, which tells their
// messages apart. The schedule keeps the communicator. A member that fails to make its
// schedule refuses those of the others.
int schedule_make(struct communicator *comm, struct schedule **schedule);
// Counts a schedule in which this member has no part. Returns 0.
int schedule_skip(struct communicator *comm);
// Refuses the schedule that a member which has failed cannot make. Returns `err`.
int schedule_miss(struct communicator *comm, int err);
// For some members of `comm` only, which agree on a tag; the group stays until it has
// run. A member that fails to make it tells nobody.
int schedule_make_tagged(struct communicator *comm, const struct group *members,
                         int tag, struct schedule **schedule);
void schedule_free(struct schedule *schedule);
void schedules_stop(void); // by collectives_stop

// Append a step. A failure (no memory) is kept, and returned when the schedule is
// started. Types and operations are kept until the schedule is freed; ranks are those of
// `comm`, remote ones of an intercommunicator, and may be MPI_PROC_NULL.
void schedule_send(struct schedule *schedule, struct communicator *comm,
                   struct elements from, int rank);
void schedule_receive(struct schedule *schedule, struct communicator *comm,
                      struct elements to, int rank);
void schedule_wait(struct schedule *schedule);
// Also between equal addresses, which tell nothing where types have displacements.
void schedule_copy(struct schedule *schedule, struct elements from, struct elements to);
// inout[i] = in[i] op inout[i]
void schedule_reduce(struct schedule *schedule, struct op *op, struct elements in,
                     void *inout);
// `call` runs with the message lock held, must not wait, and returns an error class.
void schedule_call(struct schedule *schedule, int (*call)(void *argument),
                   void *argument);
// Room for `count` elements of a type; with count 0 when there is no memory.
struct elements schedule_scratch(struct schedule *schedule, MPI_Count count,
                                 struct datatype *type);
struct datatype *byte_type(void);

// Nothing is appended any more. The failure that was kept, or one now.
int schedule_close(struct schedule *schedule);

// The three ways to run it; each takes the schedule over, also when it fails. To the end:
int schedule_run(struct schedule *schedule);
// As a request under way, and as a persistent one.
int schedule_start(struct schedule *schedule, struct request **request);
int schedule_keep(struct schedule *schedule, struct request **request);

// Makes a schedule that cannot run fail on all members. Returns `err`.
int schedule_refuse(struct schedule *schedule, int err);

// ---- algorithms among peers ---------------------------------------------------------
// docs/collectives.md tells how many messages each takes.
struct peers {
    struct communicator *comm;
    enum { PEERS_ALL, PEERS_LEADERS, PEERS_MEMBERS } are;
    const struct group *members; // PEERS_MEMBERS: these
    int size, own;               // `own` is the index of this process
};
static inline struct peers peers_all(struct communicator *comm)
{
    return (struct peers){.comm = comm, .size = comm->size, .own = comm->rank};
}
// The members of a group that `comm` has; no memory is needed for where they are in it.
static inline struct peers peers_in(struct communicator *comm,
                                    const struct group *group)
{
    return (struct peers){.comm = comm,
                          .are = PEERS_MEMBERS,
                          .members = group,
                          .size = group->size,
                          .own = group->rank};
}
static inline struct peers peers_leaders(struct communicator *comm)
{
    return (struct peers){.comm = comm,
                          .are = PEERS_LEADERS,
                          .size = comm->leader_count,
                          .own = comm->leader_index};
}
static inline int peer_rank(const struct peers *peers, int index)
{
    if (peers->are == PEERS_ALL)
        return index;
    if (peers->are == PEERS_LEADERS)
        return leader_rank(peers->comm, index);
    return group_rank_of(peers->comm->peers, group_job_rank(peers->members, index));
}
// All ranks here are indices among the peers.
static inline void peers_send(struct schedule *schedule, const struct peers *peers,
                              struct elements from, int index)
{
    schedule_send(schedule, peers->comm, from, peer_rank(peers, index));
}
static inline void peers_receive(struct schedule *schedule, const struct peers *peers,
                                 struct elements to, int index)
{
    schedule_receive(schedule, peers->comm, to, peer_rank(peers, index));
}

// Data that is longer goes in parts of which peers have different ones.
enum { LONG_BYTES = 16 * 1024 };

// Every algorithm ends with a wait.
void append_barrier(struct schedule *schedule, const struct peers *peers);
void append_broadcast(struct schedule *schedule, const struct peers *peers,
                      struct elements data, int root);

// Fill all peers' portions, of which this peer's own is there already: portions that
// lie one behind the other, and any.
struct portions;
void append_allgather(struct schedule *schedule, const struct peers *peers,
                      const struct portions *all);
void append_ring(struct schedule *schedule, const struct peers *peers,
                 const struct portions *all);

// One block of each peer to the root and back; `all` are equal portions and count at the
// root only, where `own` may be MPI_IN_PLACE.
void append_gather(struct schedule *schedule, const struct peers *peers,
                   struct elements own, const struct portions *all, int root);
void append_scatter(struct schedule *schedule, const struct peers *peers,
                    const struct portions *all, struct elements own, int root);
// Sends all of the root's data to every peer.
void append_spread(struct schedule *schedule, const struct peers *peers,
                   struct elements data, int root);
// The root's parts of a buffer that all have, each to its peer's buffer.
void append_share(struct schedule *schedule, const struct peers *peers,
                  const struct portions *parts, int root);

// The operands are combined in the order of ranks. `in` and `out` may be the same; at
// peers that get no result `out` may be NULL.
void append_reduce(struct schedule *schedule, const struct peers *peers, struct op *op,
                   struct elements in, void *out, int root);
// All get the same bits.
void append_allreduce(struct schedule *schedule, const struct peers *peers,
                      struct op *op, struct elements in, void *out);
// Of `blocks`, which lie one behind the other, each peer gets its own in `out`.
// MPI_ERR_NO_MEM.
int append_reduce_scatter(struct schedule *schedule, const struct peers *peers,
                          struct op *op, const struct portions *blocks, void *out);

// The root's portions to the others, in an intercommunicator to the other group, each by
// a message of its own.
void append_scatter_each(struct schedule *schedule, struct communicator *comm,
                         const struct portions *all, struct elements own, int root);

// MPI_ERR_BUFFER for MPI_IN_PLACE in an intercommunicator.
int refuse_in_place(const struct communicator *comm, const void *buffer);
