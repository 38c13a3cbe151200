// SPDX-License-Identifier: BSD-3-Clause
// a_target_that_computes_is_served: rank 0 makes no MPI call until the others have
// locked it, written to it and read from it; it sees that in its own memory.
#include "window_test.h"

#include <time.h>

enum { PATIENCE = 60 }; // seconds; then the target has waited in vain

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void compute_until_written(const volatile int *slots)
{
    double begin = now();
    for (int origin = 1; origin < size; origin++)
        while (slots[origin] != origin)
            CHECK(now() - begin < PATIENCE);
}

static void write_to_target(MPI_Win win)
{
    int seen = -1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Get(&seen, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    CHECK(seen == 4711);
    MPI_Put(&rank, 1, MPI_INT, 0, rank, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
}

static void no_call_is_needed(const struct source *source)
{
    struct opened opened =
        source->open((MPI_Aint)(size * (int)sizeof(int)), sizeof(int));
    int *slots = opened.base;
    memset(slots, 0, (size_t)size * sizeof *slots);
    slots[0] = 4711;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        compute_until_written(slots);
    else
        write_to_target(opened.win);
    source->close(&opened);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    const char *progress = getenv("ORIEL_PROGRESS");
    if (progress != NULL && strcmp(progress, "off") == 0)
        return finish(), SKIPPED;
    for_each_source(no_call_is_needed);
    return finish();
}
