! SPDX-License-Identifier: BSD-3-Clause
! Created and dynamic windows on arrays of ALLOCATE, before MPI_Init and after it: peers
! of the node reach them by loads and stores alone.
program arrays
    use, intrinsic :: iso_c_binding, only : c_int64_t
    use mpi_f08
    use check_m, only : check
    implicit none
    interface
        subroutine count_begin() bind(c)
        end subroutine count_begin
        function copies_and_messages() bind(c) result(number)
            import c_int64_t
            integer(c_int64_t) :: number
        end function copies_and_messages
    end interface
    type :: grid
        real(kind(1d0)), allocatable :: cells(:, :)
    end type grid
    integer, parameter :: n = 200
    type(grid), asynchronous :: early, late
    type(MPI_Comm) :: node

    allocate (early%cells(n, n))
    call MPI_Init()
    call count_begin()
    call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, node)
    allocate (late%cells(n, n))
    call created_is_reached(early%cells, node, .true.)
    call created_is_reached(late%cells, node, .true.)
    call created_is_reached(late%cells, MPI_COMM_WORLD, .false.)
    call attached_is_reached(early%cells, node)
    call attached_is_reached(late%cells, node)
    call MPI_Comm_free(node)
    call MPI_Finalize()
    deallocate (early%cells, late%cells)

contains

    subroutine ranks_of(comm, rank, right)
        type(MPI_Comm), intent(in) :: comm
        integer, intent(out) :: rank, right
        integer :: ranks
        call MPI_Comm_rank(comm, rank)
        call MPI_Comm_size(comm, ranks)
        right = mod(rank + 1, ranks)
    end subroutine ranks_of

    ! A column, a row of every second cell, and updates of single cells. Each rank gets its
    ! own number plus one.
    subroutine created_is_reached(cells, comm, is_node)
        real(kind(1d0)), intent(inout), asynchronous :: cells(n, n)
        type(MPI_Comm), intent(in) :: comm
        logical, intent(in) :: is_node
        real(kind(1d0)), asynchronous :: mine(n, n), one, old
        integer(c_int64_t) :: before, needed
        integer :: rank, right
        type(MPI_Datatype) :: row
        type(MPI_Win) :: win
        call ranks_of(comm, rank, right)
        cells = -1
        mine = right + 1
        one = 1
        call MPI_Type_vector(n / 2, 1, 2 * n, MPI_DOUBLE_PRECISION, row)
        call MPI_Type_commit(row)
        call MPI_Win_create(cells, int(8 * n * n, MPI_ADDRESS_KIND), 8, MPI_INFO_NULL, &
            comm, win)
        call MPI_Win_lock_all(0, win)
        before = copies_and_messages()
        call MPI_Put(mine(:, 3), n, MPI_DOUBLE_PRECISION, right, &
            int(2 * n, MPI_ADDRESS_KIND), n, MPI_DOUBLE_PRECISION, win)
        call MPI_Put(mine(5, 1:n:2), n / 2, MPI_DOUBLE_PRECISION, right, &
            4_MPI_ADDRESS_KIND, 1, row, win)
        call MPI_Accumulate(one, 1, MPI_DOUBLE_PRECISION, right, 0_MPI_ADDRESS_KIND, 1, &
            MPI_DOUBLE_PRECISION, MPI_SUM, win)
        call MPI_Fetch_and_op(one, old, MPI_DOUBLE_PRECISION, right, 1_MPI_ADDRESS_KIND, &
            MPI_SUM, win)
        call MPI_Win_flush(right, win)
        needed = copies_and_messages() - before
        call MPI_Win_unlock_all(win)
        call MPI_Win_free(win)
        call MPI_Type_free(row)
        call check('fetch_and_op fetches', nint(old) == -1)
        call check('the column is there', all(nint(cells(:, 3)) == rank + 1))
        call check('the row is there', all(nint(cells(5, 1:n:2)) == rank + 1))
        call check('accumulates add', all(nint(cells(1:2, 1)) == 0))
        call check('other columns stay', all(nint(cells(:, 2)) == -1))
        call check('loads and stores do it', needed == 0 .or. .not. is_node)
    end subroutine created_is_reached

    subroutine attached_is_reached(cells, comm)
        real(kind(1d0)), intent(inout), asynchronous :: cells(n, n)
        type(MPI_Comm), intent(in) :: comm
        real(kind(1d0)), asynchronous :: mine(n)
        integer(MPI_ADDRESS_KIND) :: place, places(64)
        integer(c_int64_t) :: before, needed
        integer :: rank, right
        type(MPI_Win) :: win
        call ranks_of(comm, rank, right)
        cells = -1
        mine = right + 1
        call MPI_Win_create_dynamic(MPI_INFO_NULL, comm, win)
        call MPI_Win_attach(win, cells, int(8 * n * n, MPI_ADDRESS_KIND))
        call MPI_Get_address(cells(1, 7), place)
        call MPI_Allgather(place, 1, MPI_AINT, places, 1, MPI_AINT, comm)
        call MPI_Win_lock_all(0, win)
        before = copies_and_messages()
        call MPI_Put(mine, n, MPI_DOUBLE_PRECISION, right, places(right + 1), n, &
            MPI_DOUBLE_PRECISION, win)
        call MPI_Win_flush(right, win)
        needed = copies_and_messages() - before
        call MPI_Win_unlock_all(win)
        call MPI_Barrier(comm)
        call MPI_Win_detach(win, cells)
        call MPI_Win_free(win)
        call check('the attached column is there', all(nint(cells(:, 7)) == rank + 1))
        call check('loads and stores do that, too', needed == 0)
    end subroutine attached_is_reached
end program arrays
