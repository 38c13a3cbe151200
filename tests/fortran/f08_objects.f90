! SPDX-License-Identifier: BSD-3-Clause
! mpi_f08: handles, groups, datatypes, environment; what the module declares.
program f08_objects
    use mpi_f08
    use check_m, only : check, unit
    implicit none
    integer :: provided, rank, ranks
    logical :: flag
    call MPI_Initialized(flag)
    call check('not initialized at first', .not. flag)
    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided)
    call check('the thread level asked for is provided', &
        provided >= MPI_THREAD_FUNNELED)
    call MPI_Initialized(flag)
    call check('initialized after init_thread', flag)
    call MPI_Is_thread_main(flag)
    call check('this is the main thread', flag)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call handles()
    call groups()
    call datatypes()
    call time()
    call MPI_Finalize()
    call MPI_Finalized(flag)
    call check('finalized after finalize', flag)

contains

    subroutine handles()
        type(MPI_Comm) :: comms(2)
        type(MPI_Status) :: status
        comms = MPI_COMM_WORLD
        call check('== compares handles, also of arrays', all(comms == MPI_COMM_WORLD))
        call check('.ne. compares handles', comms(1) .ne. MPI_COMM_SELF)
        call check('a handle is an INTEGER inside', MPI_COMM_WORLD%MPI_VAL == 257)
        status%MPI_SOURCE = 1
        status%MPI_TAG = 2
        status%MPI_ERROR = 3
        call check('a status is as large as the array of the mpi module', &
            storage_size(status) == MPI_STATUS_SIZE * storage_size(1))
        call check('sections are allowed and safe in nonblocking calls', &
            MPI_SUBARRAYS_SUPPORTED .and. MPI_ASYNC_PROTECTS_NONBLOCKING)
    end subroutine handles

    subroutine groups()
        type(MPI_Group) :: world, reversed, empty
        type(MPI_Comm) :: backwards, half
        integer :: order(ranks), translated(ranks), i, result, new_rank
        call MPI_Comm_group(MPI_COMM_WORLD, world)
        order = [(ranks - i, i = 1, ranks)]
        call MPI_Group_incl(world, ranks, order, reversed)
        call MPI_Group_translate_ranks(reversed, ranks, [(i, i = 0, ranks - 1)], &
            world, translated)
        call check('translate_ranks maps arrays', all(translated == order))
        translated = -5
        call MPI_Group_translate_ranks(reversed, 1, order(ranks:), world, translated)
        call check('translate_ranks writes n ranks only', &
            translated(1) == ranks - 1 .and. all(translated(2:) == -5))
        call MPI_Group_excl(world, ranks, order, empty)
        call check('no member is left', empty == MPI_GROUP_EMPTY)
        call MPI_Comm_create(MPI_COMM_WORLD, reversed, backwards)
        call MPI_Comm_rank(backwards, new_rank)
        call check('a communicator of the reversed group', new_rank == ranks - 1 - rank)
        call MPI_Comm_compare(MPI_COMM_WORLD, backwards, result)
        call check('comparison with the reversed one', &
            result == merge(MPI_CONGRUENT, MPI_SIMILAR, ranks == 1))
        call MPI_Comm_split(MPI_COMM_WORLD, merge(MPI_UNDEFINED, 0, rank == 0), 0, half)
        call check('undefined colour gives no communicator', &
            (half == MPI_COMM_NULL) .eqv. rank == 0)
        if (half /= MPI_COMM_NULL) call MPI_Comm_free(half)
        call MPI_Comm_free(backwards)
        call MPI_Group_free(reversed)
        call MPI_Group_free(world)
    end subroutine groups

    subroutine datatypes()
        type(MPI_Datatype) :: pairs
        integer :: size
        integer(MPI_COUNT_KIND) :: large_size
        integer(MPI_ADDRESS_KIND) :: lb, extent
        call MPI_Type_size(MPI_INTEGER, size)
        call check('MPI_INTEGER is an INTEGER', size == unit)
        call MPI_Type_size(MPI_LOGICAL, size)
        call check('MPI_LOGICAL is a LOGICAL', size == storage_size(.true.) / 8)
        call MPI_Type_size(MPI_2INTEGER, size)
        call check('MPI_2INTEGER is two', size == 2 * unit)
        call MPI_Type_vector(3, 1, 4, MPI_INTEGER, pairs)
        call MPI_Type_commit(pairs)
        call MPI_Type_size(pairs, size)
        call MPI_Type_size(pairs, large_size)
        call check('sizes agree', size == 3 * unit .and. large_size == 3 * unit)
        call MPI_Type_get_extent(pairs, lb, extent)
        call check('extent of a vector', lb == 0 .and. extent == 9 * unit)
        call MPI_Type_free(pairs)
        call check('a freed datatype is null', pairs == MPI_DATATYPE_NULL)
        call MPI_Type_contiguous(2_MPI_COUNT_KIND ** 33, MPI_INTEGER, pairs)
        call MPI_Type_size(pairs, large_size)
        call check('a count beyond an INTEGER', &
            large_size == 2_MPI_COUNT_KIND ** 33 * unit)
        call MPI_Type_size(pairs, size)
        call check('a size beyond an INTEGER is undefined', &
            size == merge(int(large_size), MPI_UNDEFINED, unit == 8))
        call MPI_Type_free(pairs)
    end subroutine datatypes

    subroutine time()
        double precision :: start
        start = MPI_Wtime()
        call check('time does not run backwards', MPI_Wtime() >= start)
        call check('PMPI has functions, too', PMPI_Wtime() >= start .and. &
            PMPI_Wtick() == MPI_Wtick())
        call check('a tick is a small time', MPI_Wtick() > 0 .and. MPI_Wtick() < 1)
    end subroutine time
end program f08_objects
