// SPDX-License-Identifier: BSD-3-Clause
// The nodes of a group's members, and their leaders.
#include "collective/node_map.h"

#include <stdlib.h>

int node_map_make(const struct group *group, struct node_map **made)
{
    const struct boot *boot = process.boot;
    size_t size = (size_t)group->size;
    int *index_of_node = malloc((size_t)boot->node_count * sizeof(int));
    struct node_map *map = calloc(1, sizeof *map);
    int *numbers = malloc(3 * size * sizeof(int));
    if (index_of_node == NULL || map == NULL || numbers == NULL) {
        free(numbers);
        free(map);
        free(index_of_node);
        return fail(MPI_ERR_NO_MEM, "no memory for a communicator of %zu", size);
    }
    map->references = 1;
    map->node_index_of = numbers;
    map->leaders = numbers + size;
    map->node_members = numbers + 2 * size;
    for (int node = 0; node < boot->node_count; node++)
        index_of_node[node] = -1;
    for (int rank = 0; rank < group->size; rank++) {
        int node = boot->node_of[group->ranks[rank]];
        if (index_of_node[node] < 0) {
            index_of_node[node] = map->leader_count;
            map->leaders[map->leader_count++] = rank;
        }
        map->node_index_of[rank] = index_of_node[node];
        if (node == boot->node)
            map->node_members[map->node_size++] = rank;
    }
    free(index_of_node);
    *made = map;
    return 0;
}

void node_map_release(struct node_map *map)
{
    if (atomic_fetch_sub_explicit(&map->references, 1, memory_order_acq_rel) > 1)
        return;
    free(map->node_index_of);
    free(map);
}
