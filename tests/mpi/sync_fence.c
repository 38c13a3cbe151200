// SPDX-License-Identifier: BSD-3-Clause
// put_then_fence_is_visible, in both directions, with all assertions that are true.
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

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for_each_source(every_round_is_seen_by_all);
    for_each_source(loads_and_stores_are_ordered);
    return finish();
}
