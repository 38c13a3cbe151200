! SPDX-License-Identifier: BSD-3-Clause
! What calls.c does, for calls by mpi_f08, also in a job of two nodes:
!   calls_f08 NAME
module calls
    use, intrinsic :: iso_fortran_env, only : int64
    use mpi_f08
    implicit none
    public

    integer(int64), asynchronous :: source(512) = 0
    integer :: target = 0
    type(MPI_Win) :: win
contains
    subroutine put_8()
        call MPI_Put(source, 1, MPI_INTEGER8, target, 0_MPI_ADDRESS_KIND, 1, &
            MPI_INTEGER8, win)
    end subroutine put_8

    subroutine put_scalar()
        call MPI_Put(source(2), 1, MPI_INTEGER8, target, 0_MPI_ADDRESS_KIND, 1, &
            MPI_INTEGER8, win)
    end subroutine put_scalar

    subroutine put_vector()
        call MPI_Put(source(::2), 8, MPI_INTEGER8, target, 0_MPI_ADDRESS_KIND, 8, &
            MPI_INTEGER8, win)
    end subroutine put_vector

    ! Long enough for an access of its own.
    subroutine put_far()
        call MPI_Put(source, 4096, MPI_BYTE, target, 0_MPI_ADDRESS_KIND, 4096, &
            MPI_BYTE, win)
    end subroutine put_far

    ! What callgrind counts.
    subroutine counted_loop(call, times)
        procedure() :: call
        integer, intent(in) :: times
        integer :: i
        do i = 1, times
            call call()
        end do
    end subroutine counted_loop

    subroutine measure(call)
        procedure() :: call
        integer :: i, rank
        call MPI_Comm_rank(MPI_COMM_WORLD, rank)
        if (rank /= 0) return
        call MPI_Win_lock_all(0, win)
        do i = 1, 10
            call call()
        end do
        if (target == 0) call counted_loop(call, 1000)
        do i = 1, merge(0, 100, target == 0)
            call MPI_Win_flush(target, win)
            call counted_loop(call, 1)
        end do
        call MPI_Win_unlock_all(win)
    end subroutine measure
end module calls

program calls_f08
    use calls
    use, intrinsic :: iso_c_binding, only : c_ptr
    implicit none
    character(20) :: name
    integer :: size
    type(c_ptr) :: base
    call MPI_Init()
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    target = size - 1
    call MPI_Win_allocate(4096_MPI_ADDRESS_KIND, 1, MPI_INFO_NULL, MPI_COMM_WORLD, base, &
        win)
    call get_command_argument(1, name)
    select case (name)
    case ("put_8")
        call measure(put_8)
    case ("put_scalar")
        call measure(put_scalar)
    case ("put_vector")
        call measure(put_vector)
    case ("put_far")
        call measure(put_far)
    case default
        error stop "calls_f08: no such call"
    end select
    call MPI_Win_free(win)
    call MPI_Finalize()
end program calls_f08
