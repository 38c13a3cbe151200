! SPDX-License-Identifier: BSD-3-Clause
! A claim that does not hold ends the program, and with it the job, with exit code 1.
module check_m
    use, intrinsic :: iso_fortran_env, only : error_unit
    implicit none
    private
    public :: check
    integer, parameter, public :: unit = storage_size(1) / 8 ! bytes of an INTEGER

contains

    subroutine check(claim, holds)
        character(len=*), intent(in) :: claim
        logical, intent(in) :: holds
        if (holds) return
        write (error_unit, '(2a)') 'does not hold: ', claim
        error stop 1
    end subroutine check
end module check_m
