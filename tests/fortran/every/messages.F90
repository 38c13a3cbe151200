! SPDX-License-Identifier: BSD-3-Clause
! Messages in every mode, blocking, nonblocking and persistent; probes; requests one by
! one and in arrays, with their statuses; buffered sends. Indices count from 1.
program messages
#include "binding.inc"
    integer, parameter :: n = 5
    integer :: rank, ranks, right, left, mode, i, ierror
    integer, asynchronous :: in(n), out(n)
    HANDLE(MPI_Comm) :: world
    call MPI_Init(ierror)
    world = MPI_COMM_WORLD
    call MPI_Comm_rank(world, rank, ierror)
    call MPI_Comm_size(world, ranks, ierror)
    right = mod(rank + 1, ranks)
    left = mod(rank + ranks - 1, ranks)
    call MPI_Comm_attach_buffer(world, MPI_BUFFER_AUTOMATIC, 0_ck, ierror)
    do mode = 1, 4
        call send()
        call isend()
        call persistent_send()
    end do
    call MPI_Comm_flush_buffer(world, ierror)
    call probes()
    call cancelled()
    call sends_with_receives()
    call sections()
    call all_or_any()
    call some()
    call statuses_of_active_requests()
    call constants_are_no_buffers()
    call MPI_Finalize(ierror)

