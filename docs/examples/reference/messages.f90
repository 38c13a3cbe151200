! SPDX-License-Identifier: BSD-3-Clause
! Messages between two processes. Any number of processes from two on.
program messages
    use mpi_f08
    implicit none
    integer :: rank, size, next, before
    ! example: MPI_Init, MPI_Comm_rank, MPI_Comm_size
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank) ! 0 ... size - 1
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    ! end of example
    next = mod(rank + 1, size)
    before = mod(rank + size - 1, size)
    if (size < 2) call MPI_Abort(MPI_COMM_WORLD, 1)
    call blocking()
    call nonblocking()
    call of_unknown_length()
    ! example: MPI_Finalize
    call MPI_Finalize() ! no MPI after this, but for a few procedures such as MPI_Get_version
    ! end of example
contains
    subroutine require(holds, what)
        logical, intent(in) :: holds
        character(len=*), intent(in) :: what
        if (holds) return
        print '(a, i0, 2a)', 'rank ', rank, ': ', what
        call MPI_Abort(MPI_COMM_WORLD, 1)
    end subroutine require

    subroutine blocking()
        integer :: numbers(3), theirs
        ! example: MPI_Send, MPI_Recv
        if (rank == 0) then
            call MPI_Send([1, 2, 3], 3, MPI_INTEGER, 1, 42, MPI_COMM_WORLD)
        else if (rank == 1) then
            call MPI_Recv(numbers, 3, MPI_INTEGER, 0, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        end if
        ! end of example
        if (rank == 1) call require(all(numbers == [1, 2, 3]), 'three numbers')

        ! example: MPI_Sendrecv
        ! Every process sends to the next and receives from the one before.
        call MPI_Sendrecv(rank, 1, MPI_INTEGER, next, 0, theirs, 1, MPI_INTEGER, before, 0, &
            MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        ! end of example
        call require(theirs == before, 'the rank of the process before')
    end subroutine blocking

    subroutine nonblocking()
        integer, asynchronous :: from(2), value
        type(MPI_Request) :: requests(4), receive, send
        logical :: is_here
        ! example: MPI_Isend, MPI_Irecv, MPI_Waitall
        ! Both neighbours at once: no order of the calls can make the processes wait for each
        ! other. With integer, asynchronous :: from(2)
        call MPI_Irecv(from(1), 1, MPI_INTEGER, before, 1, MPI_COMM_WORLD, requests(1))
        call MPI_Irecv(from(2), 1, MPI_INTEGER, next, 2, MPI_COMM_WORLD, requests(2))
        call MPI_Isend(rank, 1, MPI_INTEGER, next, 1, MPI_COMM_WORLD, requests(3))
        call MPI_Isend(rank, 1, MPI_INTEGER, before, 2, MPI_COMM_WORLD, requests(4))
        call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
        ! end of example
        call require(from(1) == before .and. from(2) == next, 'the ranks of both neighbours')

        ! example: MPI_Wait, MPI_Test
        call MPI_Irecv(value, 1, MPI_INTEGER, before, 3, MPI_COMM_WORLD, receive)
        call MPI_Isend(rank, 1, MPI_INTEGER, next, 3, MPI_COMM_WORLD, send)
        is_here = .false.
        do while (.not. is_here)
            ! ... work ...
            call MPI_Test(receive, is_here, MPI_STATUS_IGNORE)
        end do
        call MPI_Wait(send, MPI_STATUS_IGNORE)
        ! end of example
        call require(value == before, 'the rank of the process before')
    end subroutine nonblocking

    subroutine of_unknown_length()
        type(MPI_Status) :: status
        integer :: count
        integer, allocatable :: numbers(:)
        if (rank == 0) call MPI_Send([7, 8, 9], 3, MPI_INTEGER, 1, 5, MPI_COMM_WORLD)
        if (rank /= 1) return
        ! example: MPI_Probe, MPI_Get_count
        ! Asks how long the message is before it is received.
        call MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, status)
        call MPI_Get_count(status, MPI_INTEGER, count)
        allocate(numbers(count))
        call MPI_Recv(numbers, count, MPI_INTEGER, status%MPI_SOURCE, 5, MPI_COMM_WORLD, &
            MPI_STATUS_IGNORE)
        ! end of example
        call require(all(numbers == [7, 8, 9]), 'three numbers')
    end subroutine of_unknown_length
end program messages
