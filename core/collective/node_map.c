// SPDX-License-Identifier: BSD-3-Clause
// The nodes of a group's members, and their leaders.
#include "collective/node_map.h"

#include <stdlib.h>

// Are the members all processes of the job, in its order?
static bool group_is_job(const struct group *group)
{
    return group->size == process.boot->size && group->ranks == NULL &&
           group->first == 0;
}

static void map_use_job(struct node_map *map)
{
    const struct boot *boot = process.boot;
    map->leader_count = boot->node_count;
    map->node_size = boot->node_size;
    map->node_index_of = boot->node_of;
    map->leaders = boot->leaders;
    map->node_members = boot->node_members;
}

// The table of all leaders needs no more room than one of all members.
static int map_fill(struct node_map *map, const struct group *group)
{
    const struct boot *boot = process.boot;
    size_t size = (size_t)group->size;
    int *index_of_node = malloc((size_t)boot->node_count * sizeof(int));
    map->numbers = malloc(3 * size * sizeof(int));
    if (index_of_node == NULL || map->numbers == NULL) {
        free(index_of_node);
        return MPI_ERR_NO_MEM;
    }
    int *node_index_of = map->numbers, *leaders = node_index_of + size;
    int *node_members = leaders + size;
    for (int node = 0; node < boot->node_count; node++)
        index_of_node[node] = -1;
    for (int rank = 0; rank < group->size; rank++) {
        int node = boot->node_of[group_job_rank(group, rank)];
        if (index_of_node[node] < 0) {
            index_of_node[node] = map->leader_count;
            leaders[map->leader_count++] = rank;
        }
        node_index_of[rank] = index_of_node[node];
        if (node == boot->node)
            node_members[map->node_size++] = rank;
    }
    free(index_of_node);
    map->node_index_of = node_index_of;
    map->leaders = leaders;
    map->node_members = node_members;
    return 0;
}

int node_map_make(const struct group *group, struct node_map **made)
{
    struct node_map *map = calloc(1, sizeof *map);
    int err = map != NULL ? 0 : MPI_ERR_NO_MEM;
    if (!err && group_is_job(group))
        map_use_job(map);
    else if (!err)
        err = map_fill(map, group);
    if (err) {
        free(map != NULL ? map->numbers : NULL);
        free(map);
        return fail(err, "no memory for a communicator of %d", group->size);
    }
    map->references = 1;
    *made = map;
    return 0;
}

void node_map_release(struct node_map *map)
{
    if (atomic_fetch_sub_explicit(&map->references, 1, memory_order_acq_rel) > 1)
        return;
    free(map->numbers);
    free(map);
}
