! SPDX-License-Identifier: BSD-3-Clause
program moves
    use mpi_f08
    implicit none
    type(MPI_Win) :: win
    ! example: MPI_Move
    call MPI_Move(1, 1, MPI_INT, 0, 0, win)
    ! end of example
end program moves
