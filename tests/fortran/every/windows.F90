! SPDX-License-Identifier: BSD-3-Clause
! Windows of every flavour, every operation on them, every synchronisation. Each process
! works on the memory of its right neighbour.
program windows
    use, intrinsic :: iso_c_binding, only : c_f_pointer, c_ptr
#include "binding.inc"
    integer, parameter :: n = 6
    integer(MPI_ADDRESS_KIND), parameter :: bytes = n * unit, start = 0, second = 1
    integer(ck), parameter :: all_of_them = n
    integer(dk), parameter :: displacement_unit = unit
    integer :: rank, ranks, right, left, ierror
    HANDLE(MPI_Comm) :: world
    HANDLE(MPI_Win) :: win
    HANDLE(MPI_Group) :: targets, origins, everyone
    integer, asynchronous :: memory(n), out(n), in(n)
    call MPI_Init(ierror)
    world = MPI_COMM_WORLD
    call MPI_Comm_rank(world, rank, ierror)
    call MPI_Comm_size(world, ranks, ierror)
    right = mod(rank + 1, ranks)
    left = mod(rank + ranks - 1, ranks)
    out = 10 * rank + [1, 2, 3, 4, 5, 6]
    call MPI_Win_create(memory, bytes, displacement_unit, MPI_INFO_NULL, world, win, &
        ierror)
    call properties()
    call moves()
    call accumulates()
    call single_elements()
    call operations_with_requests()
    call flushes()
    call posts_and_starts()
    call MPI_Win_free(win, ierror)
    call check('a freed window is null', win == MPI_WIN_NULL)
    call allocated_memory()
    call allocated_window()
    call shared_window()
    call dynamic_window()
    call MPI_Finalize(ierror)

