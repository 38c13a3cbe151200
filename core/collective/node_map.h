// SPDX-License-Identifier: BSD-3-Clause
// The nodes of a group's members.
#pragma once

#include "collective/collective.h"

// The nodes of a group's members; shared by all communicators over the same group
// object.
struct node_map {
    _Atomic(int) references;
    int leader_count, node_size;
    const int *node_index_of; // [size of the group]
    const int *leaders;       // [leader_count] lowest rank of each node
    const int *node_members;  // [node_size] ranks on this node
    int *numbers; // the three, one behind the other; NULL: they are those of the job
};
int node_map_make(const struct group *group, struct node_map **map);
void node_map_release(struct node_map *map);
