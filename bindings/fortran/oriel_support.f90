! SPDX-License-Identifier: BSD-3-Clause
! What the generated entry points need besides the C functions: strings, and telling the
! core that a callback or an attribute is Fortran's.
module oriel_support
    use, intrinsic :: iso_c_binding
    implicit none
    private

    ! Kinds of objects; the values of enum object_kind (core/object/language.h).
    enum, bind(C)
        enumerator :: KIND_COMM = 1, KIND_GROUP, KIND_WIN, KIND_INFO, KIND_ERRHANDLER, &
            KIND_DATATYPE
    end enum
    public :: KIND_COMM, KIND_WIN, KIND_DATATYPE

    interface
        subroutine oriel_attribute_is_integer(kind, handle, keyval, value) bind(C)
            import
            integer(c_int), value :: kind, keyval
            integer(c_intptr_t), value :: handle, value
        end subroutine oriel_attribute_is_integer

        function oriel_attribute_integer(kind, handle, keyval, &
            pointer) result(value) bind(C)
            import
            integer(c_int), value :: kind, keyval
            integer(c_intptr_t), value :: handle, pointer
            integer(c_intptr_t) :: value
        end function oriel_attribute_integer

        subroutine oriel_errhandler_invoker(errhandler, invoke) bind(C)
            import
            integer(c_intptr_t), value :: errhandler
            type(c_funptr), value :: invoke
        end subroutine oriel_errhandler_invoker

        ! f08/sections.c: the address of an argument, or the constant of C in whose
        ! place the variable of that name was given.
        type(c_ptr) function address_unless_ignored(argument) bind(C, &
            name="oriel_address_unless_ignored")
            import
            type(*), intent(in) :: argument
        end function address_unless_ignored

        subroutine oriel_op_invoker(op, invoke) bind(C)
            import
            integer(c_intptr_t), value :: op
            type(c_funptr), value :: invoke
        end subroutine oriel_op_invoker

        subroutine oriel_request_invokers(request, invoke, variable) bind(C)
            import
            integer(c_intptr_t), value :: request
            type(c_funptr), intent(in) :: invoke(3)
            type(c_ptr), value :: variable
        end subroutine oriel_request_invokers

        subroutine oriel_keyval_invokers(keyval, copy, drop) bind(C)
            import
            integer(c_int), value :: keyval
            type(c_funptr), value :: copy, drop
        end subroutine oriel_keyval_invokers
    end interface
    public :: oriel_attribute_is_integer, oriel_attribute_integer, &
        address_unless_ignored

    public :: string_to_fortran, string_mark, function_of_number, &
        errhandler_calls_fortran, keyval_calls_fortran, op_calls_fortran, &
        op_calls_fortran_large, keyval_calls_fortran_mpi1, request_calls_fortran

    ! Fortran's callbacks. mpi_f08 declares handles as TYPE(MPI_Win) and the like, the
    ! mpi module as INTEGER; either way the callback gets the address of one INTEGER.
    abstract interface
        subroutine errhandler_function(handle, error_code)
            integer :: handle, error_code
        end subroutine errhandler_function

        subroutine user_function(in, inout, length, datatype)
            import
            type(c_ptr), value :: in, inout
            integer :: length, datatype
        end subroutine user_function

        subroutine large_user_function(in, inout, length, datatype)
            import
            type(c_ptr), value :: in, inout
            integer(c_int64_t) :: length
            integer :: datatype
        end subroutine large_user_function

        subroutine query_function(extra_state, status, ierror)
            import
            integer(c_intptr_t) :: extra_state
            integer :: status(*), ierror
        end subroutine query_function

        subroutine free_function(extra_state, ierror)
            import
            integer(c_intptr_t) :: extra_state
            integer :: ierror
        end subroutine free_function

        subroutine cancel_function(extra_state, complete, ierror)
            import
            integer(c_intptr_t) :: extra_state
            logical :: complete
            integer :: ierror
        end subroutine cancel_function

        subroutine copy_function(handle, keyval, extra_state, value_in, value_out, &
            flag, ierror)
            import
            integer :: handle, keyval, ierror
            integer(c_intptr_t) :: extra_state, value_in, value_out
            logical :: flag
        end subroutine copy_function

        ! In MPI-1, states and values were INTEGERs.
        subroutine copy_function_mpi1(handle, keyval, extra_state, value_in, &
            value_out, flag, ierror)
            integer :: handle, keyval, extra_state, value_in, value_out, ierror
            logical :: flag
        end subroutine copy_function_mpi1

        subroutine delete_function_mpi1(handle, keyval, value, extra_state, ierror)
            integer :: handle, keyval, value, extra_state, ierror
        end subroutine delete_function_mpi1

        subroutine delete_function(handle, keyval, value, extra_state, ierror)
            import
            integer :: handle, keyval, ierror
            integer(c_intptr_t) :: value, extra_state
        end subroutine delete_function
    end interface

