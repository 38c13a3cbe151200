! SPDX-License-Identifier: BSD-3-Clause
! Operations on windows, in one epoch of MPI_Win_lock_all. Any number of processes.
program operations
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    implicit none
    integer :: rank, size, next, before
    integer, pointer, asynchronous :: cells(:) ! of this process, in the window, from 0 on
    type(MPI_Win) :: win
    type(c_ptr) :: memory
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    next = mod(rank + 1, size)
    before = mod(rank + size - 1, size)
    call MPI_Win_allocate(64_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, memory, win)
    call c_f_pointer(memory, cells, [16])
    cells(0:) => cells
    call MPI_Win_lock_all(0, win)
    call transfers()
    call accumulates()
    call atomics()
    call locally()
    call MPI_Win_unlock_all(win)
    call MPI_Win_free(win)
    call MPI_Finalize()
contains
    subroutine require(holds, what)
        logical, intent(in) :: holds
        character(len=*), intent(in) :: what
        if (holds) return
        print '(a, i0, 2a)', 'rank ', rank, ': ', what
        call MPI_Abort(MPI_COMM_WORLD, 1)
    end subroutine require

    ! All cells are `value`, and all processes know.
    subroutine fill(value)
        integer, intent(in) :: value
        call MPI_Barrier(MPI_COMM_WORLD)
        cells = value
        call MPI_Win_sync(win)
        call MPI_Barrier(MPI_COMM_WORLD)
    end subroutine fill

    subroutine transfers()
        integer, asynchronous :: values(4), found(4)
        call fill(0)
        ! example: MPI_Put, MPI_Win_flush
        values = [rank, rank + 1, rank + 2, rank + 3]
        call MPI_Put(values, 4, MPI_INTEGER, next, 2_MPI_ADDRESS_KIND, 4, MPI_INTEGER, win)
        call MPI_Win_flush(next, win) ! now cells 2 to 5 of the next process have them
        ! end of example
        call MPI_Barrier(MPI_COMM_WORLD)
        call MPI_Win_sync(win)
        call require(cells(2) == before .and. cells(5) == before + 3, 'what was put')

        ! example: MPI_Get
        call MPI_Get(found, 4, MPI_INTEGER, next, 2_MPI_ADDRESS_KIND, 4, MPI_INTEGER, win)
        call MPI_Win_flush(next, win) ! not before this is found valid
        ! end of example
        call require(all(found == values), 'what was got')
    end subroutine transfers

    subroutine accumulates()
        integer, asynchronous :: steps(2), values(2), were(2)
        call fill(1)
        ! example: MPI_Accumulate, MPI_Win_flush_all
        ! Every process adds to the same two cells of process 0.
        steps = [1, 10]
        call MPI_Accumulate(steps, 2, MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, 2, MPI_INTEGER, &
            MPI_SUM, win)
        call MPI_Win_flush_all(win)
        ! end of example
        call MPI_Barrier(MPI_COMM_WORLD)
        call MPI_Win_sync(win)
        if (rank == 0) call require(all(cells(0:1) == [1 + size, 1 + 10 * size]), 'the sums')

        ! example: MPI_Get_accumulate
        ! Swaps two cells of the next process for new values.
        values = [-1, -2]
        call MPI_Get_accumulate(values, 2, MPI_INTEGER, were, 2, MPI_INTEGER, next, &
            4_MPI_ADDRESS_KIND, 2, MPI_INTEGER, MPI_REPLACE, win)
        call MPI_Win_flush(next, win)
        ! end of example
        call require(all(were == 1), 'what was in the cells')
    end subroutine accumulates

    subroutine atomics()
        integer, asynchronous :: one, ticket, empty, name, owner
        integer :: is_mine, sum
        call fill(0)
        ! example: MPI_Fetch_and_op
        ! A counter of process 0 gives every process a ticket of its own.
        one = 1
        call MPI_Fetch_and_op(one, ticket, MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, MPI_SUM, win)
        call MPI_Win_flush(0, win)
        ! end of example
        call require(ticket >= 0 .and. ticket < size, 'the ticket')
        call MPI_Allreduce(ticket, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        call require(sum == size * (size - 1) / 2, 'tickets that are all different')

        ! example: MPI_Compare_and_swap
        ! The first process that finds the cell empty, 0, writes its name there.
        empty = 0
        name = rank + 1
        call MPI_Compare_and_swap(name, empty, owner, MPI_INTEGER, 0, 1_MPI_ADDRESS_KIND, win)
        call MPI_Win_flush(0, win)
        is_mine = merge(1, 0, owner == empty)
        ! end of example
        call MPI_Allreduce(is_mine, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        call require(sum == 1, 'one owner of the cell')
    end subroutine atomics

    subroutine locally()
        integer, asynchronous :: value
        call fill(0)
        ! example: MPI_Win_flush_local, MPI_Win_flush_local_all
        value = 1
        call MPI_Put(value, 1, MPI_INTEGER, next, 7_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
        call MPI_Win_flush_local(next, win) ! value may be changed; the target may not have it yet
        value = 2
        call MPI_Put(value, 1, MPI_INTEGER, before, 8_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
        call MPI_Win_flush_local_all(win)
        value = 3
        call MPI_Win_flush_all(win) ! now both targets have theirs
        ! end of example
        call MPI_Barrier(MPI_COMM_WORLD)
        call MPI_Win_sync(win)
        call require(cells(7) == 1 .and. cells(8) == 2, 'values of the time of the puts')
    end subroutine locally
end program operations
