program hello
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    implicit none
    integer :: rank, size
    integer, pointer, asynchronous :: inbox
    type(c_ptr) :: memory
    type(MPI_Win) :: win
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    call MPI_Win_allocate(4_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, memory, win)
    call c_f_pointer(memory, inbox)
    call MPI_Win_fence(0, win)
    call MPI_Put(rank, 1, MPI_INTEGER, mod(rank + 1, size), 0_MPI_ADDRESS_KIND, 1, &
        MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    print '(3(a, i0))', 'rank ', rank, ' of ', size, ': a put has arrived from rank ', inbox
    call MPI_Win_free(win)
    call MPI_Finalize()
end program hello