contains

    ! Opens an epoch to all, with `memory` full of that value.
    subroutine begin(value)
        integer, intent(in) :: value
        memory = value
        in = -1
        call MPI_Win_fence(0, win, ierror)
    end subroutine begin

    ! What the left process knows as its `out`.
    function sent()
        integer :: sent(n)
        sent = 10 * left + [1, 2, 3, 4, 5, 6]
    end function sent

    subroutine properties()
        HANDLE(MPI_Info) :: info
        character(len=MPI_MAX_OBJECT_NAME) :: name
        character(len=8) :: value
        integer :: number, result
        logical :: flag
        call MPI_Win_set_name(win, 'field ', ierror)
        call MPI_Win_get_name(win, name, number, ierror)
        call check('name', name == 'field' .and. number == 5)
        call MPI_Win_get_group(win, targets, ierror)
        call MPI_Comm_group(world, everyone, ierror)
        call MPI_Group_compare(targets, everyone, result, ierror)
        call check('win_get_group', result == MPI_IDENT)
        call MPI_Group_free(targets, ierror)
        call MPI_Info_create(info, ierror)
        call MPI_Info_set(info, 'accumulate_ops', 'same_op', ierror)
        call MPI_Win_set_info(win, info, ierror)
        call MPI_Info_free(info, ierror)
        call MPI_Win_get_info(win, info, ierror)
        number = len(value)
        call MPI_Info_get_string(info, 'accumulate_ops', number, value, flag, ierror)
        call check('win_get_info', flag .and. value(:4) == 'same')
        call MPI_Info_free(info, ierror)
    end subroutine properties

    subroutine moves()
        call begin(0)
        call MPI_Put(out(1:n:2), 3_ck, MPI_INTEGER, right, second, 3_ck, MPI_INTEGER, &
            win, ierror)
        call MPI_Win_fence(0, win, ierror)
        call MPI_F_sync_reg(memory)
        call check('put of a section', all(memory(2:4) == 10 * left + [1, 3, 5]) .and. &
            count(memory == 0) == 3)
        call MPI_Get(in(n:1:-1), all_of_them, MPI_INTEGER, right, start, all_of_them, &
            MPI_INTEGER, win, ierror)
        call MPI_Win_fence(MPI_MODE_NOSUCCEED, win, ierror)
        call MPI_F_sync_reg(in)
        call check('get into a section', &
            all(in == [0, 0, out(5), out(3), out(1), 0]))
    end subroutine moves

    subroutine accumulates()
        call begin(1000)
        call MPI_Accumulate(out, all_of_them, MPI_INTEGER, right, start, all_of_them, &
            MPI_INTEGER, MPI_SUM, win, ierror)
        call MPI_Win_fence(0, win, ierror)
        call MPI_Get_accumulate(out, all_of_them, MPI_INTEGER, in, all_of_them, &
            MPI_INTEGER, right, start, all_of_them, MPI_INTEGER, MPI_REPLACE, win, &
            ierror)
        call MPI_Win_fence(MPI_MODE_NOSUCCEED, win, ierror)
        call MPI_F_sync_reg(in)
        call MPI_F_sync_reg(memory)
        call check('get_accumulate fetches the sum', all(in == 1000 + out))
        call check('and replaces it', all(memory == sent()))
    end subroutine accumulates

    subroutine single_elements()
        integer, asynchronous :: one, sum, swapped
        call begin(5)
        one = 1
        call MPI_Fetch_and_op(one, sum, MPI_INTEGER, right, second, MPI_SUM, win, &
            ierror)
        call MPI_Win_fence(0, win, ierror)
        call MPI_Compare_and_swap(out, 6, swapped, MPI_INTEGER, right, second, win, &
            ierror)
        call MPI_Win_fence(MPI_MODE_NOSUCCEED, win, ierror)
        call MPI_F_sync_reg(sum)
        call MPI_F_sync_reg(swapped)
        call MPI_F_sync_reg(memory)
        call check('fetch_and_op', sum == 5)
        call check('compare_and_swap', swapped == 6 .and. memory(2) == 10 * left + 1)
    end subroutine single_elements

    subroutine operations_with_requests()
        HANDLE(MPI_Request) :: request
        memory = 0
        in = -1
        call MPI_Barrier(world, ierror)
        call MPI_Win_lock_all(0, win, ierror)
        call MPI_Rput(out, all_of_them, MPI_INTEGER, right, start, all_of_them, &
            MPI_INTEGER, win, request, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call MPI_Win_flush(right, win, ierror)
        call MPI_Raccumulate(out, all_of_them, MPI_INTEGER, right, start, all_of_them, &
            MPI_INTEGER, MPI_SUM, win, request, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call MPI_Rget_accumulate(out, all_of_them, MPI_INTEGER, in, all_of_them, &
            MPI_INTEGER, right, start, all_of_them, MPI_INTEGER, MPI_SUM, win, &
            request, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call check('rget_accumulate fetches', all(in == 2 * out))
        call MPI_Win_flush(right, win, ierror)
        call MPI_Rget(in, all_of_them, MPI_INTEGER, right, start, all_of_them, &
            MPI_INTEGER, win, request, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call check('rget brings the sum', all(in == 3 * out))
        call MPI_Win_unlock_all(win, ierror)
        call MPI_Barrier(world, ierror)
    end subroutine operations_with_requests

    subroutine flushes()
        integer :: way
        memory = 0
        call MPI_Barrier(world, ierror)
        call MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win, ierror)
        do way = 1, 4
            call MPI_Get(in, all_of_them, MPI_INTEGER, right, start, all_of_them, &
                MPI_INTEGER, win, ierror)
            select case (way)
            case (1)
                call MPI_Win_flush(right, win, ierror)
            case (2)
                call MPI_Win_flush_all(win, ierror)
            case (3)
                call MPI_Win_flush_local(right, win, ierror)
            case (4)
                call MPI_Win_flush_local_all(win, ierror)
            end select
            call MPI_F_sync_reg(in)
            call check('a flush completes a get', all(in == way - 1))
            in = way
            call MPI_Put(in, all_of_them, MPI_INTEGER, right, start, all_of_them, &
                MPI_INTEGER, win, ierror)
            call MPI_Win_flush(right, win, ierror)
        end do
        call MPI_Win_unlock(right, win, ierror)
        call MPI_Barrier(world, ierror)
        call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win, ierror)
        call MPI_Win_sync(win, ierror)
        call MPI_F_sync_reg(memory)
        call check('what was put is seen', all(memory == 4))
        call MPI_Win_unlock(rank, win, ierror)
    end subroutine flushes

    subroutine posts_and_starts()
        logical :: flag
        integer :: round
        call MPI_Group_incl(everyone, 1, [right], targets, ierror)
        call MPI_Group_incl(everyone, 1, [left], origins, ierror)
        do round = 1, 2
            memory = 0
            call MPI_Win_post(origins, 0, win, ierror)
            call MPI_Win_start(targets, 0, win, ierror)
            call MPI_Put(out, all_of_them, MPI_INTEGER, right, start, all_of_them, &
                MPI_INTEGER, win, ierror)
            call MPI_Win_complete(win, ierror)
            flag = round == 1
            if (flag) call MPI_Win_wait(win, ierror)
            do while (.not. flag)
                call MPI_Win_test(win, flag, ierror)
            end do
            call MPI_F_sync_reg(memory)
            call check('put between start and complete', all(memory == sent()))
        end do
        call MPI_Group_free(targets, ierror)
        call MPI_Group_free(origins, ierror)
        call MPI_Group_free(everyone, ierror)
    end subroutine posts_and_starts

    ! In mpi_f08 the base is a pointer; elsewhere it may be an integer, too.
    subroutine allocated_memory()
        type(c_ptr) :: base
        integer, pointer :: array(:)
#if !defined(F08) && !defined(F08_LARGE)
        integer(MPI_ADDRESS_KIND) :: address
        call MPI_Alloc_mem(bytes, MPI_INFO_NULL, address, ierror)
        call c_f_pointer(transfer(address, base), array, [n])
        array = 3
        call MPI_Free_mem(array, ierror)
#endif
        call MPI_Alloc_mem(bytes, MPI_INFO_NULL, base, ierror)
        call c_f_pointer(base, array, [n])
        array = 3
        call MPI_Free_mem(array, ierror)
        call check('free_mem', ierror == MPI_SUCCESS)
    end subroutine allocated_memory

    ! Puts into the window, and frees it.
    subroutine use_window(claim, base)
        character(len=*), intent(in) :: claim
        type(c_ptr), intent(in) :: base
        integer, pointer, asynchronous :: array(:)
        call c_f_pointer(base, array, [n])
        array = 0
        call MPI_Win_fence(0, win, ierror)
        call MPI_Put(out, all_of_them, MPI_INTEGER, right, start, all_of_them, &
            MPI_INTEGER, win, ierror)
        call MPI_Win_fence(MPI_MODE_NOSUCCEED, win, ierror)
        call check(claim, all(array == sent()))
        call MPI_Win_free(win, ierror)
    end subroutine use_window

    subroutine allocated_window()
        type(c_ptr) :: base
#if !defined(F08) && !defined(F08_LARGE)
        integer(MPI_ADDRESS_KIND) :: address
        call MPI_Win_allocate(bytes, unit, MPI_INFO_NULL, world, address, win, ierror)
        call use_window('win_allocate with an integer', transfer(address, base))
#endif
        call MPI_Win_allocate(bytes, displacement_unit, MPI_INFO_NULL, world, base, &
            win, ierror)
        call use_window('win_allocate', base)
    end subroutine allocated_window

    ! On one process, which is a node in each job.
    subroutine shared_window()
        type(c_ptr) :: base, queried
        integer(MPI_ADDRESS_KIND) :: size
        integer(dk) :: told
        integer, pointer :: array(:), same(:)
#if !defined(F08) && !defined(F08_LARGE)
        integer(MPI_ADDRESS_KIND) :: address, queried_address
        call MPI_Win_allocate_shared(bytes, unit, MPI_INFO_NULL, MPI_COMM_SELF, &
            address, win, ierror)
        call MPI_Win_shared_query(win, 0, size, told, queried_address, ierror)
        call check('shared_query with an integer', queried_address == address)
        call MPI_Win_free(win, ierror)
#endif
        call MPI_Win_allocate_shared(bytes, displacement_unit, MPI_INFO_NULL, &
            MPI_COMM_SELF, base, win, ierror)
        call MPI_Win_shared_query(win, 0, size, told, queried, ierror)
        call check('shared_query', size == bytes .and. told == unit)
        call c_f_pointer(base, array, [n])
        call c_f_pointer(queried, same, [n])
        array = 1
        same(2) = 2
        call check('both are the same memory', all(array == [1, 2, 1, 1, 1, 1]))
        call MPI_Win_free(win, ierror)
    end subroutine shared_window

    ! Displacements are addresses.
    subroutine dynamic_window()
        integer(MPI_ADDRESS_KIND) :: place, next
        call MPI_Win_create_dynamic(MPI_INFO_NULL, world, win, ierror)
        call MPI_Win_attach(win, memory, bytes, ierror)
        call MPI_Get_address(memory, place, ierror)
        call MPI_Sendrecv(place, 1_ck, MPI_AINT, left, 0, next, 1_ck, MPI_AINT, right, &
            0, world, MPI_STATUS_IGNORE, ierror)
        call begin(0)
        call MPI_Put(rank, 1_ck, MPI_INTEGER, right, &
            MPI_Aint_add(next, 2_MPI_ADDRESS_KIND * unit), 1_ck, MPI_INTEGER, win, &
            ierror)
        call MPI_Win_fence(MPI_MODE_NOSUCCEED, win, ierror)
        call MPI_F_sync_reg(memory)
        call check('put to attached memory', memory(3) == left .and. &
            all(memory([1, 2, 4, 5, 6]) == 0))
        call check('aint_diff', MPI_Aint_diff(place + unit, place) == unit)
        call MPI_Win_detach(win, memory, ierror)
        call MPI_Win_free(win, ierror)
    end subroutine dynamic_window
end program windows
