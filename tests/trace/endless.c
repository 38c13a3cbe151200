// SPDX-License-Identifier: BSD-3-Clause
// Rank 1 is killed while the others wait for it.
#include <mpi.h>
#include <signal.h>

int main(void)
{
    int rank;
    MPI_Init(NULL, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
