// SPDX-License-Identifier: BSD-3-Clause
// sleeping_ranks_cost_nothing: while the program sleeps, with a window open and its
// peers reached, the threads that serve it use less than 0.1 % of a core.
#include "window_test.h"

#include <sys/resource.h>
#include <unistd.h>

enum { SECONDS = 2 };

static double processor_seconds(void)
{
    struct rusage usage;
    CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int *base, one = 1;
    MPI_Win win;
    MPI_Win_allocate(sizeof one, sizeof one, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
                     &win);
    MPI_Win_lock_all(0, win);
    *base = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int target = 0; target < size; target++)
        MPI_Accumulate(&one, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_flush_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(*base == size);
    sleep(1); // what the calls have left to the threads is done
    double before = processor_seconds();
    sleep(SECONDS);
    CHECK(processor_seconds() - before < 1e-3 * SECONDS);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return finish();
}
