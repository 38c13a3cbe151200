// SPDX-License-Identifier: BSD-3-Clause
// Work queue: processes draw the numbers of tasks from one counter by MPI_Fetch_and_op and
// add their results up in the memory of rank 0. Each task must be done once.
#include <mpi.h>
#include <stdio.h>

enum { TASKS = 2000, COUNTER = TASKS, SUM };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    long *queue;
    MPI_Win win;
    MPI_Win_allocate(rank == 0 ? (SUM + 1) * (MPI_Aint)sizeof *queue : 0, sizeof *queue,
                     MPI_INFO_NULL, MPI_COMM_WORLD, &queue, &win);
    if (rank == 0)
        for (int i = 0; i <= SUM; i++)
            queue[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);

    const long one = 1;
    long task = 0, mine = 0;
    MPI_Win_lock_all(0, win);
    for (;;) {
        MPI_Fetch_and_op(&one, &task, MPI_LONG, 0, COUNTER, MPI_SUM, win);
        MPI_Win_flush(0, win);
        if (task >= TASKS)
            break;
        long result = task * task;
        MPI_Accumulate(&one, 1, MPI_LONG, 0, task, 1, MPI_LONG, MPI_SUM, win);
        MPI_Accumulate(&result, 1, MPI_LONG, 0, SUM, 1, MPI_LONG, MPI_SUM, win);
        MPI_Win_flush_local(0, win);
        mine++;
    }
    MPI_Win_unlock_all(win);
    long done;
    MPI_Reduce(&mine, &done, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);

    int wrong = 0;
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        long expected = 0;
        for (long i = 0; i < TASKS; i++) {
            expected += i * i;
            wrong += queue[i] != 1;
        }
        wrong += queue[SUM] != expected || done != TASKS;
        MPI_Win_unlock(0, win);
        if (wrong)
            fprintf(stderr, "%ld tasks done, sum %ld, not %ld\n", done, queue[SUM],
                    expected);
    }
    MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Win_free(&win);
    MPI_Finalize();
    return wrong != 0;
}
