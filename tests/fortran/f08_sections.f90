! SPDX-License-Identifier: BSD-3-Clause
! Array sections of any shape are exact as origin of put and get and in collective
! calls; what is outside the section does not change.
program f08_sections
    use, intrinsic :: iso_c_binding, only : c_f_pointer, c_ptr
    use mpi_f08
    use check_m, only : check, unit
    implicit none
    integer, parameter :: room = 1000
    integer :: rank, ranks, right, i
    type(MPI_Win) :: win
    type(c_ptr) :: base
    integer, pointer, asynchronous :: memory(:)
    integer, asynchronous :: line(40), plane(6, 8), cube(4, 5, 6)
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    right = mod(rank + 1, ranks)
    call MPI_Win_allocate(1_MPI_ADDRESS_KIND * room * unit, unit, MPI_INFO_NULL, &
        MPI_COMM_WORLD, base, win)
    call c_f_pointer(base, memory, [room])

    line = [(i, i = 1, size(line))]
    plane = reshape([(i, i = 1, size(plane))], shape(plane))
    cube = reshape([(i, i = 1, size(cube))], shape(cube))
    call put('an inner stride', line(2:38:3), 13)
    call put('a negative stride', line(40:1:-1), 40)
    call put('a negative inner stride', line(39:3:-4), 10)
    call put('fewer elements than the section has', line(1:40:2), 7)
    call put('one element of a stride', line(3:3:5), 1)
    call put('nothing of an empty section', line(5:4:2), 0)
    call put('whole columns', plane(:, 2:8:3), 18)
    call put('parts of columns', plane(2:5, :), 32)
    call put('a row', plane(3, :), 8)
    call put('a count that is no multiple of a row', plane(1:6:2, 1:8:3), 7)
    call put('columns backwards', plane(:, 8:1:-1), 48)
    call put('rows and columns backwards', plane(6:1:-2, 7:2:-2), 9)
    call put('planes', cube(:, :, 1:6:2), 60)
    call put('an inner dimension', cube(1:4:3, :, :), 60)
    call put('a middle dimension', cube(:, 5:1:-2, :), 72)
    call put('all dimensions', cube(4:1:-3, 2:5:3, 1:6:5), 8)
    call put('one index of the middle', cube(:, 3, :), 24)
    call put_large()
    call put_assumed_size(line, 3)
    call put_structure()
    call get_into_line()
    call get_into_plane()
    call get_bytes()
    call collectives()
    call MPI_Win_free(win)
    call MPI_Finalize()

