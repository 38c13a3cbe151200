! SPDX-License-Identifier: BSD-3-Clause
! The mpi module: messages, arrays of requests and of statuses, indices from 1,
! operations with a request, generalized requests.
! The functions of a generalized request, and how often they were called.
module mpi_messages_callbacks
    use mpi
    use check_m, only : check
    implicit none
    private
    integer :: queries = 0, frees = 0
    public :: query, release, cancel, queries, frees

contains

    subroutine query(extra_state, status, ierror)
        integer(MPI_ADDRESS_KIND) :: extra_state
        integer :: status(MPI_STATUS_SIZE), ierror
        queries = queries + int(extra_state)
        status(MPI_TAG) = 6
        ierror = MPI_SUCCESS
    end subroutine query

    subroutine release(extra_state, ierror)
        integer(MPI_ADDRESS_KIND) :: extra_state
        integer :: ierror
        frees = frees + int(extra_state)
        ierror = MPI_SUCCESS
    end subroutine release

    subroutine cancel(extra_state, complete, ierror)
        integer(MPI_ADDRESS_KIND) :: extra_state
        logical :: complete
        integer :: ierror
        call check('nobody cancels', complete .and. extra_state == 0)
        ierror = MPI_SUCCESS
    end subroutine cancel
end module mpi_messages_callbacks

program mpi_messages
    use mpi
    use check_m, only : check, unit
    use mpi_messages_callbacks, only : query, release, cancel, queries, frees
    implicit none
    integer, parameter :: n = 4
    integer :: rank, ranks, right, left, ierror
    call MPI_INIT(ierror)
    call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
    call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
    right = mod(rank + 1, ranks)
    left = mod(rank + ranks - 1, ranks)
    call send_and_receive()
    call arrays_of_requests()
    call operations_with_requests()
    call generalized_requests()
    call MPI_FINALIZE(ierror)

