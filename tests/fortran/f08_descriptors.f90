! SPDX-License-Identifier: BSD-3-Clause
! Choice buffers of any shape and count. What is read of one are the elements that plain
! Fortran packs; what is written goes to their places and nowhere else. Each process
! talks to itself.
program f08_descriptors
    use, intrinsic :: iso_c_binding, only : c_f_pointer, c_loc, c_ptr
    use, intrinsic :: iso_fortran_env, only : int8
    use mpi_f08
    use check_m, only : check, unit
    implicit none
    integer, parameter :: room = 1728 * unit ! bytes: enough for each array
    integer, target, asynchronous :: store(room / unit)
    ! The array that has the section: as INTEGERs, and a column of bytes per element.
    integer, pointer, asynchronous :: numbers(:)
    integer(int8), pointer, asynchronous :: whole(:, :)
    type(MPI_Win) :: win
    integer(int8), pointer, asynchronous :: memory(:)
    type(c_ptr) :: base
    integer :: i

    call MPI_Init()
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call MPI_Win_allocate(int(room, MPI_ADDRESS_KIND), 1, MPI_INFO_NULL, &
        MPI_COMM_SELF, base, win)
    call MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN)
    call c_f_pointer(base, memory, [room])
    call MPI_Win_lock_all(0, win)
    call lines()
    call planes_and_cubes()
    call all_ranks()
    call allocatables()
    call pointers()
    call components()
    call strings()
    call MPI_Win_unlock_all(win)
    call MPI_Win_free(win)
    call MPI_Finalize()

