! SPDX-License-Identifier: BSD-3-Clause
! Fortran and C in one program: a tool in C sees each MPI_ call of Fortran once and no
! PMPI_ call; attributes keep their value from one language to the other; C knows which
! statuses Fortran ignores.
program f08_and_c
    use, intrinsic :: iso_c_binding, only : c_associated, c_int, c_intptr_t, c_loc, &
        c_ptr
    use mpi_f08
    use check_m, only : check, unit
    implicit none

    interface
        integer(c_int) function c_puts() bind(C)
            import
        end function c_puts
        integer(c_intptr_t) function c_integer_attribute(win, keyval) bind(C)
            import
            integer(c_int), value :: win, keyval
        end function c_integer_attribute
        integer(c_int) function c_set_attribute(win, keyval, value) bind(C)
            import
            integer(c_int), value :: win, keyval
            type(c_ptr), value :: value
        end function c_set_attribute
        integer(c_int) function c_ignored_f08(status, statuses) bind(C)
            import
            type(MPI_Status) :: status, statuses(*)
        end function c_ignored_f08
        integer function ignored_by_mpi()
        end function ignored_by_mpi
    end interface

    integer(MPI_ADDRESS_KIND), parameter :: large = 3_MPI_ADDRESS_KIND ** 30
    integer, asynchronous :: memory(4), origin(8) = 7
    integer, target :: variable
    integer(MPI_ADDRESS_KIND) :: value
    integer :: rank, keyval
    logical :: flag
    type(c_ptr) :: base
    type(MPI_Status) :: status, statuses(2)
    type(MPI_Win) :: win
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Win_create(memory, 4_MPI_ADDRESS_KIND * unit, unit, MPI_INFO_NULL, &
        MPI_COMM_WORLD, win)
    call MPI_Win_fence(0, win)
    call MPI_Put(origin, 1, MPI_INTEGER, rank, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
    call check('the tool sees a put', c_puts() == 1)
    call MPI_Put(origin(::2), 4, MPI_INTEGER, rank, 0_MPI_ADDRESS_KIND, 4, &
        MPI_INTEGER, win)
    call check('the tool sees a put of a section once', c_puts() == 2)
    call PMPI_Put(origin, 1, MPI_INTEGER, rank, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
    call PMPI_Put(origin(::2), 4, MPI_INTEGER, rank, 0_MPI_ADDRESS_KIND, 4, &
        MPI_INTEGER, win)
    call check('PMPI passes the tool by', c_puts() == 2)
    call MPI_Win_fence(0, win)

    call MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, keyval, &
        0_MPI_ADDRESS_KIND)
    call MPI_Win_set_attr(win, keyval, large)
    call check('C reads what Fortran has set', &
        c_integer_attribute(int(win%MPI_VAL, c_int), int(keyval, c_int)) == large)
    call check('C sets an attribute', &
        c_set_attribute(int(win%MPI_VAL, c_int), int(keyval, c_int), &
        c_loc(variable)) == 0)
    call MPI_Win_get_attr(win, keyval, value, flag)
    base = transfer(value, base)
    call check('Fortran reads the address that C has set', flag .and. &
        c_associated(base, c_loc(variable)))
    call MPI_Win_free_keyval(keyval)
    call MPI_Win_free(win)

    call check('C knows what mpi_f08 ignores', &
        c_ignored_f08(MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE) == 1)
    call check('C knows the statuses of mpi_f08', &
        c_ignored_f08(status, MPI_STATUSES_IGNORE) == 0 .and. &
        c_ignored_f08(MPI_STATUS_IGNORE, statuses) == 0)
    call check('C knows what mpi ignores', ignored_by_mpi() == 1)
    call MPI_Finalize()
end program f08_and_c

integer function ignored_by_mpi()
    use, intrinsic :: iso_c_binding, only : c_int
    use mpi, only : MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE
    implicit none

    interface
        integer(c_int) function c_ignored(status, statuses) bind(C)
            import :: c_int
            type(*) :: status(*), statuses(*)
        end function c_ignored
    end interface

    ignored_by_mpi = c_ignored(MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE)
end function ignored_by_mpi
