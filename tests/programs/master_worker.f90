! SPDX-License-Identifier: BSD-3-Clause
! Master and workers: rank 0 hands out tasks of different lengths; it probes for whoever
! answers next. A worker probes for the length and the tag of what it gets.
module tasks
    use mpi_f08
    implicit none
    integer, parameter :: last = 200, work = 1, stop = 2, answer = 3
contains
    subroutine give(task, worker)
        integer, intent(in) :: task, worker
        integer :: i
        call MPI_Send([task, (i*task, i=1, length(task))], length(task) + 1, MPI_INTEGER, worker, work, &
            MPI_COMM_WORLD)
    end subroutine give

    integer function length(task)
        integer, intent(in) :: task
        length = mod(task, 50) + 1
    end function length

    subroutine lead(workers)
        integer, intent(in) :: workers
        integer :: next, done, worker, result(2)
        type(MPI_Status) :: status
        next = 0
        do worker = 1, workers
            next = next + 1
            call give(next, worker)
        end do
        do done = 1, merge(last, 0, workers > 0)
            call MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status)
            if (status%MPI_TAG /= answer) error stop 'a message with a wrong tag'
            call MPI_Recv(result, 2, MPI_INTEGER, status%MPI_SOURCE, answer, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
            if (result(2) /= result(1)*length(result(1))*(length(result(1)) + 1)/2) error stop 'a wrong answer'
            if (next < last) then
                next = next + 1
                call give(next, status%MPI_SOURCE)
            end if
        end do
        do worker = 1, workers
            call MPI_Send(worker, 0, MPI_INTEGER, worker, stop, MPI_COMM_WORLD)
        end do
    end subroutine lead

    subroutine follow()
        integer, allocatable :: numbers(:)
        integer :: elements
        type(MPI_Message) :: message
        type(MPI_Status) :: status
        do
            call MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, message, status)
            call MPI_Get_count(status, MPI_INTEGER, elements)
            allocate (numbers(elements))
            call MPI_Mrecv(numbers, elements, MPI_INTEGER, message, MPI_STATUS_IGNORE)
            if (status%MPI_TAG == stop) return
            call MPI_Send([numbers(1), sum(numbers(2:))], 2, MPI_INTEGER, 0, answer, MPI_COMM_WORLD)
            deallocate (numbers)
        end do
    end subroutine follow
end module tasks

program master_worker
    use tasks
    implicit none
    integer :: rank, size
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    if (rank == 0) then
        call lead(size - 1)
    else
        call follow()
    end if
    call MPI_Finalize()
end program master_worker
