// SPDX-License-Identifier: BSD-3-Clause
// Every rank puts its number into its neighbour's window. See docs/cxx.md.
#include <mpi.h>
#include <iostream>

int main(int argc, char **argv)
{
    MPI::Init(argc, argv);
    MPI::COMM_WORLD.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    const int rank = MPI::COMM_WORLD.Get_rank(), size = MPI::COMM_WORLD.Get_size();
    int *inbox;
    MPI::Win win = MPI::Win::Allocate(sizeof *inbox, sizeof *inbox, MPI::INFO_NULL, MPI::COMM_WORLD, inbox);
    win.Fence(0);
    win.Put(&rank, 1, MPI::INT, (rank + 1) % size, 0, 1, MPI::INT);
    win.Fence(0);
    std::cout << "a put has arrived from rank " << *inbox << "\n";
    win.Free();
    MPI::Finalize();
}
