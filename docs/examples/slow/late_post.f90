! SPDX-License-Identifier: BSD-3-Clause
! Slow: rank 0 computes before it posts its window, and all others wait for the post.
program late_post
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    implicit none
    integer, parameter :: steps = 10, count = 64
    integer :: rank, size, step
    double precision, pointer, asynchronous :: memory(:)
    double precision, asynchronous :: values(count)
    type(c_ptr) :: address
    type(MPI_Group) :: all, first, others
    type(MPI_Win) :: win
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    call MPI_Win_allocate(8_MPI_ADDRESS_KIND * count * size, 8, MPI_INFO_NULL, &
        MPI_COMM_WORLD, address, win)
    call c_f_pointer(address, memory, [count * size])
    call MPI_Win_set_name(win, 'values')
    call MPI_Win_get_group(win, all)
    call MPI_Group_incl(all, 1, [0], first)
    call MPI_Group_excl(all, 1, [0], others)
    do step = 1, steps
        values = rank + step
        if (rank == 0) then
            call take_values()
        else
            call send_values()
        end if
    end do
    if (rank == 0 .and. size > 1) print '(a, f0.1)', 'the last value of rank 1 is ', memory(2 * count)
    call MPI_Win_free(win)
    call MPI_Finalize()

contains

    subroutine compute(seconds)
        double precision, intent(in) :: seconds
        double precision :: until
        until = MPI_Wtime() + seconds
        do while (MPI_Wtime() < until)
        end do
    end subroutine compute

    subroutine take_values()
        call compute(0.01d0) ! needs no value of the window
        call MPI_Win_post(others, 0, win)
        call MPI_Win_wait(win)
    end subroutine take_values

    subroutine send_values()
        call MPI_Win_start(first, 0, win)
        call MPI_Put(values, count, MPI_DOUBLE_PRECISION, 0, &
            int(rank, MPI_ADDRESS_KIND) * count, count, MPI_DOUBLE_PRECISION, win)
        call MPI_Win_complete(win)
    end subroutine send_values
end program late_post
