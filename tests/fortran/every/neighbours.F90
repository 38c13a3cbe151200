! SPDX-License-Identifier: BSD-3-Clause
! Neighbourhood collectives on a ring where each process sends to the right only, in the
! blocking, the nonblocking and the persistent form.
program neighbours
#include "binding.inc"
    integer, parameter :: blocking = 1, nonblocking = 2, persistent = 3, n = 3
    integer :: rank, ranks, right, left, form, ierror
    HANDLE(MPI_Comm) :: ring
    HANDLE(MPI_Request) :: request
    integer, asynchronous :: out(n), in(2 * n)
    integer(ck), asynchronous :: counts(1)
    integer(dk), asynchronous :: from(1), to(1)
    integer(MPI_ADDRESS_KIND), asynchronous :: from_byte(1), to_byte(1)
    HANDLE(MPI_Datatype), asynchronous :: types(1)
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    right = mod(rank + 1, ranks)
    left = mod(rank + ranks - 1, ranks)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [left], MPI_UNWEIGHTED, 1, &
        [right], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., ring, ierror)
    counts = n - 1
    from = 1
    to = 2
    from_byte = unit
    to_byte = 2 * unit
    types = MPI_INTEGER
    do form = blocking, persistent
        call allgather()
        call allgatherv()
        call alltoall()
        call alltoallv()
        call alltoallw()
    end do
    call MPI_Comm_free(ring, ierror)
    call MPI_Finalize(ierror)

contains

    subroutine begin()
        out = 10 * rank + [1, 2, 3]
        in = -1
    end subroutine begin

    ! Completes what has no blocking form, a persistent operation twice. What has
    ! arrived at `place` are those elements of the left process, and nothing else.
    subroutine finish(claim, elements, place)
        character(len=*), intent(in) :: claim
        integer, intent(in) :: elements(:), place
        integer :: expected(2 * n)
        if (form == persistent) then
            call MPI_Start(request, ierror)
            call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
            call MPI_Start(request, ierror)
        end if
        if (form /= blocking) call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        if (form == persistent) call MPI_Request_free(request, ierror)
        expected = -1
        expected(place:place + size(elements) - 1) = 10 * left + elements
        call check(claim, all(in == expected))
    end subroutine finish

    subroutine allgather()
        call begin()
        select case (form)
        case (blocking)
            call MPI_Neighbor_allgather(out, 3_ck, MPI_INTEGER, in, 3_ck, MPI_INTEGER, &
                ring, ierror)
        case (nonblocking)
            call MPI_Ineighbor_allgather(out, 3_ck, MPI_INTEGER, in, 3_ck, &
                MPI_INTEGER, ring, request, ierror)
        case (persistent)
            call MPI_Neighbor_allgather_init(out, 3_ck, MPI_INTEGER, in, 3_ck, &
                MPI_INTEGER, ring, MPI_INFO_NULL, request, ierror)
        end select
        call finish('neighbor_allgather', [1, 2, 3], 1)
    end subroutine allgather

    subroutine allgatherv()
        call begin()
        select case (form)
        case (blocking)
            call MPI_Neighbor_allgatherv(out, 2_ck, MPI_INTEGER, in, counts, to, &
                MPI_INTEGER, ring, ierror)
        case (nonblocking)
            call MPI_Ineighbor_allgatherv(out, 2_ck, MPI_INTEGER, in, counts, to, &
                MPI_INTEGER, ring, request, ierror)
        case (persistent)
            call MPI_Neighbor_allgatherv_init(out, 2_ck, MPI_INTEGER, in, counts, to, &
                MPI_INTEGER, ring, MPI_INFO_NULL, request, ierror)
        end select
        call finish('neighbor_allgatherv', [1, 2], 3)
    end subroutine allgatherv

    subroutine alltoall()
        call begin()
        select case (form)
        case (blocking)
            call MPI_Neighbor_alltoall(out, 3_ck, MPI_INTEGER, in(4:), 3_ck, &
                MPI_INTEGER, ring, ierror)
        case (nonblocking)
            call MPI_Ineighbor_alltoall(out, 3_ck, MPI_INTEGER, in(4:), 3_ck, &
                MPI_INTEGER, ring, request, ierror)
        case (persistent)
            call MPI_Neighbor_alltoall_init(out, 3_ck, MPI_INTEGER, in(4:), 3_ck, &
                MPI_INTEGER, ring, MPI_INFO_NULL, request, ierror)
        end select
        call finish('neighbor_alltoall', [1, 2, 3], 4)
    end subroutine alltoall

    subroutine alltoallv()
        call begin()
        select case (form)
        case (blocking)
            call MPI_Neighbor_alltoallv(out, counts, from, MPI_INTEGER, in, counts, &
                to, MPI_INTEGER, ring, ierror)
        case (nonblocking)
            call MPI_Ineighbor_alltoallv(out, counts, from, MPI_INTEGER, in, counts, &
                to, MPI_INTEGER, ring, request, ierror)
        case (persistent)
            call MPI_Neighbor_alltoallv_init(out, counts, from, MPI_INTEGER, in, &
                counts, to, MPI_INTEGER, ring, MPI_INFO_NULL, request, ierror)
        end select
        call finish('neighbor_alltoallv', [2, 3], 3)
    end subroutine alltoallv

    ! Displacements are in bytes, and addresses in each binding.
    subroutine alltoallw()
        call begin()
        select case (form)
        case (blocking)
            call MPI_Neighbor_alltoallw(out, counts, from_byte, types, in, counts, &
                to_byte, types, ring, ierror)
        case (nonblocking)
            call MPI_Ineighbor_alltoallw(out, counts, from_byte, types, in, counts, &
                to_byte, types, ring, request, ierror)
        case (persistent)
            call MPI_Neighbor_alltoallw_init(out, counts, from_byte, types, in, &
                counts, to_byte, types, ring, MPI_INFO_NULL, request, ierror)
        end select
        call finish('neighbor_alltoallw', [2, 3], 3)
    end subroutine alltoallw
end program neighbours
