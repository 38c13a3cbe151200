// SPDX-License-Identifier: BSD-3-Clause
// The nodes of a group's members, and their leaders.
#include "collective/node_map.h"

#include <stdlib.h>
#include <string.h>

// ---- by arithmetic: of members that are `stride` apart on nodes of `block` ranks ------
static bool is_arithmetic(const struct group *group)
{
    return process.boot->block > 0 && group->ranks == NULL && group->stride > 0;
}

// Each node between the first and the last member has one, unless each member has a node
// of its own.
static int index_in_blocks(const struct group *group, int rank)
{
    int block = process.boot->block;
    return group->stride >= block
               ? rank
               : group_job_rank(group, rank) / block - group->first / block;
}

// The first member whose rank in the job is not below that of the node's first process;
// for the index behind the last node, the number of members.
static int leader_in_blocks(const struct group *group, int index)
{
    int64_t block = process.boot->block, stride = group->stride;
    if (stride >= block || index == 0)
        return index;
    int64_t distance = (group->first / block + index) * block - group->first;
    int64_t rank = (distance + stride - 1) / stride;
    return rank < group->size ? (int)rank : group->size;
}

static struct node_map *map_of_blocks(const struct group *group)
{
    int own = index_in_blocks(group, group->rank);
    int first = leader_in_blocks(group, own), end = leader_in_blocks(group, own + 1);
    size_t members = (size_t)(end - first);
    struct node_map *map = malloc(sizeof *map + members * sizeof *map->node_members);
    if (map == NULL)
        return NULL;
    *map = (struct node_map){
        .leader_count = index_in_blocks(group, group->size - 1) + 1,
        .node_size = end - first,
    };
    for (int i = 0; i < map->node_size; i++)
        map->node_members[i] = first + i;
    return map;
}

// ---- by tables --------------------------------------------------------------------------
static void map_count(const struct group *group, struct node_map *map,
                      int *index_of_node)
{
    const struct boot *boot = process.boot;
    for (int node = 0; node < boot->node_count; node++)
        index_of_node[node] = -1;
    for (int rank = 0; rank < group->size; rank++) {
        int node = boot_node(boot, group_job_rank(group, rank));
        if (index_of_node[node] < 0)
            index_of_node[node] = map->leader_count++;
        map->node_size += node == boot->node;
    }
}

static void map_fill(const struct group *group, struct node_map *map, int *leaders)
{
    const struct boot *boot = process.boot;
    int members = 0, found = 0;
    for (int rank = 0; rank < group->size; rank++) {
        int node = boot_node(boot, group_job_rank(group, rank));
        if (map->index_of_node[node] == found)
            leaders[found++] = rank;
        if (node == boot->node)
            map->node_members[members++] = rank;
    }
}

static struct node_map *map_of_tables(const struct group *group)
{
    size_t nodes = (size_t)process.boot->node_count;
    struct node_map counted = {0};
    int *index_of_node = malloc(nodes * sizeof *index_of_node);
    if (index_of_node == NULL)
        return NULL;
    map_count(group, &counted, index_of_node);
    size_t members = (size_t)counted.node_size, leaders = (size_t)counted.leader_count;
    struct node_map *map =
        malloc(sizeof *map + (members + leaders + nodes) * sizeof(int));
    if (map != NULL) {
        *map = counted;
        int *tables = map->node_members + members;
        map->leaders = tables;
        map->index_of_node =
            memcpy(tables + leaders, index_of_node, nodes * sizeof(int));
        map_fill(group, map, tables);
    }
    free(index_of_node);
    return map;
}

int node_map_make(const struct group *group, struct node_map **made)
{
    struct node_map *map =
        is_arithmetic(group) ? map_of_blocks(group) : map_of_tables(group);
    if (map == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for a communicator of %d", group->size);
    map->references = 1;
    *made = map;
    return 0;
}

void node_map_release(struct node_map *map)
{
    if (atomic_fetch_sub_explicit(&map->references, 1, memory_order_acq_rel) == 1)
        free(map);
}

int leader_rank(const struct communicator *comm, int index)
{
    const struct node_map *map = comm->collective->node_map;
    return map->leaders ? map->leaders[index] : leader_in_blocks(comm->group, index);
}

int leader_index_on_nodes(const struct communicator *comm, int rank)
{
    const struct node_map *map = comm->collective->node_map;
    return map->index_of_node != NULL
               ? map->index_of_node[boot_node(process.boot,
                                              group_job_rank(comm->group, rank))]
               : index_in_blocks(comm->group, rank);
}
