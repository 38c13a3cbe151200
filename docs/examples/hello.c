#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, *inbox;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &inbox,
                     &win);
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    printf("rank %d of %d: a put from rank %d has arrived\n", rank, size, *inbox);
    MPI_Win_free(&win);
    return MPI_Finalize();
}
