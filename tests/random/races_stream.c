// SPDX-License-Identifier: BSD-3-Clause
// usage: mpiexec -n 2 races_stream allocated|created STEP
// Says what a put of 8 bytes takes in a stream to every STEP-th cell of the other process:
// nanoseconds, the least of several rounds.
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 1 << 14, PUTS = 1024, FLUSHES = 8, ROUNDS = 30 };

static double put_round(MPI_Win win, MPI_Aint step)
{
    static double values[PUTS];
    double start = MPI_Wtime();
    for (int flush = 0; flush < FLUSHES; flush++) {
        for (int i = 0; i < PUTS; i++)
            MPI_Put(&values[i], 1, MPI_DOUBLE, 1, i * step % CELLS, 1, MPI_DOUBLE, win);
        MPI_Win_flush(1, win);
    }
    return (MPI_Wtime() - start) / (PUTS * FLUSHES) * 1e9;
}

static void stream_measure(MPI_Win win, MPI_Aint step)
{
    double least = put_round(win, step);
    for (int round = 1; round < ROUNDS; round++) {
        double taken = put_round(win, step);
        if (taken < least)
            least = taken;
    }
    printf("%.2f\n", least);
}

int main(int argc, char **argv)
{
    static double own[CELLS];
    int rank;
    double *memory;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 3)
        MPI_Abort(MPI_COMM_WORLD, 2);
    if (strcmp(argv[1], "created") == 0)
        MPI_Win_create(own, sizeof own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD,
                       &win);
    else
        MPI_Win_allocate(sizeof own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD,
                         &memory, &win);
    MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        stream_measure(win, atol(argv[2]));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
