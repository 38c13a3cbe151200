! SPDX-License-Identifier: BSD-3-Clause
! A call in Fortran has a source line, in the main program and in a procedure of a module.
module exchanges
    use, intrinsic :: iso_c_binding
    implicit none
    private
    public :: check_line, exchange
    interface
        subroutine library_called_from(text, bytes) bind(c)
            import :: c_char, c_int
            character(kind=c_char), intent(out) :: text(*)
            integer(c_int), value :: bytes
        end subroutine library_called_from
    end interface
    public :: library_called_from
contains
    subroutine exchange()
        character(kind=c_char, len=100) :: text
        call library_called_from(text, 100_c_int)
        call check_line(text, 'source_line.f90:19 (exchange)')
    end subroutine exchange

    subroutine check_line(text, expected)
        character(len=*), intent(in) :: text, expected
        if (text == expected) return
        print '(4a)', trim(text), ' instead of ', expected
        error stop
    end subroutine check_line
end module exchanges

program source_line
    use exchanges
    use, intrinsic :: iso_c_binding
    implicit none
    character(kind=c_char, len=100) :: text
    call library_called_from(text, 100_c_int)
    call check_line(text, 'source_line.f90:36 (source_line)')
    call exchange()
end program source_line
