! SPDX-License-Identifier: BSD-3-Clause
! Work queue: processes draw the numbers of tasks from one counter by MPI_Fetch_and_op and
! add their results up in the memory of rank 0. Each task must be done once.
program work_queue
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_f_pointer, c_ptr
    use, intrinsic :: iso_fortran_env, only: int64
    implicit none
    integer, parameter :: tasks = 2000
    integer(MPI_ADDRESS_KIND), parameter :: counter = tasks, total = tasks + 1
    integer(int64), pointer, asynchronous :: queue(:)
    integer(int64), asynchronous :: one, task, result
    integer(int64) :: mine, done, i
    integer(MPI_ADDRESS_KIND) :: bytes
    integer :: rank
    type(c_ptr) :: memory
    type(MPI_Win) :: win
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    bytes = merge(8*(tasks + 2), 0, rank == 0)
    call MPI_Win_allocate(bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, memory, win)
    call c_f_pointer(memory, queue, [bytes/8])
    queue = 0
    call MPI_Barrier(MPI_COMM_WORLD)

    one = 1
    mine = 0
    call MPI_Win_lock_all(0, win)
    do
        call MPI_Fetch_and_op(one, task, MPI_INTEGER8, 0, counter, MPI_SUM, win)
        call MPI_Win_flush(0, win)
        call MPI_F_sync_reg(task)
        if (task >= tasks) exit
        result = task*task
        call MPI_Accumulate(one, 1, MPI_INTEGER8, 0, int(task, MPI_ADDRESS_KIND), 1, MPI_INTEGER8, MPI_SUM, win)
        call MPI_Accumulate(result, 1, MPI_INTEGER8, 0, total, 1, MPI_INTEGER8, MPI_SUM, win)
        call MPI_Win_flush_local(0, win)
        mine = mine + 1
    end do
    call MPI_Win_unlock_all(win)
    call MPI_Reduce(mine, done, 1, MPI_INTEGER8, MPI_SUM, 0, MPI_COMM_WORLD)
    if (rank == 0) then
        call MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win)
        if (any(queue(:tasks) /= 1) .or. done /= tasks .or. &
            queue(total + 1) /= sum([(i*i, i=0, tasks - 1)])) then
            print '(2(a, i0))', 'wrong: tasks done ', done, ', sum ', queue(total + 1)
            call MPI_Abort(MPI_COMM_WORLD, 1)
        end if
        call MPI_Win_unlock(0, win)
    end if
    call MPI_Win_free(win)
    call MPI_Finalize()
end program work_queue
