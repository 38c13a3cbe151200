! SPDX-License-Identifier: BSD-3-Clause
! What the entry points need besides where INTEGER has 8 bytes: C's copies of arguments
! that C wants as int.
module oriel_integer8
    use, intrinsic :: iso_c_binding
    implicit none
    private

    interface ! integer8.c
        ! The address of the copy, or the constant of C in whose place the variable of
        ! that name was given. The others convert unless it was.
        function address_of_copy(argument, copy) result(address) bind(C, &
            name="oriel_address_of_copy")
            import
            type(*), intent(in) :: argument
            integer(c_int), intent(in) :: copy(*)
            type(c_ptr) :: address
        end function address_of_copy

        subroutine oriel_narrow(argument, count, copy) bind(C)
            import
            type(*), intent(in) :: argument
            integer(c_int64_t), value :: count
            integer(c_int) :: copy(*)
        end subroutine oriel_narrow

        subroutine oriel_widen(copy, count, argument) bind(C)
            import
            integer(c_int), intent(in) :: copy(*)
            integer(c_int64_t), value :: count
            type(*) :: argument
        end subroutine oriel_widen

        subroutine oriel_datatype_is_small(datatype) bind(C) ! core/datatype/language.h
            import
            integer(c_intptr_t), value :: datatype
        end subroutine oriel_datatype_is_small
    end interface
    public :: address_of_copy, narrow, widen, narrowed, oriel_datatype_is_small

contains

    subroutine narrow(argument, copy)
        type(*), intent(in) :: argument
        integer(c_int), contiguous, intent(inout) :: copy(:)
        call oriel_narrow(argument, size(copy, kind=c_int64_t), copy)
    end subroutine narrow

    subroutine widen(copy, argument)
        integer(c_int), contiguous, intent(in) :: copy(:)
        type(*) :: argument
        call oriel_widen(copy, size(copy, kind=c_int64_t), argument)
    end subroutine widen

    ! A number that does not fit becomes the smallest int, which is no valid rank, count,
    ! tag or the like.
    elemental integer(c_int) function narrowed(number)
        integer, intent(in) :: number
        integer(c_int), parameter :: largest = huge(0_c_int)
        narrowed = -largest - 1_c_int
        if (abs(number) <= largest) narrowed = int(number, c_int)
    end function narrowed
end module oriel_integer8
