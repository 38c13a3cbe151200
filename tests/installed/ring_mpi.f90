! SPDX-License-Identifier: BSD-3-Clause
! Puts each rank into its right neighbour's window: use mpi, with the C_PTR overload.
program ring_mpi
    use, intrinsic :: iso_c_binding, only: c_f_pointer, c_ptr
    use mpi
    implicit none
    integer :: rank, processes, arrived, win, ierror
    integer, pointer, asynchronous :: inbox
    type(c_ptr) :: memory
    call MPI_INIT(ierror)
    call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
    call MPI_COMM_SIZE(MPI_COMM_WORLD, processes, ierror)
    call MPI_WIN_ALLOCATE(4_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, memory, &
        win, ierror)
    call c_f_pointer(memory, inbox)
    inbox = -1
    call MPI_WIN_FENCE(0, win, ierror)
    call MPI_PUT(rank, 1, MPI_INTEGER, mod(rank + 1, processes), 0_MPI_ADDRESS_KIND, 1, &
        MPI_INTEGER, win, ierror)
    call MPI_WIN_FENCE(0, win, ierror)
    arrived = inbox
    call MPI_WIN_FREE(win, ierror)
    if (win /= MPI_WIN_NULL) error stop 'the window handle is not null after free'
    call MPI_FINALIZE(ierror)
    if (arrived /= mod(rank + processes - 1, processes)) error stop 'a wrong value arrived'
end program ring_mpi