contains

    subroutine send_and_receive()
        integer, asynchronous :: in(n), out(n)
        integer :: request, status(MPI_STATUS_SIZE), received
        logical :: flag
        out = rank
        call MPI_ISEND(out, n, MPI_INTEGER, right, 3, MPI_COMM_WORLD, request, ierror)
        call MPI_RECV(in, n, MPI_INTEGER, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &
            status, ierror)
        call MPI_WAIT(request, MPI_STATUS_IGNORE, ierror)
        call MPI_GET_COUNT(status, MPI_INTEGER, received, ierror)
        call check('a message arrives', all(in == left) .and. &
            status(MPI_SOURCE) == left .and. status(MPI_TAG) == 3 .and. received == n)
        call check('the request is null', request == MPI_REQUEST_NULL)
        call MPI_IRECV(in, n, MPI_INTEGER, left, 4, MPI_COMM_WORLD, request, ierror)
        call MPI_CANCEL(request, ierror)
        call MPI_WAIT(request, status, ierror)
        call MPI_TEST_CANCELLED(status, flag, ierror)
        call check('cancel', flag)
        call MPI_SENDRECV(out, n, MPI_INTEGER, left, 5, in, n, MPI_INTEGER, right, 5, &
            MPI_COMM_WORLD, status, ierror)
        call check('sendrecv', all(in == right))
        call MPI_BARRIER(MPI_COMM_WORLD, ierror)
    end subroutine send_and_receive

    subroutine arrays_of_requests()
        integer, asynchronous :: in(n), out(n)
        integer :: requests(n), stats(MPI_STATUS_SIZE, n), indices(n)
        integer :: i, index, found
        logical :: flag
        out = [(100 * rank + i, i = 1, n)]
        do i = 1, n
            call MPI_RECV_INIT(in(i), 1, MPI_INTEGER, left, i, MPI_COMM_WORLD, &
                requests(i), ierror)
        end do
        call MPI_STARTALL(n, requests, ierror)
        do i = 1, n
            call MPI_SEND(out(i), 1, MPI_INTEGER, right, i, MPI_COMM_WORLD, ierror)
        end do
        call MPI_WAITALL(n, requests, stats, ierror)
        call check('waitall', all(in == [(100 * left + i, i = 1, n)]) .and. &
            all(stats(MPI_TAG, :) == [(i, i = 1, n)]))
        call MPI_BARRIER(MPI_COMM_WORLD, ierror)
        call MPI_STARTALL(n, requests, ierror)
        call MPI_SEND(out(3), 1, MPI_INTEGER, right, 3, MPI_COMM_WORLD, ierror)
        call MPI_WAITANY(n, requests, index, MPI_STATUS_IGNORE, ierror)
        call check('waitany counts from 1', index == 3)
        call MPI_BARRIER(MPI_COMM_WORLD, ierror)
        call MPI_SEND(out(2), 1, MPI_INTEGER, right, 2, MPI_COMM_WORLD, ierror)
        call MPI_WAITSOME(n, requests, found, indices, stats, ierror)
        call check('waitsome counts from 1', found == 1 .and. indices(1) == 2 .and. &
            stats(MPI_SOURCE, 1) == left)
        call MPI_BARRIER(MPI_COMM_WORLD, ierror)
        call MPI_SEND(out(1), 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD, ierror)
        call MPI_SEND(out(4), 1, MPI_INTEGER, right, 4, MPI_COMM_WORLD, ierror)
        flag = .false.
        do while (.not. flag)
            call MPI_TESTALL(n, requests, flag, MPI_STATUSES_IGNORE, ierror)
        end do
        call MPI_TESTANY(n, requests, index, flag, stats, ierror)
        call check('all are inactive', flag .and. index == MPI_UNDEFINED)
        do i = 1, n
            call MPI_REQUEST_FREE(requests(i), ierror)
        end do
        call check('all are freed', all(requests == MPI_REQUEST_NULL))
    end subroutine arrays_of_requests

    subroutine operations_with_requests()
        integer, asynchronous :: memory(n), out(n), in(n)
        integer :: win, requests(2)
        memory = 0
        out = rank + 1
        call MPI_WIN_CREATE(memory, int(unit * n, MPI_ADDRESS_KIND), unit, MPI_INFO_NULL, &
            MPI_COMM_WORLD, win, ierror)
        call MPI_WIN_LOCK_ALL(0, win, ierror)
        call MPI_RPUT(out, n, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, n, MPI_INTEGER, &
            win, requests(1), ierror)
        call MPI_WAIT(requests(1), MPI_STATUS_IGNORE, ierror)
        call MPI_RACCUMULATE(out, n, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, n, &
            MPI_INTEGER, MPI_SUM, win, requests(1), ierror)
        call MPI_RGET_ACCUMULATE(out, n, MPI_INTEGER, in, n, MPI_INTEGER, right, &
            0_MPI_ADDRESS_KIND, n, MPI_INTEGER, MPI_SUM, win, requests(2), ierror)
        call MPI_WAITALL(2, requests, MPI_STATUSES_IGNORE, ierror)
        call check('rget_accumulate fetches', all(in == 2 * (rank + 1)))
        call MPI_RGET(in, n, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, n, MPI_INTEGER, &
            win, requests(1), ierror)
        call MPI_WAIT(requests(1), MPI_STATUS_IGNORE, ierror)
        call check('rget brings the sum', all(in == 3 * (rank + 1)))
        call MPI_WIN_UNLOCK_ALL(win, ierror)
        call MPI_WIN_FREE(win, ierror)
    end subroutine operations_with_requests

    subroutine generalized_requests()
        integer :: request, status(MPI_STATUS_SIZE)
        call MPI_GREQUEST_START(query, release, cancel, 10_MPI_ADDRESS_KIND, request, &
            ierror)
        call MPI_GREQUEST_COMPLETE(request, ierror)
        call MPI_WAIT(request, status, ierror)
        call check('its functions were called', queries == 10 .and. frees == 10 .and. &
            status(MPI_TAG) == 6)
    end subroutine generalized_requests
end program mpi_messages
