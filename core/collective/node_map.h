// SPDX-License-Identifier: BSD-3-Clause
// The nodes of a group's members.
#pragma once

#include "collective/collective.h"

// The nodes of a group's members; shared by all communicators over the same group
// object.
struct node_map {
    _Atomic(int) references;
    int leader_count, node_size;
    int *node_index_of; // [size of the group] start of the one allocation of all three
    int *leaders;       // [leader_count] lowest rank of each node
    int *node_members;  // [node_size] ranks on this node
};
int node_map_make(const struct group *group, struct node_map **map);
void node_map_release(struct node_map *map);
