! SPDX-License-Identifier: BSD-3-Clause
! Transposes a matrix that is spread by columns: by MPI_Alltoall with a datatype that turns
! rows into columns, and by MPI_Get with the same type at the target.
program transposition
    use mpi
    use, intrinsic :: iso_c_binding, only: c_f_pointer, c_ptr
    implicit none
    integer, parameter :: columns = 16
    integer(MPI_ADDRESS_KIND), parameter :: none = 0, real_bytes = 8
    integer :: rank, size, order, row, rows, block, turned_block, win, from, ierror
    integer :: i, j
    double precision, pointer, asynchronous :: matrix(:, :)
    double precision, allocatable, asynchronous :: turned(:, :)
    type(c_ptr) :: memory
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
    order = columns*size
    call MPI_Win_allocate(real_bytes*columns*order, 8, MPI_INFO_NULL, MPI_COMM_WORLD, memory, win, ierror)
    call c_f_pointer(memory, matrix, [order, columns])
    allocate (turned(order, columns), source=0d0)
    call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win, ierror)
    do j = 1, columns
        matrix(:, j) = [(element(i, rank*columns + j), i=1, order)]
    end do
    call MPI_Win_unlock(rank, win, ierror)

    ! A block of columns x columns by rows; the next one begins `columns` rows below.
    call MPI_Type_vector(columns, 1, order, MPI_DOUBLE_PRECISION, row, ierror)
    call MPI_Type_create_hvector(columns, 1, real_bytes, row, rows, ierror)
    call MPI_Type_create_resized(rows, none, columns*real_bytes, block, ierror)
    call MPI_Type_commit(block, ierror)
    call MPI_Type_free(rows, ierror)
    call MPI_Type_vector(columns, columns, order, MPI_DOUBLE_PRECISION, rows, ierror)
    call MPI_Type_create_resized(rows, none, columns*real_bytes, turned_block, ierror)
    call MPI_Type_commit(turned_block, ierror)

    call MPI_Alltoall(matrix, 1, block, turned, 1, turned_block, MPI_COMM_WORLD, ierror)
    call check('MPI_Alltoall')
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call MPI_Win_lock_all(MPI_MODE_NOCHECK, win, ierror)
    do from = 0, size - 1
        call MPI_Get(turned(columns*from + 1, 1), 1, turned_block, from, &
            int(rank, MPI_ADDRESS_KIND)*columns, 1, block, win, ierror)
    end do
    call MPI_Win_unlock_all(win, ierror)
    call check('MPI_Get')
    call MPI_Type_free(row, ierror)
    call MPI_Type_free(rows, ierror)
    call MPI_Type_free(block, ierror)
    call MPI_Type_free(turned_block, ierror)
    call MPI_Win_free(win, ierror)
    call MPI_Finalize(ierror)
contains
    double precision function element(row, column)
        integer, intent(in) :: row, column
        element = 10000d0*row + column
    end function element

    subroutine check(way)
        character(*), intent(in) :: way
        integer :: code
        do j = 1, columns
            if (any(turned(:, j) /= [(element(rank*columns + j, i), i=1, order)])) then
                print '(a, i0, 3a, i0)', 'rank ', rank, ', ', way, ': wrong column ', j
                call MPI_Abort(MPI_COMM_WORLD, 1, code)
            end if
        end do
        turned = 0
    end subroutine check
end program transposition
