! SPDX-License-Identifier: BSD-3-Clause
! Puts each rank into its right neighbour's window: use mpi_f08.
program ring_f08
    use, intrinsic :: iso_c_binding, only: c_f_pointer, c_ptr
    use mpi_f08
    implicit none
    integer :: rank, processes, arrived, ierror
    integer, pointer, asynchronous :: inbox
    type(c_ptr) :: memory
    type(MPI_Win) :: win
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, processes, ierror=ierror)
    call MPI_Win_allocate(size=8_MPI_ADDRESS_KIND, disp_unit=8, info=MPI_INFO_NULL, &
        comm=MPI_COMM_WORLD, baseptr=memory, win=win)
    call c_f_pointer(memory, inbox)
    inbox = -1
    call MPI_Win_fence(0, win)
    call MPI_Put(rank, 1, MPI_INTEGER, mod(rank + 1, processes), 0_MPI_ADDRESS_KIND, 1, &
        MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    arrived = inbox
    call MPI_Win_free(win)
    if (win /= MPI_WIN_NULL) error stop 'the window handle is not null after free'
    call MPI_Finalize()
    if (arrived /= mod(rank + processes - 1, processes)) error stop 'a wrong value arrived'
end program ring_f08
