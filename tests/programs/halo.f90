! SPDX-License-Identifier: BSD-3-Clause
! Cartesian halo exchange: each process owns a part of a periodic grid of two dimensions
! and gets the rim of its four neighbours by sections of its array: with MPI_Isend and
! MPI_Irecv, and with MPI_Put. Both ways must bring the cells that the whole grid has there.
module grid
    use mpi_f08
    implicit none
    integer, parameter :: rows = 6, columns = 9
    integer :: extents(2) = 0, place(2), left, right, above, below
    type(MPI_Comm) :: comm
contains
    double precision function cell(row, column)
        integer, intent(in) :: row, column
        cell = 1000d0*modulo(place(1)*rows + row - 1, rows*extents(1)) &
            + modulo(place(2)*columns + column - 1, columns*extents(2))
    end function cell

    subroutine fill(part)
        double precision, intent(out) :: part(0:, 0:)
        integer :: row, column
        part = -1
        do concurrent(row=1:rows, column=1:columns)
            part(row, column) = 1000d0*(place(1)*rows + row - 1) + place(2)*columns + column - 1
        end do
    end subroutine fill

    subroutine check(way, part)
        character(*), intent(in) :: way
        double precision, intent(in) :: part(0:, 0:)
        integer :: i
        if (any(part(0, 1:columns) /= [(cell(0, i), i=1, columns)]) .or. &
            any(part(rows + 1, 1:columns) /= [(cell(rows + 1, i), i=1, columns)]) .or. &
            any(part(1:rows, 0) /= [(cell(i, 0), i=1, rows)]) .or. &
            any(part(1:rows, columns + 1) /= [(cell(i, columns + 1), i=1, rows)])) then
            print '(2a)', way, ': wrong cells'
            call MPI_Abort(MPI_COMM_WORLD, 1)
        end if
    end subroutine check

    subroutine by_messages(part)
        double precision, intent(inout), asynchronous :: part(0:, 0:)
        type(MPI_Request) :: requests(8)
        call MPI_Irecv(part(0, 1:columns), columns, MPI_DOUBLE_PRECISION, above, 1, comm, requests(1))
        call MPI_Irecv(part(rows + 1, 1:columns), columns, MPI_DOUBLE_PRECISION, below, 2, comm, requests(2))
        call MPI_Irecv(part(1:rows, 0), rows, MPI_DOUBLE_PRECISION, left, 3, comm, requests(3))
        call MPI_Irecv(part(1:rows, columns + 1), rows, MPI_DOUBLE_PRECISION, right, 4, comm, requests(4))
        call MPI_Isend(part(rows, 1:columns), columns, MPI_DOUBLE_PRECISION, below, 1, comm, requests(5))
        call MPI_Isend(part(1, 1:columns), columns, MPI_DOUBLE_PRECISION, above, 2, comm, requests(6))
        call MPI_Isend(part(1:rows, columns), rows, MPI_DOUBLE_PRECISION, right, 3, comm, requests(7))
        call MPI_Isend(part(1:rows, 1), rows, MPI_DOUBLE_PRECISION, left, 4, comm, requests(8))
        call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE)
        if (.not. MPI_ASYNC_PROTECTS_NONBLOCKING) call MPI_F_sync_reg(part)
    end subroutine by_messages

    subroutine by_puts(part, win)
        double precision, intent(inout), asynchronous :: part(0:, 0:)
        type(MPI_Win), intent(in) :: win
        type(MPI_Datatype) :: row
        call MPI_Type_vector(columns, 1, rows + 2, MPI_DOUBLE_PRECISION, row)
        call MPI_Type_commit(row)
        call MPI_Win_fence(MPI_MODE_NOPRECEDE, win)
        call MPI_Put(part(1, 1:columns), columns, MPI_DOUBLE_PRECISION, above, at(rows + 1, 1), 1, row, win)
        call MPI_Put(part(rows, 1:columns), columns, MPI_DOUBLE_PRECISION, below, at(0, 1), 1, row, win)
        call MPI_Put(part(1:rows, 1), rows, MPI_DOUBLE_PRECISION, left, at(1, columns + 1), rows, &
            MPI_DOUBLE_PRECISION, win)
        call MPI_Put(part(1:rows, columns), rows, MPI_DOUBLE_PRECISION, right, at(1, 0), rows, &
            MPI_DOUBLE_PRECISION, win)
        call MPI_Win_fence(MPI_MODE_NOSUCCEED, win)
        call MPI_Type_free(row)
    end subroutine by_puts

    integer(MPI_ADDRESS_KIND) function at(row, column)
        integer, intent(in) :: row, column
        at = int(column, MPI_ADDRESS_KIND)*(rows + 2) + row
    end function at
end module grid

program halo
    use grid
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    implicit none
    integer :: size
    integer(MPI_ADDRESS_KIND) :: bytes
    double precision, pointer, asynchronous :: part(:, :)
    type(c_ptr) :: memory
    type(MPI_Win) :: win
    call MPI_Init()
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    call MPI_Dims_create(size, 2, extents)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, extents, [.true., .true.], .true., comm)
    block
        integer :: rank
        call MPI_Comm_rank(comm, rank)
        call MPI_Cart_coords(comm, rank, 2, place)
    end block
    call MPI_Cart_shift(comm, 0, 1, above, below)
    call MPI_Cart_shift(comm, 1, 1, left, right)
    bytes = 8*(rows + 2)*(columns + 2)
    call MPI_Win_allocate(bytes, 8, MPI_INFO_NULL, comm, memory, win)
    call c_f_pointer(memory, part, [rows + 2, columns + 2])
    call fill(part)
    call by_messages(part)
    call check('MPI_Isend', part)
    call MPI_Barrier(comm)
    call fill(part)
    call by_puts(part, win)
    call check('MPI_Put', part)
    call MPI_Win_free(win)
    call MPI_Comm_free(comm)
    call MPI_Finalize()
end program halo
