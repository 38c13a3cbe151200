! SPDX-License-Identifier: BSD-3-Clause
! The module mpi: windows with both forms of baseptr, dynamic windows, sections,
! attributes, strings.
module mpi_windows_m
    use mpi
    implicit none
    integer :: calls = 0, handled_win, handled_code
    integer(MPI_ADDRESS_KIND) :: deleted

contains

    subroutine on_window(win, error_code)
        integer :: win, error_code
        calls = calls + 1
        handled_win = win
        handled_code = error_code
    end subroutine on_window

    subroutine note_deletion(win, win_keyval, attribute_val, extra_state, ierror)
        integer :: win, win_keyval, ierror
        integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
        deleted = attribute_val + extra_state + 0 * (win + win_keyval)
        ierror = MPI_SUCCESS
    end subroutine note_deletion
end module mpi_windows_m

program mpi_windows
    use, intrinsic :: iso_c_binding, only : c_associated, c_f_pointer, c_null_ptr, c_ptr
    use mpi
    use mpi_windows_m
    use check_m, only : check, unit
    implicit none
    integer(MPI_ADDRESS_KIND), parameter :: bytes = 40 * unit
    integer :: rank, ranks, right, left, ierror, i
    call MPI_INIT(ierror)
    call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
    call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
    right = mod(rank + 1, ranks)
    left = mod(rank + ranks - 1, ranks)
    call allocated()
    call allocated_shared()
    call allocated_memory()
    call attributes_and_handlers()
    call dynamic()
    call strings_and_groups()
    call shared_types()
    call MPI_FINALIZE(ierror)

