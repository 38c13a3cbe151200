program halo
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    implicit none
    integer, parameter :: cells = 100, steps = 200
    integer(kind=MPI_ADDRESS_KIND), parameter :: room = 8 * (cells + 2), first = 0
    integer(kind=MPI_ADDRESS_KIND), parameter :: last = cells + 1
    integer :: rank, size, left, right, step
    double precision, pointer, asynchronous :: cell(:)
    double precision :: heat, total
    type(c_ptr) :: memory
    type(MPI_Win) :: win
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    left = mod(rank + size - 1, size)
    right = mod(rank + 1, size)

    ! Cells 1 to cells are this process's; 0 and cells + 1 are copies of its neighbours'.
    call MPI_Win_allocate(room, 8, MPI_INFO_NULL, MPI_COMM_WORLD, memory, win)
    call c_f_pointer(memory, cell, [cells + 2])
    cell(0:) => cell
    cell = 0
    if (rank == 0) cell(cells) = 1000

    do step = 1, steps
        call MPI_Win_fence(0, win)
        call MPI_Put(cell(1), 1, MPI_DOUBLE_PRECISION, left, last, 1, MPI_DOUBLE_PRECISION, win)
        call MPI_Put(cell(cells), 1, MPI_DOUBLE_PRECISION, right, first, 1, &
            MPI_DOUBLE_PRECISION, win)
        call MPI_Win_fence(0, win)
        cell(1:cells) = cell(1:cells) &
            + 0.25d0 * (cell(0:cells - 1) - 2 * cell(1:cells) + cell(2:cells + 1))
    end do

    heat = sum(cell(1:cells))
    call MPI_Allreduce(heat, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    if (rank == 0) print '(2(a, f0.3))', 'heat of rank 0: ', heat, ', of all: ', total
    call MPI_Win_free(win)
    call MPI_Finalize()
    if (abs(total - 1000) > 1d-6) error stop 'heat is lost'
end program halo
