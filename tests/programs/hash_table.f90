! SPDX-License-Identifier: BSD-3-Clause
! Distributed hash table with open addressing: all processes insert keys, some of them the
! same, at once. A slot is taken by MPI_Compare_and_swap; then values are added up in it.
module table
    use mpi_f08
    use, intrinsic :: iso_fortran_env, only: int64
    implicit none
    integer, parameter :: slots = 509, keys = 300 ! per process
    integer(int64), parameter :: empty = -1
    integer :: size
    type(MPI_Win) :: win
contains
    ! Where the search for a key takes its step.
    subroutine locate(key, step, owner, disp)
        integer(int64), intent(in) :: key
        integer, intent(in) :: step
        integer, intent(out) :: owner
        integer(MPI_ADDRESS_KIND), intent(out) :: disp
        integer(int64) :: place
        place = modulo(key*2654435761_int64, 2147483647_int64) + step
        owner = int(mod(place, int(size, int64)))
        disp = 2*mod(place/size, int(slots, int64))
    end subroutine locate

    subroutine add(key, value)
        integer(int64), intent(in), asynchronous :: key, value
        integer(int64), asynchronous :: found, free
        integer(MPI_ADDRESS_KIND) :: disp
        integer :: step, owner
        free = empty
        step = 0
        do
            call locate(key, step, owner, disp)
            call MPI_Compare_and_swap(key, free, found, MPI_INTEGER8, owner, disp, win)
            call MPI_Win_flush(owner, win)
            call MPI_F_sync_reg(found)
            if (found == empty .or. found == key) exit
            step = step + 1
        end do
        call MPI_Accumulate(value, 1, MPI_INTEGER8, owner, disp + 1, 1, MPI_INTEGER8, MPI_SUM, win)
        call MPI_Win_flush_local(owner, win)
    end subroutine add

    integer(int64) function look_up(key)
        integer(int64), intent(in) :: key
        integer(int64), asynchronous :: slot(2)
        integer(MPI_ADDRESS_KIND) :: disp
        integer :: step, owner
        step = 0
        do
            call locate(key, step, owner, disp)
            call MPI_Get(slot, 2, MPI_INTEGER8, owner, disp, 2, MPI_INTEGER8, win)
            call MPI_Win_flush(owner, win)
            call MPI_F_sync_reg(slot)
            if (slot(1) == empty .or. slot(1) == key) exit
            step = step + 1
        end do
        look_up = merge(slot(2), empty, slot(1) == key)
    end function look_up
end module table

program hash_table
    use table
    use, intrinsic :: iso_c_binding, only: c_f_pointer, c_ptr
    implicit none
    integer :: rank
    integer(int64) :: key, block, offset, expected
    integer(int64), pointer, asynchronous :: memory(:, :)
    integer(MPI_ADDRESS_KIND) :: bytes
    type(c_ptr) :: base
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    bytes = 16*slots
    call MPI_Win_allocate(bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
    call c_f_pointer(base, memory, [2, slots])
    memory(1, :) = empty
    memory(2, :) = 0
    call MPI_Barrier(MPI_COMM_WORLD)

    ! Keys of two neighbours overlap by half.
    call MPI_Win_lock_all(0, win)
    do offset = 0, keys - 1
        call add(rank*(keys/2) + offset, offset + 1)
    end do
    call MPI_Win_flush_all(win)
    call MPI_Barrier(MPI_COMM_WORLD)
    do key = 0, (size + 1)*(keys/2) - 1
        block = key/(keys/2)
        offset = mod(key, int(keys/2, int64))
        expected = 0
        if (block < size) expected = expected + offset + 1
        if (block > 0) expected = expected + offset + keys/2 + 1
        if (look_up(key) /= expected) then
            print '(3(a, i0))', 'key ', key, ': ', look_up(key), ' found, not ', expected
            call MPI_Abort(MPI_COMM_WORLD, 1)
        end if
    end do
    if (look_up(1000000007_int64) /= empty) error stop 'a key that nobody has put in'
    call MPI_Win_unlock_all(win)
    call MPI_Win_free(win)
    call MPI_Finalize()
end program hash_table
