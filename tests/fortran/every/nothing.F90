! SPDX-License-Identifier: BSD-3-Clause
! Arrays of no elements, strings of blanks or of no characters, messages to nobody.
program nothing
#include "binding.inc"
    HANDLE(MPI_Comm) :: world
    integer :: ierror, rank, none(0), nor(0), triples(3, 0), few(4)
    logical :: flags(0)
    call MPI_Init(ierror)
    world = MPI_COMM_WORLD
    call MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN, ierror)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierror)
    call MPI_Comm_rank(world, rank, ierror)
    few = 1
    call requests()
    call groups()
    call graphs()
    call datatypes()
    call strings()
    call messages()
    call collectives()
    call windows()
    call MPI_Finalize(ierror)

contains

    subroutine succeeds(claim)
        character(len=*), intent(in) :: claim
        call check(claim, ierror == MPI_SUCCESS)
    end subroutine succeeds

    subroutine requests()
        HANDLE(MPI_Request) :: requests_of_none(0)
        STATUSES(statuses, 0)
        STATUS :: status
        integer :: number
        logical :: flag
        call MPI_Waitall(0, requests_of_none, statuses, ierror)
        call succeeds('waitall of none')
        call MPI_Testall(0, requests_of_none, flag, MPI_STATUSES_IGNORE, ierror)
        call check('testall of none', ierror == MPI_SUCCESS .and. flag)
        call MPI_Waitany(0, requests_of_none, number, status, ierror)
        call check('waitany of none', ierror == MPI_SUCCESS .and. number == MPI_UNDEFINED)
        call MPI_Waitsome(0, requests_of_none, number, none, statuses, ierror)
        call check('waitsome of none', ierror == MPI_SUCCESS .and. &
            number == MPI_UNDEFINED)
        call MPI_Startall(0, requests_of_none, ierror)
        call succeeds('startall of none')
    end subroutine requests

    subroutine groups()
        HANDLE(MPI_Group) :: all, part
        integer :: members
        call MPI_Comm_group(world, all, ierror)
        call MPI_Group_translate_ranks(all, 0, none, all, nor, ierror)
        call succeeds('translate_ranks of none')
        call MPI_Group_incl(all, 0, none, part, ierror)
        call check('a group of none is empty', part == MPI_GROUP_EMPTY)
        call MPI_Group_range_excl(all, 0, triples, part, ierror)
        call MPI_Group_size(part, members, ierror)
        call check('a group without none has members', members > 0)
        call MPI_Group_free(part, ierror)
        call MPI_Group_free(all, ierror)
    end subroutine groups

    subroutine graphs()
        HANDLE(MPI_Comm) :: graph
        integer :: in, out, place
        logical :: has_weights
        call MPI_Graph_create(world, 0, none, none, .false., graph, ierror)
        call check('a graph of none', ierror == MPI_SUCCESS .and. graph == MPI_COMM_NULL)
        call MPI_Dist_graph_create(world, 0, none, none, none, none, MPI_INFO_NULL, &
            .false., graph, ierror)
        call succeeds('dist_graph_create without sources')
        call MPI_Comm_free(graph, ierror)
        call MPI_Dist_graph_create_adjacent(world, 0, none, none, 0, none, none, &
            MPI_INFO_NULL, .false., graph, ierror)
        call succeeds('dist_graph_create_adjacent without edges')
        call MPI_Dist_graph_neighbors_count(graph, in, out, has_weights, ierror)
        call check('nobody is near', in == 0 .and. out == 0)
        call MPI_Dist_graph_neighbors(graph, 0, none, MPI_UNWEIGHTED, 0, nor, &
            MPI_UNWEIGHTED, ierror)
        call succeeds('dist_graph_neighbors of none')
        call MPI_Comm_free(graph, ierror)
        call MPI_Cart_create(MPI_COMM_SELF, 0, none, flags, .false., graph, ierror)
        call succeeds('a grid without dimensions')
        call MPI_Cart_rank(graph, none, place, ierror)
        call check('its only place', ierror == MPI_SUCCESS .and. place == 0)
        call MPI_Comm_free(graph, ierror)
    end subroutine graphs

    subroutine datatypes()
        HANDLE(MPI_Datatype) :: types(0), made
        integer(MPI_ADDRESS_KIND) :: places(0)
        integer :: bytes
        call MPI_Type_indexed(0, none, none, MPI_INTEGER, made, ierror)
        call succeeds('type_indexed of no block')
        call MPI_Type_free(made, ierror)
        call MPI_Type_create_struct(0, none, places, types, made, ierror)
        call MPI_Type_size(made, bytes, ierror)
        call check('a struct of nothing', bytes == 0)
        call MPI_Type_free(made, ierror)
    end subroutine datatypes

    subroutine strings()
        HANDLE(MPI_Info) :: info
        character(len=MPI_MAX_OBJECT_NAME) :: name
        character(len=0) :: no_room
        integer :: length
        logical :: flag
        call MPI_Comm_set_name(world, '', ierror)
        call succeeds('a name of no character')
        call MPI_Comm_get_name(world, name, length, ierror)
        call check('an empty name', length == 0 .and. name == '')
        call MPI_Comm_set_name(world, '   ', ierror)
        call MPI_Comm_get_name(world, name, length, ierror)
        call check('a name of blanks is empty', length == 0)
        call MPI_Info_create(info, ierror)
        call MPI_Info_set(info, '  ', 'value', ierror)
        call check('a key of blanks', ierror == MPI_ERR_INFO_KEY)
        call MPI_Info_set(info, '', 'value', ierror)
        call check('a key of no character', ierror == MPI_ERR_INFO_KEY)
        call MPI_Info_set(info, 'key', '', ierror)
        call succeeds('a value of no character')
        length = 0
        call MPI_Info_get_string(info, 'key', length, no_room, flag, ierror)
        call check('a string of no character has no room', ierror == MPI_SUCCESS .and. &
            flag .and. length == 0)
        call MPI_Info_free(info, ierror)
    end subroutine strings

    subroutine messages()
        HANDLE(MPI_Request) :: request
        STATUS :: status
        integer :: number
        call MPI_Isend(none, 0, MPI_INTEGER, rank, 1, world, request, ierror)
        call MPI_Recv(none, 0, MPI_INTEGER, rank, 1, world, status, ierror)
        call succeeds('a message of nothing')
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call MPI_Isend(few(1:0:2), 0, MPI_INTEGER, rank, 1, world, request, ierror)
        call MPI_Recv(few(4:1:3), 0, MPI_INTEGER, rank, 1, world, status, ierror)
        call succeeds('a message of empty sections')
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call MPI_Send(few, 4, MPI_INTEGER, MPI_PROC_NULL, 1, world, ierror)
        call succeeds('a message to nobody')
        call MPI_Recv(few, 4, MPI_INTEGER, MPI_PROC_NULL, 1, world, status, ierror)
        call MPI_Get_count(status, MPI_INTEGER, number, ierror)
        call check('a message from nobody', number == 0 .and. all(few == 1) .and. &
            FIELD(status, MPI_SOURCE) == MPI_PROC_NULL .and. &
            FIELD(status, MPI_TAG) == MPI_ANY_TAG)
    end subroutine messages

    subroutine collectives()
        call MPI_Bcast(none, 0, MPI_INTEGER, 0, world, ierror)
        call succeeds('bcast of nothing')
        call MPI_Allgather(none, 0, MPI_INTEGER, few(1:0:2), 0, MPI_INTEGER, world, &
            ierror)
        call succeeds('allgather of nothing')
        call MPI_Allreduce(none, none, 0, MPI_INTEGER, MPI_SUM, world, ierror)
        call succeeds('allreduce of nothing')
        call MPI_Allreduce(MPI_IN_PLACE, few, 4, MPI_INTEGER, MPI_MAX, world, ierror)
        call check('allreduce in place', ierror == MPI_SUCCESS .and. all(few == 1))
    end subroutine collectives

    subroutine windows()
        HANDLE(MPI_Win) :: win
        HANDLE(MPI_Request) :: request
        integer(MPI_ADDRESS_KIND), parameter :: zero = 0
        call MPI_Win_create(none, zero, 1, MPI_INFO_NULL, world, win, ierror)
        call succeeds('a window on nothing')
        call MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN, ierror)
        call MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, win, ierror)
        call MPI_Put(few, 4, MPI_INTEGER, MPI_PROC_NULL, zero, 4, MPI_INTEGER, win, &
            ierror)
        call succeeds('put to nobody')
        call MPI_Rput(few, 4, MPI_INTEGER, MPI_PROC_NULL, zero, 4, MPI_INTEGER, win, &
            request, ierror)
        call succeeds('rput to nobody')
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call MPI_Win_unlock(MPI_PROC_NULL, win, ierror)
        call succeeds('unlock of nobody')
        call MPI_Win_lock_all(0, win, ierror)
        call MPI_Put(none, 0, MPI_INTEGER, rank, zero, 0, MPI_INTEGER, win, ierror)
        call succeeds('put of nothing')
        call MPI_Get(few(1:0:2), 0, MPI_INTEGER, rank, zero, 0, MPI_INTEGER, win, ierror)
        call succeeds('get of nothing')
        call MPI_Win_unlock_all(win, ierror)
        call MPI_Win_free(win, ierror)
    end subroutine windows
end program nothing
