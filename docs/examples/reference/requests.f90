! SPDX-License-Identifier: BSD-3-Clause
! Operations on windows that give a request. Any number of processes.
program requests
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
    call MPI_Win_allocate(32_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, memory, win)
    call c_f_pointer(memory, cells, [8])
    cells(0:) => cells
    call MPI_Win_lock_all(0, win)
    call transfers()
    call accumulates()
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

    ! What all processes have done is complete, and all know.
    subroutine meet()
        call MPI_Win_flush_all(win)
        call MPI_Barrier(MPI_COMM_WORLD)
        call MPI_Win_sync(win)
    end subroutine meet

    subroutine transfers()
        integer, asynchronous :: buffers(0:1), found(2)
        type(MPI_Request) :: sends(0:1), request
        integer(kind=MPI_ADDRESS_KIND) :: i
        integer :: turn
        ! example: MPI_Rput
        ! Two buffers take turns: one is filled while the other is sent. With
        ! integer, asynchronous :: buffers(0:1) and type(MPI_Request) :: sends(0:1)
        sends = MPI_REQUEST_NULL
        do i = 0, 3
            turn = int(mod(i, 2_MPI_ADDRESS_KIND))
            call MPI_Wait(sends(turn), MPI_STATUS_IGNORE)
            buffers(turn) = 10 * rank + int(i)
            call MPI_Rput(buffers(turn), 1, MPI_INTEGER, next, i, 1, MPI_INTEGER, win, sends(turn))
        end do
        call MPI_Waitall(2, sends, MPI_STATUSES_IGNORE)
        call MPI_Win_flush(next, win) ! the requests say nothing of the target
        ! end of example
        call meet()
        do i = 0, 3
            call require(cells(i) == 10 * before + int(i), 'what was put')
        end do

        ! example: MPI_Rget
        call MPI_Rget(found, 2, MPI_INTEGER, next, 1_MPI_ADDRESS_KIND, 2, MPI_INTEGER, win, request)
        ! ... work that does not need found ...
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        ! end of example
        call require(all(found == [10 * rank + 1, 10 * rank + 2]), 'what was got')
    end subroutine transfers

    subroutine accumulates()
        integer, asynchronous :: amount, step, value
        type(MPI_Request) :: request
        call meet()
        cells(6:7) = 0
        call meet()
        ! example: MPI_Raccumulate
        amount = rank + 1
        call MPI_Raccumulate(amount, 1, MPI_INTEGER, 0, 6_MPI_ADDRESS_KIND, 1, MPI_INTEGER, &
            MPI_SUM, win, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE) ! amount may be changed
        call MPI_Win_flush(0, win)                ! process 0 has the sum
        ! end of example
        call meet()
        if (rank == 0) call require(cells(6) == size * (size + 1) / 2, 'the sum')

        ! example: MPI_Rget_accumulate
        step = 1
        call MPI_Rget_accumulate(step, 1, MPI_INTEGER, value, 1, MPI_INTEGER, next, &
            7_MPI_ADDRESS_KIND, 1, MPI_INTEGER, MPI_SUM, win, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE) ! value is what the cell was before
        ! end of example
        call meet()
        call require(value == 0 .and. cells(7) == 1, 'the cell before and after')
    end subroutine accumulates
end program requests
