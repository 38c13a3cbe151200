// SPDX-License-Identifier: BSD-3-Clause
// post_and_start_match_per_epoch: general active target synchronisation shows each
// target what its origins put, for neighbours, all, none and the process itself, many
// epochs in a row, and never waits for a call that comes later.
#include "window_test.h"

enum { ROUNDS = 200, BYTES = 5000 };

static MPI_Group world;

static MPI_Group group_of(int count, const int *ranks)
{
    MPI_Group group;
    MPI_Group_incl(world, count, ranks, &group);
    return group;
}

static int value_of(int origin, int round)
{
    return 1000 * (round + 1) + origin;
}

// Each rank puts to its right; start comes before post, so it must not wait.
static void ring(const struct source *source)
{
    struct opened opened = source->open(sizeof(int), sizeof(int));
    MPI_Group targets = group_of(1, (int[]){right()});
    MPI_Group origins = group_of(1, (int[]){left()});
    volatile int *own = opened.base;
    for (int round = 0; round < ROUNDS; round++) {
        int value = value_of(rank, round);
        CHECK_CLASS(MPI_Win_start(targets, 0, opened.win), MPI_SUCCESS);
        CHECK_CLASS(MPI_Win_post(origins, 0, opened.win), MPI_SUCCESS);
        CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, right(), 0, 1, MPI_INT, opened.win),
                    MPI_SUCCESS);
        CHECK_CLASS(MPI_Win_complete(opened.win), MPI_SUCCESS);
        CHECK_CLASS(MPI_Win_wait(opened.win), MPI_SUCCESS);
        CHECK(*own == value_of(left(), round));
    }
    MPI_Group_free(&targets);
    MPI_Group_free(&origins);
    source->close(&opened);
}

// All put to all, themselves too, and the end is found by MPI_Win_test.
static void all_to_all(const struct source *source)
{
    struct opened opened = source->open((MPI_Aint)sizeof(int) * size, sizeof(int));
    volatile int *own = opened.base;
    for (int round = 0; round < ROUNDS / 10; round++) {
        int value = value_of(rank, round), flag = 0;
        MPI_Win_post(world, MPI_MODE_NOSTORE, opened.win);
        MPI_Win_start(world, 0, opened.win);
        for (int target = 0; target < size; target++)
            MPI_Put(&value, 1, MPI_INT, target, rank, 1, MPI_INT, opened.win);
        MPI_Win_complete(opened.win);
        while (!flag)
            CHECK_CLASS(MPI_Win_test(opened.win, &flag), MPI_SUCCESS);
        for (int origin = 0; origin < size; origin++)
            CHECK(own[origin] == value_of(origin, round));
    }
    source->close(&opened);
}

// Rank 0 exposes to a different origin in each round; the others hurry ahead.
static void groups_change(const struct source *source)
{
    struct opened opened = source->open(BYTES, 1);
    unsigned char *bytes = malloc(BYTES);
    CHECK(bytes != NULL);
    for (int round = 0; round < ROUNDS; round++) {
        int origin = round % size;
        MPI_Group origins = group_of(1, &origin), targets = group_of(1, (int[]){0});
        if (rank == 0)
            MPI_Win_post(origins, 0, opened.win);
        if (rank == origin) {
            fill(bytes, BYTES, rank, round);
            MPI_Win_start(targets, 0, opened.win);
            MPI_Put(bytes, BYTES, MPI_BYTE, 0, 0, BYTES, MPI_BYTE, opened.win);
            MPI_Win_complete(opened.win);
        }
        if (rank == 0) {
            MPI_Win_wait(opened.win);
            CHECK(is_filled(opened.base, BYTES, origin, round));
        }
        MPI_Group_free(&origins);
        MPI_Group_free(&targets);
    }
    free(bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    source->close(&opened);
}

// MPI_Win_complete without an access does not need the target's post.
static void complete_may_precede_post(const struct source *source)
{
    struct opened opened = source->open(8, 1);
    MPI_Win_start(world, 0, opened.win);
    MPI_Win_complete(opened.win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_post(world, 0, opened.win);
    MPI_Win_wait(opened.win);
    source->close(&opened);
}

static void get_without_checks(const struct source *source)
{
    struct opened opened = source->open(sizeof(int), 1);
    int got = -1;
    *(int *)opened.base = rank;
    MPI_Win_post(world, MPI_MODE_NOCHECK | MPI_MODE_NOPUT, opened.win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_start(world, MPI_MODE_NOCHECK, opened.win);
    MPI_Get(&got, 1, MPI_INT, right(), 0, 1, MPI_INT, opened.win);
    MPI_Win_complete(opened.win);
    MPI_Win_wait(opened.win);
    CHECK(got == right());
    source->close(&opened);
}

static void empty_groups_wait_for_nobody(const struct source *source)
{
    struct opened opened = source->open(8, 1);
    int flag = 0;
    MPI_Win_post(MPI_GROUP_EMPTY, 0, opened.win);
    MPI_Win_start(MPI_GROUP_EMPTY, 0, opened.win);
    MPI_Win_complete(opened.win);
    MPI_Win_test(opened.win, &flag);
    CHECK(flag);
    source->close(&opened);
}

// An exposure lasts until its origin completes.
static void test_is_false_before_complete(const struct source *source)
{
    struct opened opened = source->open(8, 1);
    MPI_Group others = group_of(1, (int[]){right()});
    MPI_Group origins = group_of(1, (int[]){left()});
    int flag = 1;
    MPI_Win_post(origins, 0, opened.win);
    CHECK_CLASS(MPI_Win_test(opened.win, &flag), MPI_SUCCESS);
    CHECK(!flag);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_start(others, 0, opened.win);
    MPI_Win_complete(opened.win);
    MPI_Win_wait(opened.win);
    MPI_Group_free(&others);
    MPI_Group_free(&origins);
    source->close(&opened);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for_each_source(ring);
    for_each_source(all_to_all);
    for_each_source(groups_change);
    for_each_source(complete_may_precede_post);
    for_each_source(get_without_checks);
    for_each_source(empty_groups_wait_for_nobody);
    for_each_source(test_is_false_before_complete);
    MPI_Group_free(&world);
    return finish();
}
