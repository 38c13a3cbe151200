// SPDX-License-Identifier: BSD-3-Clause
// splits_are_those_of_the_definition: MPI_Comm_split among virtual processes, by colors
// and keys of many patterns, of communicators in the order of the job and in others.
//
// usage: splits NODES PROCESSES_OF_A_NODE
#include "world.h"

#include "object/object.h"
#include "oriel_core.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 40 };

static void check(int err)
{
    int class;
    if (err == 0)
        return;
    fprintf(stderr, "splits: rank %d: %s\n", process.rank, error_detail(&class));
    exit(1);
}

static void claim(bool is_true, const char *text, int round)
{
    if (is_true)
        return;
    fprintf(stderr, "splits: rank %d, round %d: %s is not true\n", process.rank, round,
            text);
    exit(1);
}

// ---- what each rank of the parent chooses ------------------------------------------------
static uint32_t random_of(int rank, int round, int salt)
{
    uint64_t state = (uint64_t)(rank * 64 + round) * 8 + (uint64_t)salt;
    state = (state ^ state >> 13) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(state >> 32);
}

static int color_of(int rank, int round, int size)
{
    switch (round % 10) {
    case 0:
        return 0;
    case 1:
        return rank < size / 2;
    case 2:
        return rank % 3;
    case 3:
        return rank / 4;
    case 4:
        return rank % 4 == 0 ? 7 : MPI_UNDEFINED;
    case 5:
        return (int)(random_of(rank, round, 0) % 2);
    case 6:
        return (int)(random_of(rank, round, 1) % (uint32_t)size);
    case 7:
        return rank % 2 ? INT_MAX : 0;
    case 8:
        return rank;
    default:
        return rank % 5 ? rank % 5 : MPI_UNDEFINED;
    }
}

static int key_of(int rank, int round, int size)
{
    switch (round / 10) {
    case 0:
        return 0;
    case 1:
        return size - rank;
    case 2:
        return (int)(random_of(rank, round, 2) % 3);
    default:
        return rank % 2 ? INT_MIN + rank : INT_MAX - rank;
    }
}

// ---- against the definition (MPI-4.1 7.4.2) ----------------------------------------------
struct chosen {
    int key, rank;
};

static int by_key_and_rank(const void *one, const void *other)
{
    const struct chosen *a = one, *b = other;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static void check_split(struct communicator *parent, int round)
{
    int size = parent->size, count = 0, own = color_of(parent->rank, round, size);
    struct communicator *made = NULL;
    check(oriel_comm_split(parent, own, key_of(parent->rank, round, size), &made));
    claim((made == NULL) == (own == MPI_UNDEFINED), "who has no color is in none",
          round);
    if (made == NULL)
        return;
    struct chosen *expected = malloc((size_t)size * sizeof *expected);
    if (expected == NULL)
        exit(1);
    for (int rank = 0; rank < size; rank++)
        if (color_of(rank, round, size) == own)
            expected[count++] = (struct chosen){key_of(rank, round, size), rank};
    qsort(expected, (size_t)count, sizeof *expected, by_key_and_rank);
    claim(made->size == count, "all of the color are there", round);
    for (int i = 0; i < count; i++)
        claim(comm_job_rank(made, i) == comm_job_rank(parent, expected[i].rank),
              "members have the order of the keys", round);
    bool is_regular = round < 20 && (round % 10 < 5 || round % 10 > 6);
    if (is_regular && parent->group->ranks == NULL && round % 10 != 9)
        claim(made->group->ranks == NULL, "members that are equally far apart", round);
    free(expected);
    check(oriel_barrier(made));
    check(oriel_comm_free(made));
}

static void body(void)
{
    struct communicator *parents[3] = {process.world};
    int rank = process.rank, size = process.boot->size;
    check(oriel_comm_split(process.world, 0, -rank, &parents[1]));
    check(oriel_comm_split(process.world, 0, (int)random_of(rank, 0, 3), &parents[2]));
    for (int round = 0; round < ROUNDS; round++)
        check_split(parents[size > 200 ? 0 : round % 3], round);
    for (int round = 0; round < ROUNDS; round++)
        check_split(parents[0], round);
}

int main(int argc, char **argv)
{
    struct machine machine = {
        .node = {200, 50, 0.1}, .network = {5000, 1500, 0.4}, .line = 100};
    int nodes = argc > 2 ? atoi(argv[1]) : 0, node_size = argc > 2 ? atoi(argv[2]) : 0;
    if (nodes < 1 || node_size < 1) {
        fprintf(stderr, "usage: %s NODES PROCESSES_OF_A_NODE\n", argv[0]);
        return 2;
    }
    world_run(nodes, node_size, &machine, body);
    return 0;
}
