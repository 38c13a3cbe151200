// SPDX-License-Identifier: BSD-3-Clause
// The nodes of a group's members.
#pragma once

#include "collective/collective.h"
#include "collective/state.h"

// The nodes of a group's members; shared by all communicators over the same group
// object. Leaders are known by arithmetic where the members are equally far apart on
// nodes with blocks of ranks.
struct node_map {
    _Atomic(int) references;
    int leader_count, node_size;
    const int *leaders;       // [leader_count] lowest rank of each node, or NULL
    const int *index_of_node; // [nodes of the job] index among `leaders`, or NULL
    int node_members[];       // [node_size] ranks on this node
};
int node_map_make(const struct group *group, struct node_map **map);
void node_map_release(struct node_map *map);

// The lowest rank of a node.
int leader_rank(const struct communicator *comm, int index);
int leader_index_on_nodes(const struct communicator *comm, int rank);
// The index among the leaders of the node that has this rank.
static inline int leader_index_of(const struct communicator *comm, int rank)
{
    return comm->leader_count == 1 ? 0 : leader_index_on_nodes(comm, rank);
}
