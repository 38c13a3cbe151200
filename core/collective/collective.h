// SPDX-License-Identifier: BSD-3-Clause
// collective: barrier, broadcast, reductions, gathers over the node's shared memory and
// pt2pt between nodes; and the making of communicators, which is collective.
//
// Glossary
//   shared buffer  memory shared by a communicator's members on one node: a counter of
//                  arrivals at barriers, and slots in which they leave data for each
//                  other, round by round
//   single copy    of long data, from a member's own buffer straight to another's
//   leaders        the lowest-ranked members of each node; they alone talk between
//                  nodes
#pragma once

#include "pt2pt/pt2pt.h"

// ---- topologies -------------------------------------------------------------------
// A virtual topology (MPI-4.1 8), shared by a communicator and its duplicates. Its arrays
// lie behind it.
struct topology {
    _Atomic(int) references;
    int kind; // MPI_CART, MPI_GRAPH or MPI_DIST_GRAPH
    // Sources and destinations of this process in neighborhood collective calls; in a
    // grid the neighbors below and above in each dimension, which may be MPI_PROC_NULL.
    int in_degree, out_degree;
    int *sources, *destinations;
    int *source_weights, *destination_weights; // of a distributed graph, or NULL
    int ndims;
    int *dims, *periods, *coords;
    int nnodes, nedges;
    int *index, *edges; // of a graph that all know
    int numbers[];
};

// Kinds of messages.
enum {
    MESSAGE_REFUSAL = PT2PT_NEXT_KIND, // the lengths of a call do not fit together
    COLLECTIVE_NEXT_KIND
};

// ---- start and stop -----------------------------------------------------------------
int collectives_start(void); // makes process.world and process.self
void collectives_stop(void);
// Open and close the handles MPI_COMM_WORLD and MPI_COMM_SELF, which sessions do not
// give a program.
void world_open(void);
void world_close(void);

// All members call each of these in the same order. An error on one member (a dead
// peer) is returned by the members that notice it.
int collective_barrier(struct communicator *comm);
// Members on this node only.
int collective_node_barrier(struct communicator *comm);
// The same, which tells whether it is true of any member, and wakes them all if it is.
int collective_node_any(struct communicator *comm, bool is_true, bool *any);
// What is left of a barrier when the members on this node have come together.
int collective_barrier_between_nodes(struct communicator *comm);
int collective_broadcast(struct communicator *comm, void *bytes, size_t size, int root);
int collective_node_broadcast(struct communicator *comm, void *bytes, size_t size);
// Memory of the segment for the members on this node, from their leader, which finds it
// in *provided as well, to free it.
int collective_node_alloc(struct communicator *comm, size_t bytes, void **provided,
                          void **memory);
// `all` has comm->size blocks of `size` bytes.
int collective_gather_all(struct communicator *comm, const void *mine, size_t size,
                          void *all);
// The same; a member that comes with an error `err` makes the call fail for all.
int gather_all_or_fail(struct communicator *comm, const void *mine, size_t size,
                       void *all, int err);
// The same where `all` lies in the segment, once for the members of each node, each of
// which has written its own block there. An error `err` of all members on a node makes
// the call fail for all.
int collective_gather_in_node(struct communicator *comm, void *all, size_t size,
                              int err);
// The position of a rank among the members of this node, of which it is one.
static inline int collective_node_rank(const struct communicator *comm, int rank)
{
    int node_rank = 0;
    while (comm->node_members[node_rank] != rank)
        node_rank++;
    return node_rank;
}
// Element-wise over `count` elements of a predefined type; result on all members; in
// and out may be the same.
int collective_reduce_all(struct communicator *comm, const void *in, void *out,
                          MPI_Count count, struct datatype *type, struct op *op);

// ---- the communicators of windows
// Over the members of `parent`, which need no agreement on its context. Its only collective
// calls are barriers, collective_node_any among them.
int communicator_make_for_window(const struct communicator *parent,
                                 struct communicator **comm);
// All members of `parent` on this node call it, with NULL if they have no communicator.
// Gives them memory that lives as long as the communicator. On an error it has none.
int communicator_share_memory(struct communicator *parent, struct communicator *comm,
                              size_t bytes, void **memory);
// The context of the window after this one: rank 0 of `parent` makes it, others have 0, and
// all take what it has made before the next one.
uint64_t window_context_make(const struct communicator *parent);
void window_context_take(struct communicator *parent, uint64_t context);

void communicator_drop(struct communicator *comm);
// Gives back the memory in the segment that freed communicators had, if all members on this
// node have freed them. Done before a program's memory is allocated there, so that
// what is gone takes no place.
void communicators_collect(void);
