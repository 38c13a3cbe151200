! SPDX-License-Identifier: BSD-3-Clause
! mpi_f08: messages in every mode, requests one by one and in arrays, statuses, probes,
! array sections, buffered sends, generalized requests; indices count from 1.
! The functions of a generalized request, and how often they were called.
module f08_messages_callbacks
    use mpi_f08
    implicit none
    private
    integer :: queries = 0, frees = 0, cancels = 0
    public :: query, release, cancel, queries, frees, cancels

contains

    subroutine query(extra_state, status, ierror)
        integer(MPI_ADDRESS_KIND) :: extra_state
        type(MPI_Status) :: status
        integer :: ierror
        queries = queries + int(extra_state)
        call MPI_Status_set_tag(status, 5)
        call MPI_Status_set_cancelled(status, cancels > 0)
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
        if (.not. complete) cancels = cancels + int(extra_state)
        ierror = MPI_SUCCESS
    end subroutine cancel
end module f08_messages_callbacks

program f08_messages
    use, intrinsic :: iso_c_binding, only : c_associated, c_loc, c_ptr
    use mpi_f08
    use check_m, only : check, unit
    use f08_messages_callbacks, only : query, release, cancel, queries, frees, cancels
    implicit none
    integer, parameter :: n = 5
    integer :: rank, ranks, right, left
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    right = mod(rank + 1, ranks)
    left = mod(rank + ranks - 1, ranks)
    call send_and_receive()
    call arrays_of_requests()
    call sections()
    call persistent_requests()
    call probes_and_cancel()
    call buffered_sends()
    call sends_with_receives()
    call generalized_requests()
    call statuses()
    call MPI_Finalize()

