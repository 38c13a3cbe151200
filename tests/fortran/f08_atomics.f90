! SPDX-License-Identifier: BSD-3-Clause
! mpi_f08: accumulate operations, whole arrays and sections, large counts, one element.
program f08_atomics
    use, intrinsic :: iso_c_binding, only : c_f_pointer, c_ptr
    use mpi_f08
    use check_m, only : check, unit
    implicit none
    integer :: rank, ranks, right, i
    type(MPI_Win) :: win
    type(c_ptr) :: base
    integer, pointer, asynchronous :: memory(:)
    integer, asynchronous :: addend(12), fetched(4, 6), one, other, found
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    right = mod(rank + 1, ranks)
    call MPI_Win_allocate(100_MPI_ADDRESS_KIND * unit, unit, MPI_INFO_NULL, &
        MPI_COMM_WORLD, base, win)
    call c_f_pointer(base, memory, [100])
    memory = [(i, i = 1, 100)]
    addend = [(10 * i, i = 1, 12)]

    call MPI_Win_fence(0, win)
    call MPI_Accumulate(addend(12:2:-2), 6, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, 6, &
        MPI_INTEGER, MPI_SUM, win)
    call MPI_Accumulate(addend, 3_MPI_COUNT_KIND, MPI_INTEGER, right, &
        50_MPI_ADDRESS_KIND, 3_MPI_COUNT_KIND, MPI_INTEGER, MPI_REPLACE, win)
    call MPI_Win_fence(0, win)
    call check('accumulate adds a section', &
        all(memory(:6) == [(i + 140 - 20 * i, i = 1, 6)]))
    call check('accumulate with large counts', all(memory(51:53) == [10, 20, 30]))
    call check('accumulate leaves the rest alone', &
        all(memory(7:50) == [(i, i = 7, 50)]) .and. all(memory(54:) == [(i, i = 54, &
        100)]))

    memory = [(i, i = 1, 100)]
    fetched = -1
    call MPI_Win_fence(0, win)
    call MPI_Get_accumulate(addend(1:12:3), 4, MPI_INTEGER, fetched(2, :), 4, &
        MPI_INTEGER, right, 10_MPI_ADDRESS_KIND, 4, MPI_INTEGER, MPI_SUM, win)
    call MPI_Win_fence(0, win)
    call MPI_F_sync_reg(fetched)
    call check('get_accumulate brings the old values into a section', &
        all(fetched(2, :4) == [11, 12, 13, 14]) .and. count(fetched == -1) == 20)
    call check('get_accumulate adds a section', &
        all(memory(11:14) == [21, 52, 83, 114]))
    call MPI_Get_accumulate(addend(1:12:3), 0, MPI_DATATYPE_NULL, fetched(::2, 3), 2, &
        MPI_INTEGER, right, 12_MPI_ADDRESS_KIND, 2, MPI_INTEGER, MPI_NO_OP, win)
    call MPI_Win_fence(0, win)
    call MPI_F_sync_reg(fetched)
    call check('MPI_NO_OP ignores origin arguments', &
        all(fetched(::2, 3) == [83, 114]) .and. all(memory(13:14) == [83, 114]))

    memory(1) = 0
    call MPI_Win_fence(0, win)
    one = 1
    call MPI_Win_lock_all(0, win)
    do i = 1, 100
        call MPI_Fetch_and_op(one, found, MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, MPI_SUM, &
            win)
        call MPI_Win_flush(0, win)
    end do
    call MPI_Win_unlock_all(win)
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Win_fence(0, win)
    if (rank == 0) call check('fetch_and_op loses no update', memory(1) == 100 * ranks)
    call check('fetch_and_op gives what was before', found >= 99 .and. &
        found < 100 * ranks)
    call MPI_Win_fence(0, win)

    one = 7
    other = 2
    call MPI_Compare_and_swap(one, other, found, MPI_INTEGER, right, &
        1_MPI_ADDRESS_KIND, win)
    call MPI_Win_fence(0, win)
    call MPI_F_sync_reg(found)
    call check('compare_and_swap replaces the value expected', &
        found == 2 .and. memory(2) == 7)
    call MPI_Compare_and_swap(other, other, found, MPI_INTEGER, right, &
        1_MPI_ADDRESS_KIND, win)
    call MPI_Win_fence(0, win)
    call MPI_F_sync_reg(found)
    call check('compare_and_swap keeps another value', found == 7 .and. memory(2) == 7)
    call MPI_Win_free(win)
    call MPI_Finalize()
end program f08_atomics