contains

    ! Copies a C string up to its NUL, padded with blanks. A string without NUL is one
    ! that C has not written; then nothing changes.
    subroutine string_to_fortran(c_string, string)
        character(kind=c_char), intent(in) :: c_string(:)
        character(len=*), intent(inout) :: string
        integer :: length, i
        length = findloc(c_string, c_null_char, dim=1) - 1
        if (length < 0) return
        string = ''
        do i = 1, min(length, len(string))
            string(i:i) = c_string(i)
        end do
    end subroutine string_to_fortran

    subroutine string_mark(c_string)
        character(kind=c_char), intent(out) :: c_string(:)
        c_string = '?'
    end subroutine string_mark

    ! A predefined callback, as C has it.
    type(c_funptr) function function_of_number(number)
        integer, intent(in) :: number
        function_of_number = transfer(int(number, c_intptr_t), c_null_funptr)
    end function function_of_number

    subroutine errhandler_calls_fortran(errhandler)
        integer(c_intptr_t), intent(in) :: errhandler
        call oriel_errhandler_invoker(errhandler, c_funloc(invoke_errhandler))
    end subroutine errhandler_calls_fortran

    subroutine invoke_errhandler(function, handle, code) bind(C, name="")
        type(c_funptr), value :: function
        integer(c_intptr_t), value :: handle
        integer(c_int), value :: code
        procedure(errhandler_function), pointer :: callback
        integer :: object, error_code
        call c_f_procpointer(function, callback)
        object = int(handle)
        error_code = code
        call callback(object, error_code)
    end subroutine invoke_errhandler

    subroutine keyval_calls_fortran(keyval)
        integer(c_int), intent(in) :: keyval
        call oriel_keyval_invokers(keyval, c_funloc(invoke_copy), c_funloc(invoke_delete))
    end subroutine keyval_calls_fortran

    ! The function of an operation gets addresses: arrays in mpi, TYPE(C_PTR) in mpi_f08.
    subroutine op_calls_fortran(op)
        integer(c_intptr_t), intent(in) :: op
        call oriel_op_invoker(op, c_funloc(invoke_op))
    end subroutine op_calls_fortran

    subroutine op_calls_fortran_large(op)
        integer(c_intptr_t), intent(in) :: op
        call oriel_op_invoker(op, c_funloc(invoke_large_op))
    end subroutine op_calls_fortran_large

    subroutine invoke_op(function, in, inout, length, datatype) bind(C, name="")
        type(c_funptr), value :: function
        type(c_ptr), value :: in, inout
        integer(c_int64_t), value :: length
        integer(c_intptr_t), value :: datatype
        procedure(user_function), pointer :: callback
        integer :: elements, type
        call c_f_procpointer(function, callback)
        elements = int(length)
        type = int(datatype)
        call callback(in, inout, elements, type)
    end subroutine invoke_op

    subroutine invoke_large_op(function, in, inout, length, datatype) bind(C, name="")
        type(c_funptr), value :: function
        type(c_ptr), value :: in, inout
        integer(c_int64_t), value :: length
        integer(c_intptr_t), value :: datatype
        procedure(large_user_function), pointer :: callback
        integer(c_int64_t) :: elements
        integer :: type
        call c_f_procpointer(function, callback)
        elements = length
        type = int(datatype)
        call callback(in, inout, elements, type)
    end subroutine invoke_large_op

    subroutine request_calls_fortran(request, extra_state)
        integer(c_intptr_t), intent(in) :: request
        integer(c_intptr_t), intent(in), target :: extra_state
        call oriel_request_invokers(request, &
            [c_funloc(invoke_query), c_funloc(invoke_free), c_funloc(invoke_cancel)], &
            c_loc(extra_state))
    end subroutine request_calls_fortran

    ! A status of Fortran has as many INTEGERs as C's has ints.
    function invoke_query(function, extra_state, status) result(code) bind(C, name="")
        type(c_funptr), value :: function
        integer(c_intptr_t) :: extra_state
        integer(c_int) :: status(8)
        integer(c_int) :: code
        procedure(query_function), pointer :: callback
        integer :: own_status(8), ierror
        call c_f_procpointer(function, callback)
        own_status = status
        ierror = 0
        call callback(extra_state, own_status, ierror)
        status = int(own_status, c_int)
        code = int(ierror, c_int)
    end function invoke_query

    function invoke_free(function, extra_state) result(code) bind(C, name="")
        type(c_funptr), value :: function
        integer(c_intptr_t) :: extra_state
        integer(c_int) :: code
        procedure(free_function), pointer :: callback
        integer :: ierror
        call c_f_procpointer(function, callback)
        ierror = 0
        call callback(extra_state, ierror)
        code = int(ierror, c_int)
    end function invoke_free

    function invoke_cancel(function, extra_state, complete) result(code) &
        bind(C, name="")
        type(c_funptr), value :: function
        integer(c_intptr_t) :: extra_state
        integer(c_int), value :: complete
        integer(c_int) :: code
        procedure(cancel_function), pointer :: callback
        integer :: ierror
        logical :: is_complete
        call c_f_procpointer(function, callback)
        is_complete = complete /= 0
        ierror = 0
        call callback(extra_state, is_complete, ierror)
        code = int(ierror, c_int)
    end function invoke_cancel

    function invoke_copy(function, handle, keyval, extra_state, value_in, value_out, &
        flag) result(code) bind(C, name="")
        type(c_funptr), value :: function
        integer(c_intptr_t), value :: handle, value_in
        integer(c_intptr_t) :: extra_state
        integer(c_int), value :: keyval
        integer(c_intptr_t), intent(out) :: value_out
        integer(c_int), intent(out) :: flag
        integer(c_int) :: code
        procedure(copy_function), pointer :: callback
        integer :: object, key, ierror
        logical :: is_copied
        call c_f_procpointer(function, callback)
        object = int(handle)
        key = keyval
        is_copied = .false.
        ierror = 0
        call callback(object, key, extra_state, value_in, value_out, is_copied, ierror)
        flag = merge(1_c_int, 0_c_int, is_copied)
        code = int(ierror, c_int)
    end function invoke_copy

    function invoke_delete(function, handle, keyval, value, extra_state) result(code) &
        bind(C, name="")
        type(c_funptr), value :: function
        integer(c_intptr_t), value :: handle, value
        integer(c_intptr_t) :: extra_state
        integer(c_int), value :: keyval
        integer(c_int) :: code
        procedure(delete_function), pointer :: callback
        integer :: object, key, ierror
        call c_f_procpointer(function, callback)
        object = int(handle)
        key = keyval
        ierror = 0
        call callback(object, key, value, extra_state, ierror)
        code = int(ierror, c_int)
    end function invoke_delete

    subroutine keyval_calls_fortran_mpi1(keyval)
        integer(c_int), intent(in) :: keyval
        call oriel_keyval_invokers(keyval, c_funloc(invoke_copy_mpi1), &
            c_funloc(invoke_delete_mpi1))
    end subroutine keyval_calls_fortran_mpi1

    function invoke_copy_mpi1(function, handle, keyval, extra_state, value_in, &
        value_out, flag) result(code) bind(C, name="")
        type(c_funptr), value :: function
        integer(c_intptr_t), value :: handle, value_in
        integer(c_intptr_t) :: extra_state
        integer(c_int), value :: keyval
        integer(c_intptr_t), intent(out) :: value_out
        integer(c_int), intent(out) :: flag
        integer(c_int) :: code
        procedure(copy_function_mpi1), pointer :: callback
        integer :: copied, state, ierror
        logical :: is_copied
        call c_f_procpointer(function, callback)
        copied = 0
        state = int(extra_state)
        is_copied = .false.
        ierror = 0
        call callback(int(handle), int(keyval), state, int(value_in), copied, &
            is_copied, ierror)
        extra_state = state
        value_out = copied
        flag = merge(1_c_int, 0_c_int, is_copied)
        code = int(ierror, c_int)
    end function invoke_copy_mpi1

    function invoke_delete_mpi1(function, handle, keyval, value, extra_state) &
        result(code) bind(C, name="")
        type(c_funptr), value :: function
        integer(c_intptr_t), value :: handle, value
        integer(c_intptr_t) :: extra_state
        integer(c_int), value :: keyval
        integer(c_int) :: code
        procedure(delete_function_mpi1), pointer :: callback
        integer :: state, ierror
        call c_f_procpointer(function, callback)
        state = int(extra_state)
        ierror = 0
        call callback(int(handle), int(keyval), int(value), state, ierror)
        extra_state = state
        code = int(ierror, c_int)
    end function invoke_delete_mpi1
end module oriel_support
