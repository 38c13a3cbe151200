! SPDX-License-Identifier: BSD-3-Clause
! Groups, communicators made in every way, intercommunicators.
program communicators
#include "binding.inc"
    integer :: rank, ranks, i, result, ierror
    HANDLE(MPI_Comm) :: world
    HANDLE(MPI_Group) :: everyone
    call MPI_Init(ierror)
    world = MPI_COMM_WORLD
    call MPI_Comm_rank(world, rank, ierror)
    call MPI_Comm_size(world, ranks, ierror)
    call MPI_Comm_group(world, everyone, ierror)
    call groups_by_ranks()
    call groups_as_sets()
    call duplicates()
    call names_and_hints()
    call parts_of_the_world()
    if (ranks > 1) call two_sides()
    call MPI_Group_free(everyone, ierror)
    call check('a freed group is null', everyone == MPI_GROUP_NULL)
    call MPI_Finalize(ierror)

contains

    ! Frees the group.
    subroutine group_is(claim, group, members)
        character(len=*), intent(in) :: claim
        HANDLE(MPI_Group), intent(inout) :: group
        integer, intent(in) :: members(:)
        integer :: number, own, translated(size(members))
        call MPI_Group_size(group, number, ierror)
        call MPI_Group_rank(group, own, ierror)
        call check(claim, number == size(members))
        call MPI_Group_translate_ranks(group, number, [(i, i = 0, number - 1)], &
            everyone, translated, ierror)
        call check(claim, all(translated == members))
        call check('group_rank', own == merge(findloc(members, rank, 1) - 1, &
            MPI_UNDEFINED, any(members == rank)))
        if (group /= MPI_GROUP_EMPTY) call MPI_Group_free(group, ierror)
    end subroutine group_is

    subroutine groups_by_ranks()
        HANDLE(MPI_Group) :: group
        integer :: ranges(3, 1)
        call MPI_Group_incl(everyone, ranks, [(ranks - i, i = 1, ranks)], group, ierror)
        call MPI_Group_compare(group, everyone, result, ierror)
        call check('group_compare', &
            result == merge(MPI_SIMILAR, MPI_IDENT, ranks > 1))
        call group_is('incl', group, [(ranks - i, i = 1, ranks)])
        call MPI_Group_excl(everyone, 1, [0], group, ierror)
        call group_is('excl', group, [(i, i = 1, ranks - 1)])
        ranges(:, 1) = [ranks - 1, 0, -2]
        call MPI_Group_range_incl(everyone, 1, ranges, group, ierror)
        call group_is('range_incl', group, [(i, i = ranks - 1, 0, -2)])
        call MPI_Group_range_excl(everyone, 1, ranges, group, ierror)
        call group_is('range_excl', group, [(i, i = mod(ranks, 2), ranks - 2, 2)])
    end subroutine groups_by_ranks

    subroutine groups_as_sets()
        HANDLE(MPI_Group) :: first, others, group
        call MPI_Group_incl(everyone, 1, [0], first, ierror)
        call MPI_Group_difference(everyone, first, others, ierror)
        call MPI_Group_union(others, first, group, ierror)
        call group_is('union', group, [(i, i = 1, ranks - 1), 0])
        call MPI_Group_intersection(everyone, first, group, ierror)
        call group_is('intersection', group, [0])
        call group_is('difference', others, [(i, i = 1, ranks - 1)])
        call group_is('the first', first, [0])
    end subroutine groups_as_sets

    ! Frees the communicator.
    subroutine comm_is(claim, comm, expected)
        character(len=*), intent(in) :: claim
        HANDLE(MPI_Comm), intent(inout) :: comm
        integer, intent(in) :: expected
        call MPI_Comm_compare(comm, world, result, ierror)
        call check(claim, result == expected)
        call MPI_Comm_free(comm, ierror)
        call check('a freed communicator is null', comm == MPI_COMM_NULL)
    end subroutine comm_is

    subroutine duplicates()
        HANDLE(MPI_Comm), asynchronous :: comm
        HANDLE(MPI_Request) :: request
        call MPI_Comm_dup(world, comm, ierror)
        call comm_is('dup', comm, MPI_CONGRUENT)
        call MPI_Comm_dup_with_info(world, MPI_INFO_NULL, comm, ierror)
        call comm_is('dup_with_info', comm, MPI_CONGRUENT)
        call MPI_Comm_idup(world, comm, request, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call comm_is('idup', comm, MPI_CONGRUENT)
        call MPI_Comm_idup_with_info(world, MPI_INFO_NULL, comm, request, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call comm_is('idup_with_info', comm, MPI_CONGRUENT)
        call MPI_Comm_dup(world, comm, ierror)
        call MPI_Comm_disconnect(comm, ierror)
        call check('a disconnected communicator is null', comm == MPI_COMM_NULL)
    end subroutine duplicates

    subroutine names_and_hints()
        HANDLE(MPI_Comm) :: comm
        HANDLE(MPI_Info) :: info
        character(len=MPI_MAX_OBJECT_NAME) :: name
        integer :: number
        call MPI_Comm_dup(world, comm, ierror)
        call MPI_Comm_set_name(comm, 'halo ', ierror)
        call MPI_Comm_get_name(comm, name, number, ierror)
        call check('name', name == 'halo' .and. number == 4)
        call MPI_Info_create(info, ierror)
        call MPI_Info_set(info, 'colour', 'blue', ierror)
        call MPI_Comm_set_info(comm, info, ierror)
        call MPI_Info_free(info, ierror)
        call MPI_Comm_get_info(comm, info, ierror)
        call MPI_Info_get_nkeys(info, number, ierror)
        call MPI_Info_get_nthkey(info, 0, name, ierror)
        call check('a hint that nobody knows is dropped', &
            number == 1 .and. name == 'mpi_memory_alloc_kinds')
        call MPI_Info_free(info, ierror)
        call MPI_Comm_free(comm, ierror)
    end subroutine names_and_hints

    subroutine parts_of_the_world()
        HANDLE(MPI_Comm) :: comm
        HANDLE(MPI_Group) :: backwards
        integer :: size
        call MPI_Group_incl(everyone, ranks, [(ranks - i, i = 1, ranks)], backwards, &
            ierror)
        call MPI_Comm_create(world, backwards, comm, ierror)
        call comm_is('create', comm, merge(MPI_SIMILAR, MPI_CONGRUENT, ranks > 1))
        call MPI_Comm_create_group(world, backwards, 5, comm, ierror)
        call comm_is('create_group', comm, merge(MPI_SIMILAR, MPI_CONGRUENT, ranks > 1))
        call MPI_Comm_create_from_group(backwards, 'every', MPI_INFO_NULL, &
            MPI_ERRORS_RETURN, comm, ierror)
        call comm_is('create_from_group', comm, &
            merge(MPI_SIMILAR, MPI_CONGRUENT, ranks > 1))
        call MPI_Group_free(backwards, ierror)
        call MPI_Comm_split(world, rank, 0, comm, ierror)
        call MPI_Comm_size(comm, size, ierror)
        call check('split', size == 1)
        call MPI_Comm_free(comm, ierror)
        call MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &
            comm, ierror)
        call MPI_Comm_size(comm, size, ierror)
        call check('split_type', size >= 1 .and. size <= ranks)
        call MPI_Comm_free(comm, ierror)
    end subroutine parts_of_the_world

    ! Even ranks on one side, odd ones on the other.
    subroutine two_sides()
        HANDLE(MPI_Comm) :: side, between, merged
        HANDLE(MPI_Group) :: group, remote
        integer :: other_leader, size, sum
        logical :: is_inter
        other_leader = 1 - mod(rank, 2)
        call MPI_Comm_split(world, mod(rank, 2), rank, side, ierror)
        call MPI_Comm_test_inter(side, is_inter, ierror)
        call check('one side is no intercommunicator', .not. is_inter)
        call MPI_Intercomm_create(side, 0, world, other_leader, 3, between, ierror)
        call MPI_Comm_test_inter(between, is_inter, ierror)
        call check('intercomm_create', is_inter)
        call MPI_Comm_remote_size(between, size, ierror)
        call check('remote_size', size == (ranks + mod(rank, 2)) / 2)
        call MPI_Comm_remote_group(between, remote, ierror)
        call MPI_Allreduce(1, sum, 1_ck, MPI_INTEGER, MPI_SUM, between, ierror)
        call check('allreduce brings what the other side gives', sum == size)
        call MPI_Intercomm_merge(between, mod(rank, 2) == 1, merged, ierror)
        call MPI_Comm_size(merged, size, ierror)
        call check('intercomm_merge', size == ranks)
        call MPI_Comm_free(merged, ierror)
        call MPI_Comm_free(between, ierror)
        call MPI_Comm_group(side, group, ierror)
        call MPI_Intercomm_create_from_groups(group, 0, remote, 0, 'two', &
            MPI_INFO_NULL, MPI_ERRORS_RETURN, between, ierror)
        call MPI_Group_free(group, ierror)
        call group_is('remote_group', remote, [(i, i = other_leader, ranks - 1, 2)])
        call MPI_Comm_remote_size(between, size, ierror)
        call check('intercomm_create_from_groups', size == (ranks + mod(rank, 2)) / 2)
        call MPI_Comm_free(between, ierror)
        call MPI_Comm_free(side, ierror)
    end subroutine two_sides
end program communicators
