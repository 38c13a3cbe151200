// SPDX-License-Identifier: BSD-3-Clause
// Moves: an example.
#include <mpi.h>

int main(void)
{
    MPI_Win win;
    // example: MPI_Open, MPI_Move
    MPI_Open(MPI_COMM_NULL, 0, NULL, NULL, NULL, &win);
    for (int i = 0; i < 2; i++)
        MPI_Move("\\n", i, MPI_INT, 0, 0, win); // < and > are no tags
    // end of example
    return 0;
}
