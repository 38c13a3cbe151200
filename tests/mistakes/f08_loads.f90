! SPDX-License-Identifier: BSD-3-Clause
! Loads and stores of the owner of memory that conflict with operations of others, in
! Fortran (ORIEL_CHECK=races, compiled with -fsanitize=thread). Rank 1 has the memory.

! run: -n 2 -env ORIEL_CHECK races
subroutine f08_stores_beside_a_put(wrong) bind(c)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_bool
    implicit none
    logical(c_bool), value :: wrong
    double precision, asynchronous :: memory(16), values(4)
    integer :: i, rank
    type(MPI_Win) :: win
    values = 1
    memory = 0
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Win_create(memory, 128_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_set_name(win, "cells")
    call MPI_Win_fence(0, win)
    if (rank == 0) then
        ! mistake: conflicting-accesses "a store of the program"
        call MPI_Put(values, 4, MPI_DOUBLE_PRECISION, 1, 4_MPI_ADDRESS_KIND, 4, MPI_DOUBLE_PRECISION, win)
    else
        do i = 1, merge(16, 4, wrong)
            memory(i) = i ! mistake: conflicting-accesses "bytes 32 to 63"
        end do
    end if
    call MPI_Win_fence(0, win)
    call MPI_Win_free(win)
    call MPI_Finalize()
end subroutine f08_stores_beside_a_put

! run: -n 2 -env ORIEL_CHECK races
subroutine f08_load_before_the_barrier(wrong) bind(c)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_bool, c_f_pointer, c_ptr
    implicit none
    logical(c_bool), value :: wrong
    integer, asynchronous :: value(1)
    integer, pointer, asynchronous :: memory(:)
    integer :: rank, seen
    type(c_ptr) :: base
    type(MPI_Win) :: win
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Win_allocate(16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
    call c_f_pointer(base, memory, [4])
    value = 7
    seen = 0
    call MPI_Win_lock_all(0, win)
    if (rank == 0) then
        ! mistake: conflicting-accesses "bytes 8 to 11"
        call MPI_Put(value, 1, MPI_INTEGER, 1, 2_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
        call MPI_Win_flush(1, win)
    end if
    if (.not. wrong) call MPI_Barrier(MPI_COMM_WORLD)
    if (rank == 1) seen = memory(3) ! mistake: conflicting-accesses
    if (wrong) call MPI_Barrier(MPI_COMM_WORLD)
    if (seen < 0) print *, seen
    call MPI_Win_unlock_all(win)
    call MPI_Win_free(win)
    call MPI_Finalize()
end subroutine f08_load_before_the_barrier
