// SPDX-License-Identifier: BSD-3-Clause
// Transposes a matrix that is spread by rows: by MPI_Alltoall with a datatype that turns
// columns into rows, and by MPI_Get with the same type at the target.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 16 }; // of each process

static int wrong_elements(const char *way, const double *part, int order, int rank)
{
    int wrong = 0;
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < order; column++)
            wrong += part[row * order + column] != column * 10000.0 + rank * ROWS + row;
    if (wrong)
        fprintf(stderr, "rank %d, %s: %d wrong elements\n", rank, way, wrong);
    return wrong;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int order = ROWS * size;
    double *matrix, *turned = malloc(ROWS * order * sizeof *turned);
    MPI_Win win;
    MPI_Win_allocate(ROWS * order * sizeof *matrix, sizeof *matrix, MPI_INFO_NULL,
                     MPI_COMM_WORLD, &matrix, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < order; column++)
            matrix[row * order + column] = (rank * ROWS + row) * 10000.0 + column;
    MPI_Win_unlock(rank, win);

    // A block of ROWS x ROWS by columns; the next block begins ROWS columns further.
    MPI_Datatype column, columns, band, block, rows;
    MPI_Type_vector(ROWS, 1, order, MPI_DOUBLE, &column);
    MPI_Type_create_hvector(ROWS, 1, sizeof *matrix, column, &columns);
    MPI_Type_create_resized(columns, 0, ROWS * sizeof *matrix, &block);
    MPI_Type_vector(ROWS, ROWS, order, MPI_DOUBLE, &band);
    MPI_Type_create_resized(band, 0, ROWS * sizeof *matrix, &rows);
    MPI_Type_commit(&block);
    MPI_Type_commit(&rows);
    MPI_Type_free(&column);
    MPI_Type_free(&columns);
    MPI_Type_free(&band);

    MPI_Alltoall(matrix, 1, block, turned, 1, rows, MPI_COMM_WORLD);
    wrong += wrong_elements("MPI_Alltoall", turned, order, rank);
    for (int i = 0; i < ROWS * order; i++)
        turned[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    for (int from = 0; from < size; from++)
        MPI_Get(turned + from * ROWS, 1, rows, from, rank * ROWS, 1, block, win);
    MPI_Win_unlock_all(win);
    wrong += wrong_elements("MPI_Get", turned, order, rank);

    MPI_Win_free(&win);
    MPI_Type_free(&block);
    MPI_Type_free(&rows);
    free(turned);
    MPI_Finalize();
    return wrong != 0;
}
