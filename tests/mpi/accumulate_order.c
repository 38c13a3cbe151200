// SPDX-License-Identifier: BSD-3-Clause
// accumulates_of_one_origin_happen_in_order: without any synchronisation between them,
// those on one location take effect as the program wrote them (MPI-4.1 12.7.2), and a
// target that computes is not needed.
#include "window_test.h"

#include <time.h>

enum { STEPS = 200, BULK = 40000, BULK_STEPS = 10, PATIENCE = 60 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Write after write, read after write, write after read, read after read: each rank has
// a location of its own at its right neighbour.
static void in_order(const struct source *source)
{
    struct opened opened = source->open(sizeof(int64_t), sizeof(int64_t));
    int64_t *memory = opened.base;
    static int64_t values[STEPS + 1], seen[STEPS][3];
    static const int64_t ten = 10, last = -7;
    for (int i = 0; i <= STEPS; i++)
        values[i] = 10 * i;
    *memory = -1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, opened.win);
    for (int i = 0; i < STEPS; i++) {
        MPI_Accumulate(&values[i], 1, MPI_INT64_T, right(), 0, 1, MPI_INT64_T,
                       MPI_REPLACE, opened.win);
        MPI_Fetch_and_op(NULL, &seen[i][0], MPI_INT64_T, right(), 0, MPI_NO_OP,
                         opened.win);
        MPI_Get_accumulate(&ten, 1, MPI_INT64_T, &seen[i][1], 1, MPI_INT64_T, right(),
                           0, 1, MPI_INT64_T, MPI_SUM, opened.win);
        MPI_Compare_and_swap(&last, &values[i + 1], &seen[i][2], MPI_INT64_T, right(),
                             0, opened.win);
    }
    MPI_Win_unlock_all(opened.win);
    for (int i = 0; i < STEPS; i++) {
        CHECK(seen[i][0] == 10 * i);
        CHECK(seen[i][1] == 10 * i);
        CHECK(seen[i][2] == 10 * i + 10);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(*memory == last);
    source->close(&opened);
}

// Many elements and a single one in turn.
static void bulk_in_order(const struct source *source)
{
    struct opened opened = source->open(BULK * sizeof(int64_t), sizeof(int64_t));
    int64_t *memory = opened.base, one = 1;
    static int64_t values[BULK_STEPS][BULK], seen[BULK_STEPS][BULK], at[BULK_STEPS];
    for (int i = 0; i < BULK; i++)
        memory[i] = -1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, opened.win);
    for (int step = 0; step < BULK_STEPS; step++) {
        for (int i = 0; i < BULK; i++)
            values[step][i] = 1000 * step + i;
        MPI_Accumulate(values[step], BULK, MPI_INT64_T, right(), 0, BULK, MPI_INT64_T,
                       MPI_REPLACE, opened.win);
        MPI_Accumulate(&one, 1, MPI_INT64_T, right(), BULK - 1, 1, MPI_INT64_T, MPI_SUM,
                       opened.win);
        MPI_Get_accumulate(values[step], BULK, MPI_INT64_T, seen[step], BULK,
                           MPI_INT64_T, right(), 0, BULK, MPI_INT64_T, MPI_SUM,
                           opened.win);
        MPI_Fetch_and_op(NULL, &at[step], MPI_INT64_T, right(), 5, MPI_NO_OP,
                         opened.win);
    }
    MPI_Win_unlock_all(opened.win);
    for (int step = 0; step < BULK_STEPS; step++) {
        for (int i = 0; i < BULK; i++)
            CHECK(seen[step][i] == values[step][i] + (i == BULK - 1));
        CHECK(at[step] == 2 * values[step][5]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < BULK; i++)
        CHECK(memory[i] == 2 * values[BULK_STEPS - 1][i] + (i == BULK - 1));
    source->close(&opened);
}

// Rank 0 makes no call until the others have counted to the end.
static void without_the_target(const struct source *source)
{
    struct opened opened = source->open(sizeof(int), sizeof(int));
    volatile int *counter = opened.base;
    int one = 1, seen;
    *counter = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = now();
    while (rank == 0 && *counter != (size - 1) * STEPS)
        CHECK(now() - begin < PATIENCE);
    MPI_Win_lock_all(0, opened.win);
    for (int i = 0; i < STEPS && rank != 0; i++) {
        MPI_Fetch_and_op(&one, &seen, MPI_INT, 0, 0, MPI_SUM, opened.win);
        MPI_Win_flush(0, opened.win);
        CHECK(seen >= i && seen < (size - 1) * STEPS);
    }
    MPI_Win_unlock_all(opened.win);
    source->close(&opened);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for_each_source(in_order);
    for_each_source(bulk_in_order);
    const char *progress = getenv("ORIEL_PROGRESS");
    if (progress == NULL || strcmp(progress, "off") != 0)
        for_each_source(without_the_target);
    return finish();
}
