// SPDX-License-Identifier: BSD-3-Clause
// Collective operations among a communicator's members on one node: short data go
// through the slots of the shared buffer, long ones by single copies. A member that
// comes with an error `err` makes the call fail for those that depend on it.
#pragma once

#include "collective/portions.h"
#include "collective/shared_buffer.h"

// `node_rank` is the position of the source among the node's members. MPI_ERR_TRUNCATE
// when the source has more bytes or less, or fails with an error of its own.
int node_broadcast(struct communicator *comm, void *bytes, size_t size, int node_rank,
                   int err);
// Copies the blocks of all members of the node to their places in `all`, where `mine` may
// be already. MPI_ERR_TRUNCATE when their sizes differ.
int node_gather_all(struct communicator *comm, const void *mine, void *all, size_t size,
                    int err);

// Blocks of the members of one node: from each to each, to a root, or from it.
struct node_blocks {
    const char *out; // for each rank, or at a member other than the root the only one
    char *in;        // likewise; NULL, as `out`, where there are none
    size_t size;     // of a block
    int root;        // a node rank, or ALL_MEMBERS: alltoall
    bool to_root;    // gather; else scatter
};
// Can the members exchange by the next function? All are on one node then, and so few
// that each has a cache line for every other one in its slot.
bool node_can_exchange(const struct communicator *comm);
// Brings the blocks for other members to their places, in other memory.
// MPI_ERR_TRUNCATE when the sizes differ.
int node_exchange(struct communicator *comm, const struct node_blocks *blocks, int err);

// Operands of one predefined type, and who gets their result.
struct reduction {
    const struct op *op;
    const struct basic *basic;
    const char *in;
    char *out; // may be `in`; not used by members that get no result
    MPI_Count count;
    int to; // a node rank, ALL_MEMBERS, or EACH_ITS_BLOCK
    // Of the elements of `in`, one behind the other; for EACH_ITS_BLOCK only.
    const struct portions *blocks;
};
enum { EACH_ITS_BLOCK = -2 };
// All members that get the result get the same bits: the order of operands does not
// depend on the times of arrival.
int node_reduce(struct communicator *comm, const struct reduction *reduction);
// Each member gets the result for its own block in `out`. Needs node_can_exchange.
// MPI_ERR_TRUNCATE when the lengths of the blocks differ.
int node_reduce_scatter(struct communicator *comm, const struct reduction *reduction,
                        int err);
