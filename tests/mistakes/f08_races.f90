! SPDX-License-Identifier: BSD-3-Clause
! Accesses to memory of windows that conflict (ORIEL_CHECK=races), by mpi_f08.

! run: -n 3 -env ORIEL_CHECK races
subroutine f08_two_puts_in_a_fence_epoch(wrong) bind(c)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_bool
    implicit none
    logical(c_bool), value :: wrong
    double precision, asynchronous :: memory(16), values(4)
    integer :: rank
    type(MPI_Win) :: win
    values = 1
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Win_create(memory, 128_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_set_name(win, "cells")
    call MPI_Win_fence(0, win)
    if (rank == 0) then
        ! mistake: conflicting-accesses "window cells"
        call MPI_Put(values, 4, MPI_DOUBLE_PRECISION, 1, 0_MPI_ADDRESS_KIND, 4, MPI_DOUBLE_PRECISION, win)
    end if
    if (.not. wrong) call MPI_Win_fence(0, win)
    if (rank == 2) then
        ! mistake: conflicting-accesses "bytes 16 to 31"
        call MPI_Put(values, 4, MPI_DOUBLE_PRECISION, 1, 2_MPI_ADDRESS_KIND, 4, MPI_DOUBLE_PRECISION, win)
    end if
    call MPI_Win_fence(0, win)
    call MPI_Win_free(win)
    call MPI_Finalize()
end subroutine f08_two_puts_in_a_fence_epoch

! run: -n 3 -env ORIEL_CHECK races
subroutine f08_put_after_a_fence_without_puts(wrong) bind(c)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_bool
    implicit none
    logical(c_bool), value :: wrong
    double precision, asynchronous :: memory(16), values(4)
    integer :: rank
    type(MPI_Win) :: win
    values = 1
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Win_create(memory, 128_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    ! mistake: false-assertion "asserts MPI_MODE_NOPUT"
    call MPI_Win_fence(merge(MPI_MODE_NOPUT, 0, wrong), win)
    if (rank == 2) then
        ! mistake: false-assertion "MPI_Put"
        call MPI_Put(values, 4, MPI_DOUBLE_PRECISION, 1, 2_MPI_ADDRESS_KIND, 4, MPI_DOUBLE_PRECISION, win)
    end if
    call MPI_Win_fence(0, win)
    call MPI_Win_free(win)
    call MPI_Finalize()
end subroutine f08_put_after_a_fence_without_puts

! run: -n 2 -env ORIEL_CHECK races
subroutine f08_memory_freed_before_the_window(wrong) bind(c)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_bool
    implicit none
    logical(c_bool), value :: wrong
    double precision, allocatable, asynchronous :: memory(:)
    type(MPI_Win) :: win
    call MPI_Init()
    allocate(memory(16))
    ! mistake: memory-gone "MPI_Win_create"
    call MPI_Win_create(memory, 128_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_fence(0, win)
    if (wrong) deallocate(memory) ! mistake: memory-gone "gives back 128 bytes"
    call MPI_Win_free(win)
    if (.not. wrong) deallocate(memory)
    call MPI_Finalize()
end subroutine f08_memory_freed_before_the_window

! run: -n 3 -env ORIEL_CHECK races
subroutine f08_puts_under_shared_locks(wrong) bind(c)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_bool
    implicit none
    logical(c_bool), value :: wrong
    integer, asynchronous :: memory(4), values(4)
    integer :: rank
    type(MPI_Win) :: win
    values = 1
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Win_create(memory, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_lock(merge(MPI_LOCK_SHARED, MPI_LOCK_EXCLUSIVE, wrong), 1, 0, win)
    if (rank /= 1) then
        ! mistake: conflicting-accesses "MPI_LOCK_EXCLUSIVE"
        call MPI_Put(values, 2, MPI_INTEGER, 1, 0_MPI_ADDRESS_KIND, 2, MPI_INTEGER, win)
    end if
    call MPI_Win_unlock(1, win)
    call MPI_Win_free(win)
    call MPI_Finalize()
end subroutine f08_puts_under_shared_locks

! run: -n 3 -env ORIEL_CHECK races
subroutine f08_barrier_before_the_flush(wrong) bind(c)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_bool
    implicit none
    logical(c_bool), value :: wrong
    integer, asynchronous :: memory(4), values(4)
    integer :: rank
    type(MPI_Win) :: win
    values = 1
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Win_create(memory, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_lock_all(0, win)
    if (rank == 0) then
        ! mistake: conflicting-accesses
        call MPI_Put(values, 4, MPI_INTEGER, 1, 0_MPI_ADDRESS_KIND, 4, MPI_INTEGER, win)
    end if
    if (.not. wrong) call MPI_Win_flush_all(win)
    call MPI_Barrier(MPI_COMM_WORLD)
    if (rank == 2) then
        ! mistake: conflicting-accesses
        call MPI_Get(values, 4, MPI_INTEGER, 1, 0_MPI_ADDRESS_KIND, 4, MPI_INTEGER, win)
    end if
    call MPI_Win_unlock_all(win)
    call MPI_Win_free(win)
    call MPI_Finalize()
end subroutine f08_barrier_before_the_flush
