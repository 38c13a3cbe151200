! SPDX-License-Identifier: BSD-3-Clause
! One process ends the job with its code, while the others wait for it.
program aborts
#include "binding.inc"
    integer :: ierror, rank

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    if (rank == 0) call MPI_Abort(MPI_COMM_WORLD, 3, ierror)
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
end program aborts
