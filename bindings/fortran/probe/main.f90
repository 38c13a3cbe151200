! SPDX-License-Identifier: BSD-3-Clause
! What the Fortran layer needs of a compiler beyond accepting its sources. Run when the
! layer is configured: names the first thing that the compiler does otherwise and exits
! with 1, or prints the bytes of a default INTEGER.
program probe
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only : error_unit
    use probe_callbacks
    implicit none

    interface
        subroutine probe_buffer(buffer, facts, ierror)
            import
            type(*), dimension(..), asynchronous :: buffer
            integer(c_int64_t), intent(out) :: facts(0:33)
            integer, optional, intent(out) :: ierror
        end subroutine probe_buffer

        subroutine probe_text(before, text, length)
            import
            integer(c_int64_t), intent(in) :: before
            character(len=*), intent(in) :: text
            integer(c_int64_t), intent(out) :: length
        end subroutine probe_text

        subroutine probe_change() bind(C)
        end subroutine probe_change

        subroutine probe_string(string, length, first)
            import
            character(len=*), intent(in) :: string
            integer(c_int), intent(out) :: length
            character(len=1), intent(out) :: first
        end subroutine probe_string

        subroutine probe_callback(callback, answer)
            import
            procedure(callback_function) :: callback
            integer, intent(out) :: answer
        end subroutine probe_callback
    end interface

    type pair
        real(kind(1d0)) :: first
        integer(c_int8_t) :: second
    end type pair

    integer :: sentinel
    common /probe_block/ sentinel
    bind(C, name="probe_block") :: /probe_block/
    integer, parameter :: bytes = storage_size(1) / 8
    ! What probe_buffer reports: see descriptors.c.
    integer, parameter :: RANK = 1, ELEMENT = 2, EXTENT = 2, STRIDE = 17, BLOCK = 32, &
        GIVEN = 33
    integer(c_int64_t) :: facts(0:33)

    call sections()
    call shapes()
    call element_sizes()
    call bounds()
    call components()
    call optional_arguments()
    call changes_after_return()
    call sentinels()
    call strings()
    call callbacks()
    call expect('an INTEGER has 4 or 8 bytes', any(bytes == [4, 8]))
    call expect('.false. and .true. are 0 and 1 in INTEGERs', &
        all(transfer([.false., .true.], 0, 2) == [0, 1]))
    print '(i0)', bytes

contains

    subroutine expect(claim, holds)
        character(len=*), intent(in) :: claim
        logical, intent(in) :: holds
        if (holds) return
        write (error_unit, '(2a)') 'does not hold: ', claim
        error stop 1
    end subroutine expect

    integer(c_int64_t) function address(element)
        integer, intent(in), target :: element
        address = transfer(c_loc(element), address)
    end function address

    subroutine sections()
        integer, target :: a(10, 10)
        a = 0
        call probe_buffer(a(2:9:3, 10:1:-2), facts)
        call expect('an array section is passed where it lies, not copied', &
            facts(0) == address(a(2, 10)))
        call expect('the descriptor of a section has its rank and extents', &
            facts(RANK) == 2 .and. facts(EXTENT + 1) == 3 .and. facts(EXTENT + 2) == 5)
        call expect('the descriptor of a section has its strides in bytes', &
            facts(STRIDE + 1) == 3 * bytes .and. facts(STRIDE + 2) == -20 * bytes)
    end subroutine sections

    subroutine shapes()
        integer, target :: a(4, 6), scalar, empty(5:4)
        a = 0
        scalar = 0
        call probe_buffer(scalar, facts)
        call expect('a scalar is passed by a descriptor of rank 0', &
            facts(RANK) == 0 .and. facts(0) == address(scalar))
        call probe_buffer(empty, facts)
        call expect('an empty array has extent 0', &
            facts(RANK) == 1 .and. facts(EXTENT + 1) == 0)
        call assumed_size(a)
    end subroutine shapes

    subroutine assumed_size(a)
        integer, target :: a(4, *)
        call probe_buffer(a, facts)
        call expect('the last extent of an assumed-size array is -1', &
            facts(RANK) == 2 .and. facts(EXTENT + 1) == 4 .and. facts(EXTENT + 2) == -1)
        call expect('an assumed-size array is passed where it lies', &
            facts(0) == address(a(1, 1)))
    end subroutine assumed_size

    subroutine element_sizes()
        character(len=5) :: words(3)
        type(pair) :: pairs(2)
        words = ''
        pairs = pair(0d0, 0_c_int8_t)
        call probe_buffer(words, facts)
        call expect('the element length of CHARACTER(5) is 5', facts(ELEMENT) == 5)
        call probe_buffer(pairs, facts)
        call expect('derived types can be passed, with their element length', &
            facts(ELEMENT) == storage_size(pairs) / 8)
    end subroutine element_sizes

    subroutine bounds()
        integer, allocatable :: a(:, :)
        integer, pointer :: p(:)
        integer, target :: t(20)
        allocate (a(-3:4, 7:9), source=1)
        t = 0
        p(5:) => t(1:20:4)
        call probe_buffer(a, facts)
        call probe_buffer(p, facts)
        call expect('an allocatable array has the same bounds after the call', &
            all(lbound(a) == [-3, 7]) .and. all(ubound(a) == [4, 9]))
        call expect('a pointer has the same bounds after the call', &
            lbound(p, 1) == 5 .and. ubound(p, 1) == 9 .and. associated(p, t(1:20:4)))
    end subroutine bounds

    subroutine components()
        type(pair), target :: pairs(6)
        real(kind(1d0)), pointer :: p(:)
        pairs = pair(0d0, 0_c_int8_t)
        p => pairs(::2)%first
        call probe_buffer(p(:), facts)
        if (facts(0) == transfer(c_loc(pairs), facts(0))) call expect( &
            'strides of a component that is not copied are those of the structures', &
            facts(STRIDE + 1) == 2 * storage_size(pairs) / 8)
    end subroutine components

    subroutine optional_arguments()
        integer :: variable, ierror
        variable = 0
        ierror = 0
        call probe_buffer(variable, facts, ierror)
        call expect('an optional argument that is given has an address', &
            facts(GIVEN) == 1)
        call probe_buffer(variable, facts)
        call expect('the address of one that is not given is NULL', facts(GIVEN) == 0)
    end subroutine optional_arguments

    subroutine changes_after_return()
        integer(c_int), asynchronous :: pending
        pending = 1
        call probe_buffer(pending, facts)
        call probe_change()
        call probe_buffer(pending, facts)
        call expect('an ASYNCHRONOUS variable can change between calls', pending == 2)
    end subroutine changes_after_return

    subroutine sentinels()
        integer :: other
        other = 0
        call probe_buffer(sentinel, facts)
        call expect('C can tell a BIND(C) common block by its address', &
            facts(BLOCK) == 1)
        call probe_buffer(other, facts)
        call expect('other variables are no common block', facts(BLOCK) == 0)
    end subroutine sentinels

    subroutine strings()
        character(len=12) :: name
        character(len=1) :: first
        integer(c_int) :: length
        integer(c_int64_t) :: hidden
        name = 'window'
        call probe_string(name, length, first)
        call expect('a string arrives in C with its length and a final NUL', &
            length == 6 .and. first == 'w')
        call probe_text(21_c_int64_t, 'native', hidden)
        call expect('the length of a string comes behind the other arguments', &
            hidden == 6)
    end subroutine strings

    subroutine callbacks()
        integer :: answer
        call probe_callback(double_it, answer)
        call expect('C calls a Fortran procedure back through its address', answer == 42)
    end subroutine callbacks
end program probe
