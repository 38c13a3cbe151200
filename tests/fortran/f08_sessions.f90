! SPDX-License-Identifier: BSD-3-Clause
! mpi_f08: a program that uses a session and never calls MPI_Init.
module f08_sessions_m
    use mpi_f08
    implicit none
    private
    public :: handle_error
    integer, public :: handled_code = MPI_SUCCESS
    type(MPI_Session), public :: handled = MPI_SESSION_NULL

contains

    subroutine handle_error(session, error_code)
        type(MPI_Session) :: session
        integer :: error_code
        handled = session
        handled_code = error_code
    end subroutine handle_error
end module f08_sessions_m

program f08_sessions
    use, intrinsic :: iso_c_binding, only : c_associated, c_loc, c_ptr
    use mpi_f08
    use check_m, only : check
    use f08_sessions_m, only : handle_error, handled, handled_code
    implicit none
    type(MPI_Session) :: session
    type(MPI_Errhandler) :: handler
    type(MPI_Group) :: group
    type(MPI_Comm) :: comm
    character(len=MPI_MAX_PSET_NAME_LEN) :: name
    integer :: room, rank, ranks, total, ierror
    logical :: flag
    call MPI_Session_create_errhandler(handle_error, handler)
    call MPI_Session_init(MPI_INFO_NULL, handler, session)
    call MPI_Errhandler_free(handler)
    call MPI_Initialized(flag)
    call check('a session is not MPI_Init', .not. flag)
    room = len(name)
    call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, room, name)
    call check('a set has its name', name == 'mpi://WORLD' .and. room == 11)
    call MPI_Group_from_session_pset(session, name, group)
    call MPI_Comm_create_from_group(group, 'f08', MPI_INFO_NULL, MPI_ERRORS_RETURN, comm)
    call MPI_Group_free(group)
    call MPI_Comm_rank(comm, rank)
    call MPI_Comm_size(comm, ranks)
    call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, comm)
    call check('its processes communicate', total == ranks * (ranks - 1) / 2)
    call session_buffers()
    call MPI_Comm_free(comm)
    call MPI_Group_from_session_pset(session, 'app://none', group, ierror)
    call check('an unknown set is refused', ierror == MPI_ERR_ARG)
    call check('the handler of the session is called', &
        handled == session .and. handled_code == MPI_ERR_ARG)
    call MPI_Session_finalize(session)
    call check('a session that has ended is null', session == MPI_SESSION_NULL)

contains

    ! Each process sends to itself.
    subroutine session_buffers()
        integer, parameter :: bytes = 60000
        character, asynchronous, allocatable, target :: buffer(:)
        integer, asynchronous :: out(5000), in(5000)
        type(c_ptr) :: memory
        type(MPI_Request) :: request
        integer :: length
        integer(MPI_COUNT_KIND) :: large_length
        allocate (buffer(bytes))
        call MPI_Session_attach_buffer(session, buffer, bytes)
        out = 8
        call MPI_Bsend(out, size(out), MPI_INTEGER, rank, 1, comm)
        out = 0
        call MPI_Session_iflush_buffer(session, request)
        call MPI_Recv(in, size(in), MPI_INTEGER, rank, 1, comm, MPI_STATUS_IGNORE)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call MPI_Session_flush_buffer(session)
        call check('the message was in the buffer', all(in == 8))
        call MPI_Session_detach_buffer(session, memory, length)
        call check('detach gives the buffer back', length == bytes .and. &
            c_associated(memory, c_loc(buffer)))
        call MPI_Session_attach_buffer(session, buffer, int(bytes, MPI_COUNT_KIND))
        call MPI_Session_detach_buffer(session, memory, large_length)
        call check('large forms do the same', large_length == bytes)
    end subroutine session_buffers
end program f08_sessions
