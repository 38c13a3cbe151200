// SPDX-License-Identifier: BSD-3-Clause
// Slow: rank 0 computes before it posts its window, and all others wait for the post.
#include <mpi.h>
#include <stdio.h>

enum { STEPS = 10, VALUES = 64 };

static void compute(double seconds)
{
    double until = MPI_Wtime() + seconds;
    while (MPI_Wtime() < until) {
    }
}

static void take_values(MPI_Group others, MPI_Win win)
{
    compute(0.01); // needs no value of the window
    MPI_Win_post(others, 0, win);
    MPI_Win_wait(win);
}

static void send_values(const double *values, int rank, MPI_Group first, MPI_Win win)
{
    MPI_Win_start(first, 0, win);
    MPI_Put(values, VALUES, MPI_DOUBLE, 0, rank * VALUES, VALUES, MPI_DOUBLE, win);
    MPI_Win_complete(win);
}

int main(void)
{
    int rank, size, zero = 0;
    double *memory, values[VALUES];
    MPI_Group all, first, others;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(size * (MPI_Aint)sizeof values, sizeof *memory, MPI_INFO_NULL,
                     MPI_COMM_WORLD, &memory, &win);
    MPI_Win_set_name(win, "values");
    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, 1, &zero, &first);
    MPI_Group_excl(all, 1, &zero, &others);
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < VALUES; i++)
            values[i] = rank + step;
        if (rank == 0)
            take_values(others, win);
        else
            send_values(values, rank, first, win);
    }
    if (rank == 0 && size > 1)
        printf("the last value of rank 1 is %g\n", memory[2 * VALUES - 1]);
    MPI_Win_free(&win);
    MPI_Finalize();
}
