! SPDX-License-Identifier: BSD-3-Clause
! Windows: how they are made, asked and freed. Any number of processes of one node.
program windows
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    implicit none
    integer :: rank, size, next, before
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    next = mod(rank + 1, size)
    before = mod(rank + size - 1, size)
    call created()
    call allocated()
    call shared()
    call dynamic()
    call asked()
    call MPI_Finalize()
contains
    subroutine require(holds, what)
        logical, intent(in) :: holds
        character(len=*), intent(in) :: what
        if (holds) return
        print '(a, i0, 2a)', 'rank ', rank, ': ', what
        call MPI_Abort(MPI_COMM_WORLD, 1)
    end subroutine require

    subroutine created()
        integer, asynchronous :: numbers(0:9)
        type(MPI_Win) :: win
        numbers = 0
        ! example: MPI_Win_create, MPI_Win_free
        ! Every process opens its integer, asynchronous :: numbers(0:9) to the others.
        call MPI_Win_create(numbers, 40_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)

        call MPI_Win_fence(0, win)
        call MPI_Put(rank, 1, MPI_INTEGER, next, 3_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
        call MPI_Win_fence(0, win) ! numbers(3) of the next process is there

        call MPI_Win_free(win) ! all processes; the memory stays
        ! end of example
        call require(numbers(3) == before, 'the number of the process before')
        call require(win == MPI_WIN_NULL, 'a freed window')
    end subroutine created

    subroutine allocated()
        double precision, pointer, asynchronous :: cells(:)
        double precision, asynchronous :: first_of_next
        type(c_ptr) :: memory
        type(MPI_Win) :: win
        ! example: MPI_Win_allocate
        ! MPI allocates the memory: the fastest there is for one-sided communication. With
        ! double precision, pointer, asynchronous :: cells(:) and type(c_ptr) :: memory
        call MPI_Win_allocate(800_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, memory, win)
        call c_f_pointer(memory, cells, [100])
        cells = rank

        call MPI_Win_fence(0, win)
        call MPI_Get(first_of_next, 1, MPI_DOUBLE_PRECISION, next, 0_MPI_ADDRESS_KIND, 1, &
            MPI_DOUBLE_PRECISION, win)
        call MPI_Win_fence(0, win)

        call MPI_Win_free(win) ! and cells with it
        ! end of example
        call require(nint(first_of_next) == next, 'the first cell of the next process')
    end subroutine allocated

    subroutine shared()
        type(MPI_Comm) :: node
        type(MPI_Win) :: win
        type(c_ptr) :: memory
        integer, pointer, asynchronous :: mine, theirs
        integer :: node_rank, node_size, unit, seen
        integer(kind=MPI_ADDRESS_KIND) :: bytes
        ! example: MPI_Win_allocate_shared, MPI_Win_shared_query, MPI_Win_sync, MPI_Comm_split_type
        ! The processes of a node load and store in each other's memory.
        call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, node)
        call MPI_Comm_rank(node, node_rank)
        call MPI_Comm_size(node, node_size)

        call MPI_Win_allocate_shared(4_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, node, memory, win)
        call c_f_pointer(memory, mine)
        call MPI_Win_shared_query(win, mod(node_rank + 1, node_size), bytes, unit, memory)
        call c_f_pointer(memory, theirs)

        call MPI_Win_lock_all(MPI_MODE_NOCHECK, win)
        mine = 10 * node_rank
        call MPI_Win_sync(win) ! the store is before ...
        call MPI_Barrier(node)
        call MPI_Win_sync(win) ! ... and the load after the barrier
        seen = theirs
        call MPI_Win_unlock_all(win)
        ! end of example
        call require(seen == 10 * mod(node_rank + 1, node_size), 'the number of the neighbour')
        call require(bytes == 4 .and. unit == 4, 'size and unit of the neighbour')
        call MPI_Win_free(win)
        call MPI_Comm_free(node)
    end subroutine shared

    subroutine dynamic()
        type(MPI_Win) :: win
        integer, allocatable, asynchronous :: list(:)
        integer(kind=MPI_ADDRESS_KIND) :: mine, theirs
        integer :: found
        ! example: MPI_Win_create_dynamic, MPI_Win_attach, MPI_Win_detach, MPI_Get_address
        ! Memory is attached when it is needed; its address is the displacement.
        call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win)
        allocate(list(8))
        list = 0
        call MPI_Win_attach(win, list, 32_MPI_ADDRESS_KIND)

        call MPI_Get_address(list(3), mine)
        call MPI_Sendrecv(mine, 1, MPI_AINT, before, 0, theirs, 1, MPI_AINT, next, 0, &
            MPI_COMM_WORLD, MPI_STATUS_IGNORE)

        call MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win)
        call MPI_Put(rank, 1, MPI_INTEGER, next, theirs, 1, MPI_INTEGER, win)
        call MPI_Win_unlock(next, win)

        call MPI_Barrier(MPI_COMM_WORLD) ! nobody accesses the list any more
        found = list(3)
        call MPI_Win_detach(win, list)
        deallocate(list)
        call MPI_Win_free(win)
        ! end of example
        call require(found == before, 'the number of the process before')
    end subroutine dynamic

    subroutine asked()
        type(MPI_Win) :: win
        type(MPI_Info) :: info, used
        type(MPI_Group) :: group
        type(c_ptr) :: memory
        character(len=MPI_MAX_INFO_VAL) :: value
        integer :: length, members
        logical :: is_set
        ! example: MPI_Win_get_info, MPI_Win_set_info, MPI_Info_create, MPI_Info_set, MPI_Info_free
        call MPI_Info_create(info)
        call MPI_Info_set(info, 'same_disp_unit', 'true')
        call MPI_Win_allocate(4_MPI_ADDRESS_KIND, 4, info, MPI_COMM_WORLD, memory, win)

        call MPI_Info_set(info, 'accumulate_ordering', 'none') ! a hint that can be given later
        call MPI_Win_set_info(win, info)
        call MPI_Info_free(info)

        length = len(value)
        call MPI_Win_get_info(win, used)
        call MPI_Info_get_string(used, 'accumulate_ordering', length, value, is_set)
        call MPI_Info_free(used)
        ! end of example
        call require(is_set .and. value == 'none', 'the hint in use')

        ! example: MPI_Win_get_group
        call MPI_Win_get_group(win, group)
        call MPI_Group_size(group, members)
        call MPI_Group_free(group)
        ! end of example
        call require(members == size, 'the members of the window''s group')
        call MPI_Win_free(win)
    end subroutine asked
end program windows
