! SPDX-License-Identifier: BSD-3-Clause
! A program of sessions alone: process sets, error handlers, a communicator, buffers.
module handler
#include "binding.inc"
    private
    HANDLE(MPI_Session), public :: handled = MPI_SESSION_NULL
    integer, public :: handled_code = MPI_SUCCESS
    public :: on_session

contains

    subroutine on_session(session, error_code)
        HANDLE(MPI_Session) :: session
        integer :: error_code
        handled = session
        handled_code = error_code
    end subroutine on_session
end module handler

program sessions
    use, intrinsic :: iso_c_binding, only : c_associated, c_loc, c_ptr
    use handler
#include "binding.inc"
    integer, parameter :: length = 5000, bytes = unit * length + MPI_BSEND_OVERHEAD
    character, asynchronous, allocatable, target :: memory(:)
    HANDLE(MPI_Session) :: session
    HANDLE(MPI_Errhandler) :: own
    HANDLE(MPI_Info) :: info
    integer :: number, ierror
    logical :: flag
    allocate (memory(bytes))
    call MPI_Session_create_errhandler(on_session, own, ierror)
    call MPI_Session_init(MPI_INFO_NULL, own, session, ierror)
    call MPI_Initialized(flag, ierror)
    call check('a session is not MPI_Init', .not. flag)
    call MPI_Session_get_info(session, info, ierror)
    call MPI_Info_get_nkeys(info, number, ierror)
    call check('session_get_info', number > 0)
    call MPI_Info_free(info, ierror)
    call process_sets()
    call error_handlers()
    call communicator()
    call MPI_Session_finalize(session, ierror)
    call check('a session that has ended is null', session == MPI_SESSION_NULL)

contains

    subroutine process_sets()
        character(len=MPI_MAX_PSET_NAME_LEN) :: name
        character(len=8) :: value
        integer :: room
        call MPI_Session_get_num_psets(session, MPI_INFO_NULL, number, ierror)
        call check('there are two sets or more', number >= 2)
        room = len(name)
        call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 1, room, name, ierror)
        call check('sets count from 0', name == 'mpi://SELF' .and. room == 10)
        call MPI_Session_get_pset_info(session, name, info, ierror)
        room = len(value)
        call MPI_Info_get_string(info, 'mpi_size', room, value, flag, ierror)
        call check('a set tells its size', flag .and. value == '1')
        call MPI_Info_free(info, ierror)
    end subroutine process_sets

    subroutine error_handlers()
        HANDLE(MPI_Errhandler) :: found
        HANDLE(MPI_Group) :: group
        call MPI_Session_get_errhandler(session, found, ierror)
        call check('session_get_errhandler', found == own)
        call MPI_Errhandler_free(found, ierror)
        call MPI_Errhandler_free(own, ierror)
        call MPI_Group_from_session_pset(session, 'app://none', group, ierror)
        call check('an unknown set is refused', ierror == MPI_ERR_ARG .and. &
            handled == session .and. handled_code == MPI_ERR_ARG)
        call MPI_Session_call_errhandler(session, MPI_ERR_OTHER, ierror)
        call check('session_call_errhandler', &
            handled_code == MPI_ERR_OTHER .and. ierror == MPI_SUCCESS)
        call MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN, ierror)
        call MPI_Group_from_session_pset(session, 'app://none', group, ierror)
        call check('no handler is called any more', ierror == MPI_ERR_ARG .and. &
            handled_code == MPI_ERR_OTHER)
    end subroutine error_handlers

    subroutine communicator()
        HANDLE(MPI_Group) :: group
        HANDLE(MPI_Comm) :: comm
        integer :: rank, ranks, total
        call MPI_Group_from_session_pset(session, 'mpi://WORLD', group, ierror)
        call MPI_Comm_create_from_group(group, 'every', MPI_INFO_NULL, &
            MPI_ERRORS_RETURN, comm, ierror)
        call MPI_Group_free(group, ierror)
        call MPI_Comm_rank(comm, rank, ierror)
        call MPI_Comm_size(comm, ranks, ierror)
        call MPI_Allreduce(rank, total, 1_ck, MPI_INTEGER, MPI_SUM, comm, ierror)
        call check('its processes communicate', total == ranks * (ranks - 1) / 2)
        call buffer(comm, rank)
        call MPI_Comm_free(comm, ierror)
    end subroutine communicator

    ! Each process sends to itself.
    subroutine buffer(comm, rank)
        HANDLE(MPI_Comm), intent(in) :: comm
        integer, intent(in) :: rank
        integer, asynchronous :: in(length), out(length)
        ADDRESS :: detached
        HANDLE(MPI_Request) :: request
        integer(ck) :: size
        call MPI_Session_attach_buffer(session, memory, int(bytes, ck), ierror)
        out = 8
        call MPI_Bsend(out, int(length, ck), MPI_INTEGER, rank, 1, comm, ierror)
        out = 0
        call MPI_Session_iflush_buffer(session, request, ierror)
        call MPI_Recv(in, int(length, ck), MPI_INTEGER, rank, 1, comm, &
            MPI_STATUS_IGNORE, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call MPI_Session_flush_buffer(session, ierror)
        call check('the message was in the buffer', all(in == 8))
        call MPI_Session_detach_buffer(session, detached, size, ierror)
        call check('session_detach_buffer gives it back', size == bytes .and. &
            IS_BACK(detached, memory))
    end subroutine buffer
end program sessions