contains

    subroutine allocated()
        type(c_ptr) :: base
        integer(MPI_ADDRESS_KIND) :: address
        integer, pointer, asynchronous :: memory(:)
        integer, asynchronous :: origin(20), fetched(4, 5)
        integer :: win, other
        call MPI_WIN_ALLOCATE(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, base, win, &
            ierror)
        call PMPI_WIN_ALLOCATE(size=bytes, disp_unit=unit, info=MPI_INFO_NULL, &
            comm=MPI_COMM_WORLD, baseptr=address, win=other, ierror=ierror)
        call check('both forms of baseptr are addresses', &
            c_associated(base) .and. address /= 0 .and. &
            address /= transfer(base, address))
        call MPI_WIN_FREE(other, ierror)
        call c_f_pointer(base, memory, [40])
        memory = 0
        origin = [(1000 * rank + i, i = 1, 20)]
        fetched = -1
        call MPI_WIN_FENCE(0, win, ierror)
        call MPI_PUT(origin(20:2:-3), 7, MPI_INTEGER, right, 3_MPI_ADDRESS_KIND, 7, &
            MPI_INTEGER, win, ierror)
        call MPI_WIN_FENCE(0, win, ierror)
        call check('put of a section', &
            all(memory(4:10) == [(1000 * left + i, i = 20, 2, -3)]))
        call check('put leaves the rest alone', count(memory /= 0) == 7)
        call MPI_GET(fetched(2, :), 5, MPI_INTEGER, right, 3_MPI_ADDRESS_KIND, 5, &
            MPI_INTEGER, win, ierror)
        call MPI_WIN_FENCE(0, win, ierror)
        call MPI_F_SYNC_REG(fetched)
        call check('get into a row', &
            all(fetched(2, :) == [(1000 * rank + i, i = 20, 8, -3)]))
        call check('get leaves other rows alone', count(fetched == -1) == 15)
        call MPI_WIN_FREE(win, ierror)
        call check('free sets the handle to null', win == MPI_WIN_NULL)
    end subroutine allocated

    subroutine allocated_shared()
        type(c_ptr) :: base, queried
        integer(MPI_ADDRESS_KIND) :: address, size
        integer :: node, node_rank, win, told
        call MPI_COMM_SPLIT_TYPE(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, &
            MPI_INFO_NULL, node, ierror)
        call MPI_COMM_RANK(node, node_rank, ierror)
        call MPI_WIN_ALLOCATE_SHARED(bytes, 8, MPI_INFO_NULL, node, base, win, ierror)
        call MPI_WIN_SHARED_QUERY(win, node_rank, size, told, queried, ierror)
        call PMPI_WIN_SHARED_QUERY(win, node_rank, size, told, address, ierror)
        call check('shared_query tells what allocate_shared made', &
            size == bytes .and. told == 8 .and. c_associated(base, queried))
        call check('both forms of shared_query agree', &
            address == transfer(queried, address))
        call MPI_WIN_FREE(win, ierror)
        call MPI_WIN_ALLOCATE_SHARED(bytes, 8, MPI_INFO_NULL, node, address, win, &
            ierror)
        call check('allocate_shared with an integer baseptr', address /= 0)
        call MPI_WIN_FREE(win, ierror)
        call MPI_COMM_FREE(node, ierror)
    end subroutine allocated_shared

    subroutine allocated_memory()
        type(c_ptr) :: base
        integer(MPI_ADDRESS_KIND) :: address, integer_base
        integer, pointer :: memory(:)
        base = c_null_ptr
        call MPI_ALLOC_MEM(bytes, MPI_INFO_NULL, base, ierror)
        call c_f_pointer(base, memory, [40])
        call MPI_GET_ADDRESS(memory(2), address, ierror)
        call check('addresses are those of the elements', &
            MPI_AINT_DIFF(address, transfer(base, address)) == unit)
        call MPI_FREE_MEM(memory, ierror)
        call check('free_mem succeeds', ierror == MPI_SUCCESS)
        integer_base = 0
        call MPI_ALLOC_MEM(bytes, MPI_INFO_NULL, integer_base, ierror)
        call check('alloc_mem with an integer baseptr', integer_base /= 0)
        call c_f_pointer(transfer(integer_base, base), memory, [40])
        call MPI_FREE_MEM(memory, ierror)
    end subroutine allocated_memory

    subroutine attributes_and_handlers()
        integer, asynchronous :: memory(40)
        integer(MPI_ADDRESS_KIND) :: value
        integer :: win, keyval, handler
        logical :: flag
        call MPI_WIN_CREATE(memory, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, win, &
            ierror)
        call MPI_WIN_GET_ATTR(win, MPI_WIN_SIZE, value, flag, ierror)
        call check('MPI_WIN_SIZE', flag .and. value == bytes)
        call MPI_WIN_CREATE_KEYVAL(MPI_WIN_DUP_FN, note_deletion, keyval, &
            100_MPI_ADDRESS_KIND, ierror)
        call MPI_WIN_SET_ATTR(win, keyval, -2_MPI_ADDRESS_KIND, ierror)
        call MPI_WIN_GET_ATTR(win, keyval, value, flag, ierror)
        call check('an attribute keeps its value', flag .and. value == -2)
        call MPI_WIN_CREATE_ERRHANDLER(on_window, handler, ierror)
        call MPI_WIN_SET_ERRHANDLER(win, handler, ierror)
        call MPI_WIN_LOCK(MPI_LOCK_SHARED, -7, 0, win, ierror)
        call check('the handler is called with window and code', &
            ierror == MPI_ERR_RANK .and. calls == 1 .and. handled_win == win .and. &
            handled_code == MPI_ERR_RANK)
        call MPI_ERRHANDLER_FREE(handler, ierror)
        call MPI_WIN_FREE(win, ierror)
        call check('freeing a window deletes its attributes', deleted == 98)
        call MPI_WIN_FREE_KEYVAL(keyval, ierror)
        call check('free_keyval sets the key to invalid', keyval == MPI_KEYVAL_INVALID)
    end subroutine attributes_and_handlers

    ! Displacements are addresses.
    subroutine dynamic()
        integer, asynchronous :: memory(10), value
        integer(MPI_ADDRESS_KIND), asynchronous :: place, places(0:ranks - 1)
        character(len=MPI_MAX_OBJECT_NAME) :: name
        integer :: win, length, handler
        call MPI_WIN_CREATE_DYNAMIC(MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
        call MPI_WIN_SET_NAME(win, ' list  ', ierror)
        call MPI_WIN_GET_NAME(win, name, length, ierror)
        call check('name', name == ' list' .and. length == 5)
        memory = -1
        value = rank
        call MPI_WIN_ATTACH(win, memory, 10_MPI_ADDRESS_KIND * unit, ierror)
        call MPI_GET_ADDRESS(memory, place, ierror)
        call MPI_ALLGATHER(place, 1, MPI_AINT, places, 1, MPI_AINT, MPI_COMM_WORLD, &
            ierror)
        call MPI_WIN_FENCE(0, win, ierror)
        call MPI_PUT(value, 1, MPI_INTEGER, right, &
            MPI_AINT_ADD(places(right), 2_MPI_ADDRESS_KIND * unit), 1, MPI_INTEGER, win, &
            ierror)
        call MPI_WIN_FENCE(MPI_MODE_NOSUCCEED, win, ierror)
        call MPI_F_SYNC_REG(memory)
        call check('put to attached memory', memory(3) == left .and. &
            count(memory /= -1) == 1)
        call MPI_WIN_SET_ERRHANDLER(win, MPI_ERRORS_RETURN, ierror)
        call MPI_WIN_GET_ERRHANDLER(win, handler, ierror)
        call check('get_errhandler', handler == MPI_ERRORS_RETURN)
        call MPI_WIN_DETACH(win, memory, ierror)
        call check('detach', ierror == MPI_SUCCESS)
        call MPI_WIN_DETACH(win, memory, ierror)
        call check('detach twice', ierror == MPI_ERR_RMA_ATTACH)
        place = huge(place)
        places(0) = MPI_AINT_ADD(place, 1_MPI_ADDRESS_KIND)
        call check('addresses wrap', MPI_AINT_DIFF(places(0), place) == 1 .and. &
            places(0) == -huge(place) - 1_MPI_ADDRESS_KIND)
        call MPI_WIN_FREE(win, ierror)
    end subroutine dynamic

    subroutine strings_and_groups()
        character(len=MPI_MAX_OBJECT_NAME) :: name
        character(len=8) :: value
        integer :: info, length, world, order(ranks), translated(ranks), sum
        logical :: flag
        call MPI_COMM_GET_NAME(MPI_COMM_WORLD, name, length, ierror)
        call check('the world''s name', name == 'MPI_COMM_WORLD' .and. length == 14)
        call MPI_INFO_CREATE(info, ierror)
        call MPI_INFO_SET(info, ' key ', ' value ', ierror)
        length = len(value)
        call MPI_INFO_GET_STRING(info, 'key', length, value, flag, ierror)
        call check('info strings are stripped', flag .and. value == 'value' .and. &
            length == 5)
        call MPI_INFO_FREE(info, ierror)
        call MPI_COMM_GROUP(MPI_COMM_WORLD, world, ierror)
        order = [(ranks - i, i = 1, ranks)]
        call MPI_GROUP_TRANSLATE_RANKS(world, ranks, order, world, translated, ierror)
        call check('translate_ranks maps arrays', all(translated == order))
        call MPI_GROUP_FREE(world, ierror)
        call MPI_ALLREDUCE(rank, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
        call check('allreduce of scalars', sum == ranks * (ranks - 1) / 2)
        sum = rank
        call MPI_ALLREDUCE(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_MAX, &
            MPI_COMM_WORLD, ierror)
        call check('allreduce in place', sum == ranks - 1)
    end subroutine strings_and_groups

    ! The types of mpi_f08 and their operators are in mpi, too (MPI-4.1 19.1.3).
    subroutine shared_types()
        type(MPI_Win) :: win
        type(MPI_Status) :: status, back
        integer :: integers(MPI_STATUS_SIZE)
        win = MPI_Win(MPI_WIN_NULL)
        status%MPI_TAG = 3
        call check('handle types and operators', win == MPI_Win(MPI_WIN_NULL))
        call MPI_STATUS_F082F(status, integers, ierror)
        call check('a status becomes integers', integers(MPI_TAG) == 3)
        integers(MPI_TAG) = 4
        call MPI_STATUS_F2F08(integers, back, ierror)
        call check('and a status again', back%MPI_TAG == 4)
    end subroutine shared_types
end program mpi_windows
