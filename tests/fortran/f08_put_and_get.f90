! SPDX-License-Identifier: BSD-3-Clause
! mpi_f08: allocated, shared and created windows; put and get with small and large
! counts, by position and by keyword.
program f08_put_and_get
    use, intrinsic :: iso_c_binding, only : c_associated, c_f_pointer, c_loc, &
        c_null_ptr, c_ptr
    use mpi_f08
    use check_m, only : check, unit
    implicit none
    integer :: rank, ranks, right, left
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    right = mod(rank + 1, ranks)
    left = mod(rank + ranks - 1, ranks)
    call allocated_window()
    call created_window()
    call shared_window()
    call allocated_memory()
    call MPI_Finalize()

contains

    subroutine allocated_window()
        type(c_ptr) :: base
        type(MPI_Win) :: win
        real(kind(1d0)), pointer, asynchronous :: memory(:)
        real(kind(1d0)), asynchronous :: origin(8), fetched(8)
        integer :: i, ierror
        call MPI_Win_allocate(8_MPI_ADDRESS_KIND * 64, 8, MPI_INFO_NULL, &
            MPI_COMM_WORLD, base, win, ierror)
        call check('win_allocate succeeds', ierror == MPI_SUCCESS)
        call c_f_pointer(base, memory, [64])
        memory = -1
        origin = [(100 * rank + i, i = 1, 8)]
        call MPI_Win_fence(0, win)
        call MPI_Put(origin, 8, MPI_DOUBLE_PRECISION, right, 4_MPI_ADDRESS_KIND, 8, &
            MPI_DOUBLE_PRECISION, win)
        call MPI_Win_fence(0, win)
        call check('put arrives at its displacement', &
            all(memory(5:12) == [(100 * left + i, i = 1, 8)]))
        call check('put leaves the rest alone', all(memory(:4) == -1) .and. &
            all(memory(13:) == -1))
        call MPI_Get(origin_addr=fetched, origin_count=8_MPI_COUNT_KIND, &
            origin_datatype=MPI_DOUBLE_PRECISION, target_rank=right, &
            target_disp=4_MPI_ADDRESS_KIND, target_count=8_MPI_COUNT_KIND, &
            target_datatype=MPI_DOUBLE_PRECISION, win=win, ierror=ierror)
        call MPI_Win_fence(0, win)
        call check('get with large counts brings what put has left', &
            all(fetched == origin) .and. ierror == MPI_SUCCESS)
        call MPI_Win_free(win)
        call check('free sets the handle to null', win == MPI_WIN_NULL)
    end subroutine allocated_window

    subroutine created_window()
        integer, asynchronous, allocatable :: memory(:), origin(:)
        type(MPI_Win) :: win
        allocate (memory(-3:12), source=0)
        allocate (origin(5:8), source=rank + 1)
        call MPI_Win_create(base=memory, size=16_MPI_ADDRESS_KIND * unit, &
            disp_unit=1_MPI_ADDRESS_KIND * unit, info=MPI_INFO_NULL, comm=MPI_COMM_WORLD, &
            win=win)
        call MPI_Win_lock_all(0, win)
        call MPI_Put(origin, 4_MPI_COUNT_KIND, MPI_INTEGER, right, 2_MPI_ADDRESS_KIND, &
            4_MPI_COUNT_KIND, MPI_INTEGER, win)
        call MPI_Win_flush(right, win)
        call MPI_Barrier(MPI_COMM_WORLD)
        call MPI_Win_sync(win)
        call MPI_F_sync_reg(memory)
        call check('put reaches a created window', all(memory(-1:2) == left + 1))
        call check('put stays inside its range', count(memory /= 0) == 4)
        call MPI_Win_unlock_all(win)
        call MPI_Win_free(win)
        call check('bounds of an allocatable base are as before', &
            lbound(memory, 1) == -3 .and. ubound(memory, 1) == 12)
        call check('bounds of an allocatable origin are as before', &
            lbound(origin, 1) == 5 .and. ubound(origin, 1) == 8)
    end subroutine created_window

    subroutine shared_window()
        type(MPI_Comm) :: node
        type(MPI_Win) :: win
        type(c_ptr) :: base, other
        integer, pointer :: memory
        integer(MPI_ADDRESS_KIND) :: size, large_unit
        integer :: node_rank, node_ranks, told
        call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, &
            MPI_INFO_NULL, node)
        call MPI_Comm_rank(node, node_rank)
        call MPI_Comm_size(node, node_ranks)
        call MPI_Win_allocate_shared(1_MPI_ADDRESS_KIND * unit, unit, &
            MPI_INFO_NULL, node, base, win)
        call c_f_pointer(base, memory)
        call MPI_Win_fence(0, win)
        memory = 10 * node_rank
        call MPI_Win_fence(0, win)
        call MPI_Win_shared_query(win, mod(node_rank + 1, node_ranks), size, told, &
            other)
        call check('shared_query tells size and unit', size == unit .and. told == unit)
        call c_f_pointer(other, memory)
        call check('shared_query gives the neighbour''s memory', &
            memory == 10 * mod(node_rank + 1, node_ranks))
        call MPI_Win_shared_query(win, node_rank, size, large_unit, other)
        call check('shared_query with a large unit agrees', large_unit == unit)
        call check('shared_query of oneself gives baseptr', c_associated(base, other))
        call MPI_Win_fence(0, win)
        call MPI_Win_free(win)
        call MPI_Comm_free(node)
        call check('comm_free sets the handle to null', node == MPI_COMM_NULL)
    end subroutine shared_window

    subroutine allocated_memory()
        type(c_ptr) :: base
        integer, pointer :: memory(:)
        integer(MPI_ADDRESS_KIND) :: first, third
        base = c_null_ptr
        call MPI_Alloc_mem(1000_MPI_ADDRESS_KIND * unit, MPI_INFO_NULL, base)
        call check('alloc_mem gives memory', c_associated(base))
        call c_f_pointer(base, memory, [1000])
        memory = 7
        call MPI_Get_address(memory, first)
        call MPI_Get_address(memory(3), third)
        call check('addresses differ by the elements between', &
            MPI_Aint_diff(third, first) == 2 * unit .and. &
            MPI_Aint_add(first, 2_MPI_ADDRESS_KIND * unit) == third)
        third = huge(first) ! behind it the other half of the address space begins
        first = MPI_Aint_add(third, 1_MPI_ADDRESS_KIND)
        call check('addresses wrap', first == -huge(first) - 1_MPI_ADDRESS_KIND .and. &
            MPI_Aint_diff(first, third) == 1 .and. MPI_Aint_diff(third, first) == -1)
        call MPI_Get_address(memory, first)
        call check('get_address is c_loc', c_associated(base, transfer(first, base)))
        call MPI_Free_mem(memory)
    end subroutine allocated_memory
end program f08_put_and_get
