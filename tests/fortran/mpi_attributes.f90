! SPDX-License-Identifier: BSD-3-Clause
! The mpi module: attributes by their names of MPI-1, whose values are INTEGERs.
module mpi_attributes_m
    use mpi
    use check_m, only : check
    implicit none
    integer :: copies = 0, deletions = 0, deleted = 0, expected_keyval

contains

    subroutine add_one(comm, keyval, extra_state, value_in, value_out, flag, ierror)
        integer :: comm, keyval, extra_state, value_in, value_out, ierror
        logical :: flag
        call check('a copy function gets the communicator', comm == MPI_COMM_WORLD)
        call check('a copy function gets its key', keyval == expected_keyval)
        copies = copies + 1
        value_out = value_in + extra_state
        flag = .true.
        ierror = MPI_SUCCESS
    end subroutine add_one

    subroutine note_deletion(comm, keyval, value, extra_state, ierror)
        integer :: comm, keyval, value, extra_state, ierror
        call check('a delete function gets a communicator', comm /= MPI_COMM_NULL)
        call check('a delete function gets its key and state', &
            keyval == expected_keyval .and. extra_state == 1)
        deletions = deletions + 1
        deleted = value
        ierror = MPI_SUCCESS
    end subroutine note_deletion
end module mpi_attributes_m

program mpi_attributes
    use mpi
    use mpi_attributes_m
    implicit none
    integer :: comm, keyval, other, value, ierror
    integer(MPI_ADDRESS_KIND) :: wide
    logical :: flag
    call MPI_INIT(ierror)
    call MPI_ATTR_GET(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierror)
    call check('MPI_TAG_UB', flag .and. value >= 32767)
    call MPI_KEYVAL_CREATE(add_one, note_deletion, keyval, 1, ierror)
    expected_keyval = keyval
    call MPI_KEYVAL_CREATE(MPI_DUP_FN, MPI_NULL_DELETE_FN, other, 0, ierror)
    value = 17
    call MPI_ATTR_GET(MPI_COMM_WORLD, keyval, value, flag, ierror)
    call check('an attribute that is not set is not found', .not. flag .and. value == 17)
    call MPI_ATTR_PUT(MPI_COMM_WORLD, keyval, -5, ierror)
    call MPI_ATTR_PUT(MPI_COMM_WORLD, other, 12, ierror)
    call MPI_ATTR_GET(MPI_COMM_WORLD, keyval, value, flag, ierror)
    call check('an attribute keeps its value', flag .and. value == -5)
    call MPI_COMM_DUP(MPI_COMM_WORLD, comm, ierror)
    call MPI_ATTR_GET(comm, keyval, value, flag, ierror)
    call check('a copy function makes the value', flag .and. value == -4 .and. copies == 1)
    call MPI_ATTR_GET(comm, other, value, flag, ierror)
    call check('MPI_DUP_FN copies', flag .and. value == 12)
    call MPI_COMM_GET_ATTR(comm, keyval, wide, flag, ierror)
    call check('newer procedures see the same', flag .and. wide == -4)
    call MPI_COMM_FREE(comm, ierror)
    call check('freeing a communicator deletes', deletions == 1 .and. deleted == -4)
    call MPI_ATTR_DELETE(MPI_COMM_WORLD, keyval, ierror)
    call check('attr_delete calls back', deletions == 2 .and. deleted == -5)
    call MPI_ATTR_DELETE(MPI_COMM_WORLD, other, ierror)
    call MPI_KEYVAL_FREE(keyval, ierror)
    call check('keyval_free sets the key to invalid', keyval == MPI_KEYVAL_INVALID)
    call MPI_COMM_SET_ERRHANDLER(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
    call MPI_ATTR_PUT(MPI_COMM_WORLD, keyval, 1, ierror)
    call check('a freed key is refused', ierror == MPI_ERR_KEYVAL)
    call MPI_KEYVAL_CREATE(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, keyval, 0, ierror)
    call MPI_ATTR_PUT(MPI_COMM_WORLD, keyval, 3, ierror)
    call MPI_COMM_DUP(MPI_COMM_WORLD, comm, ierror)
    call MPI_ATTR_GET(comm, keyval, value, flag, ierror)
    call check('MPI_NULL_COPY_FN does not copy', .not. flag)
    call MPI_COMM_FREE(comm, ierror)
    call MPI_FINALIZE(ierror)
end program mpi_attributes
