// SPDX-License-Identifier: BSD-3-Clause
// Cartesian halo exchange: each process owns a part of a periodic grid of two dimensions
// and gets the rim of its four neighbours by MPI_Sendrecv, by MPI_Neighbor_alltoallw and by
// MPI_Put. All three ways must bring the cells that the whole grid has there.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 6, COLUMNS = 9, WIDE = COLUMNS + 2, CELLS = (ROWS + 2) * WIDE };

static int extents[2], place[2];

static double cell_of_grid(int row, int column)
{
    int rows = ROWS * extents[0], columns = COLUMNS * extents[1];
    row = (place[0] * ROWS + row - 1 + rows) % rows;
    column = (place[1] * COLUMNS + column - 1 + columns) % columns;
    return row * 1000.0 + column;
}

static void fill(double *part)
{
    for (int i = 0; i < CELLS; i++)
        part[i] = -1;
    for (int row = 1; row <= ROWS; row++)
        for (int column = 1; column <= COLUMNS; column++)
            part[row * WIDE + column] = cell_of_grid(row, column);
}

static int wrong_cells(const char *way, const double *part)
{
    int wrong = 0;
    for (int row = 0; row <= ROWS + 1; row++)
        for (int column = 0; column <= COLUMNS + 1; column++) {
            int is_corner = (row % (ROWS + 1) == 0) && (column % (COLUMNS + 1) == 0);
            wrong +=
                !is_corner && part[row * WIDE + column] != cell_of_grid(row, column);
        }
    if (wrong)
        fprintf(stderr, "%s: %d wrong cells\n", way, wrong);
    return wrong;
}

// Where the rims lie that go to and come from the neighbours above, below, left, right.
static const int mine[4] = {WIDE + 1, ROWS *WIDE + 1, WIDE + 1, WIDE + COLUMNS};
static const int theirs[4] = {1, (ROWS + 1) * WIDE + 1, WIDE, WIDE + COLUMNS + 1};

static void by_sendrecv(double *part, const MPI_Datatype types[4],
                        const int neighbors[4], MPI_Comm grid)
{
    for (int side = 0; side < 4; side++) {
        int opposite = side ^ 1;
        MPI_Sendrecv(part + mine[side], 1, types[side], neighbors[side], side,
                     part + theirs[opposite], 1, types[opposite], neighbors[opposite],
                     side, grid, MPI_STATUS_IGNORE);
    }
}

static void by_neighbor_alltoallw(double *part, const MPI_Datatype types[4],
                                  MPI_Comm grid)
{
    int ones[4] = {1, 1, 1, 1};
    MPI_Aint from[4], to[4];
    for (int side = 0; side < 4; side++) {
        from[side] = mine[side] * (MPI_Aint)sizeof *part;
        to[side] = theirs[side] * (MPI_Aint)sizeof *part;
    }
    MPI_Neighbor_alltoallw(part, ones, from, types, part, ones, to, types, grid);
}

static void by_put(double *part, const MPI_Datatype types[4], const int neighbors[4],
                   MPI_Win win)
{
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    for (int side = 0; side < 4; side++)
        MPI_Put(part + mine[side], 1, types[side], neighbors[side], theirs[side ^ 1], 1,
                types[side], win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int size, periods[2] = {1, 1}, neighbors[4], wrong = 0;
    MPI_Comm grid;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, extents);
    MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periods, 1, &grid);
    MPI_Cart_get(grid, 2, extents, periods, place);
    MPI_Cart_shift(grid, 0, 1, &neighbors[0], &neighbors[1]);
    MPI_Cart_shift(grid, 1, 1, &neighbors[2], &neighbors[3]);
    MPI_Datatype row, column;
    MPI_Type_contiguous(COLUMNS, MPI_DOUBLE, &row);
    MPI_Type_vector(ROWS, 1, WIDE, MPI_DOUBLE, &column);
    MPI_Type_commit(&row);
    MPI_Type_commit(&column);
    const MPI_Datatype types[4] = {row, row, column, column};
    double *part;
    MPI_Win win;
    MPI_Win_allocate(CELLS * sizeof *part, sizeof *part, MPI_INFO_NULL, grid, &part,
                     &win);

    fill(part);
    by_sendrecv(part, types, neighbors, grid);
    wrong += wrong_cells("MPI_Sendrecv", part);
    fill(part);
    by_neighbor_alltoallw(part, types, grid);
    wrong += wrong_cells("MPI_Neighbor_alltoallw", part);
    MPI_Barrier(grid);
    fill(part);
    by_put(part, types, neighbors, win);
    wrong += wrong_cells("MPI_Put", part);

    MPI_Win_free(&win);
    MPI_Type_free(&row);
    MPI_Type_free(&column);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return wrong != 0;
}
