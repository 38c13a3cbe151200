! SPDX-License-Identifier: BSD-3-Clause
! mpi_f08: predefined attributes, attributes of the program, and their callbacks.
module f08_attributes_m
    use mpi_f08
    use check_m, only : check
    implicit none
    integer :: deletions = 0, expected_keyval
    integer(MPI_ADDRESS_KIND) :: deleted, state

contains

    subroutine note_deletion(win, win_keyval, attribute_val, extra_state, ierror)
        type(MPI_Win) :: win
        integer :: win_keyval, ierror
        integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
        call check('a callback gets the window', win /= MPI_WIN_NULL)
        call check('a callback gets its key', win_keyval == expected_keyval)
        deletions = deletions + 1
        deleted = attribute_val
        state = extra_state
        ierror = MPI_SUCCESS
    end subroutine note_deletion
end module f08_attributes_m

program f08_attributes
    use, intrinsic :: iso_c_binding, only : c_ptr
    use mpi_f08
    use f08_attributes_m
    use check_m, only : check
    implicit none
    integer(MPI_ADDRESS_KIND), parameter :: large = 2_MPI_ADDRESS_KIND ** 40 + 3
    type(MPI_Win) :: win
    type(c_ptr) :: base
    integer :: keyval, other
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    call MPI_Init()
    call MPI_Win_allocate(400_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &
        base, win)
    call predefined()

    call MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, note_deletion, keyval, large)
    expected_keyval = keyval
    call check('a new key is not invalid', keyval /= MPI_KEYVAL_INVALID)
    value = 17
    call MPI_Win_get_attr(win, keyval, value, flag)
    call check('an attribute that is not set is not found', .not. flag .and. &
        value == 17)
    call MPI_Win_set_attr(win, keyval, -large)
    call MPI_Win_get_attr(win, keyval, value, flag)
    call check('an attribute keeps its 64-bit value', flag .and. value == -large)
    call MPI_Win_set_attr(win, keyval, 5_MPI_ADDRESS_KIND)
    call check('a new value deletes the old one', deletions == 1 .and. &
        deleted == -large)
    call check('a callback gets the extra state', state == large)
    call MPI_Win_delete_attr(win, keyval)
    call check('delete_attr calls the callback', deletions == 2 .and. deleted == 5)
    call MPI_Win_get_attr(win, keyval, value, flag)
    call check('a deleted attribute is not found', .not. flag)

    call MPI_Win_create_keyval(MPI_WIN_DUP_FN, MPI_WIN_NULL_DELETE_FN, other, &
        0_MPI_ADDRESS_KIND)
    call MPI_Win_set_attr(win, other, 9_MPI_ADDRESS_KIND)
    call MPI_Win_set_attr(win, keyval, 6_MPI_ADDRESS_KIND)
    call MPI_Win_free_keyval(keyval)
    call check('free_keyval sets the key to invalid', keyval == MPI_KEYVAL_INVALID)
    call MPI_Win_free(win)
    call check('freeing a window deletes its attributes', deletions == 3 .and. &
        deleted == 6)
    call MPI_Win_free_keyval(other)
    call MPI_Finalize()

contains

    subroutine predefined()
        call MPI_Win_get_attr(win, MPI_WIN_BASE, value, flag)
        call check('MPI_WIN_BASE is baseptr', flag .and. value == transfer(base, value))
        call MPI_Win_get_attr(win, MPI_WIN_SIZE, value, flag)
        call check('MPI_WIN_SIZE', flag .and. value == 400)
        call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, value, flag)
        call check('MPI_WIN_DISP_UNIT', flag .and. value == 8)
        call MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, value, flag)
        call check('MPI_WIN_CREATE_FLAVOR', flag .and. value == MPI_WIN_FLAVOR_ALLOCATE)
        call MPI_Win_get_attr(win, MPI_WIN_MODEL, value, flag)
        call check('MPI_WIN_MODEL', flag .and. value == MPI_WIN_UNIFIED)
    end subroutine predefined
end program f08_attributes
