// SPDX-License-Identifier: BSD-3-Clause
// A program that replaces MPI_Put, as tools do, and has functions and variables of the names
// that Oriel's own have inside the library.
#include <mpi.h>
#include <stdio.h>

int process, objects, windows, puts_seen;

int fail(void)
{
    return puts_seen != 1;
}

int MPI_Put(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
            int target_rank, MPI_Aint target_disp, int target_count,
            MPI_Datatype target_datatype, MPI_Win win)
{
    puts_seen++;
    return PMPI_Put(origin_addr, origin_count, origin_datatype, target_rank,
                    target_disp, target_count, target_datatype, win);
}

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
    int arrived = *inbox, expected = (rank + size - 1) % size;
    MPI_Win_free(&win);
    MPI_Finalize();
    if (arrived != expected || fail())
        fprintf(stderr, "rank %d: %d arrived, not %d; %d puts were seen\n", rank,
                arrived, expected, puts_seen);
    return arrived != expected || fail();
}