contains

    subroutine constants_are_no_buffers()
        HANDLE(MPI_Errhandler) :: before
        call MPI_Comm_get_errhandler(world, before, ierror)
        call MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN, ierror)
        call MPI_Send(MPI_IN_PLACE, int(n, ck), MPI_INTEGER, right, 1, world, ierror)
        call check('MPI_IN_PLACE is not sent', ierror == MPI_ERR_BUFFER)
        call MPI_Bcast(MPI_IN_PLACE, int(n, ck), MPI_INTEGER, 0, world, ierror)
        call check('nor broadcast', ierror == MPI_ERR_BUFFER)
        call MPI_Allreduce(out, MPI_IN_PLACE, int(n, ck), MPI_INTEGER, MPI_SUM, world, &
            ierror)
        call check('nor a result', ierror == MPI_ERR_BUFFER)
        call MPI_Comm_set_errhandler(world, before, ierror)
    end subroutine constants_are_no_buffers

    ! The receive is there before the ready send, since all wait for it.
    subroutine post(request)
        HANDLE(MPI_Request), intent(out) :: request
        out = 100 * rank + [1, 2, 3, 4, 5]
        in = -1
        call MPI_Irecv(in, int(n, ck), MPI_INTEGER, left, mode, world, request, ierror)
        call MPI_Barrier(world, ierror)
    end subroutine post

    subroutine arrived(claim, request)
        character(len=*), intent(in) :: claim
        HANDLE(MPI_Request), intent(inout) :: request
        STATUS :: status
        integer(ck) :: received
        call MPI_Wait(request, status, ierror)
        call check(claim, all(in == 100 * left + [1, 2, 3, 4, 5]))
        call MPI_Get_count(status, MPI_INTEGER, received, ierror)
        call check('the status tells', FIELD(status, MPI_SOURCE) == left .and. &
            FIELD(status, MPI_TAG) == mode .and. received == n)
        call check('the request is null', request == MPI_REQUEST_NULL)
    end subroutine arrived

    subroutine send()
        HANDLE(MPI_Request) :: request
        call post(request)
        select case (mode)
        case (1)
            call MPI_Send(out, int(n, ck), MPI_INTEGER, right, mode, world, ierror)
        case (2)
            call MPI_Ssend(out, int(n, ck), MPI_INTEGER, right, mode, world, ierror)
        case (3)
            call MPI_Rsend(out, int(n, ck), MPI_INTEGER, right, mode, world, ierror)
        case (4)
            call MPI_Bsend(out, int(n, ck), MPI_INTEGER, right, mode, world, ierror)
        end select
        call arrived('send', request)
    end subroutine send

    subroutine isend()
        HANDLE(MPI_Request) :: request, sent
        call post(request)
        select case (mode)
        case (1)
            call MPI_Isend(out, int(n, ck), MPI_INTEGER, right, mode, world, sent, &
                ierror)
        case (2)
            call MPI_Issend(out, int(n, ck), MPI_INTEGER, right, mode, world, sent, &
                ierror)
        case (3)
            call MPI_Irsend(out, int(n, ck), MPI_INTEGER, right, mode, world, sent, &
                ierror)
        case (4)
            call MPI_Ibsend(out, int(n, ck), MPI_INTEGER, right, mode, world, sent, &
                ierror)
        end select
        call arrived('isend', request)
        call MPI_Wait(sent, MPI_STATUS_IGNORE, ierror)
    end subroutine isend

    subroutine persistent_send()
        HANDLE(MPI_Request) :: request, sent
        call post(request)
        select case (mode)
        case (1)
            call MPI_Send_init(out, int(n, ck), MPI_INTEGER, right, mode, world, sent, &
                ierror)
        case (2)
            call MPI_Ssend_init(out, int(n, ck), MPI_INTEGER, right, mode, world, &
                sent, ierror)
        case (3)
            call MPI_Rsend_init(out, int(n, ck), MPI_INTEGER, right, mode, world, &
                sent, ierror)
        case (4)
            call MPI_Bsend_init(out, int(n, ck), MPI_INTEGER, right, mode, world, &
                sent, ierror)
        end select
        call MPI_Start(sent, ierror)
        call arrived('a persistent send', request)
        call MPI_Wait(sent, MPI_STATUS_IGNORE, ierror)
        call check('a persistent request stays', sent /= MPI_REQUEST_NULL)
        call MPI_Request_free(sent, ierror)
        call check('until it is freed', sent == MPI_REQUEST_NULL)
    end subroutine persistent_send

    subroutine probes()
        HANDLE(MPI_Message) :: message
        HANDLE(MPI_Request) :: request
        STATUS :: status
        logical :: flag
        out = rank
        do i = 6, 9
            call MPI_Send(out, int(n, ck), MPI_INTEGER, right, i, world, ierror)
        end do
        call MPI_Probe(left, MPI_ANY_TAG, world, status, ierror)
        call check('probe', FIELD(status, MPI_TAG) == 6)
        call MPI_Recv(in, int(n, ck), MPI_INTEGER, left, 6, world, status, ierror)
        call check('recv', all(in == left))
        flag = .false.
        do while (.not. flag)
            call MPI_Iprobe(left, 7, world, flag, status, ierror)
        end do
        call check('iprobe', FIELD(status, MPI_SOURCE) == left)
        call MPI_Mprobe(left, 7, world, message, status, ierror)
        call check('mprobe', FIELD(status, MPI_TAG) == 7)
        call MPI_Iprobe(left, 7, world, flag, MPI_STATUS_IGNORE, ierror)
        call check('mprobe has taken the message', .not. flag)
        in = -1
        call MPI_Mrecv(in, int(n, ck), MPI_INTEGER, message, status, ierror)
        call check('mrecv', all(in == left) .and. message == MPI_MESSAGE_NULL)
        flag = .false.
        do while (.not. flag)
            call MPI_Improbe(MPI_ANY_SOURCE, 8, world, flag, message, status, ierror)
        end do
        in = -1
        call MPI_Imrecv(in, int(n, ck), MPI_INTEGER, message, request, ierror)
        call MPI_Wait(request, status, ierror)
        call check('imrecv', all(in == left) .and. FIELD(status, MPI_TAG) == 8)
        call MPI_Recv(in, int(n, ck), MPI_INTEGER, left, 9, world, MPI_STATUS_IGNORE, &
            ierror)
        call MPI_Mprobe(MPI_PROC_NULL, 9, world, message, status, ierror)
        call check('nobody', message == MPI_MESSAGE_NO_PROC)
        call MPI_Mrecv(in, int(n, ck), MPI_INTEGER, message, status, ierror)
        call check('nobody sends nothing', FIELD(status, MPI_SOURCE) == MPI_PROC_NULL)
    end subroutine probes

    subroutine cancelled()
        HANDLE(MPI_Request) :: request
        STATUS :: status
        logical :: flag
        call MPI_Irecv(in, int(n, ck), MPI_INTEGER, left, 10, world, request, ierror)
        call MPI_Cancel(request, ierror)
        call MPI_Wait(request, status, ierror)
        call MPI_Test_cancelled(status, flag, ierror)
        call check('cancel', flag)
    end subroutine cancelled

    subroutine sends_with_receives()
        HANDLE(MPI_Request) :: request
        STATUS :: status
        out = rank
        call MPI_Sendrecv(out, int(n, ck), MPI_INTEGER, right, 1, in, int(n, ck), &
            MPI_INTEGER, left, 1, world, status, ierror)
        call check('sendrecv', all(in == left) .and. FIELD(status, MPI_SOURCE) == left)
        call MPI_Sendrecv_replace(out, int(n, ck), MPI_INTEGER, right, 2, left, 2, &
            world, status, ierror)
        call check('sendrecv_replace', all(out == left))
        call MPI_Isendrecv(out, int(n, ck), MPI_INTEGER, left, 3, in, int(n, ck), &
            MPI_INTEGER, right, 3, world, request, ierror)
        call MPI_Wait(request, status, ierror)
        call check('isendrecv', all(in == rank) .and. FIELD(status, MPI_TAG) == 3)
        call MPI_Isendrecv_replace(in, int(n, ck), MPI_INTEGER, right, 4, left, 4, &
            world, request, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call check('isendrecv_replace', all(in == left))
    end subroutine sends_with_receives

    ! What is not contiguous is sent from where it lies, and received there.
    subroutine sections()
        integer, asynchronous :: a(6, 6), b(6, 6)
        HANDLE(MPI_Request) :: request
        a = reshape([(1000 * rank + i, i = 1, 36)], [6, 6])
        b = -1
        call MPI_Irecv(b(2::2, 3), 3_ck, MPI_INTEGER, left, 7, world, request, ierror)
        call MPI_Send(a(5, 2::2), 3_ck, MPI_INTEGER, right, 7, world, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call check('a section arrives', all(b(2::2, 3) == 1000 * left + [11, 23, 35]))
        call check('in a section only', count(b == -1) == 33)
    end subroutine sections

    ! Receives with the tags from 1 to n, each for one element.
    subroutine post_all(requests)
        HANDLE(MPI_Request), intent(out) :: requests(n)
        in = -1
        do i = 1, n
            call MPI_Recv_init(in(i), 1_ck, MPI_INTEGER, left, i, world, requests(i), &
                ierror)
        end do
        call MPI_Startall(n, requests, ierror)
        call MPI_Barrier(world, ierror)
    end subroutine post_all

    subroutine send_to(tag)
        integer, intent(in) :: tag
        call MPI_Send(100 * rank + tag, 1_ck, MPI_INTEGER, right, tag, world, ierror)
    end subroutine send_to

    subroutine free_all(requests)
        HANDLE(MPI_Request), intent(inout) :: requests(n)
        do i = 1, n
            call MPI_Request_free(requests(i), ierror)
        end do
        call check('all are freed', all(requests == MPI_REQUEST_NULL))
    end subroutine free_all

    subroutine all_or_any()
        HANDLE(MPI_Request) :: requests(n)
        STATUSES(stats, n)
        integer :: index
        logical :: flag
        call post_all(requests)
        call MPI_Testall(n, requests, flag, MPI_STATUSES_IGNORE, ierror)
        call check('testall is false', .not. flag)
        call MPI_Testany(n, requests, index, flag, MPI_STATUS_IGNORE, ierror)
        call check('nor is testany true', .not. flag .and. index == MPI_UNDEFINED)
        call MPI_Barrier(world, ierror)
        call send_to(4)
        call MPI_Waitany(n, requests, index, MPI_STATUS_IGNORE, ierror)
        call check('waitany counts from 1', index == 4 .and. in(4) == 100 * left + 4)
        call MPI_Barrier(world, ierror)
        do i = 1, n
            if (i /= 4) call send_to(i)
        end do
        call MPI_Waitall(n, requests, stats, ierror)
        call check('waitall', all(in == [(100 * left + i, i = 1, n)]))
        call check('waitall gives statuses', FIELD_OF(stats, 5, MPI_TAG) == 5 .and. &
            FIELD_OF(stats, 1, MPI_SOURCE) == left .and. &
            FIELD_OF(stats, 4, MPI_TAG) == MPI_ANY_TAG)
        call MPI_Testany(n, requests, index, flag, MPI_STATUS_IGNORE, ierror)
        call check('nothing is active', flag .and. index == MPI_UNDEFINED)
        call free_all(requests)
    end subroutine all_or_any

    subroutine some()
        HANDLE(MPI_Request) :: requests(n)
        STATUSES(stats, n)
        integer :: found, indices(n)
        call post_all(requests)
        call send_to(2)
        call MPI_Waitsome(n, requests, found, indices, stats, ierror)
        call check('waitsome counts from 1', found == 1 .and. indices(1) == 2 .and. &
            FIELD_OF(stats, 1, MPI_TAG) == 2)
        call MPI_Barrier(world, ierror)
        call send_to(3)
        call send_to(5)
        found = 0
        do while (found < 2)
            call MPI_Request_get_status_some(n, requests, found, indices, stats, ierror)
        end do
        call check('request_get_status_some counts from 1', &
            all(indices(:2) == [3, 5]) .and. FIELD_OF(stats, 2, MPI_TAG) == 5)
        call MPI_Testsome(n, requests, found, indices, MPI_STATUSES_IGNORE, ierror)
        call check('testsome counts from 1', &
            found == 2 .and. all(indices(:2) == [3, 5]))
        call MPI_Barrier(world, ierror)
        call send_to(1)
        call send_to(4)
        call MPI_Waitall(n, requests, MPI_STATUSES_IGNORE, ierror)
        call MPI_Waitsome(n, requests, found, indices, MPI_STATUSES_IGNORE, ierror)
        call check('nothing is active', found == MPI_UNDEFINED)
        call free_all(requests)
    end subroutine some

    ! What only looks leaves requests active.
    subroutine statuses_of_active_requests()
        HANDLE(MPI_Request) :: requests(n)
        STATUSES(stats, n)
        STATUS :: status
        integer :: index
        logical :: flag
        call post_all(requests)
        call send_to(3)
        flag = .false.
        do while (.not. flag)
            call MPI_Request_get_status(requests(3), flag, status, ierror)
        end do
        call check('request_get_status', FIELD(status, MPI_TAG) == 3)
        call MPI_Request_get_status_any(n, requests, index, flag, status, ierror)
        call check('request_get_status_any counts from 1', flag .and. index == 3)
        call MPI_Barrier(world, ierror)
        do i = 1, n
            if (i /= 3) call send_to(i)
        end do
        flag = .false.
        do while (.not. flag)
            call MPI_Request_get_status_all(n, requests, flag, stats, ierror)
        end do
        call check('request_get_status_all', FIELD_OF(stats, 5, MPI_TAG) == 5)
        call MPI_Test(requests(5), flag, status, ierror)
        call check('the request was active', flag .and. FIELD(status, MPI_TAG) == 5)
        call MPI_Testall(n, requests, flag, MPI_STATUSES_IGNORE, ierror)
        call check('testall', flag .and. all(in == [(100 * left + i, i = 1, n)]))
        call free_all(requests)
    end subroutine statuses_of_active_requests
end program messages
