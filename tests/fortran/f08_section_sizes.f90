! SPDX-License-Identifier: BSD-3-Clause
! A call that uses more than an array section has is refused and touches nothing; one that
! uses all of it is not. What does not matter in a process is not looked at.
program f08_section_sizes
    use mpi_f08
    use check_m, only : check, unit
    implicit none
    integer, parameter :: m = 3 ! elements of a block
    integer :: rank, ranks, all, i, ierror
    integer :: one(m)
    integer, allocatable :: rows(:, :), counts(:), starts(:)
    integer, allocatable :: from(:, :)
    type(MPI_Datatype), allocatable :: types(:)
    call MPI_Init()
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    all = m * ranks
    one = [(100 * rank + i, i = 1, m)]
    allocate (rows(2, all), from(2, all), counts(ranks), starts(ranks), types(ranks))
    from = 1
    rows = -1
    counts = m
    starts = [(m * i, i = 0, ranks - 1)]
    types = MPI_INTEGER
    call gathers()
    call exchanges()
    call reductions()
    call roots()
    call groups()
    call neighbours()
    call packed()
    call MPI_Finalize()

contains

    subroutine fits(claim)
        character(len=*), intent(in) :: claim
        call check(claim // ' with all of a section', ierror == MPI_SUCCESS)
        call check(claim // ' leaves other rows alone', count(rows(2, :) == -1) == all)
        rows = -1
    end subroutine fits

    subroutine is_refused(claim)
        character(len=*), intent(in) :: claim
        call check(claim // ' is refused', ierror == MPI_ERR_BUFFER)
        call check(claim // ' touches nothing', count(rows == -1) == 2 * all)
    end subroutine is_refused

    subroutine gathers()
        call MPI_Allgather(one, m, MPI_INTEGER, rows(1, :), m, MPI_INTEGER, &
            MPI_COMM_WORLD, ierror)
        call check('allgather into a row', all_of_all())
        call fits('allgather')
        call MPI_Allgather(one, m, MPI_INTEGER, rows(1, :all - 1), m, MPI_INTEGER, &
            MPI_COMM_WORLD, ierror)
        call is_refused('allgather')
        call MPI_Allgatherv(one, m, MPI_INTEGER, rows(1, :), counts, starts, &
            MPI_INTEGER, MPI_COMM_WORLD, ierror)
        call check('allgatherv into a row', all_of_all())
        call fits('allgatherv')
        call MPI_Allgatherv(one, m, MPI_INTEGER, rows(1, :), counts, starts + 1, &
            MPI_INTEGER, MPI_COMM_WORLD, ierror)
        call is_refused('allgatherv beyond the end')
        call MPI_Allgatherv(one, m, MPI_INTEGER, rows(1, :), counts, starts - 1, &
            MPI_INTEGER, MPI_COMM_WORLD, ierror)
        call is_refused('allgatherv before the begin')
        call MPI_Allgatherv(one, 3_MPI_COUNT_KIND, MPI_INTEGER, rows(1, :), &
            int(counts, MPI_COUNT_KIND), starts + 2_MPI_ADDRESS_KIND**61, MPI_INTEGER, &
            MPI_COMM_WORLD, ierror)
        call is_refused('allgatherv far away')
    end subroutine gathers

    logical function all_of_all()
        integer :: k
        all_of_all = ierror == MPI_SUCCESS .and. &
            count(rows(1, :) == [((100 * k + i, i = 1, m), k = 0, ranks - 1)]) == all
    end function all_of_all

    subroutine exchanges()
        call MPI_Alltoall(from(1, :), m, MPI_INTEGER, rows(1, :), m, MPI_INTEGER, &
            MPI_COMM_WORLD, ierror)
        call fits('alltoall')
        call MPI_Alltoall(from(1, :all - 1), m, MPI_INTEGER, rows(1, :), m, &
            MPI_INTEGER, MPI_COMM_WORLD, ierror)
        call is_refused('alltoall out of too little')
        call MPI_Alltoall(from(1, :), m, MPI_INTEGER, rows(1, :all - 1), m, &
            MPI_INTEGER, MPI_COMM_WORLD, ierror)
        call is_refused('alltoall into too little')
        call MPI_Alltoallv(from(1, :), counts, starts, MPI_INTEGER, rows(1, :), &
            counts, starts, MPI_INTEGER, MPI_COMM_WORLD, ierror)
        call fits('alltoallv')
        call MPI_Alltoallv(from(1, :), counts, starts + 1, MPI_INTEGER, rows(1, :), &
            counts, starts, MPI_INTEGER, MPI_COMM_WORLD, ierror)
        call is_refused('alltoallv out of too little')
        call MPI_Alltoallw(from(1, :), counts, starts * unit, types, rows(1, :), &
            counts, starts * unit, types, MPI_COMM_WORLD, ierror)
        call fits('alltoallw')
        call MPI_Alltoallw(from(1, :), counts, starts * unit, types, rows(1, :), &
            counts, starts * unit + 1, types, MPI_COMM_WORLD, ierror)
        call is_refused('alltoallw into too little')
    end subroutine exchanges

    ! The result of a rank is one block, but all of them in place.
    subroutine reductions()
        integer :: own, sums(ranks)
        call MPI_Reduce_scatter_block(from(1, :), rows(1, :m), m, MPI_INTEGER, MPI_SUM, &
            MPI_COMM_WORLD, ierror)
        call fits('reduce_scatter_block')
        call MPI_Reduce_scatter_block(from(1, :all - 1), rows(1, :m), m, MPI_INTEGER, &
            MPI_SUM, MPI_COMM_WORLD, ierror)
        call is_refused('reduce_scatter_block out of too little')
        call MPI_Reduce_scatter_block(from(1, :), rows(1, :m - 1), m, MPI_INTEGER, &
            MPI_SUM, MPI_COMM_WORLD, ierror)
        call is_refused('reduce_scatter_block into too little')
        call MPI_Reduce_scatter_block(MPI_IN_PLACE, rows(1, :), m, MPI_INTEGER, MPI_SUM, &
            MPI_COMM_WORLD, ierror)
        call fits('reduce_scatter_block in place')
        call MPI_Reduce_scatter_block(MPI_IN_PLACE, rows(1, :all - 1), m, MPI_INTEGER, &
            MPI_SUM, MPI_COMM_WORLD, ierror)
        call is_refused('reduce_scatter_block in place of too little')
        sums = m
        sums(1) = m - 1
        own = sums(rank + 1)
        call MPI_Reduce_scatter(from(1, :sum(sums)), rows(1, :own), sums, MPI_INTEGER, &
            MPI_SUM, MPI_COMM_WORLD, ierror)
        call fits('reduce_scatter')
        call MPI_Reduce_scatter(from(1, :), rows(1, :own - 1), sums + m, MPI_INTEGER, &
            MPI_SUM, MPI_COMM_WORLD, ierror)
        call is_refused('reduce_scatter out of too little')
        call MPI_Reduce_scatter(MPI_IN_PLACE, rows(1, :sum(sums)), sums, MPI_INTEGER, &
            MPI_SUM, MPI_COMM_WORLD, ierror)
        call fits('reduce_scatter in place')
        call MPI_Reduce_scatter(MPI_IN_PLACE, rows(1, :), counts + 1, MPI_INTEGER, &
            MPI_SUM, MPI_COMM_WORLD, ierror)
        call is_refused('reduce_scatter in place of too little')
    end subroutine reductions

    ! Only the root's arguments matter, and only there is the call refused.
    subroutine roots()
        integer :: room
        room = merge(all, 2, rank == 0)
        call MPI_Gather(one, m, MPI_INTEGER, rows(1, :room), merge(m, 1000, rank == 0), &
            MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
        if (rank == 0) call check('gather into a row', all_of_all())
        call fits('gather')
        call MPI_Scatter(from(1, :room), merge(m, 1000, rank == 0), MPI_INTEGER, &
            rows(1, :m), m, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
        call fits('scatter')
        call MPI_Gather(one, m, MPI_INTEGER, rows(1, :m - 1), m, MPI_INTEGER, 0, &
            MPI_COMM_SELF, ierror)
        call is_refused('gather')
        call MPI_Gatherv(one, 2, MPI_INTEGER, rows(1, :m), [2], [2], MPI_INTEGER, 0, &
            MPI_COMM_SELF, ierror)
        call is_refused('gatherv')
        call MPI_Scatter(from(1, :m - 1), m, MPI_INTEGER, one, m, MPI_INTEGER, 0, &
            MPI_COMM_SELF, ierror)
        call is_refused('scatter')
        call MPI_Scatterv(from(1, :m), [2], [-1], MPI_INTEGER, one, 2, MPI_INTEGER, 0, &
            MPI_COMM_SELF, ierror)
        call is_refused('scatterv')
        call MPI_Reduce(one, rows(1, :m - 1), m, MPI_INTEGER, MPI_SUM, 0, &
            MPI_COMM_SELF, ierror)
        call is_refused('reduce')
    end subroutine roots

    ! The root of an intercommunicator gathers a block of each of the other group.
    subroutine groups()
        type(MPI_Comm) :: side, between
        integer :: others, root
        if (ranks == 1) return
        call MPI_Comm_split(MPI_COMM_WORLD, min(rank, 1), 0, side)
        call MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, merge(1, 0, rank == 0), 0, &
            between)
        call MPI_Comm_remote_size(between, others)
        root = merge(MPI_ROOT, 0, rank == 0)
        call MPI_Gather(from(1, :m), merge(1000, m, rank == 0), MPI_INTEGER, &
            rows(1, :m * others), m, MPI_INTEGER, root, between, ierror)
        call fits('gather between groups')
        call MPI_Comm_free(between)
        call MPI_Comm_free(side)
    end subroutine groups

    subroutine neighbours()
        type(MPI_Comm) :: ring
        integer :: into(2, 2 * m)
        call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring)
        into = -1
        call MPI_Neighbor_allgather(one, m, MPI_INTEGER, into(1, :), m, MPI_INTEGER, &
            ring, ierror)
        call check('neighbor_allgather', ierror == MPI_SUCCESS .and. &
            count(into == -1) == 2 * m)
        into = -1
        call MPI_Neighbor_allgather(one, m, MPI_INTEGER, into(1, :2 * m - 1), m, &
            MPI_INTEGER, ring, ierror)
        call check('neighbor_allgather into too little is refused', &
            ierror == MPI_ERR_BUFFER .and. count(into == -1) == 4 * m)
        call MPI_Neighbor_alltoall(into(1, :), m + 1, MPI_INTEGER, one, 0, MPI_INTEGER, &
            ring, ierror)
        call check('neighbor_alltoall out of too little is refused', &
            ierror == MPI_ERR_BUFFER)
        call MPI_Neighbor_alltoallw(into(1, :), [m, m], &
            [0, m + 1] * int(unit, MPI_ADDRESS_KIND), [MPI_INTEGER, MPI_INTEGER], one, &
            [0, 0], [0, 0] * 1_MPI_ADDRESS_KIND, [MPI_INTEGER, MPI_INTEGER], ring, &
            ierror)
        call check('neighbor_alltoallw out of too little is refused', &
            ierror == MPI_ERR_BUFFER)
        call MPI_Comm_free(ring)
    end subroutine neighbours

    subroutine packed()
        integer :: position, from_bytes
        from_bytes = m * unit
        position = 0
        call MPI_Pack(one, m, MPI_INTEGER, rows(1, :m), from_bytes, position, &
            MPI_COMM_WORLD, ierror)
        call check('pack into a row', count(rows(1, :m) == one) == m)
        call fits('pack')
        position = 0
        call MPI_Pack(one, m, MPI_INTEGER, rows(1, :m - 1), from_bytes, position, &
            MPI_COMM_WORLD, ierror)
        call is_refused('pack into too little')
        call MPI_Unpack(from(1, :m - 1), from_bytes, position, one, m, MPI_INTEGER, &
            MPI_COMM_WORLD, ierror)
        call is_refused('unpack out of too little')
    end subroutine packed
end program f08_section_sizes
