! SPDX-License-Identifier: BSD-3-Clause
! Slow: each process computes while it holds the lock of rank 0, so that all others wait.
program held_lock
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    implicit none
    integer, parameter :: steps = 8
    integer :: rank, step
    integer, pointer, asynchronous :: total
    type(c_ptr) :: address
    type(MPI_Win) :: win
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Win_allocate(4_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, address, win)
    call c_f_pointer(address, total)
    call MPI_Win_set_name(win, 'sum')
    total = 0
    call MPI_Barrier(MPI_COMM_WORLD)
    do step = 1, steps
        call add_result()
    end do
    call MPI_Barrier(MPI_COMM_WORLD)
    if (rank == 0) print '(a, i0)', 'the sum is ', total
    call MPI_Win_free(win)
    call MPI_Finalize()

contains

    subroutine compute(seconds, answer)
        double precision, intent(in) :: seconds
        integer, intent(out) :: answer
        double precision :: until
        answer = 0
        until = MPI_Wtime() + seconds
        do while (MPI_Wtime() < until)
            answer = 1
        end do
    end subroutine compute

    subroutine add_result()
        integer, asynchronous :: answer
        call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win)
        call compute(0.005d0, answer) ! needs no lock
        call MPI_Accumulate(answer, 1, MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, &
            MPI_SUM, win)
        call MPI_Win_unlock(0, win)
    end subroutine add_result
end program held_lock
