// SPDX-License-Identifier: BSD-3-Clause
// Slow: a column of a matrix is put element by element.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 1000, COLUMNS = 16, STEPS = 20 };

static void put_column(const double *matrix, int target, MPI_Win win)
{
    for (int row = 0; row < ROWS; row++)
        MPI_Put(matrix + row * COLUMNS, 1, MPI_DOUBLE, target, row * COLUMNS, 1,
                MPI_DOUBLE, win);
}

int main(void)
{
    int rank, size;
    double *halo, *matrix = calloc(ROWS * COLUMNS, sizeof *matrix);
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(ROWS * COLUMNS * (MPI_Aint)sizeof *halo, sizeof *halo,
                     MPI_INFO_NULL, MPI_COMM_WORLD, &halo, &win);
    MPI_Win_set_name(win, "halo");
    for (int row = 0; row < ROWS; row++)
        matrix[row * COLUMNS] = rank;
    MPI_Win_fence(0, win);
    for (int step = 0; step < STEPS; step++) {
        put_column(matrix, (rank + 1) % size, win);
        MPI_Win_fence(0, win);
    }
    if (rank == 0)
        printf("rank 0 has the column of rank %g\n", halo[0]);
    MPI_Win_free(&win);
    MPI_Finalize();
    free(matrix);
}
