! SPDX-License-Identifier: BSD-3-Clause
! Generalized requests with their callbacks, fields of statuses, buffers for sends.

! The functions of a generalized request, and how often they were called.
module grequest
#include "binding.inc"
    private
    integer :: queries = 0, frees = 0, cancels = 0
    logical :: changes_state = .false.
    public :: query, release, cancel, queries, frees, cancels, changes_state

contains

    subroutine query(extra_state, status, ierror)
        integer(MPI_ADDRESS_KIND) :: extra_state
        STATUS :: status
        integer :: ierror
        queries = queries + int(extra_state)
        if (changes_state) extra_state = extra_state + 1
        call MPI_Status_set_tag(status, 5, ierror)
        call MPI_Status_set_cancelled(status, cancels > 0, ierror)
        call MPI_Status_set_elements(status, MPI_INTEGER, 7_ck, ierror)
    end subroutine query

    subroutine release(extra_state, ierror)
        integer(MPI_ADDRESS_KIND) :: extra_state
        integer :: ierror
        frees = frees + int(extra_state)
        if (changes_state) extra_state = 10 * extra_state
        ierror = MPI_SUCCESS
    end subroutine release

    subroutine cancel(extra_state, complete, ierror)
        integer(MPI_ADDRESS_KIND) :: extra_state
        logical :: complete
        integer :: ierror
        if (.not. complete) cancels = cancels + int(extra_state)
        ierror = MPI_SUCCESS
    end subroutine cancel
end module grequest

program requests
    use, intrinsic :: iso_c_binding, only : c_associated, c_loc, c_ptr
    use grequest, only : query, release, cancel, queries, frees, cancels, &
        changes_state
#include "binding.inc"
    integer, parameter :: length = 20000, bytes = unit * length + MPI_BSEND_OVERHEAD
    integer :: rank, ranks, right, left, ierror
    HANDLE(MPI_Comm) :: world
    integer, asynchronous, allocatable :: in(:), out(:)
    character, asynchronous, allocatable, target :: buffer(:)
    call MPI_Init(ierror)
    world = MPI_COMM_WORLD
    call MPI_Comm_rank(world, rank, ierror)
    call MPI_Comm_size(world, ranks, ierror)
    right = mod(rank + 1, ranks)
    left = mod(rank + ranks - 1, ranks)
    allocate (in(length), out(length), buffer(bytes))
    call generalized_request()
    call state_of_a_request()
    call fields_of_statuses()
    call buffer_of_the_process()
    call buffer_of_a_communicator()
    call MPI_Finalize(ierror)

contains

    subroutine generalized_request()
        HANDLE(MPI_Request) :: request
        STATUS :: status
        integer(ck) :: count
        logical :: flag
        call MPI_Grequest_start(query, release, cancel, 10_MPI_ADDRESS_KIND, request, &
            ierror)
        call MPI_Test(request, flag, status, ierror)
        call check('it is not complete', .not. flag .and. queries == 0)
        call MPI_Cancel(request, ierror)
        call MPI_Grequest_complete(request, ierror)
        call MPI_Wait(request, status, ierror)
        call check('its functions were called', &
            all([queries, frees, cancels] == 10) .and. FIELD(status, MPI_TAG) == 5)
        call MPI_Test_cancelled(status, flag, ierror)
        call MPI_Get_count(status, MPI_INTEGER, count, ierror)
        call check('its status is what they say', flag .and. count == 7)
    end subroutine generalized_request

    ! What one function does to the state the next one finds, and the program.
    subroutine state_of_a_request()
        HANDLE(MPI_Request) :: request
        STATUS :: status
        integer(MPI_ADDRESS_KIND), volatile :: state
        queries = 0
        frees = 0
        changes_state = .true.
        state = 1
        call start_request(state, request)
        call MPI_Grequest_complete(request, ierror)
        call MPI_Wait(request, status, ierror)
        call check('functions share their state', queries == 1 .and. frees == 2)
        call check('the program shares it, too', state == 20)
        changes_state = .false.
    end subroutine state_of_a_request

    subroutine start_request(state, request)
        integer(MPI_ADDRESS_KIND), volatile :: state
        HANDLE(MPI_Request) :: request
        call MPI_Grequest_start(query, release, cancel, state, request, ierror)
    end subroutine start_request

    subroutine fields_of_statuses()
        STATUS :: status
        integer :: source, tag, code
        call MPI_Status_set_source(status, 7, ierror)
        call MPI_Status_set_tag(status, 8, ierror)
        call MPI_Status_set_error(status, MPI_ERR_TAG, ierror)
        call check('setters set fields', FIELD(status, MPI_SOURCE) == 7 .and. &
            FIELD(status, MPI_TAG) == 8 .and. FIELD(status, MPI_ERROR) == MPI_ERR_TAG)
        call MPI_Status_get_source(status, source, ierror)
        call MPI_Status_get_tag(status, tag, ierror)
        call MPI_Status_get_error(status, code, ierror)
        call check('getters get them', all([source, tag, code] == [7, 8, MPI_ERR_TAG]))
    end subroutine fields_of_statuses

    ! What was sent is free to change, since the buffer has a copy.
    subroutine buffered_send(claim)
        character(len=*), intent(in) :: claim
        out = rank
        call MPI_Bsend(out, int(length, ck), MPI_INTEGER, right, 11, world, ierror)
        out = -1
        call MPI_Recv(in, int(length, ck), MPI_INTEGER, left, 11, world, &
            MPI_STATUS_IGNORE, ierror)
        call check(claim, all(in == left))
    end subroutine buffered_send

    subroutine buffer_of_the_process()
        ADDRESS :: detached
        HANDLE(MPI_Request) :: request
        integer(ck) :: size
        call MPI_Buffer_attach(buffer, int(bytes, ck), ierror)
        call buffered_send('bsend keeps a copy')
        call MPI_Buffer_iflush(request, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call MPI_Buffer_flush(ierror)
        call MPI_Buffer_detach(detached, size, ierror)
        call check('buffer_detach gives the buffer back', size == bytes .and. &
            IS_BACK(detached, buffer))
    end subroutine buffer_of_the_process

    subroutine buffer_of_a_communicator()
        ADDRESS :: detached
        HANDLE(MPI_Request) :: request
        integer(ck) :: size
        call MPI_Comm_attach_buffer(world, buffer, int(bytes, ck), ierror)
        call buffered_send('so does a buffer of a communicator')
        call MPI_Comm_iflush_buffer(world, request, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call MPI_Comm_flush_buffer(world, ierror)
        call MPI_Comm_detach_buffer(world, detached, size, ierror)
        call check('comm_detach_buffer gives it back', size == bytes .and. &
            IS_BACK(detached, buffer))
    end subroutine buffer_of_a_communicator
end program requests
