#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { CELLS = 100, STEPS = 200 };

int main(int argc, char **argv)
{
    int rank, size;
    double *cells, next[CELLS + 2], heat = 0, total;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;

    // Cells 1 to CELLS are this process's; 0 and CELLS + 1 are copies of its neighbours'.
    MPI_Win_allocate((CELLS + 2) * sizeof(double), sizeof(double), MPI_INFO_NULL,
                     MPI_COMM_WORLD, &cells, &win);
    for (int i = 0; i <= CELLS + 1; i++)
        cells[i] = rank == 0 && i == CELLS ? 1000 : 0;

    for (int step = 0; step < STEPS; step++) {
        MPI_Win_fence(0, win);
        MPI_Put(&cells[1], 1, MPI_DOUBLE, left, CELLS + 1, 1, MPI_DOUBLE, win);
        MPI_Put(&cells[CELLS], 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win);
        MPI_Win_fence(0, win);
        for (int i = 1; i <= CELLS; i++)
            next[i] = cells[i] + 0.25 * (cells[i - 1] - 2 * cells[i] + cells[i + 1]);
        for (int i = 1; i <= CELLS; i++)
            cells[i] = next[i];
    }

    for (int i = 1; i <= CELLS; i++)
        heat += cells[i];
    MPI_Allreduce(&heat, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("heat of rank 0: %.3f, of all: %.3f\n", heat, total);
    MPI_Win_free(&win);
    MPI_Finalize();
    return fabs(total - 1000) > 1e-6; // none may be lost
}
