// SPDX-License-Identifier: BSD-3-Clause
// put_then_fence_is_visible, in both directions, with all assertions that are true;
// those that are not are refused as far as one process can know.
#include "window_test.h"

enum { ROUNDS = 200 };

// Every rank writes to every other, and all see all of it in each round.
static void every_round_is_seen_by_all(const struct source *source)
{
    struct opened opened =
        source->open((MPI_Aint)(size * (int)sizeof(int)), sizeof(int));
    volatile int *memory = opened.base;
    int seen = -1, value;
    MPI_Win_fence(MPI_MODE_NOPRECEDE, opened.win);
    for (int round = 0; round < ROUNDS; round++) {
        value = 1000 * round + rank;
        for (int target = 0; target < size; target++)
            MPI_Put(&value, 1, MPI_INT, target, rank, 1, MPI_INT, opened.win);
        MPI_Win_fence(MPI_MODE_NOSTORE, opened.win);
        for (int origin = 0; origin < size; origin++)
            CHECK(memory[origin] == 1000 * round + origin);
        MPI_Get(&seen, 1, MPI_INT, left(), right(), 1, MPI_INT, opened.win);
        MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT, opened.win);
        CHECK(seen == 1000 * round + right());
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, opened.win);
    CHECK_CLASS(MPI_Get(&seen, 1, MPI_INT, rank, 0, 1, MPI_INT, opened.win),
                MPI_ERR_RMA_SYNC);
    source->close(&opened);
}

// Stores before a fence are seen by gets after it, and the other way round.
static void loads_and_stores_are_ordered(const struct source *source)
{
    struct opened opened = source->open(sizeof(int), 1);
    volatile int *memory = opened.base;
    int seen;
    for (int round = 0; round < ROUNDS; round++) {
        *memory = round * size + rank;
        MPI_Win_fence(MPI_MODE_NOPRECEDE, opened.win);
        MPI_Get(&seen, 1, MPI_INT, right(), 0, 1, MPI_INT, opened.win);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, opened.win);
        CHECK(seen == round * size + right());
    }
    source->close(&opened);
}

// A promise that is not kept is refused; the fence without it works.
static void wrong_promises_are_refused(const struct source *source)
{
    struct opened opened = source->open(sizeof(int), 1);
    int *memory = opened.base;
    *memory = -1;
    MPI_Win_fence(MPI_MODE_NOPRECEDE, opened.win);
    CHECK_CLASS(MPI_Win_fence(MPI_MODE_NOCHECK, opened.win), MPI_ERR_ASSERT);
    MPI_Put(&rank, 1, MPI_INT, right(), 0, 1, MPI_INT, opened.win);
    CHECK_CLASS(MPI_Win_fence(MPI_MODE_NOPRECEDE, opened.win), MPI_ERR_ASSERT);
    CHECK_CLASS(MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, opened.win),
                MPI_ERR_ASSERT);
    CHECK_CLASS(MPI_Win_fence(0, opened.win), MPI_SUCCESS);
    CHECK(*memory == left());
    CHECK_CLASS(MPI_Win_fence(MPI_MODE_NOPRECEDE, opened.win), MPI_SUCCESS);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, opened.win);
    CHECK_CLASS(MPI_Put(&rank, 1, MPI_INT, right(), 0, 1, MPI_INT, opened.win),
                MPI_ERR_RMA_SYNC);
    source->close(&opened);
}

// With nothing before and nothing after it, a fence waits for nobody: rank 0 calls it
// before the barrier, the others behind it.
static void a_fence_of_nothing_does_not_wait(const struct source *source)
{
    int nothing = MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
    struct opened opened = source->open(sizeof(int), 1);
    if (rank == 0)
        CHECK_CLASS(MPI_Win_fence(nothing, opened.win), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0)
        CHECK_CLASS(MPI_Win_fence(nothing, opened.win), MPI_SUCCESS);
    source->close(&opened);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for_each_source(every_round_is_seen_by_all);
    for_each_source(loads_and_stores_are_ordered);
    for_each_source(wrong_promises_are_refused);
    for_each_source(a_fence_of_nothing_does_not_wait);
    return finish();
}
