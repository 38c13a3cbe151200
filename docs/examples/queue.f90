program queue
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    implicit none
    integer, parameter :: tasks = 5000
    integer(kind=MPI_ADDRESS_KIND), parameter :: room = 8, next = 0, total = 1
    integer :: rank, done, missing, i
    integer, asynchronous :: one, task, divisors
    integer, pointer, asynchronous :: cell(:)
    type(c_ptr) :: memory
    type(MPI_Win) :: win
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Win_allocate(room, 4, MPI_INFO_NULL, MPI_COMM_WORLD, memory, win)
    call c_f_pointer(memory, cell, [2])
    call MPI_Win_lock_all(0, win)
    cell = 0
    call MPI_Win_sync(win)
    call MPI_Barrier(MPI_COMM_WORLD)

    done = 0
    one = 1
    do
        call MPI_Fetch_and_op(one, task, MPI_INTEGER, 0, next, MPI_SUM, win)
        call MPI_Win_flush(0, win)
        if (task >= tasks) exit
        divisors = count([(mod(task + 1, i) == 0, i = 1, task + 1)]) ! the work
        call MPI_Accumulate(divisors, 1, MPI_INTEGER, 0, total, 1, MPI_INTEGER, MPI_SUM, win)
        call MPI_Win_flush_local(0, win)
        done = done + 1
    end do

    call MPI_Win_unlock_all(win)
    call MPI_Barrier(MPI_COMM_WORLD)
    print '(2(a, i0), a)', 'rank ', rank, ' has done ', done, ' tasks'
    missing = 0
    if (rank == 0) then
        do i = 1, tasks
            missing = missing + tasks / i ! so many numbers up to tasks have the divisor i
        end do
        missing = missing - cell(2)
    end if
    call MPI_Win_free(win)
    call MPI_Finalize()
    if (missing /= 0) error stop 'a task is missing'
end program queue
