program table
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    use, intrinsic :: iso_fortran_env, only: int64
    implicit none
    integer, parameter :: slots = 1024, numbers = 2000, keys = 500
    integer(kind=MPI_ADDRESS_KIND), parameter :: room = slots * 2 * 8
    integer(int64), asynchronous :: empty = 0, one = 1
    integer(int64), pointer, asynchronous :: cell(:)
    integer(int64) :: mine(2), all(2) ! keys, and how often they came
    integer :: rank, size, i
    type(c_ptr) :: memory
    type(MPI_Win) :: win
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    call MPI_Win_allocate(room, 8, MPI_INFO_NULL, MPI_COMM_WORLD, memory, win)
    call c_f_pointer(memory, cell, [2 * slots])
    call MPI_Win_lock_all(0, win)
    cell = 0
    call MPI_Win_sync(win)
    call MPI_Barrier(MPI_COMM_WORLD)

    do i = 0, numbers - 1
        call table_count(int(mod(i * 7 + rank, keys) + 1, int64))
    end do

    call MPI_Win_unlock_all(win)
    call MPI_Barrier(MPI_COMM_WORLD)
    mine = [count(cell(1::2) /= 0, kind=int64), sum(cell(2::2))]
    print '(2(a, i0), a)', 'rank ', rank, ' has ', mine(1), ' keys'
    call MPI_Allreduce(mine, all, 2, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Win_free(win)
    call MPI_Finalize()
    if (any(all /= [keys, size * numbers])) error stop 'a number is missing'
contains
    ! Adds one to the count of a key, in whichever process and slot the key is or comes.
    subroutine table_count(key)
        integer(int64), intent(in), asynchronous :: key
        integer(int64), asynchronous :: found
        integer(int64) :: hash, slot
        integer(kind=MPI_ADDRESS_KIND) :: place
        integer :: target
        hash = key * 2654435761_int64 / 1024
        target = int(mod(hash, int(size, int64)))
        slot = hash / size
        do
            place = mod(slot, int(slots, int64)) * 2 ! of the key; its count comes after it
            call MPI_Compare_and_swap(key, empty, found, MPI_INTEGER8, target, place, win)
            call MPI_Win_flush(target, win)
            if (found == empty .or. found == key) exit
            slot = slot + 1
        end do
        call MPI_Accumulate(one, 1, MPI_INTEGER8, target, place + 1, 1, MPI_INTEGER8, &
            MPI_SUM, win)
    end subroutine table_count
end program table
