// SPDX-License-Identifier: BSD-3-Clause
// Slow: each process computes while it holds the lock of rank 0, so that all others wait.
#include <mpi.h>
#include <stdio.h>

enum { STEPS = 8 };

static long compute(double seconds)
{
    long value = 0;
    double until = MPI_Wtime() + seconds;
    while (MPI_Wtime() < until)
        value = 1;
    return value;
}

static void add_result(MPI_Win win)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    long value = compute(0.005); // needs no lock
    MPI_Accumulate(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_unlock(0, win);
}

int main(void)
{
    int rank;
    long *sum;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof *sum, sizeof *sum, MPI_INFO_NULL, MPI_COMM_WORLD, &sum,
                     &win);
    MPI_Win_set_name(win, "sum");
    *sum = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int step = 0; step < STEPS; step++)
        add_result(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("the sum is %ld\n", *sum);
    MPI_Win_free(&win);
    MPI_Finalize();
}