contains

    subroutine send_and_receive()
        integer, asynchronous :: in(n), out(n)
        integer :: count, ierror
        integer(MPI_COUNT_KIND) :: large
        type(MPI_Request) :: request
        type(MPI_Status) :: status
        logical :: flag
        out = rank
        call MPI_Irecv(in, n, MPI_INTEGER, left, 3, MPI_COMM_WORLD, request)
        call MPI_Send(out, n, MPI_INTEGER, right, 3, MPI_COMM_WORLD)
        call MPI_Wait(request, status, ierror)
        call check('irecv and wait bring the message', all(in == left) .and. &
            ierror == MPI_SUCCESS .and. request == MPI_REQUEST_NULL)
        call MPI_Get_count(status, MPI_INTEGER, count)
        call MPI_Get_count(status, MPI_INTEGER, large)
        call check('the status tells', status%MPI_SOURCE == left .and. &
            status%MPI_TAG == 3 .and. count == n .and. large == n)
        call MPI_Isend(out, int(n, MPI_COUNT_KIND), MPI_INTEGER, right, 4, &
            MPI_COMM_WORLD, request)
        call MPI_Recv(in, n, MPI_INTEGER, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &
            MPI_STATUS_IGNORE)
        flag = .false.
        do while (.not. flag)
            call MPI_Test(request, flag, MPI_STATUS_IGNORE)
        end do
        call check('isend with a large count', all(in == left))
        call MPI_Issend(out, n, MPI_INTEGER, right, 5, MPI_COMM_WORLD, request)
        call MPI_Recv(in, n, MPI_INTEGER, left, 5, MPI_COMM_WORLD, status=status)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call check('issend', status%MPI_TAG == 5)
    end subroutine send_and_receive

    subroutine post(in, requests)
        integer, asynchronous, intent(inout) :: in(n)
        type(MPI_Request), intent(out) :: requests(n)
        integer :: i
        in = -1
        do i = 1, n
            call MPI_Irecv(in(i), 1, MPI_INTEGER, left, i, MPI_COMM_WORLD, requests(i))
        end do
    end subroutine post

    subroutine send(tag)
        integer, intent(in) :: tag
        call MPI_Send(100 * rank + tag, 1, MPI_INTEGER, right, tag, MPI_COMM_WORLD)
    end subroutine send

    subroutine arrays_of_requests()
        integer, asynchronous :: in(n)
        type(MPI_Request) :: requests(n)
        type(MPI_Status) :: stats(n)
        integer :: i, index, found, indices(n)
        logical :: flag
        call post(in, requests)
        do i = 1, n
            call send(i)
        end do
        call MPI_Waitall(n, requests, stats)
        call check('waitall', all(in == [(100 * left + i, i = 1, n)]) .and. &
            all(stats%MPI_TAG == [(i, i = 1, n)]) .and. stats(n)%MPI_SOURCE == left)
        call MPI_Barrier(MPI_COMM_WORLD)
        call post(in, requests)
        call MPI_Testall(n, requests, flag, MPI_STATUSES_IGNORE)
        call check('testall is false', .not. flag)
        call MPI_Testany(n, requests, index, flag, stats(1))
        call check('nor is testany true', .not. flag .and. index == MPI_UNDEFINED)
        call MPI_Barrier(MPI_COMM_WORLD)
        call send(4)
        call MPI_Waitany(n, requests, index, stats(1))
        call check('waitany counts from 1', index == 4 .and. in(4) == 100 * left + 4)
        call MPI_Barrier(MPI_COMM_WORLD)
        call send(2)
        call MPI_Waitsome(n, requests, found, indices, stats)
        call check('waitsome counts from 1', found == 1 .and. indices(1) == 2 .and. &
            stats(1)%MPI_TAG == 2)
        call MPI_Barrier(MPI_COMM_WORLD)
        call send(1)
        call send(3)
        call send(5)
        flag = .false.
        do while (.not. flag)
            call MPI_Request_get_status_all(n, requests, flag, stats)
        end do
        call MPI_Request_get_status_any(n, requests, index, flag, MPI_STATUS_IGNORE)
        call check('request_get_status_any counts from 1', flag .and. index == 1)
        call MPI_Testsome(n, requests, found, indices, MPI_STATUSES_IGNORE)
        call check('testsome counts from 1', found == 3 .and. &
            all(indices(:3) == [1, 3, 5]))
        call MPI_Waitany(n, requests, index, MPI_STATUS_IGNORE)
        call check('nothing is left', index == MPI_UNDEFINED)
        call MPI_Waitsome(n, requests, found, indices, MPI_STATUSES_IGNORE)
        call check('nor for waitsome', found == MPI_UNDEFINED)
        call MPI_Barrier(MPI_COMM_WORLD)
    end subroutine arrays_of_requests

    ! What is not contiguous is sent from where it lies, and received there.
    subroutine sections()
        integer, asynchronous :: a(6, 6), b(6, 6)
        type(MPI_Request) :: request
        integer :: i
        a = reshape([(1000 * rank + i, i = 1, 36)], [6, 6])
        b = -1
        call MPI_Irecv(b(2::2, 3), 3, MPI_INTEGER, left, 7, MPI_COMM_WORLD, request)
        call MPI_Send(a(5, 2::2), 3, MPI_INTEGER, right, 7, MPI_COMM_WORLD)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call check('a section arrives', &
            all(b(2::2, 3) == [1000 * left + 11, 1000 * left + 23, 1000 * left + 35]))
        call check('in a section only', count(b == -1) == 33)
    end subroutine sections

    subroutine persistent_requests()
        integer, asynchronous :: in(n), out(n)
        type(MPI_Request) :: requests(2)
        type(MPI_Status) :: stats(2)
        integer :: round
        call MPI_Send_init(out, n, MPI_INTEGER, right, 8, MPI_COMM_WORLD, requests(1))
        call MPI_Recv_init(in, n, MPI_INTEGER, left, 8, MPI_COMM_WORLD, requests(2))
        do round = 1, 3
            out = rank + round
            call MPI_Startall(2, requests)
            call MPI_Waitall(2, requests, stats)
            call check('startall', all(in == left + round) .and. &
                stats(2)%MPI_SOURCE == left)
        end do
        call MPI_Start(requests(2))
        out = 77
        call MPI_Start(requests(1))
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
        call check('start', all(in == 77))
        call MPI_Request_free(requests(1))
        call MPI_Request_free(requests(2))
        call check('they are freed', all(requests%MPI_VAL == MPI_REQUEST_NULL%MPI_VAL))
    end subroutine persistent_requests

    subroutine probes_and_cancel()
        integer, asynchronous :: in(n), out(n)
        type(MPI_Message) :: message
        type(MPI_Request) :: request
        type(MPI_Status) :: status
        logical :: flag
        out = rank
        call MPI_Send(out, n, MPI_INTEGER, right, 9, MPI_COMM_WORLD)
        call MPI_Probe(left, MPI_ANY_TAG, MPI_COMM_WORLD, status)
        call check('probe', status%MPI_TAG == 9)
        call MPI_Mprobe(left, 9, MPI_COMM_WORLD, message, status)
        call MPI_Iprobe(left, 9, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE)
        call check('mprobe has taken the message', .not. flag)
        call MPI_Barrier(MPI_COMM_WORLD)
        call MPI_Mrecv(in, n, MPI_INTEGER, message, status)
        call check('mrecv', all(in == left) .and. message == MPI_MESSAGE_NULL)
        call MPI_Send(out, n, MPI_INTEGER, right, 9, MPI_COMM_WORLD)
        flag = .false.
        do while (.not. flag)
            call MPI_Improbe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, flag, message, status)
        end do
        call MPI_Imrecv(in, n, MPI_INTEGER, message, request)
        call MPI_Wait(request, status)
        call check('imrecv', status%MPI_SOURCE == left)
        call MPI_Irecv(in, n, MPI_INTEGER, left, 10, MPI_COMM_WORLD, request)
        call MPI_Cancel(request)
        call MPI_Wait(request, status)
        call MPI_Test_cancelled(status, flag)
        call check('cancel', flag)
        call MPI_Mprobe(MPI_PROC_NULL, 9, MPI_COMM_WORLD, message, status)
        call check('nobody', message == MPI_MESSAGE_NO_PROC)
        call MPI_Mrecv(in, n, MPI_INTEGER, message, status)
    end subroutine probes_and_cancel

    subroutine buffered_sends()
        integer, parameter :: bytes = unit * 20000 + MPI_BSEND_OVERHEAD
        character, asynchronous, allocatable, target :: buffer(:)
        integer, asynchronous, allocatable :: in(:), out(:)
        type(c_ptr) :: detached
        type(MPI_Request) :: request
        integer :: length
        allocate (buffer(bytes), in(20000), out(20000))
        call MPI_Buffer_attach(buffer, bytes)
        out = rank
        call MPI_Bsend(out, 20000, MPI_INTEGER, right, 11, MPI_COMM_WORLD)
        out = -1
        call MPI_Recv(in, 20000, MPI_INTEGER, left, 11, MPI_COMM_WORLD, &
            MPI_STATUS_IGNORE)
        call check('bsend keeps a copy', all(in == left))
        call MPI_Buffer_iflush(request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call MPI_Buffer_flush()
        call MPI_Buffer_detach(detached, length)
        call check('detach gives the buffer back', length == bytes .and. &
            c_associated(detached, c_loc(buffer)))
        call MPI_Comm_attach_buffer(MPI_COMM_WORLD, MPI_BUFFER_AUTOMATIC, 0)
        out = rank
        call MPI_Ibsend(out, 20000, MPI_INTEGER, right, 12, MPI_COMM_WORLD, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        out = -1
        call MPI_Recv(in, 20000, MPI_INTEGER, left, 12, MPI_COMM_WORLD, &
            MPI_STATUS_IGNORE)
        call MPI_Comm_flush_buffer(MPI_COMM_WORLD)
        call MPI_Comm_detach_buffer(MPI_COMM_WORLD, detached, length)
        call check('the library finds memory for bsend', all(in == left) .and. &
            length == 0)
    end subroutine buffered_sends

    subroutine sends_with_receives()
        integer, asynchronous :: in(n), out(n)
        type(MPI_Request) :: request
        type(MPI_Status) :: status
        out = rank
        call MPI_Sendrecv(out, n, MPI_INTEGER, right, 1, in, n, MPI_INTEGER, left, 1, &
            MPI_COMM_WORLD, status)
        call check('sendrecv', all(in == left) .and. status%MPI_SOURCE == left)
        call MPI_Sendrecv_replace(out, n, MPI_INTEGER, right, 2, left, 2, &
            MPI_COMM_WORLD, status)
        call check('sendrecv_replace', all(out == left))
        in = -1
        call MPI_Isendrecv(out, n, MPI_INTEGER, left, 3, in, n, MPI_INTEGER, right, 3, &
            MPI_COMM_WORLD, request)
        call MPI_Wait(request, status)
        call check('isendrecv', all(in == rank) .and. status%MPI_TAG == 3)
        call MPI_Isendrecv_replace(in, n, MPI_INTEGER, right, 4, left, 4, &
            MPI_COMM_WORLD, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call check('isendrecv_replace', all(in == left))
    end subroutine sends_with_receives

    subroutine generalized_requests()
        type(MPI_Request) :: request
        type(MPI_Status) :: status
        logical :: flag
        call MPI_Grequest_start(query, release, cancel, 10_MPI_ADDRESS_KIND, request)
        call MPI_Test(request, flag, status)
        call check('it is not complete', .not. flag .and. queries == 0)
        call MPI_Cancel(request)
        call MPI_Grequest_complete(request)
        call MPI_Wait(request, status)
        call MPI_Test_cancelled(status, flag)
        call check('its functions were called', queries == 10 .and. frees == 10 .and. &
            cancels == 10 .and. flag .and. status%MPI_TAG == 5)
    end subroutine generalized_requests

    subroutine statuses()
        type(MPI_Status) :: status
        integer :: source, tag, error
        call MPI_Status_set_source(status, 7)
        call MPI_Status_set_tag(status, 8)
        call MPI_Status_set_error(status, MPI_ERR_TAG)
        call check('setters set fields', status%MPI_SOURCE == 7 .and. &
            status%MPI_TAG == 8 .and. status%MPI_ERROR == MPI_ERR_TAG)
        call MPI_Status_get_source(status, source)
        call MPI_Status_get_tag(status, tag)
        call MPI_Status_get_error(status, error)
        call check('getters get them', all([source, tag, error] == [7, 8, MPI_ERR_TAG]))
    end subroutine statuses
end program f08_messages