contains

    ! Says where the array is that the next sections are of.
    subroutine take(address, elements)
        type(c_ptr), intent(in) :: address
        integer, intent(in) :: elements
        call c_f_pointer(address, numbers, [elements])
        call c_f_pointer(address, whole, [unit, elements])
    end subroutine take

    ! With each element being its own place, the packed section tells the places.
    subroutine matrix(claim, section)
        character(len=*), intent(in) :: claim
        integer, intent(inout), target, asynchronous :: section(..)
        integer :: i
        numbers = [(i, i = 1, size(numbers))]
        call moves(claim, section, packed(section), MPI_INTEGER)
    end subroutine matrix

    function packed(section) result(places)
        integer, intent(in), target, asynchronous :: section(..)
        integer, allocatable :: places(:)
        select rank (section)
        rank (0)
            places = [section]
        rank (1)
            places = pack(section, .true.)
        rank (2)
            places = pack(section, .true.)
        rank (3)
            places = pack(section, .true.)
        rank (4)
            places = pack(section, .true.)
        rank (5)
            places = pack(section, .true.)
        rank (6)
            places = pack(section, .true.)
        rank (7)
            places = pack(section, .true.)
        rank (8)
            places = pack(section, .true.)
        rank (9)
            places = pack(section, .true.)
        rank (10)
            places = pack(section, .true.)
        rank (11)
            places = pack(section, .true.)
        rank (12)
            places = pack(section, .true.)
        rank (13)
            places = pack(section, .true.)
        rank (14)
            places = pack(section, .true.)
        rank (15)
            places = pack(section, .true.)
        end select
    end function packed

    ! All counts, of large sections about 100, which end anywhere in a row, and one that
    ! is too large. `places` are those of the section's elements of the given type.
    subroutine moves(claim, section, places, type)
        character(len=*), intent(in) :: claim
        type(*), target, asynchronous :: section(..)
        integer, intent(in) :: places(:)
        type(MPI_Datatype), intent(in) :: type
        integer :: count, elements
        elements = size(places)
        do count = 0, elements, 1 + elements / 100
            call reads(claim, section, places(:count), type)
            call writes(claim, section, places(:count), type)
        end do
        call reads(claim, section, places, type)
        call writes(claim, section, places, type)
        if (any(places(2:) - places(:elements - 1) /= 1)) &
            call refuses(claim, section, elements + 1, type)
    end subroutine moves

    subroutine reads(claim, section, places, type)
        character(len=*), intent(in) :: claim
        type(*), target, asynchronous :: section(..)
        integer, intent(in) :: places(:)
        type(MPI_Datatype), intent(in) :: type
        integer(int8), asynchronous :: into(size(whole, 1), size(places))
        integer(int8) :: expected(size(whole, 1), size(places))
        integer :: count, position
        count = size(places)
        expected = whole(:, places)
        into = -1
        position = 0
        call MPI_Pack(section, count, type, into, size(into), position, MPI_COMM_SELF)
        call check('packing ' // claim, &
            all(into == expected) .and. position == size(into))
        into = -1
        call MPI_Sendrecv(section, count, type, 0, 0, into, count, type, 0, 0, &
            MPI_COMM_SELF, MPI_STATUS_IGNORE)
        call check('sending ' // claim, all(into == expected))
        memory = -1
        call MPI_Put(section, count, type, 0, 0_MPI_ADDRESS_KIND, count, type, win)
        call MPI_Win_flush(0, win)
        call check('putting ' // claim, &
            all(memory(:size(into)) == reshape(expected, [size(into)])) .and. &
            all(memory(size(into) + 1:) == -1))
    end subroutine reads

    subroutine writes(claim, section, places, type)
        character(len=*), intent(in) :: claim
        type(*), target, asynchronous :: section(..)
        integer, intent(in) :: places(:)
        type(MPI_Datatype), intent(in) :: type
        integer(int8), asynchronous :: from(size(whole, 1), size(places))
        integer(int8), dimension(size(whole, 1), size(whole, 2)) :: before, expected
        integer :: count, position, i
        count = size(places)
        from = reshape([(int(-1 - mod(37 * i, 127), int8), i = 1, size(from))], &
            shape(from))
        before = whole
        expected = whole
        expected(:, places) = from
        position = 0
        call MPI_Unpack(from, size(from), position, section, count, type, MPI_COMM_SELF)
        call check('unpacking into ' // claim, all(whole == expected))
        whole = before
        call MPI_Sendrecv(from, count, type, 0, 0, section, count, type, 0, 0, &
            MPI_COMM_SELF, MPI_STATUS_IGNORE)
        call check('receiving into ' // claim, all(whole == expected))
        whole = before
        memory(:size(from)) = reshape(from, [size(from)])
        call MPI_Get(section, count, type, 0, 0_MPI_ADDRESS_KIND, count, type, win)
        call MPI_Win_flush(0, win)
        call check('getting into ' // claim, all(whole == expected))
        whole = before
    end subroutine writes

    ! A section that is not contiguous knows how many elements it has.
    subroutine refuses(claim, section, count, type)
        character(len=*), intent(in) :: claim
        type(*), target, asynchronous :: section(..)
        integer, intent(in) :: count
        type(MPI_Datatype), intent(in) :: type
        integer(int8) :: before(size(whole, 1), size(whole, 2))
        integer(int8) :: other(size(whole, 1), count)
        type(MPI_Request) :: request
        integer :: errors(8), position
        before = whole
        other = 0
        position = 0
        memory = -1
        call MPI_Put(section, count, type, 0, 0_MPI_ADDRESS_KIND, count, type, win, &
            errors(1))
        call MPI_Get(section, count, type, 0, 0_MPI_ADDRESS_KIND, count, type, win, &
            errors(2))
        call MPI_Isend(section, count, type, 0, 0, MPI_COMM_SELF, request, errors(3))
        call MPI_Irecv(section, count, type, 0, 0, MPI_COMM_SELF, request, errors(4))
        call MPI_Bcast(section, count, type, 0, MPI_COMM_SELF, errors(5))
        call MPI_Sendrecv(section, count, type, 0, 0, other, count, type, 0, 0, &
            MPI_COMM_SELF, MPI_STATUS_IGNORE, errors(6))
        call MPI_Pack(section, count, type, other, size(other), position, &
            MPI_COMM_SELF, errors(7))
        call MPI_Unpack(other, size(other), position, section, count, type, &
            MPI_COMM_SELF, errors(8))
        call MPI_Win_flush(0, win)
        call check('too many elements of ' // claim, all(errors == MPI_ERR_BUFFER))
        call check('an error changes nothing: ' // claim, &
            all(whole == before) .and. all(memory == -1))
    end subroutine refuses

    subroutine lines()
        integer, target, asynchronous :: line(40)
        call take(c_loc(line), size(line))
        call matrix('a scalar', line(7))
        call matrix('a line', line)
        call matrix('a part of a line', line(5:30))
        call matrix('one element', line(3:3))
        call matrix('one element of a stride', line(3:4:5))
        call matrix('nothing', line(5:4))
        call matrix('nothing of a stride', line(4:5:-2))
        call matrix('a stride', line(2:38:3))
        call matrix('a line backwards', line(40:1:-1))
        call matrix('a negative stride', line(39:3:-4))
        call assumed_size(line)
    end subroutine lines

    ! What has no last extent takes any count.
    subroutine assumed_size(plane)
        integer, target, asynchronous :: plane(4, *)
        numbers = [(i, i = 1, size(numbers))]
        call moves('an assumed-size array', plane, numbers, MPI_INTEGER)
        call matrix('columns of an assumed-size array', plane(:, 2:9:7))
        call matrix('a part of an assumed-size array', plane(2:3, 10:1:-1))
    end subroutine assumed_size

    subroutine planes_and_cubes()
        integer, target, asynchronous :: plane(6, 8), cube(4, 5, 6)
        call take(c_loc(plane), size(plane))
        call matrix('a plane', plane)
        call matrix('neighbouring columns', plane(:, 3:7))
        call matrix('a part of a column', plane(2:5, 4:4))
        call matrix('one element of a plane', plane(6:1:-7, 8:1:-9))
        call matrix('no rows', plane(3:2, :))
        call matrix('no columns', plane(::2, 3:2))
        call matrix('some rows', plane(1:6:2, :))
        call matrix('some columns', plane(:, 2:8:3))
        call matrix('parts of columns', plane(2:5, :))
        call matrix('a row', plane(3, :))
        call matrix('rows backwards', plane(6:1:-1, :))
        call matrix('columns backwards', plane(:, 8:1:-1))
        call matrix('both backwards', plane(6:1:-2, 7:2:-2))
        call assumed_shape(plane(2:, 8:1:-2))
        call take(c_loc(cube), size(cube))
        call matrix('a cube', cube)
        call matrix('inner strides of a cube', cube(1:4:3, :, :))
        call matrix('middle strides of a cube', cube(:, 5:1:-2, :))
        call matrix('outer strides of a cube', cube(:, :, 1:6:2))
        call matrix('strides of a cube', cube(4:1:-3, 2:5:3, 6:1:-5))
        call matrix('one index of the middle', cube(:, 3, :))
        call matrix('one index inside', cube(2, :, :))
        call matrix('nothing of a cube', cube(::2, 4:3, ::2))
    end subroutine planes_and_cubes

    subroutine assumed_shape(section)
        integer, target, asynchronous :: section(-1:, 3:)
        call matrix('an assumed-shape array', section)
        call matrix('a section of an assumed-shape array', section(3:-1:-2, ::2))
        call matrix('a row of an assumed-shape array', section(0, 6:3:-1))
    end subroutine assumed_shape

    ! Dimensions of extent 1 are between the others.
    subroutine all_ranks()
        integer, pointer, asynchronous :: r4(:, :, :, :), r5(:, :, :, :, :), r6(:, :, &
            :, :, :, :), r7(:, :, :, :, :, :, :), r8(:, :, :, :, :, :, :, :), r9(:, :, &
            :, :, :, :, :, :, :), r10(:, :, :, :, :, :, :, :, :, :), r11(:, :, :, :, &
            :, :, :, :, :, :, :), r12(:, :, :, :, :, :, :, :, :, :, :, :), r13(:, :, &
            :, :, :, :, :, :, :, :, :, :, :), r14(:, :, :, :, :, :, :, :, :, :, :, :, &
            :, :), r15(:, :, :, :, :, :, :, :, :, :, :, :, :, :, :)
        r4(1:2, 1:3, 1:2, 1:1) => store
        r5(1:2, 1:3, 1:2, 1:1, 1:3) => store
        r6(1:2, 1:3, 1:2, 1:1, 1:3, 1:1) => store
        r7(1:2, 1:3, 1:2, 1:1, 1:3, 1:1, 1:3) => store
        r8(1:2, 1:3, 1:2, 1:1, 1:3, 1:1, 1:3, 1:1) => store
        r9(1:2, 1:3, 1:2, 1:1, 1:3, 1:1, 1:3, 1:1, 1:2) => store
        r10(1:2, 1:3, 1:2, 1:1, 1:3, 1:1, 1:3, 1:1, 1:2, 1:1) => store
        r11(1:2, 1:3, 1:2, 1:1, 1:3, 1:1, 1:3, 1:1, 1:2, 1:1, 1:2) => store
        r12(1:2, 1:3, 1:2, 1:1, 1:3, 1:1, 1:3, 1:1, 1:2, 1:1, 1:2, 1:1) => store
        r13(1:2, 1:3, 1:2, 1:1, 1:3, 1:1, 1:3, 1:1, 1:2, 1:1, 1:2, 1:1, 1:2) => store
        r14(1:2, 1:3, 1:2, 1:1, 1:3, 1:1, 1:3, 1:1, 1:2, 1:1, 1:2, 1:1, 1:2, &
            1:1) => store
        r15(1:2, 1:3, 1:2, 1:1, 1:3, 1:1, 1:3, 1:1, 1:2, 1:1, 1:2, 1:1, 1:2, 1:1, &
            1:2) => store
        call take(c_loc(store), size(store))
        call matrix('a section of rank 4', r4(:, ::2, 2:1:-1, :))
        call matrix('a section of rank 5', r5(:, ::2, 2:1:-1, :, ::2))
        call matrix('a section of rank 6', r6(:, ::2, 2:1:-1, :, ::2, :))
        call matrix('a section of rank 7', r7(:, ::2, 2:1:-1, :, ::2, :, 3:1:-2))
        call matrix('a section of rank 8', r8(:, ::2, 2:1:-1, :, ::2, :, 3:1:-2, :))
        call matrix('a section of rank 9', r9(:, ::2, 2:1:-1, :, ::2, :, 3:1:-2, :, &
            :))
        call matrix('a section of rank 10', r10(:, ::2, 2:1:-1, :, ::2, :, 3:1:-2, :, &
            :, :))
        call matrix('a section of rank 11', r11(:, ::2, 2:1:-1, :, ::2, :, 3:1:-2, :, &
            :, :, 2:1:-1))
        call matrix('a section of rank 12', r12(:, ::2, 2:1:-1, :, ::2, :, 3:1:-2, :, &
            :, :, 2:1:-1, :))
        call matrix('a section of rank 13', r13(:, ::2, 2:1:-1, :, ::2, :, 3:1:-2, :, &
            :, :, 2:1:-1, :, :))
        call matrix('a section of rank 14', r14(:, ::2, 2:1:-1, :, ::2, :, 3:1:-2, :, &
            :, :, 2:1:-1, :, :, :))
        call matrix('a section of rank 15', r15(:, ::2, 2:1:-1, :, ::2, :, 3:1:-2, :, &
            :, :, 2:1:-1, :, :, :, 2:1:-1))
    end subroutine all_ranks

    subroutine allocatables()
        integer, allocatable, target, asynchronous :: plane(:, :), empty(:)
        allocate (plane(-3:4, 7:9), empty(4:3))
        call take(c_loc(plane), size(plane))
        call matrix('an allocatable array', plane)
        call matrix('a section of an allocatable array', plane(::3, 9:7:-1))
        call matrix('an empty allocatable array', empty)
        call MPI_Bcast(plane, size(plane), MPI_INTEGER, 0, MPI_COMM_SELF)
        call check('bounds of an allocatable array are as before', &
            all(lbound(plane) == [-3, 7]) .and. all(ubound(plane) == [4, 9]))
    end subroutine allocatables

    subroutine pointers()
        integer, target, asynchronous :: line(40)
        integer, pointer, asynchronous :: part(:), plane(:, :)
        call take(c_loc(line), size(line))
        part(7:) => line(38:2:-3)
        plane(-1:4, 0:2) => line(40:1:-2)
        call matrix('a pointer', part)
        call matrix('a section of a pointer', part(8::2))
        call matrix('a pointer of two dimensions to a line', plane)
        call matrix('a section of such a pointer', plane(::2, 2:0:-1))
        call MPI_Bcast(part, size(part), MPI_INTEGER, 0, MPI_COMM_SELF)
        call MPI_Bcast(plane, size(plane), MPI_INTEGER, 0, MPI_COMM_SELF)
        call check('bounds of a pointer are as before', lbound(part, 1) == 7 .and. &
            ubound(part, 1) == 19 .and. associated(part, line(38:2:-3)))
        call check('bounds of a pointer of two dimensions are as before', &
            all(lbound(plane) == [-1, 0]) .and. all(ubound(plane) == [4, 2]))
    end subroutine pointers

    ! Strides are larger than elements, and no multiples of them. gfortran 12 copies a
    ! component for a procedure that is not BIND(C), so its calls are made directly and
    ! complete.
    subroutine components()
        type :: particle
            sequence
            integer :: mark, cell(2), charge(4)
        end type particle
        type(particle), target, asynchronous :: cloud(3, 4)
        integer, dimension(size(cloud) * storage_size(cloud) / storage_size(1)) :: &
            own, expected
        integer, dimension(size(cloud)) :: sent, received
        integer :: count, i
        call take(c_loc(cloud), size(own))
        own = [(i, i = 1, size(own))]
        numbers = own
        sent = pack(cloud(3:1:-1, :)%mark, .true.)
        received = pack(cloud(:, 4:1:-1)%cell(2), .true.)
        do count = 0, size(cloud)
            numbers = own
            expected = own
            expected(received(:count)) = sent(:count)
            call MPI_Sendrecv(cloud(3:1:-1, :)%mark, count, MPI_INTEGER, 0, 0, &
                cloud(:, 4:1:-1)%cell(2), count, MPI_INTEGER, 0, 0, MPI_COMM_SELF, &
                MPI_STATUS_IGNORE)
            call check('sending a component to another', all(numbers == expected))
        end do
        call matrix('a component of one structure', cloud(2, 2)%charge(::2))
        numbers = own
        call moves('structures', cloud(::2, :), transfer(cloud(::2, :), [0]), &
            MPI_INTEGER)
        call moves('structures backwards', cloud(2, 4:1:-1), &
            transfer(cloud(2, 4:1:-1), [0]), MPI_INTEGER)
    end subroutine components

    ! Counts are of characters: also those that end amid an element.
    subroutine strings()
        character(len=3), target, asynchronous :: words(3, 5)
        type(c_ptr) :: address
        address = c_loc(words)
        call c_f_pointer(address, whole, [1, len(words) * size(words)])
        whole(1, :) = [(int(i, int8), i = 1, size(whole))]
        call moves('a string', words(2, 3), characters(words(2:2, 3)), MPI_CHARACTER)
        call moves('strings', words, characters([words]), MPI_CHARACTER)
        call moves('rows of strings', words(::2, :), characters([words(::2, :)]), &
            MPI_CHARACTER)
        call moves('strings backwards', words(2, 5:1:-1), &
            characters(words(2, 5:1:-1)), MPI_CHARACTER)
        call moves('no strings', words(3:2, ::2), characters([words(3:2, ::2)]), &
            MPI_CHARACTER)
    end subroutine strings

    pure function characters(strings) result(places)
        character(len=*), intent(in) :: strings(:)
        integer :: places(len(strings) * size(strings))
        places = transfer(strings, [0_int8])
    end function characters
end program f08_descriptors
