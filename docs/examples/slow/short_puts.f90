! SPDX-License-Identifier: BSD-3-Clause
! Slow: a row of a matrix is put element by element.
program short_puts
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    implicit none
    integer, parameter :: rows = 16, columns = 1000, steps = 20
    integer :: rank, size, step
    double precision, pointer, asynchronous :: halo(:, :)
    double precision, asynchronous :: matrix(rows, columns)
    type(c_ptr) :: address
    type(MPI_Win) :: win
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    call MPI_Win_allocate(8_MPI_ADDRESS_KIND * rows * columns, 8, MPI_INFO_NULL, &
        MPI_COMM_WORLD, address, win)
    call c_f_pointer(address, halo, [rows, columns])
    call MPI_Win_set_name(win, 'halo')
    matrix = rank
    call MPI_Win_fence(0, win)
    do step = 1, steps
        call put_row(mod(rank + 1, size))
        call MPI_Win_fence(0, win)
    end do
    if (rank == 0) print '(a, f0.1)', 'rank 0 has the row of rank ', halo(1, 1)
    call MPI_Win_free(win)
    call MPI_Finalize()

contains

    subroutine put_row(target)
        integer, intent(in) :: target
        integer :: column
        do column = 1, columns
            call MPI_Put(matrix(1, column), 1, MPI_DOUBLE_PRECISION, target, &
                int(column - 1, MPI_ADDRESS_KIND) * rows, 1, MPI_DOUBLE_PRECISION, win)
        end do
    end subroutine put_row
end program short_puts
