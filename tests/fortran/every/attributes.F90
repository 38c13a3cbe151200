! SPDX-License-Identifier: BSD-3-Clause
! Attributes of communicators, datatypes and windows, with the callbacks that copy and
! delete them.

! A copy is one more than what it is copied from; each call is noted.
module callbacks
#include "binding.inc"
    private
    integer :: deletions = 0
    integer(MPI_ADDRESS_KIND) :: deleted = 0, state = 0
    public :: copy_of_comm, copy_of_type, copy_of_win, drop_of_comm, drop_of_type, &
        drop_of_win, deletions, deleted, state

contains

    subroutine copy(extra_state, attribute_val_in, attribute_val_out, flag, ierror)
        integer(MPI_ADDRESS_KIND), intent(in) :: extra_state, attribute_val_in
        integer(MPI_ADDRESS_KIND), intent(out) :: attribute_val_out
        logical, intent(out) :: flag
        integer, intent(out) :: ierror
        state = extra_state
        attribute_val_out = attribute_val_in + 1
        flag = attribute_val_in >= 0
        ierror = MPI_SUCCESS
    end subroutine copy

    subroutine drop(attribute_val, extra_state, ierror)
        integer(MPI_ADDRESS_KIND), intent(in) :: attribute_val, extra_state
        integer, intent(out) :: ierror
        state = extra_state
        deleted = attribute_val
        deletions = deletions + 1
        ierror = MPI_SUCCESS
    end subroutine drop

    subroutine copy_of_comm(oldcomm, keyval, extra_state, attribute_val_in, &
        attribute_val_out, flag, ierror)
        HANDLE(MPI_Comm) :: oldcomm
        integer :: keyval, ierror
        integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
        logical :: flag
        call check('copying gets its object and key', &
            oldcomm /= MPI_COMM_NULL .and. keyval /= MPI_KEYVAL_INVALID)
        call copy(extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    end subroutine copy_of_comm

    subroutine drop_of_comm(comm, keyval, attribute_val, extra_state, ierror)
        HANDLE(MPI_Comm) :: comm
        integer :: keyval, ierror
        integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
        call check('deleting gets its object and key', &
            comm /= MPI_COMM_NULL .and. keyval /= MPI_KEYVAL_INVALID)
        call drop(attribute_val, extra_state, ierror)
    end subroutine drop_of_comm

    subroutine copy_of_type(oldtype, keyval, extra_state, attribute_val_in, &
        attribute_val_out, flag, ierror)
        HANDLE(MPI_Datatype) :: oldtype
        integer :: keyval, ierror
        integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
        logical :: flag
        call check('copying gets its object and key', &
            oldtype /= MPI_DATATYPE_NULL .and. keyval /= MPI_KEYVAL_INVALID)
        call copy(extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    end subroutine copy_of_type

    subroutine drop_of_type(type, keyval, attribute_val, extra_state, ierror)
        HANDLE(MPI_Datatype) :: type
        integer :: keyval, ierror
        integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
        call check('deleting gets its object and key', &
            type /= MPI_DATATYPE_NULL .and. keyval /= MPI_KEYVAL_INVALID)
        call drop(attribute_val, extra_state, ierror)
    end subroutine drop_of_type

    subroutine copy_of_win(oldwin, keyval, extra_state, attribute_val_in, &
        attribute_val_out, flag, ierror)
        HANDLE(MPI_Win) :: oldwin
        integer :: keyval, ierror
        integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
        logical :: flag
        call check('copying gets its object and key', &
            oldwin /= MPI_WIN_NULL .and. keyval /= MPI_KEYVAL_INVALID)
        call copy(extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    end subroutine copy_of_win

    subroutine drop_of_win(win, keyval, attribute_val, extra_state, ierror)
        HANDLE(MPI_Win) :: win
        integer :: keyval, ierror
        integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
        call check('deleting gets its object and key', &
            win /= MPI_WIN_NULL .and. keyval /= MPI_KEYVAL_INVALID)
        call drop(attribute_val, extra_state, ierror)
    end subroutine drop_of_win
end module callbacks

program attributes
    use, intrinsic :: iso_c_binding, only : c_ptr
    use callbacks
#include "binding.inc"
    integer(MPI_ADDRESS_KIND), parameter :: large = 2_MPI_ADDRESS_KIND ** 40
    integer(MPI_ADDRESS_KIND) :: value
    integer :: key, freed, predefined_key, ierror
    logical :: flag
    call MPI_Init(ierror)
    call of_communicators()
    call of_datatypes()
    call of_windows()
    call MPI_Finalize(ierror)

contains

    subroutine is_found(claim, expected)
        character(len=*), intent(in) :: claim
        integer(MPI_ADDRESS_KIND), intent(in) :: expected
        call check(claim, flag .and. value == expected)
    end subroutine is_found

    subroutine was_deleted(claim, expected, times)
        character(len=*), intent(in) :: claim
        integer(MPI_ADDRESS_KIND), intent(in) :: expected
        integer, intent(in) :: times
        call check(claim, deleted == expected .and. deletions == times .and. &
            state == large)
        deletions = 0
    end subroutine was_deleted

    subroutine of_communicators()
        HANDLE(MPI_Comm) :: comm, copied
        call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierror)
        call check('MPI_TAG_UB', flag .and. value >= 32767)
        call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
        call MPI_Comm_create_keyval(copy_of_comm, drop_of_comm, key, large, ierror)
        call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &
            predefined_key, large, ierror)
        call MPI_Comm_set_attr(comm, key, large, ierror)
        call MPI_Comm_set_attr(comm, predefined_key, -large, ierror)
        call MPI_Comm_dup(comm, copied, ierror)
        call MPI_Comm_get_attr(copied, key, value, flag, ierror)
        call is_found('the callback copies', large + 1)
        call MPI_Comm_get_attr(copied, predefined_key, value, flag, ierror)
        call is_found('MPI_COMM_DUP_FN copies', -large)
        call MPI_Comm_delete_attr(copied, key, ierror)
        call was_deleted('delete_attr', large + 1, 1)
        call MPI_Comm_get_attr(copied, key, value, flag, ierror)
        call check('what is deleted is gone', .not. flag)
        call MPI_Comm_set_attr(comm, key, -1_MPI_ADDRESS_KIND, ierror)
        call was_deleted('a new value deletes the old one', large, 1)
        call MPI_Comm_free(copied, ierror)
        call MPI_Comm_dup(comm, copied, ierror)
        call MPI_Comm_get_attr(copied, key, value, flag, ierror)
        call check('the callback decides whether to copy', .not. flag)
        call MPI_Comm_free(copied, ierror)
        call MPI_Comm_free(comm, ierror)
        call was_deleted('freeing deletes', -1_MPI_ADDRESS_KIND, 1)
        call MPI_Comm_set_attr(MPI_COMM_WORLD, key, 2 * large, ierror)
        freed = key
        call MPI_Comm_free_keyval(key, ierror)
        call MPI_Comm_get_attr(MPI_COMM_WORLD, freed, value, flag, ierror)
        call is_found('a freed key is in use until its last attribute goes', 2 * large)
        call MPI_Comm_delete_attr(MPI_COMM_WORLD, freed, ierror)
        call was_deleted('a freed key deletes', 2 * large, 1)
        call MPI_Comm_free_keyval(predefined_key, ierror)
        call check('freed keys are invalid', key == MPI_KEYVAL_INVALID .and. &
            predefined_key == MPI_KEYVAL_INVALID)
    end subroutine of_communicators

    subroutine of_datatypes()
        HANDLE(MPI_Datatype) :: type, copied
        call MPI_Type_contiguous(3_ck, MPI_INTEGER, type, ierror)
        call MPI_Type_create_keyval(copy_of_type, drop_of_type, key, large, ierror)
        call MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &
            predefined_key, large, ierror)
        call MPI_Type_set_attr(type, key, large, ierror)
        call MPI_Type_set_attr(type, predefined_key, large, ierror)
        call MPI_Type_dup(type, copied, ierror)
        call MPI_Type_get_attr(copied, key, value, flag, ierror)
        call is_found('the callback copies', large + 1)
        call MPI_Type_get_attr(copied, predefined_key, value, flag, ierror)
        call check('MPI_TYPE_NULL_COPY_FN does not copy', .not. flag)
        freed = key
        call MPI_Type_free_keyval(key, ierror)
        call MPI_Type_delete_attr(type, freed, ierror)
        call was_deleted('delete_attr, also when the key is freed', large, 1)
        call MPI_Type_free(copied, ierror)
        call was_deleted('freeing deletes', large + 1, 1)
        call MPI_Type_free(type, ierror)
        call MPI_Type_free_keyval(predefined_key, ierror)
        call check('freed keys are invalid', key == MPI_KEYVAL_INVALID .and. &
            predefined_key == MPI_KEYVAL_INVALID)
    end subroutine of_datatypes

    ! Nothing copies a window.
    subroutine of_windows()
        HANDLE(MPI_Win) :: win
        type(c_ptr) :: base
        call MPI_Win_allocate(400_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &
            base, win, ierror)
        call MPI_Win_get_attr(win, MPI_WIN_BASE, value, flag, ierror)
        call is_found('MPI_WIN_BASE', transfer(base, value))
        call MPI_Win_get_attr(win, MPI_WIN_SIZE, value, flag, ierror)
        call is_found('MPI_WIN_SIZE', 400_MPI_ADDRESS_KIND)
        call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, value, flag, ierror)
        call is_found('MPI_WIN_DISP_UNIT', 8_MPI_ADDRESS_KIND)
        call MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, value, flag, ierror)
        call is_found('MPI_WIN_CREATE_FLAVOR', &
            int(MPI_WIN_FLAVOR_ALLOCATE, MPI_ADDRESS_KIND))
        call MPI_Win_get_attr(win, MPI_WIN_MODEL, value, flag, ierror)
        call is_found('MPI_WIN_MODEL', int(MPI_WIN_UNIFIED, MPI_ADDRESS_KIND))
        call MPI_Win_create_keyval(copy_of_win, drop_of_win, key, large, ierror)
        value = 17
        call MPI_Win_get_attr(win, key, value, flag, ierror)
        call check('what is not set is not found', .not. flag .and. value == 17)
        call MPI_Win_set_attr(win, key, large, ierror)
        call MPI_Win_get_attr(win, key, value, flag, ierror)
        call is_found('an attribute keeps its value', large)
        call MPI_Win_delete_attr(win, key, ierror)
        call was_deleted('delete_attr', large, 1)
        call MPI_Win_set_attr(win, key, large, ierror)
        freed = key
        call MPI_Win_free_keyval(key, ierror)
        call MPI_Win_set_attr(win, freed, -large, ierror)
        call was_deleted('a freed key replaces', large, 1)
        call MPI_Win_get_attr(win, freed, value, flag, ierror)
        call is_found('a freed key is in use until its last attribute goes', -large)
        call MPI_Win_free(win, ierror)
        call was_deleted('freeing deletes, also when the key is freed', -large, 1)
    end subroutine of_windows
end program attributes
