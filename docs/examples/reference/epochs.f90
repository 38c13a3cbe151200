! SPDX-License-Identifier: BSD-3-Clause
! Epochs: fences, post and start, locks. Any number of processes.
program epochs
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    implicit none
    integer :: rank, size, next, before
    integer, pointer, asynchronous :: inbox ! of this process, in the window
    type(MPI_Win) :: win
    type(c_ptr) :: memory
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    next = mod(rank + 1, size)
    before = mod(rank + size - 1, size)
    call MPI_Win_allocate(4_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, memory, win)
    call c_f_pointer(memory, inbox)
    call fences()
    call neighbours()
    call locks()
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

    subroutine fences()
        ! example: MPI_Win_fence
        call MPI_Win_fence(MPI_MODE_NOPRECEDE, win) ! opens the first epoch
        call MPI_Put(rank, 1, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
        call MPI_Win_fence(MPI_MODE_NOSUCCEED, win) ! completes it everywhere, and opens none
        ! end of example
        call require(inbox == before, 'the rank of the process before')
    end subroutine fences

    subroutine neighbours()
        type(MPI_Group) :: world, origins, targets
        integer, asynchronous :: value
        logical :: has_come
        ! example: MPI_Win_post, MPI_Win_start, MPI_Win_complete, MPI_Win_wait
        ! Only neighbours wait for each other.
        call MPI_Comm_group(MPI_COMM_WORLD, world)
        call MPI_Group_incl(world, 1, [before], origins)
        call MPI_Group_incl(world, 1, [next], targets)

        value = 100 + rank
        call MPI_Win_post(origins, 0, win)  ! the process before may access my memory
        call MPI_Win_start(targets, 0, win) ! I access that of the next
        call MPI_Put(value, 1, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
        call MPI_Win_complete(win)
        call MPI_Win_wait(win) ! now my memory has what was put there
        ! end of example
        call require(inbox == 100 + before, 'the value of the process before')

        ! example: MPI_Win_test
        call MPI_Win_post(origins, 0, win)
        call MPI_Win_start(targets, 0, win)
        call MPI_Put(rank, 1, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
        call MPI_Win_complete(win)
        has_come = .false.
        do while (.not. has_come)
            ! ... work ...
            call MPI_Win_test(win, has_come)
        end do
        ! end of example
        call require(inbox == before, 'the rank of the process before')
        call MPI_Group_free(targets)
        call MPI_Group_free(origins)
        call MPI_Group_free(world)
    end subroutine neighbours

    subroutine locks()
        integer, asynchronous :: number, step
        inbox = 0
        call MPI_Barrier(MPI_COMM_WORLD)
        ! example: MPI_Win_lock, MPI_Win_unlock
        ! Reads a number of process 0 and writes another that depends on it: nobody may come
        ! between.
        call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win)
        call MPI_Get(number, 1, MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
        call MPI_Win_flush(0, win)
        number = 2 * number + 1
        call MPI_Put(number, 1, MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
        call MPI_Win_unlock(0, win)
        ! end of example
        call MPI_Barrier(MPI_COMM_WORLD)
        if (rank == 0) then
            call MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win)
            call require(inbox == 2**size - 1, 'a number that each process has changed once')
            call MPI_Win_unlock(0, win)
        end if
        call MPI_Barrier(MPI_COMM_WORLD)

        ! example: MPI_Win_lock_all, MPI_Win_unlock_all
        ! One epoch for the whole program; MPI_Win_flush completes what has to be complete.
        call MPI_Win_lock_all(0, win)
        do step = 0, 2
            call MPI_Accumulate(step, 1, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, &
                MPI_REPLACE, win)
            call MPI_Win_flush(next, win)
        end do
        call MPI_Win_unlock_all(win)
        ! end of example
        call MPI_Barrier(MPI_COMM_WORLD)
        call require(inbox == 2, 'the last step')
    end subroutine locks
end program epochs
