// SPDX-License-Identifier: BSD-3-Clause
// An MPI program of few calls, to be compiled with another MPI: passes a token around
// and prints the sum of all ranks; with an argument, rank 1 aborts instead.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, sum, token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1 && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 9);
    if (rank > 0)
        MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    token += rank;
    if (rank < size - 1)
        MPI_Send(&token, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == size - 1)
        printf("token %d, sum %d\n", token, sum);
    MPI_Finalize();
    return 0;
}
