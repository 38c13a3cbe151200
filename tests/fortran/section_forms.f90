! SPDX-License-Identifier: BSD-3-Clause
! Collective operations, each in its three forms, for f08_section_requests.f90.
module section_forms_m
    use mpi_f08
    use check_m, only : unit
    implicit none
    integer, parameter :: m = 3 ! elements of a block
    integer, parameter :: blocking = 1, nonblocking = 2, persistent = 3
    type(MPI_Datatype), parameter, private :: it = MPI_INTEGER
    type(MPI_Comm), parameter, private :: world = MPI_COMM_WORLD
    type(MPI_Info), parameter, private :: none = MPI_INFO_NULL
    integer :: ranks, root, m_at_root
    integer, allocatable :: counts(:), starts(:), apart(:), places(:)
    integer, parameter :: two(2) = m, turned(2) = [m, 0]
    integer(MPI_ADDRESS_KIND) :: bytes(2)
    type(MPI_Datatype), allocatable :: types(:)
    type(MPI_Comm) :: ring
    type(MPI_Request) :: request

contains

    ! Counts and places of the blocks: with gaps, and from the last to the first.
    subroutine describe_blocks(rank)
        integer, intent(in) :: rank
        integer :: i
        call MPI_Comm_size(world, ranks)
        call MPI_Cart_create(world, 1, [ranks], [.true.], .false., ring)
        root = ranks - 1
        m_at_root = merge(m, -5, rank == root) ! what does not matter elsewhere
        allocate (counts(ranks), types(max(ranks, 2)))
        counts = m
        types = it
        starts = [((m + 1) * i, i = 0, ranks - 1)]
        apart = [(m * i, i = ranks - 1, 0, -1)]
        places = starts * unit
        bytes = turned * unit
    end subroutine describe_blocks

    ! ---- blocks ------------------------------------------------------------------
    subroutine gather(form, s, r)
        integer, intent(in) :: form
        integer, asynchronous :: s(:), r(:)
        select case (form)
        case (blocking)
            call MPI_Gather(s, m, it, r, m_at_root, it, root, world)
        case (nonblocking)
            call MPI_Igather(s, m, it, r, m_at_root, it, root, world, request)
        case (persistent)
            call MPI_Gather_init(s, m, it, r, m_at_root, it, root, world, none, request)
        end select
    end subroutine gather

    subroutine gatherv(form, s, r)
        integer, intent(in) :: form
        integer, asynchronous :: s(:), r(:)
        select case (form)
        case (blocking)
            call MPI_Gatherv(s, m, it, r, counts, starts, it, root, world)
        case (nonblocking)
            call MPI_Igatherv(s, m, it, r, counts, starts, it, root, world, request)
        case (persistent)
            call MPI_Gatherv_init(s, m, it, r, counts, starts, it, root, world, none, &
                request)
        end select
    end subroutine gatherv

    subroutine scatter(form, s, r)
        integer, intent(in) :: form
        integer, asynchronous :: s(:), r(:)
        select case (form)
        case (blocking)
            call MPI_Scatter(s, m, it, r, m, it, root, world)
        case (nonblocking)
            call MPI_Iscatter(s, m, it, r, m, it, root, world, request)
        case (persistent)
            call MPI_Scatter_init(s, m, it, r, m, it, root, world, none, request)
        end select
    end subroutine scatter

    subroutine scatterv(form, s, r)
        integer, intent(in) :: form
        integer, asynchronous :: s(:), r(:)
        select case (form)
        case (blocking)
            call MPI_Scatterv(s, counts, starts, it, r, m, it, root, world)
        case (nonblocking)
            call MPI_Iscatterv(s, counts, starts, it, r, m, it, root, world, request)
        case (persistent)
            call MPI_Scatterv_init(s, counts, starts, it, r, m, it, root, world, &
                none, request)
        end select
    end subroutine scatterv

    subroutine allgather(form, s, r)
        integer, intent(in) :: form
        integer, asynchronous :: s(:), r(:)
        select case (form)
        case (blocking)
            call MPI_Allgather(s, m, it, r, m, it, world)
        case (nonblocking)
            call MPI_Iallgather(s, m, it, r, m, it, world, request)
        case (persistent)
            call MPI_Allgather_init(s, m, it, r, m, it, world, none, request)
        end select
    end subroutine allgather

    subroutine allgatherv(form, s, r)
        integer, intent(in) :: form
        integer, asynchronous :: s(:), r(:)
        select case (form)
        case (blocking)
            call MPI_Allgatherv(s, m, it, r, counts, apart, it, world)
        case (nonblocking)
            call MPI_Iallgatherv(s, m, it, r, counts, apart, it, world, request)
        case (persistent)
            call MPI_Allgatherv_init(s, m, it, r, counts, apart, it, world, none, &
                request)
        end select
    end subroutine allgatherv

    subroutine alltoall(form, s, r)
        integer, intent(in) :: form
        integer, asynchronous :: s(:), r(:)
        select case (form)
        case (blocking)
            call MPI_Alltoall(s, m, it, r, m, it, world)
        case (nonblocking)
            call MPI_Ialltoall(s, m, it, r, m, it, world, request)
        case (persistent)
            call MPI_Alltoall_init(s, m, it, r, m, it, world, none, request)
        end select
    end subroutine alltoall

    subroutine alltoallv(form, s, r)
        integer, intent(in) :: form
        integer, asynchronous :: s(:), r(:)
        select case (form)
        case (blocking)
            call MPI_Alltoallv(s, counts, starts, it, r, counts, apart, it, world)
        case (nonblocking)
            call MPI_Ialltoallv(s, counts, starts, it, r, counts, apart, it, world, &
                request)
        case (persistent)
            call MPI_Alltoallv_init(s, counts, starts, it, r, counts, apart, it, &
                world, none, request)
        end select
    end subroutine alltoallv

    subroutine alltoallw(form, s, r)
        integer, intent(in) :: form
        integer, asynchronous :: s(:), r(:)
        select case (form)
        case (blocking)
            call MPI_Alltoallw(s, counts, places, types, r, counts, places, types, &
                world)
        case (nonblocking)
            call MPI_Ialltoallw(s, counts, places, types, r, counts, places, types, &
                world, request)
        case (persistent)
            call MPI_Alltoallw_init(s, counts, places, types, r, counts, places, &
                types, world, none, request)
        end select
    end subroutine alltoallw

    ! ---- reductions --------------------------------------------------------------
    subroutine reduce(form, s, r)
        integer, intent(in) :: form
        integer, asynchronous :: s(:), r(:)
        select case (form)
        case (blocking)
            call MPI_Reduce(s, r, m, it, MPI_SUM, root, world)
        case (nonblocking)
            call MPI_Ireduce(s, r, m, it, MPI_SUM, root, world, request)
        case (persistent)
            call MPI_Reduce_init(s, r, m, it, MPI_SUM, root, world, none, request)
        end select
    end subroutine reduce

    subroutine allreduce(form, s, r)
        integer, intent(in) :: form
        integer, asynchronous :: s(:), r(:)
        select case (form)
        case (blocking)
            call MPI_Allreduce(s, r, m, it, MPI_SUM, world)
        case (nonblocking)
            call MPI_Iallreduce(s, r, m, it, MPI_SUM, world, request)
        case (persistent)
            call MPI_Allreduce_init(s, r, m, it, MPI_SUM, world, none, request)
        end select
    end subroutine allreduce

    subroutine reduce_scatter_block(form, s, r)
        integer, intent(in) :: form
        integer, asynchronous :: s(:), r(:)
        select case (form)
        case (blocking)
            call MPI_Reduce_scatter_block(s, r, m, it, MPI_SUM, world)
        case (nonblocking)
            call MPI_Ireduce_scatter_block(s, r, m, it, MPI_SUM, world, request)
        case (persistent)
            call MPI_Reduce_scatter_block_init(s, r, m, it, MPI_SUM, world, none, &
                request)
        end select
    end subroutine reduce_scatter_block

    subroutine reduce_scatter(form, s, r)
        integer, intent(in) :: form
        integer, asynchronous :: s(:), r(:)
        select case (form)
        case (blocking)
            call MPI_Reduce_scatter(s, r, counts, it, MPI_SUM, world)
        case (nonblocking)
            call MPI_Ireduce_scatter(s, r, counts, it, MPI_SUM, world, request)
        case (persistent)
            call MPI_Reduce_scatter_init(s, r, counts, it, MPI_SUM, world, none, &
                request)
        end select
    end subroutine reduce_scatter

    subroutine scan(form, s, r)
        integer, intent(in) :: form
        integer, asynchronous :: s(:), r(:)
        select case (form)
        case (blocking)
            call MPI_Scan(s, r, m, it, MPI_SUM, world)
        case (nonblocking)
            call MPI_Iscan(s, r, m, it, MPI_SUM, world, request)
        case (persistent)
            call MPI_Scan_init(s, r, m, it, MPI_SUM, world, none, request)
        end select
    end subroutine scan

    subroutine exscan(form, s, r)
        integer, intent(in) :: form
        integer, asynchronous :: s(:), r(:)
        select case (form)
        case (blocking)
            call MPI_Exscan(s, r, m, it, MPI_SUM, world)
        case (nonblocking)
            call MPI_Iexscan(s, r, m, it, MPI_SUM, world, request)
        case (persistent)
            call MPI_Exscan_init(s, r, m, it, MPI_SUM, world, none, request)
        end select
    end subroutine exscan

    ! ---- neighbours --------------------------------------------------------------
    subroutine neighbor_allgather(form, s, r)
        integer, intent(in) :: form
        integer, asynchronous :: s(:), r(:)
        select case (form)
        case (blocking)
            call MPI_Neighbor_allgather(s, m, it, r, m, it, ring)
        case (nonblocking)
            call MPI_Ineighbor_allgather(s, m, it, r, m, it, ring, request)
        case (persistent)
            call MPI_Neighbor_allgather_init(s, m, it, r, m, it, ring, none, request)
        end select
    end subroutine neighbor_allgather

    subroutine neighbor_allgatherv(form, s, r)
        integer, intent(in) :: form
        integer, asynchronous :: s(:), r(:)
        select case (form)
        case (blocking)
            call MPI_Neighbor_allgatherv(s, m, it, r, two, turned, it, ring)
        case (nonblocking)
            call MPI_Ineighbor_allgatherv(s, m, it, r, two, turned, it, ring, request)
        case (persistent)
            call MPI_Neighbor_allgatherv_init(s, m, it, r, two, turned, it, ring, &
                none, request)
        end select
    end subroutine neighbor_allgatherv

    subroutine neighbor_alltoall(form, s, r)
        integer, intent(in) :: form
        integer, asynchronous :: s(:), r(:)
        select case (form)
        case (blocking)
            call MPI_Neighbor_alltoall(s, m, it, r, m, it, ring)
        case (nonblocking)
            call MPI_Ineighbor_alltoall(s, m, it, r, m, it, ring, request)
        case (persistent)
            call MPI_Neighbor_alltoall_init(s, m, it, r, m, it, ring, none, request)
        end select
    end subroutine neighbor_alltoall

    subroutine neighbor_alltoallv(form, s, r)
        integer, intent(in) :: form
        integer, asynchronous :: s(:), r(:)
        select case (form)
        case (blocking)
            call MPI_Neighbor_alltoallv(s, two, turned, it, r, two, turned, it, ring)
        case (nonblocking)
            call MPI_Ineighbor_alltoallv(s, two, turned, it, r, two, turned, it, &
                ring, request)
        case (persistent)
            call MPI_Neighbor_alltoallv_init(s, two, turned, it, r, two, turned, it, &
                ring, none, request)
        end select
    end subroutine neighbor_alltoallv

    subroutine neighbor_alltoallw(form, s, r)
        integer, intent(in) :: form
        integer, asynchronous :: s(:), r(:)
        select case (form)
        case (blocking)
            call MPI_Neighbor_alltoallw(s, two, bytes, types, r, two, bytes, types, &
                ring)
        case (nonblocking)
            call MPI_Ineighbor_alltoallw(s, two, bytes, types, r, two, bytes, types, &
                ring, request)
        case (persistent)
            call MPI_Neighbor_alltoallw_init(s, two, bytes, types, r, two, bytes, &
                types, ring, none, request)
        end select
    end subroutine neighbor_alltoallw

    ! ---- in place: the count of what is sent is ignored -------------------------
    subroutine allgather_in_place(form, s, r)
        integer, intent(in) :: form
        integer, asynchronous :: s(:), r(:)
        select case (form)
        case (blocking)
            call MPI_Allgather(MPI_IN_PLACE, size(s), it, r, m, it, world)
        case (nonblocking)
            call MPI_Iallgather(MPI_IN_PLACE, size(s), it, r, m, it, world, request)
        case (persistent)
            call MPI_Allgather_init(MPI_IN_PLACE, size(s), it, r, m, it, world, none, &
                request)
        end select
    end subroutine allgather_in_place

    subroutine alltoall_in_place(form, s, r)
        integer, intent(in) :: form
        integer, asynchronous :: s(:), r(:)
        select case (form)
        case (blocking)
            call MPI_Alltoall(MPI_IN_PLACE, size(s), it, r, m, it, world)
        case (nonblocking)
            call MPI_Ialltoall(MPI_IN_PLACE, size(s), it, r, m, it, world, request)
        case (persistent)
            call MPI_Alltoall_init(MPI_IN_PLACE, size(s), it, r, m, it, world, none, &
                request)
        end select
    end subroutine alltoall_in_place
end module section_forms_m
