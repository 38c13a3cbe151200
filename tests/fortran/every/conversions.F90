! SPDX-License-Identifier: BSD-3-Clause
! A status keeps what it says on its way between mpi_f08 and mpi (MPI-4.1 19.3.5);
! MPI_Sizeof tells the bytes of an element (19.1.9).
program conversions
#include "binding.inc"
    integer :: ierror

    call MPI_Init(ierror)
    call statuses_are_copied()
    call sizes_are_those_of_elements()
    call MPI_Finalize(ierror)

contains

    subroutine statuses_are_copied()
        type(MPI_Status) :: status, back
        integer :: integers(MPI_STATUS_SIZE)
        status%MPI_SOURCE = 3
        status%MPI_TAG = 5
        status%MPI_ERROR = MPI_ERR_TRUNCATE
        call MPI_Status_f082f(status, integers, ierror)
        call check('the copy succeeds', ierror == MPI_SUCCESS)
        call check('the array has source, tag and error', &
            integers(MPI_SOURCE) == 3 .and. integers(MPI_TAG) == 5 .and. &
            integers(MPI_ERROR) == MPI_ERR_TRUNCATE)
        integers(MPI_TAG) = 6
        call MPI_Status_f2f08(integers, back, ierror)
        call check('the type has what the array has', &
            back%MPI_SOURCE == 3 .and. back%MPI_TAG == 6)
    end subroutine statuses_are_copied

    subroutine sizes_are_those_of_elements()
        real(kind(1d0)) :: scalar, array(3, 4)
        character(len=5) :: text
        integer :: bytes
        scalar = 0
        array = 0
        text = ''
        call MPI_Sizeof(scalar, bytes, ierror)
        call check('a double has 8 bytes', bytes == 8 .and. ierror == MPI_SUCCESS)
        call MPI_Sizeof(array(1:3:2, :), bytes, ierror)
        call check('so has an element of a section', bytes == 8)
        call MPI_Sizeof(text, bytes, ierror)
        call check('a text has its length', bytes == 5)
    end subroutine sizes_are_those_of_elements
end program conversions
