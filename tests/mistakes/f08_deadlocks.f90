! SPDX-License-Identifier: BSD-3-Clause
! Calls of mpi_f08 that wait for each other.

! run: -n 2 -env ORIEL_STUCK 0.2,abort
subroutine f08_receives_before_sends(wrong) bind(c)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_bool
    implicit none
    logical(c_bool), value :: wrong
    integer :: rank, value
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    if (.not. wrong) call MPI_Send(rank, 1, MPI_INTEGER, 1 - rank, 5, MPI_COMM_WORLD)
    call MPI_Recv(value, 1, MPI_INTEGER, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ! mistake: deadlock "send a message"
    if (wrong) call MPI_Send(rank, 1, MPI_INTEGER, 1 - rank, 5, MPI_COMM_WORLD)
    call MPI_Finalize()
end subroutine f08_receives_before_sends

! run: -n 4 -env ORIEL_STUCK 0.2,abort
subroutine f08_fence_and_barrier(wrong) bind(c)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_bool
    implicit none
    logical(c_bool), value :: wrong
    integer, asynchronous :: memory(4)
    integer :: rank
    type(MPI_Win) :: win
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Win_create(memory, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_set_name(win, 'grid')
    if (wrong .and. rank == 0) then
        call MPI_Win_fence(0, win) ! mistake: deadlock "collective call on window"
    end if
    call MPI_Barrier(MPI_COMM_WORLD) ! mistake: deadlock "rank 0 to take part"
    call MPI_Win_fence(0, win)
    call MPI_Win_free(win)
    call MPI_Finalize()
end subroutine f08_fence_and_barrier
