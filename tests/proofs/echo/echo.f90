! SPDX-License-Identifier: BSD-3-Clause
! What Fortran programs call of echo.c, and the memory that their buffers lie in.
module echo
    use, intrinsic :: iso_c_binding
    implicit none
    private

    ! Buffers are columns; mind that C changes them.
    integer(c_int), public, target, asynchronous :: memory(16, 0:23)

    interface
        subroutine echo_call(entry, results, has_objects, error) bind(C)
            import
            character(kind=c_char), intent(in) :: entry(*)
            integer(c_intmax_t), value :: results
            integer(c_int), value :: has_objects, error
        end subroutine echo_call

        subroutine echo_number(verb, name, number) bind(C)
            import
            character(kind=c_char), intent(in) :: verb(*), name(*)
            integer(c_intmax_t), value :: number
        end subroutine echo_number

        subroutine echo_real(verb, name, number) bind(C)
            import
            character(kind=c_char), intent(in) :: verb(*), name(*)
            real(c_double), value :: number
        end subroutine echo_real

        subroutine echo_text(verb, name, text) bind(C)
            import
            character(kind=c_char), intent(in) :: verb(*), name(*), text(*)
        end subroutine echo_text

        subroutine echo_handle(verb, name, handle) bind(C)
            import
            character(kind=c_char), intent(in) :: verb(*), name(*)
            integer(c_intptr_t), value :: handle
        end subroutine echo_handle

        function echo_handle_of(kind, number) result(handle) bind(C)
            import
            character(kind=c_char), intent(in) :: kind(*)
            integer(c_int), value :: number
            integer(c_intptr_t) :: handle
        end function echo_handle_of

        subroutine echo_own_function(number, function) bind(C)
            import
            integer(c_int), value :: number
            type(c_funptr), value :: function
        end subroutine echo_own_function

        subroutine echo_memory(memory) bind(C)
            import
            type(c_ptr), value :: memory
        end subroutine echo_memory

        subroutine echo_status(verb, name, status) bind(C)
            import
            character(kind=c_char), intent(in) :: verb(*), name(*)
            integer(c_int), intent(in) :: status(*)
        end subroutine echo_status

        subroutine echo_column_text(column) bind(C)
            import
            integer(c_int), value :: column
        end subroutine echo_column_text
    end interface

    interface got
        procedure got_default, got_wide, got_logical, got_text, got_pointer, got_double
    end interface got
    public :: called, got, got_handle, got_status, got_column, handle_of, own_function, &
        wanted

contains

    ! The program was asked to call this procedure, or all.
    logical function wanted(name)
        character(len=*), intent(in) :: name
        character(len=64) :: argument
        call get_command_argument(1, argument)
        wanted = argument == '' .or. argument == name
    end function wanted

    subroutine called(entry, results, has_objects, error)
        character(len=*), intent(in) :: entry
        integer(c_intmax_t), intent(in) :: results
        integer, intent(in) :: has_objects, error
        call echo_memory(c_loc(memory))
        call echo_call(entry // c_null_char, results, int(has_objects, c_int), &
            int(error, c_int))
    end subroutine called

    subroutine got_wide(name, number)
        character(len=*), intent(in) :: name
        integer(c_intmax_t), intent(in) :: number
        call echo_number('got' // c_null_char, name // c_null_char, number)
    end subroutine got_wide

    subroutine got_default(name, number)
        character(len=*), intent(in) :: name
        integer(c_int), intent(in) :: number
        call got_wide(name, int(number, c_intmax_t))
    end subroutine got_default

    ! As a C program would see it; anything but .true. and .false. is neither.
    subroutine got_logical(name, flag)
        character(len=*), intent(in) :: name
        logical, intent(in) :: flag
        integer(c_intmax_t) :: number
        number = -1
        if (flag) number = 1
        if (.not. flag) number = 0
        call got_wide(name, number)
    end subroutine got_logical

    subroutine got_text(name, text)
        character(len=*), intent(in) :: name, text
        call echo_text('got' // c_null_char, name // c_null_char, &
            trim(text) // c_null_char)
    end subroutine got_text

    subroutine got_pointer(name, pointer)
        character(len=*), intent(in) :: name
        type(c_ptr), intent(in) :: pointer
        call got_wide(name, transfer(pointer, 0_c_intmax_t))
    end subroutine got_pointer

    subroutine got_double(name, number)
        character(len=*), intent(in) :: name
        real(c_double), intent(in) :: number
        call echo_real('got' // c_null_char, name // c_null_char, number)
    end subroutine got_double

    subroutine got_handle(name, handle)
        character(len=*), intent(in) :: name
        integer, intent(in) :: handle
        call echo_handle('got' // c_null_char, name // c_null_char, &
            int(handle, c_intptr_t))
    end subroutine got_handle

    ! The eight integers of a status.
    subroutine got_status(name, status)
        character(len=*), intent(in) :: name
        integer, intent(in) :: status(8)
        call echo_status('got' // c_null_char, name // c_null_char, int(status, c_int))
    end subroutine got_status

    subroutine got_column(column)
        integer, intent(in) :: column
        call echo_column_text(int(column, c_int))
    end subroutine got_column

    impure elemental integer function handle_of(kind, number)
        character(len=*), intent(in) :: kind
        integer, intent(in) :: number
        handle_of = int(echo_handle_of(kind // c_null_char, int(number, c_int)))
    end function handle_of

    subroutine own_function(number, function)
        integer, intent(in) :: number
        type(c_funptr), intent(in) :: function
        call echo_own_function(int(number, c_int), function)
    end subroutine own_function
end module echo