contains

    ! Puts the first `count` elements; elements are told apart by their values.
    subroutine put(claim, section, count)
        character(len=*), intent(in) :: claim
        integer, intent(in), asynchronous :: section(..)
        integer, intent(in) :: count
        integer :: expected(room)
        memory = 0
        call MPI_Win_fence(0, win)
        call MPI_Put(section, count, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, count, &
            MPI_INTEGER, win)
        call MPI_Win_fence(0, win)
        expected = 0
        select rank (section)
        rank (1)
            expected(:size(section)) = section
        rank (2)
            expected(:size(section)) = reshape(section, [size(section)])
        rank (3)
            expected(:size(section)) = reshape(section, [size(section)])
        end select
        expected(count + 1:) = 0
        call check('put of ' // claim, all(memory == expected))
        call MPI_Win_fence(0, win)
    end subroutine put

    subroutine put_large()
        memory = 0
        call MPI_Win_fence(0, win)
        call MPI_Put(plane(2:6:2, ::3), 9_MPI_COUNT_KIND, MPI_INTEGER, right, &
            0_MPI_ADDRESS_KIND, 9_MPI_COUNT_KIND, MPI_INTEGER, win)
        call MPI_Win_fence(0, win)
        call check('put of a section with large counts', &
            all(memory(:9) == reshape(plane(2:6:2, ::3), [9])) .and. &
            all(memory(10:) == 0))
    end subroutine put_large

    ! The last extent of an assumed-size array is unknown.
    subroutine put_assumed_size(array, columns)
        integer, intent(in), asynchronous :: array(4, *)
        integer, intent(in) :: columns
        memory = 0
        call MPI_Win_fence(0, win)
        call MPI_Put(array, 4 * columns, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, &
            4 * columns, MPI_INTEGER, win)
        call MPI_Put(array(2:3, :columns), 2 * columns, MPI_INTEGER, right, &
            100_MPI_ADDRESS_KIND, 2 * columns, MPI_INTEGER, win)
        call MPI_Win_fence(0, win)
        call check('put of an assumed-size array', all(memory(:12) == line(:12)))
        call check('put of a part of an assumed-size array', &
            all(memory(101:106) == [line(2:3), line(6:7), line(10:11)]) .and. &
            count(memory /= 0) == 18)
    end subroutine put_assumed_size

    ! A component of structures has a stride that is no multiple of its size.
    subroutine put_structure()
        type :: particle
            sequence
            character(len=1) :: mark
            integer :: number
            character(len=2) :: pair
        end type particle
        type(particle), asynchronous :: particles(10)
        particles%number = [(i * i, i = 1, 10)]
        memory = 0
        call MPI_Win_fence(0, win)
        call MPI_Put(particles%number, 10, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, 10, &
            MPI_INTEGER, win)
        call MPI_Win_fence(0, win)
        call check('put of a component', all(memory(:10) == [(i * i, i = 1, 10)]))
        memory = 0
        call MPI_Win_fence(0, win)
        call MPI_Put(particles(9:2:-3)%number, 3, MPI_INTEGER, right, &
            0_MPI_ADDRESS_KIND, 3, MPI_INTEGER, win)
        call MPI_Win_fence(0, win)
        call check('put of a component of a section', all(memory(:3) == [81, 36, 9]))
    end subroutine put_structure

    subroutine get_into_line()
        integer, asynchronous :: into(30)
        memory = [(1000 * rank + i, i = 1, room)]
        into = -1
        call MPI_Win_fence(0, win)
        call MPI_Get(into(29:1:-3), 10, MPI_INTEGER, right, 5_MPI_ADDRESS_KIND, 10, &
            MPI_INTEGER, win)
        call MPI_Win_fence(0, win)
        call MPI_F_sync_reg(into)
        call check('get into a reversed stride', &
            all(into(29:1:-3) == [(1000 * right + i, i = 6, 15)]))
        call check('get leaves what is between alone', count(into == -1) == 20)
    end subroutine get_into_line

    subroutine get_into_plane()
        integer, asynchronous :: into(6, 8)
        into = -1
        call MPI_Win_fence(0, win)
        call MPI_Get(into(2:4, 1:8:2), 12, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, 12, &
            MPI_INTEGER, win)
        call MPI_Win_fence(0, win)
        call MPI_F_sync_reg(into)
        call check('get into parts of columns', &
            all(reshape(into(2:4, 1:8:2), [12]) == [(1000 * right + i, i = 1, 12)]))
        call check('get leaves other rows and columns alone', count(into == -1) == 36)
    end subroutine get_into_plane

    ! The datatype need not be that of the elements.
    subroutine get_bytes()
        character(len=4), asynchronous :: into(6)
        into = '....'
        memory(:8 / unit) = transfer(['abcd', 'efgh'], memory)
        call MPI_Win_fence(0, win)
        call MPI_Get(into(2:6:2), 6, MPI_BYTE, right, 0_MPI_ADDRESS_KIND, 6, &
            MPI_BYTE, win)
        call MPI_Win_fence(0, win)
        call MPI_F_sync_reg(into)
        call check('get of bytes into a section of strings', &
            all(into == ['....', 'abcd', '....', 'ef..', '....', '....']))
    end subroutine get_bytes

    subroutine collectives()
        integer :: sent(10), received(4, 5), all_values(3, 2 * ranks)
        sent = [(i * (rank + 1), i = 1, 10)]
        received = -1
        call MPI_Allreduce(sent(1:9:2), received(2, :), 5, MPI_INTEGER, MPI_SUM, &
            MPI_COMM_WORLD)
        call check('allreduce of sections', &
            all(received(2, :) == [1, 3, 5, 7, 9] * (ranks * (ranks + 1) / 2)))
        call check('allreduce leaves other rows alone', count(received == -1) == 15)
        call MPI_Allreduce(MPI_IN_PLACE, received(2, ::2), 3, MPI_INTEGER, MPI_MAX, &
            MPI_COMM_WORLD)
        call check('allreduce in place in a section', &
            received(2, 5) == 9 * ranks * (ranks + 1) / 2)
        if (rank == 0) received(:, :) = 5
        call MPI_Bcast(received(::3, ::2), 6, MPI_INTEGER, 0, MPI_COMM_WORLD)
        call check('bcast into a section', all(received(::3, ::2) == 5))
        if (rank > 0) call check('bcast leaves the rest alone', &
            all(received(3, :) == -1))
        all_values = -1
        call MPI_Allgather(sent(10:1:-5), 2, MPI_INTEGER, all_values(3, :), 2, &
            MPI_INTEGER, MPI_COMM_WORLD)
        call check('allgather into a row', &
            all(all_values(3, :) == [(10 * i, 5 * i, i = 1, ranks)]))
        call check('allgather leaves other rows alone', all(all_values(:2, :) == -1))
    end subroutine collectives
end program f08_sections
