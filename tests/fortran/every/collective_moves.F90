! SPDX-License-Identifier: BSD-3-Clause
! Collective operations that move data, each in its blocking, its nonblocking and its
! persistent form.
program collective_moves
#include "binding.inc"
    integer, parameter :: blocking = 1, nonblocking = 2, persistent = 3
    integer :: rank, ranks, form, i, ierror
    HANDLE(MPI_Comm) :: world
    HANDLE(MPI_Request) :: request
    call MPI_Init(ierror)
    world = MPI_COMM_WORLD
    call MPI_Comm_rank(world, rank, ierror)
    call MPI_Comm_size(world, ranks, ierror)
    do form = blocking, persistent
        call barrier()
        call bcast()
        call gather()
        call gatherv()
        call scatter()
        call scatterv()
        call allgather()
        call allgatherv()
        call alltoall()
        call alltoallv()
        call alltoallw()
    end do
    call MPI_Finalize(ierror)

contains

    ! Completes what has no blocking form; a persistent operation is run twice.
    subroutine finish()
        if (form == persistent) then
            call MPI_Start(request, ierror)
            call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
            call MPI_Start(request, ierror)
        end if
        if (form /= blocking) call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        if (form == persistent) call MPI_Request_free(request, ierror)
    end subroutine finish

    ! What `sender` has for `receiver`.
    elemental integer function message(sender, receiver)
        integer, intent(in) :: sender, receiver
        message = 1000 * sender + receiver + 1
    end function message

    ! Where the block of each process begins if that of process i has i + 1 elements.
    pure function triangle()
        integer(dk) :: triangle(ranks)
        integer :: i
        triangle = [(int(i * (i + 1) / 2, dk), i = 0, ranks - 1)]
    end function triangle

    ! What such blocks hold if process i has sent i times i + 1.
    pure function steps()
        integer :: steps(ranks * (ranks + 1) / 2)
        integer :: i, j
        steps = [((i, j = 0, i), i = 0, ranks - 1)]
    end function steps

    subroutine barrier()
        select case (form)
        case (blocking)
            call MPI_Barrier(world, ierror)
        case (nonblocking)
            call MPI_Ibarrier(world, request, ierror)
        case (persistent)
            call MPI_Barrier_init(world, MPI_INFO_NULL, request, ierror)
        end select
        call finish()
        call check('barrier', ierror == MPI_SUCCESS)
    end subroutine barrier

    subroutine bcast()
        integer, asynchronous :: buffer(6)
        buffer = merge([1, 2, 3, 4, 5, 6], 0, rank == ranks - 1)
        select case (form)
        case (blocking)
            call MPI_Bcast(buffer(1:6:2), 3_ck, MPI_INTEGER, ranks - 1, world, ierror)
        case (nonblocking)
            call MPI_Ibcast(buffer(1:6:2), 3_ck, MPI_INTEGER, ranks - 1, world, &
                request, ierror)
        case (persistent)
            call MPI_Bcast_init(buffer(1:6:2), 3_ck, MPI_INTEGER, ranks - 1, world, &
                MPI_INFO_NULL, request, ierror)
        end select
        call finish()
        call check('bcast of a section', all(buffer(1:6:2) == [1, 3, 5]))
        call check('bcast leaves the rest', &
            all(buffer(2:6:2) == merge([2, 4, 6], 0, rank == ranks - 1)))
    end subroutine bcast

    subroutine gather()
        integer, asynchronous :: mine(2), all_of_them(2, ranks)
        mine = [rank, -rank]
        all_of_them = 99
        select case (form)
        case (blocking)
            call MPI_Gather(mine, 2_ck, MPI_INTEGER, all_of_them, 2_ck, MPI_INTEGER, &
                0, world, ierror)
        case (nonblocking)
            call MPI_Igather(mine, 2_ck, MPI_INTEGER, all_of_them, 2_ck, MPI_INTEGER, &
                0, world, request, ierror)
        case (persistent)
            call MPI_Gather_init(mine, 2_ck, MPI_INTEGER, all_of_them, 2_ck, &
                MPI_INTEGER, 0, world, MPI_INFO_NULL, request, ierror)
        end select
        call finish()
        if (rank == 0) then
            call check('gather', all(all_of_them(1, :) == [(i, i = 0, ranks - 1)]) &
                .and. all(all_of_them(2, :) == -all_of_them(1, :)))
        else
            call check('only the root gathers', all(all_of_them == 99))
        end if
    end subroutine gather

    ! Process i sends i + 1 elements.
    subroutine gatherv()
        integer, asynchronous :: mine(rank + 1), blocks(ranks * (ranks + 1) / 2)
        integer(ck), asynchronous :: counts(ranks)
        integer(dk), asynchronous :: places(ranks)
        mine = rank
        blocks = -1
        counts = [(i, i = 1, ranks)]
        places = triangle()
        select case (form)
        case (blocking)
            call MPI_Gatherv(mine, rank + 1_ck, MPI_INTEGER, blocks, counts, places, &
                MPI_INTEGER, 0, world, ierror)
        case (nonblocking)
            call MPI_Igatherv(mine, rank + 1_ck, MPI_INTEGER, blocks, counts, places, &
                MPI_INTEGER, 0, world, request, ierror)
        case (persistent)
            call MPI_Gatherv_init(mine, rank + 1_ck, MPI_INTEGER, blocks, counts, &
                places, MPI_INTEGER, 0, world, MPI_INFO_NULL, request, ierror)
        end select
        call finish()
        if (rank == 0) call check('gatherv', all(blocks == steps()))
    end subroutine gatherv

    subroutine scatter()
        integer, asynchronous :: for_all(ranks), mine(1)
        for_all = [(message(rank, i), i = 0, ranks - 1)]
        mine = -1
        select case (form)
        case (blocking)
            call MPI_Scatter(for_all, 1_ck, MPI_INTEGER, mine, 1_ck, MPI_INTEGER, &
                ranks - 1, world, ierror)
        case (nonblocking)
            call MPI_Iscatter(for_all, 1_ck, MPI_INTEGER, mine, 1_ck, MPI_INTEGER, &
                ranks - 1, world, request, ierror)
        case (persistent)
            call MPI_Scatter_init(for_all, 1_ck, MPI_INTEGER, mine, 1_ck, MPI_INTEGER, &
                ranks - 1, world, MPI_INFO_NULL, request, ierror)
        end select
        call finish()
        call check('scatter', mine(1) == message(ranks - 1, rank))
    end subroutine scatter

    subroutine scatterv()
        integer, asynchronous :: mine(rank + 1), blocks(ranks * (ranks + 1) / 2)
        integer(ck), asynchronous :: counts(ranks)
        integer(dk), asynchronous :: places(ranks)
        mine = -1
        blocks = steps()
        counts = [(i, i = 1, ranks)]
        places = triangle()
        select case (form)
        case (blocking)
            call MPI_Scatterv(blocks, counts, places, MPI_INTEGER, mine, rank + 1_ck, &
                MPI_INTEGER, 0, world, ierror)
        case (nonblocking)
            call MPI_Iscatterv(blocks, counts, places, MPI_INTEGER, mine, rank + 1_ck, &
                MPI_INTEGER, 0, world, request, ierror)
        case (persistent)
            call MPI_Scatterv_init(blocks, counts, places, MPI_INTEGER, mine, &
                rank + 1_ck, MPI_INTEGER, 0, world, MPI_INFO_NULL, request, ierror)
        end select
        call finish()
        call check('scatterv', all(mine == rank))
    end subroutine scatterv

    subroutine allgather()
        integer, asynchronous :: ring(ranks)
        ring = -1
        ring(rank + 1) = rank
        select case (form)
        case (blocking)
            call MPI_Allgather(MPI_IN_PLACE, 0_ck, MPI_DATATYPE_NULL, ring, 1_ck, &
                MPI_INTEGER, world, ierror)
        case (nonblocking)
            call MPI_Iallgather(MPI_IN_PLACE, 0_ck, MPI_DATATYPE_NULL, ring, 1_ck, &
                MPI_INTEGER, world, request, ierror)
        case (persistent)
            call MPI_Allgather_init(MPI_IN_PLACE, 0_ck, MPI_DATATYPE_NULL, ring, 1_ck, &
                MPI_INTEGER, world, MPI_INFO_NULL, request, ierror)
        end select
        call finish()
        call check('allgather in place', all(ring == [(i, i = 0, ranks - 1)]))
    end subroutine allgather

    subroutine allgatherv()
        integer, asynchronous :: mine(rank + 1), blocks(ranks * (ranks + 1) / 2)
        integer(ck), asynchronous :: counts(ranks)
        integer(dk), asynchronous :: places(ranks)
        mine = rank
        blocks = -1
        counts = [(i, i = 1, ranks)]
        places = triangle()
        select case (form)
        case (blocking)
            call MPI_Allgatherv(mine, rank + 1_ck, MPI_INTEGER, blocks, counts, &
                places, MPI_INTEGER, world, ierror)
        case (nonblocking)
            call MPI_Iallgatherv(mine, rank + 1_ck, MPI_INTEGER, blocks, counts, &
                places, MPI_INTEGER, world, request, ierror)
        case (persistent)
            call MPI_Allgatherv_init(mine, rank + 1_ck, MPI_INTEGER, blocks, counts, &
                places, MPI_INTEGER, world, MPI_INFO_NULL, request, ierror)
        end select
        call finish()
        call check('allgatherv', all(blocks == steps()))
    end subroutine allgatherv

    subroutine alltoall()
        integer, asynchronous :: out(ranks), in(ranks)
        out = [(message(rank, i), i = 0, ranks - 1)]
        in = -1
        select case (form)
        case (blocking)
            call MPI_Alltoall(out, 1_ck, MPI_INTEGER, in, 1_ck, MPI_INTEGER, world, &
                ierror)
        case (nonblocking)
            call MPI_Ialltoall(out, 1_ck, MPI_INTEGER, in, 1_ck, MPI_INTEGER, world, &
                request, ierror)
        case (persistent)
            call MPI_Alltoall_init(out, 1_ck, MPI_INTEGER, in, 1_ck, MPI_INTEGER, &
                world, MPI_INFO_NULL, request, ierror)
        end select
        call finish()
        call check('alltoall', all(in == [(message(i, rank), i = 0, ranks - 1)]))
    end subroutine alltoall

    ! Process i sends i + 1 elements to each; they arrive at even places.
    subroutine alltoallv()
        integer, asynchronous :: out(ranks * (rank + 1)), in(ranks * (ranks + 1) / 2)
        integer(ck), asynchronous :: sent(ranks), received(ranks)
        integer(dk), asynchronous :: from(ranks), to(ranks)
        out = rank
        in = -1
        sent = rank + 1
        received = [(i, i = 1, ranks)]
        from = [((rank + 1) * i, i = 0, ranks - 1)]
        to = triangle()
        select case (form)
        case (blocking)
            call MPI_Alltoallv(out, sent, from, MPI_INTEGER, in, received, to, &
                MPI_INTEGER, world, ierror)
        case (nonblocking)
            call MPI_Ialltoallv(out, sent, from, MPI_INTEGER, in, received, to, &
                MPI_INTEGER, world, request, ierror)
        case (persistent)
            call MPI_Alltoallv_init(out, sent, from, MPI_INTEGER, in, received, to, &
                MPI_INTEGER, world, MPI_INFO_NULL, request, ierror)
        end select
        call finish()
        call check('alltoallv', all(in == steps()))
    end subroutine alltoallv

    ! Displacements in bytes, and a datatype for each process.
    subroutine alltoallw()
        integer, asynchronous :: out(ranks), in(ranks)
        integer(ck), asynchronous :: ones(ranks)
        integer(dk), asynchronous :: forwards(ranks), backwards(ranks)
        HANDLE(MPI_Datatype), asynchronous :: types(ranks)
        out = [(message(rank, i), i = 0, ranks - 1)]
        in = -1
        ones = 1
        forwards = [(unit * i, i = 0, ranks - 1)]
        backwards = forwards(ranks:1:-1)
        types = MPI_INTEGER
        select case (form)
        case (blocking)
            call MPI_Alltoallw(out, ones, forwards, types, in, ones, backwards, types, &
                world, ierror)
        case (nonblocking)
            call MPI_Ialltoallw(out, ones, forwards, types, in, ones, backwards, &
                types, world, request, ierror)
        case (persistent)
            call MPI_Alltoallw_init(out, ones, forwards, types, in, ones, backwards, &
                types, world, MPI_INFO_NULL, request, ierror)
        end select
        call finish()
        call check('alltoallw', &
            all(in(ranks:1:-1) == [(message(i, rank), i = 0, ranks - 1)]))
    end subroutine alltoallw
end program collective_moves
