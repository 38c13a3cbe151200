! SPDX-License-Identifier: BSD-3-Clause
! Collective operations that go on when the call returns give array sections what
! blocking ones give contiguous arrays, and leave the rest of the array to the program.
program f08_section_requests
    use mpi_f08
    use check_m, only : check
    use section_forms_m
    implicit none
    integer :: rank, all, round
    ! What the blocking form takes and gives; the others have it in the second rows.
    integer, allocatable :: sent(:), got(:)
    integer, allocatable, asynchronous :: from(:, :), into(:, :)

    abstract interface
        subroutine operation(form, s, r)
            integer, intent(in) :: form
            integer, asynchronous :: s(:), r(:)
        end subroutine operation
    end interface

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call describe_blocks(rank)
    all = (m + 1) * max(ranks, 2)
    allocate (sent(all), got(all), from(2, all), into(3, all))
    round = 0
    call blocks()
    call reductions()
    call neighbours()
    call in_place()
    call parts_of_one_section()
    call too_small_sections()
    call groups()
    call MPI_Comm_free(ring)
    call MPI_Finalize()

contains

    pure integer function sent_by(rank, element)
        integer, intent(in) :: rank, element
        sent_by = 1000 * round + 100 * rank + element
    end function sent_by

    subroutine begin()
        integer :: i
        round = round + 1
        sent = [(sent_by(rank, i), i = 1, all)]
        got = -sent
        from(1, :) = -7
        from(2, :) = sent
        into(1, :) = -8
        into(2, :) = got(all:1:-1) ! the section begins with the last element
        into(3, :) = -8
    end subroutine begin

    subroutine compare(claim)
        character(len=*), intent(in) :: claim
        call check(claim // ' gives a section what it gives an array', &
            all_equal(into(2, all:1:-1), got))
        call check(claim // ' leaves other rows alone', &
            count(into(1, :) /= -8) + count(into(3, :) /= -8) == 0)
        call check(claim // ' leaves what it sends alone', all_equal(from(2, :), sent))
    end subroutine compare

    pure logical function all_equal(one, other)
        integer, intent(in) :: one(:), other(:)
        all_equal = count(one /= other) == 0
    end function all_equal

    ! Each call that completes requests has its turn.
    subroutine complete(claim)
        character(len=*), intent(in) :: claim
        type(MPI_Request) :: requests(2)
        logical :: is_complete
        is_complete = .false.
        select case (mod(round, 4))
        case (0)
            call MPI_Wait(request, MPI_STATUS_IGNORE)
        case (1)
            do while (.not. is_complete)
                call MPI_Test(request, is_complete, MPI_STATUS_IGNORE)
            end do
        case (2)
            requests = [MPI_REQUEST_NULL, request]
            call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
            request = requests(2)
        case (3)
            do while (.not. is_complete)
                call MPI_Request_get_status(request, is_complete, MPI_STATUS_IGNORE)
            end do
            call MPI_F_sync_reg(into)
            call compare(claim // ', as its status says,')
            call MPI_Wait(request, MPI_STATUS_IGNORE)
        end select
        call MPI_F_sync_reg(into)
        call compare(claim)
    end subroutine complete

    ! The two forms with requests against the blocking one.
    subroutine try(claim, run)
        character(len=*), intent(in) :: claim
        procedure(operation) :: run
        integer :: i
        call begin()
        call run(blocking, sent, got)
        call run(nonblocking, from(2, :), into(2, all:1:-1))
        call complete('i' // claim)
        call run(persistent, from(2, :), into(2, all:1:-1))
        do i = 1, 3
            call begin()
            call run(blocking, sent, got)
            call MPI_F_sync_reg(into)
            call MPI_Start(request)
            call complete(claim // '_init')
        end do
        call MPI_Request_free(request)
    end subroutine try

    subroutine blocks()
        call try('gather', gather)
        call try('gatherv', gatherv)
        call try('scatter', scatter)
        call try('scatterv', scatterv)
        call try('allgather', allgather)
        call try('allgatherv', allgatherv)
        call try('alltoall', alltoall)
        call try('alltoallv', alltoallv)
        call try('alltoallw', alltoallw)
    end subroutine blocks

    subroutine reductions()
        call try('reduce', reduce)
        call try('allreduce', allreduce)
        call try('reduce_scatter_block', reduce_scatter_block)
        call try('reduce_scatter', reduce_scatter)
        call try('scan', scan)
        call try('exscan', exscan)
    end subroutine reductions

    subroutine neighbours()
        call try('neighbor_allgather', neighbor_allgather)
        call try('neighbor_allgatherv', neighbor_allgatherv)
        call try('neighbor_alltoall', neighbor_alltoall)
        call try('neighbor_alltoallv', neighbor_alltoallv)
        call try('neighbor_alltoallw', neighbor_alltoallw)
    end subroutine neighbours

    ! What is sent is in the section where the result goes.
    subroutine in_place()
        call try('allgather in place', allgather_in_place)
        call try('alltoall in place', alltoall_in_place)
        call begin()
        call MPI_Reduce_scatter(MPI_IN_PLACE, got, counts, MPI_INTEGER, MPI_SUM, &
            MPI_COMM_WORLD)
        call MPI_Ireduce_scatter(MPI_IN_PLACE, into(2, all:1:-1), counts, MPI_INTEGER, &
            MPI_SUM, MPI_COMM_WORLD, request)
        call complete('ireduce_scatter in place')
    end subroutine in_place

    ! Two operations and the program each write to elements of one section.
    subroutine parts_of_one_section()
        type(MPI_Request) :: requests(2)
        integer :: odd(ranks), even(ranks), one(ranks), i
        one = 1
        odd = [(4 * i, i = 0, ranks - 1)]
        even = odd + 2
        call begin()
        call MPI_Iallgatherv(from(2, 1:all:2), 1, MPI_INTEGER, into(2, :), one, odd, &
            MPI_INTEGER, MPI_COMM_WORLD, requests(1))
        call MPI_Iallgatherv(from(2, 2:all:2), 1, MPI_INTEGER, into(2, :), one, even, &
            MPI_INTEGER, MPI_COMM_WORLD, requests(2))
        into(2, 2:all:2) = -9
        call MPI_F_sync_reg(into)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
        call MPI_F_sync_reg(into)
        call check('operations write their own elements of a section only', &
            all_equal(into(2, 1:4 * ranks:4), [(sent_by(i, 1), i = 0, ranks - 1)]) .and. &
            all_equal(into(2, 3:4 * ranks:4), [(sent_by(i, 2), i = 0, ranks - 1)]))
        call check('the program may write the others meanwhile', &
            count(into(2, 2:all:2) == -9) == all / 2)
    end subroutine parts_of_one_section

    subroutine too_small_sections()
        integer :: errors(4)
        call begin()
        call MPI_Ialltoall(from(2, :m * ranks - 1), m, MPI_INTEGER, into(2, :), m, &
            MPI_INTEGER, MPI_COMM_WORLD, request, errors(1))
        call MPI_Iallgatherv(sent, m, MPI_INTEGER, into(2, :), counts, apart - 1, &
            MPI_INTEGER, MPI_COMM_WORLD, request, errors(2))
        call MPI_Iallreduce(from(2, :), into(2, :m), m + 1, MPI_INTEGER, MPI_SUM, &
            MPI_COMM_WORLD, request, errors(3))
        call MPI_Neighbor_alltoall_init(from(2, :), m, MPI_INTEGER, &
            into(2, :2 * m - 1), m, MPI_INTEGER, ring, MPI_INFO_NULL, request, errors(4))
        call check('sections that are too small are refused', &
            count(errors == MPI_ERR_BUFFER) == size(errors))
        call compare('a call that is refused')
    end subroutine too_small_sections

    ! The root of an intercommunicator gathers from the other group only.
    subroutine groups()
        type(MPI_Comm) :: side, between
        integer :: others, i, j
        if (ranks == 1) return
        call MPI_Comm_split(MPI_COMM_WORLD, min(rank, 1), 0, side)
        call MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, merge(1, 0, rank == 0), 0, &
            between)
        call MPI_Comm_remote_size(between, others)
        call begin()
        if (rank == 0) &
            got(:m * others) = [((sent_by(i, j), j = 1, m), i = 1, others)]
        call MPI_Igather(from(2, :), merge(1000, m, rank == 0), MPI_INTEGER, &
            into(2, all:1:-1), m, MPI_INTEGER, merge(MPI_ROOT, 0, rank == 0), between, &
            request)
        call complete('igather between groups')
        call MPI_Comm_free(between)
        call MPI_Comm_free(side)
    end subroutine groups
end program f08_section_requests
