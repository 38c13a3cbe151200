! SPDX-License-Identifier: BSD-3-Clause
! Procedures between main.f90 and descriptors.c that are made as the entry points in
! Fortran are: external, calling BIND(C) functions.
module probe_c
    use, intrinsic :: iso_c_binding
    use probe_callbacks, only : callback_function
    implicit none

    interface
        function probe_length(string) result(length) bind(C)
            import
            character(kind=c_char), intent(in) :: string(*)
            integer(c_int) :: length
        end function probe_length

        subroutine probe_call(invoke, function, number) bind(C)
            import
            type(c_funptr), value :: invoke, function
            integer(c_int), intent(inout) :: number
        end subroutine probe_call
    end interface

contains

    subroutine invoke_callback(function, number) bind(C, name="")
        type(c_funptr), value :: function
        integer(c_int), intent(inout) :: number
        procedure(callback_function), pointer :: callback
        integer :: wide
        logical :: flag
        call c_f_procpointer(function, callback)
        wide = number
        flag = .true.
        call callback(wide, flag)
        number = int(wide, c_int)
    end subroutine invoke_callback
end module probe_c

subroutine probe_string(string, length, first)
    use probe_c
    implicit none
    character(len=*), intent(in) :: string
    integer(c_int), intent(out) :: length
    character(len=1), intent(out) :: first
    length = probe_length(trim(string)//c_null_char)
    first = string(1:1)
end subroutine probe_string

subroutine probe_callback(callback, answer)
    use probe_c
    implicit none
    procedure(callback_function) :: callback
    integer, intent(out) :: answer
    integer(c_int) :: number
    number = 21
    call probe_call(c_funloc(invoke_callback), c_funloc(callback), number)
    answer = number
end subroutine probe_callback
