// SPDX-License-Identifier: BSD-3-Clause
// node_maps_are_those_of_the_members: nodes and leaders of random groups, by arithmetic and
// by tables, against the definitions. Needs the core.

#include "check.h"
#include "collective/node_map.h"

#include <string.h>

enum { JOB = 24, ROUNDS = 4000 };

static int node_of[JOB];
static struct boot boot = {.size = JOB, .node_of = node_of};

// Ranks lie on nodes in blocks, or each anywhere. Nodes are numbered by their lowest ranks.
static void place_ranks(void)
{
    int block = random_between(1, JOB), nodes = 0, number_of[JOB];
    bool is_irregular = random_between(0, 2) == 0;
    memset(number_of, -1, sizeof number_of);
    for (int rank = 0; rank < JOB; rank++) {
        int place = is_irregular ? random_between(0, block - 1) : rank / block;
        if (number_of[place] < 0)
            number_of[place] = nodes++;
        node_of[rank] = number_of[place];
    }
    boot.node_count = nodes;
    boot.block = is_irregular ? 0 : block;
}

// Of which this process is a member.
static struct group *random_group(void)
{
    int first = random_between(0, JOB - 1), size = 0, ranks[JOB];
    int stride = random_between(1, JOB / 3) * (random_between(0, 3) ? 1 : -1);
    for (int rank = first; rank >= 0 && rank < JOB; rank += stride)
        ranks[size++] = rank;
    size = random_between(1, size);
    if (size > 2 && random_between(0, 3) == 0) { // irregular, unless it was so few
        int swapped = ranks[0];
        ranks[0] = ranks[size - 1];
        ranks[size - 1] = swapped;
    }
    struct group *group;
    boot.rank = ranks[random_between(0, size - 1)];
    boot.node = node_of[boot.rank];
    boot.first = boot.node * boot.block;
    boot.node_size = boot.block;
    CHECK(group_make(ranks, size, NULL, &group) == 0);
    return group;
}

static int node_of_member(const struct group *group, int rank)
{
    return node_of[group_job_rank(group, rank)];
}

// The lowest rank on the node of a member.
static int lowest_on_node(const struct group *group, int rank)
{
    int lowest = 0;
    while (node_of_member(group, lowest) != node_of_member(group, rank))
        lowest++;
    return lowest;
}

static void check_map(const struct communicator *comm, const struct node_map *map)
{
    const struct group *group = comm->group;
    int leaders = 0, members = 0;
    for (int rank = 0; rank < group->size; rank++) {
        int lowest = lowest_on_node(group, rank);
        if (lowest == rank)
            CHECK(leader_rank(comm, leaders++) == rank);
        CHECK(leader_rank(comm, leader_index_of(comm, rank)) == lowest);
        bool is_local = node_of_member(group, rank) == boot.node;
        CHECK(comm_rank_is_local(comm, rank) == is_local);
        if (is_local)
            CHECK(map->node_members[members++] == rank);
    }
    CHECK(map->leader_count == leaders);
    CHECK(map->node_size == members);
}

int main(void)
{
    process.boot = &boot;
    for (int round = 0; round < ROUNDS; round++) {
        place_ranks();
        struct group *group = random_group();
        struct comm_collective collective = {0};
        struct communicator comm = {
            .group = group, .peers = group, .collective = &collective};
        CHECK(node_map_make(group, &collective.node_map) == 0);
        comm.leader_count = collective.node_map->leader_count;
        check_map(&comm, collective.node_map);
        node_map_release(collective.node_map);
        object_release(group);
    }
    return 0;
}
