// SPDX-License-Identifier: BSD-3-Clause
// communicators_are_made_every_way: from groups, by part of the processes, nonblocking,
// with attributes; and groups from ranges.
#include "window_test.h"

// The sum of a communicator's ranks arrives at all its members.
static void check_works(MPI_Comm comm)
{
    int own, members, sum, expected = 0;
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &members);
    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < members; i++)
        expected += i;
    CHECK(sum == expected);
    int token = -1;
    if (own == 0)
        MPI_Send(&sum, 1, MPI_INT, members - 1, 5, comm);
    if (own == members - 1) {
        MPI_Recv(&token, 1, MPI_INT, 0, 5, comm, MPI_STATUS_IGNORE);
        CHECK(token == sum);
    }
}

static void groups_are_made_of_ranges(void)
{
    MPI_Group world, even, odd, all;
    int last = size - 1, result, members, evens[1][3] = {{0, last, 2}};
    int back[1][3] = {{last, 0, -1}}, empty[1][3] = {{1, 0, 1}};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, evens, &even);
    MPI_Group_range_excl(world, 1, evens, &odd);
    MPI_Group_size(even, &members);
    CHECK(members == (size + 1) / 2);
    MPI_Group_union(even, odd, &all);
    MPI_Group_compare(all, world, &result);
    CHECK(result == (size > 2 ? MPI_SIMILAR : MPI_IDENT));
    MPI_Group_free(&all);
    MPI_Group_range_incl(world, 1, back, &all);
    MPI_Group_rank(all, &members);
    CHECK(members == last - rank);
    MPI_Group_free(&all);
    MPI_Group_range_incl(world, 1, empty, &all);
    CHECK(all == MPI_GROUP_EMPTY);
    evens[0][1] = size;
    evens[0][2] = 1;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK_CLASS(MPI_Group_range_incl(world, 1, evens, &all), MPI_ERR_RANK);
    evens[0][2] = 0;
    CHECK_CLASS(MPI_Group_range_excl(world, 1, evens, &all), MPI_ERR_ARG);
    MPI_Group_free(&even);
    if (odd != MPI_GROUP_EMPTY)
        MPI_Group_free(&odd);
    MPI_Group_free(&world);
}

static void groups_are_sets(void)
{
    MPI_Group world, others, found;
    int result;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_excl(world, 1, &rank, &others);
    MPI_Group_rank(others, &result);
    CHECK(result == MPI_UNDEFINED);
    MPI_Group_intersection(world, others, &found);
    MPI_Group_compare(found, others, &result);
    CHECK(result == MPI_IDENT);
    if (found != MPI_GROUP_EMPTY)
        MPI_Group_free(&found);
    MPI_Group_difference(world, others, &found);
    MPI_Group_translate_ranks(found, 1, (int[]){0}, world, &result);
    CHECK(result == rank);
    MPI_Group_free(&found);
    if (others != MPI_GROUP_EMPTY)
        MPI_Group_free(&others);
    MPI_Group_free(&world);
}

// Both halves make theirs in one call; a process that gives no group gets nothing.
static void groups_become_communicators(void)
{
    MPI_Group world, half;
    MPI_Comm made;
    int range[1][3] = {{rank % 2, size - 1, 2}}, members;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, range, &half);
    MPI_Comm_create(MPI_COMM_WORLD, half, &made);
    MPI_Comm_size(made, &members);
    CHECK(members == (size + 1 - rank % 2) / 2);
    check_works(made);
    MPI_Comm_free(&made);
    MPI_Comm_create(MPI_COMM_WORLD, rank % 2 ? MPI_GROUP_EMPTY : half, &made);
    CHECK((made == MPI_COMM_NULL) == (rank % 2 == 1));
    if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
    MPI_Group_free(&half);
    MPI_Group_free(&world);
}

static bool has_name(MPI_Comm comm, const char *name)
{
    char found[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Comm_get_name(comm, found, &length);
    return strcmp(found, name) == 0 && length == (int)strlen(name);
}

static void communicators_have_names(void)
{
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    CHECK(has_name(MPI_COMM_WORLD, "MPI_COMM_WORLD") && has_name(copy, ""));
    CHECK(has_name(MPI_COMM_NULL, "MPI_COMM_NULL"));
    MPI_Comm_set_name(copy, "a copy");
    CHECK(has_name(MPI_COMM_WORLD, "MPI_COMM_WORLD") && has_name(copy, "a copy"));
    MPI_Comm_free(&copy);
}

// The halves call at different times, and the odd ones twice.
static void members_of_a_group_make_one_alone(void)
{
    MPI_Group world, half;
    MPI_Comm made;
    int range[1][3] = {{rank % 2, size - 1, 2}};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, range, &half);
    for (int i = 0; i < 1 + rank % 2; i++) {
        CHECK(MPI_Comm_create_group(MPI_COMM_WORLD, half, 7, &made) == MPI_SUCCESS);
        check_works(made);
        MPI_Comm_free(&made);
        CHECK(MPI_Comm_create_from_group(half, "a text", MPI_INFO_NULL,
                                         MPI_ERRORS_RETURN, &made) == MPI_SUCCESS);
        check_works(made);
        MPI_Errhandler handler;
        MPI_Comm_get_errhandler(made, &handler);
        CHECK(handler == MPI_ERRORS_RETURN);
        MPI_Comm_free(&made);
    }
    MPI_Group_free(&half);
    MPI_Group_free(&world);
}

static int handled;

static void count_error(MPI_Comm *comm, int *code, ...)
{
    CHECK(*comm == MPI_COMM_NULL);
    (void)code;
    handled++;
}

static void count_for_windows(MPI_Win *win, int *code, ...)
{
    CHECK(*win == MPI_WIN_NULL && *code == MPI_ERR_ERRHANDLER);
    handled++;
}

// MPI-4.1 7.4.2 and 7.6.2: errors of the call itself go to the handler for what it makes.
static void errors_go_to_the_handler_that_is_given(void)
{
    MPI_Errhandler handler, for_windows;
    MPI_Group world, others;
    MPI_Comm made;
    MPI_Comm_create_errhandler(count_error, &handler);
    MPI_Win_create_errhandler(count_for_windows, &for_windows);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_excl(world, 1, &rank, &others);
    handled = 0;
    CHECK_CLASS(MPI_Comm_create_from_group(world, NULL, MPI_INFO_NULL, handler, &made),
                MPI_ERR_ARG);
    CHECK_CLASS(
        MPI_Comm_create_from_group(MPI_GROUP_NULL, "", MPI_INFO_NULL, handler, &made),
        MPI_ERR_GROUP);
    CHECK_CLASS(
        MPI_Comm_create_from_group(world, "", MPI_INFO_NULL, for_windows, &made),
        MPI_ERR_ERRHANDLER);
    CHECK_CLASS(MPI_Intercomm_create_from_groups(world, size, world, 0, "",
                                                 MPI_INFO_NULL, handler, &made),
                MPI_ERR_RANK);
    CHECK(handled == 4);
    if (size > 1) {
        CHECK_CLASS(
            MPI_Comm_create_from_group(others, "", MPI_INFO_NULL, handler, &made),
            MPI_ERR_GROUP);
        CHECK_CLASS(MPI_Intercomm_create_from_groups(others, 0, world, 0, "",
                                                     MPI_INFO_NULL, handler, &made),
                    MPI_ERR_GROUP);
        CHECK(handled == 6);
    }
    MPI_Group_free(&others);
    MPI_Group_free(&world);
    MPI_Errhandler_free(&for_windows);
    MPI_Errhandler_free(&handler);
}

static int deleted;

static int delete_attribute(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)keyval, (void)extra;
    deleted += *(int *)value;
    return MPI_SUCCESS;
}

static int copy_attribute(MPI_Comm comm, int keyval, void *extra, void *value,
                          void *copy, int *flag)
{
    (void)comm, (void)keyval, (void)extra;
    *(void **)copy = value;
    *flag = 1;
    return MPI_SUCCESS;
}

// Keys of both ages are the same.
static void attributes_have_names_of_before(void)
{
    int keyval, plain, flag, two = 2, *value;
    MPI_Comm copy;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Keyval_create(copy_attribute, delete_attribute, &keyval, NULL) ==
          MPI_SUCCESS);
    CHECK(MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &plain, NULL) ==
          MPI_SUCCESS);
    CHECK(MPI_Attr_get(MPI_COMM_WORLD, keyval, &value, &flag) == MPI_SUCCESS && !flag);
    CHECK(MPI_Attr_put(MPI_COMM_WORLD, keyval, &two) == MPI_SUCCESS);
    CHECK(MPI_Attr_put(MPI_COMM_WORLD, plain, &two) == MPI_SUCCESS);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    CHECK(MPI_Attr_get(copy, keyval, &value, &flag) == MPI_SUCCESS);
    CHECK(flag && value == &two);
    CHECK(MPI_Comm_get_attr(copy, plain, &value, &flag) == MPI_SUCCESS && !flag);
    deleted = 0;
    MPI_Comm_free(&copy);
    CHECK(deleted == 2);
    CHECK(MPI_Attr_delete(MPI_COMM_WORLD, keyval) == MPI_SUCCESS && deleted == 4);
    CHECK(MPI_Attr_delete(MPI_COMM_WORLD, plain) == MPI_SUCCESS && deleted == 4);
    CHECK_CLASS(MPI_Attr_delete(MPI_COMM_WORLD, plain), MPI_ERR_KEYVAL);
    CHECK(MPI_Keyval_free(&keyval) == MPI_SUCCESS && keyval == MPI_KEYVAL_INVALID);
    CHECK(MPI_Comm_free_keyval(&plain) == MPI_SUCCESS);
    CHECK_CLASS(MPI_Attr_put(MPI_COMM_WORLD, plain, &two), MPI_ERR_KEYVAL);
    CHECK(MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag) == MPI_SUCCESS);
    CHECK(flag && *value >= 32767);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void a_duplicate_comes_later(void)
{
    int keyval, flag, one = 1, *value, result;
    MPI_Comm copies[3];
    MPI_Request requests[3];
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, delete_attribute, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &one);
    for (int i = 0; i < 2; i++)
        MPI_Comm_idup(MPI_COMM_WORLD, &copies[i], &requests[i]);
    MPI_Comm_idup_with_info(MPI_COMM_SELF, MPI_INFO_NULL, &copies[2], &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 3; i++) {
        check_works(copies[i]);
        MPI_Comm_get_attr(copies[i], keyval, &value, &flag);
        CHECK(flag == (i < 2) && (!flag || value == &one));
    }
    MPI_Comm_compare(MPI_COMM_WORLD, copies[0], &result);
    CHECK(result == MPI_CONGRUENT);
    deleted = 0;
    for (int i = 0; i < 3; i++)
        MPI_Comm_free(&copies[i]);
    CHECK(deleted == 2);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &copies[0]);
    check_works(copies[0]);
    MPI_Comm_disconnect(&copies[0]);
    CHECK(copies[0] == MPI_COMM_NULL && deleted == 3);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
    MPI_Comm_free_keyval(&keyval);
    CHECK(keyval == MPI_KEYVAL_INVALID && deleted == 4);
}

static void communicators_tell_what_mpi_predefines(void)
{
    int *value, flag,
        keys[] = {MPI_TAG_UB, MPI_WTIME_IS_GLOBAL, MPI_UNIVERSE_SIZE, MPI_LASTUSEDCODE};
    for (int i = 0; i < 4; i++) {
        MPI_Comm_get_attr(MPI_COMM_WORLD, keys[i], &value, &flag);
        CHECK(flag);
        if (keys[i] == MPI_TAG_UB)
            CHECK(*value >= 32767);
        if (keys[i] == MPI_UNIVERSE_SIZE)
            CHECK(*value >= size);
    }
    int class;
    MPI_Add_error_class(&class);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag);
    CHECK(flag && *value == class);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag);
    CHECK_CLASS(MPI_Comm_set_attr(MPI_COMM_SELF, MPI_TAG_UB, &flag), MPI_ERR_KEYVAL);
}

static void splits_follow_resources(void)
{
    MPI_Comm part;
    MPI_Info info;
    int members;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_pset_name", "mpi://WORLD");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, -rank, info,
                        &part);
    MPI_Comm_size(part, &members);
    CHECK(members == size);
    check_works(part);
    MPI_Comm_free(&part);
    MPI_Info_set(info, "mpi_pset_name", "MPI://self");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &part);
    MPI_Comm_size(part, &members);
    CHECK(members == 1);
    MPI_Comm_free(&part);
    MPI_Info_set(info, "mpi_pset_name", "nowhere");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &part);
    CHECK(part == MPI_COMM_NULL);
    MPI_Info_free(&info);
}

static bool has_resource(MPI_Info info, char *name)
{
    int room = MPI_MAX_INFO_VAL, flag;
    MPI_Info_get_string(info, "mpi_hw_resource_type", &room, name, &flag);
    return flag;
}

// The part that is a node has a name, by which it can be asked for.
static void unguided_splits_tell_the_resource(void)
{
    MPI_Comm part, again;
    MPI_Info info;
    char name[MPI_MAX_INFO_VAL];
    int result;
    MPI_Info_create(&info);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, info, &part);
    CHECK((part == MPI_COMM_NULL) == is_one_node());
    CHECK(has_resource(info, name) == (part != MPI_COMM_NULL));
    if (part != MPI_COMM_NULL) {
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &again);
        MPI_Comm_compare(part, again, &result);
        CHECK(result == MPI_CONGRUENT);
        MPI_Comm_free(&again);
        MPI_Comm_split_type(part, MPI_COMM_TYPE_HW_UNGUIDED, 0, info, &again);
        CHECK(again == MPI_COMM_NULL);
        MPI_Comm_free(&part);
    }
    MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &part);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &again);
    MPI_Comm_compare(part, again, &result);
    CHECK(result == MPI_CONGRUENT);
    CHECK(has_resource(info, name) && strcmp(name, "mpi_shared_memory") == 0);
    MPI_Comm_free(&part);
    MPI_Comm_free(&again);
    MPI_Info_set(info, "mpi_hw_resource_type", "nothing");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &part);
    CHECK(part == MPI_COMM_NULL);
    MPI_Info_free(&info);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL,
                        &part);
    if (part != MPI_COMM_NULL)
        MPI_Comm_free(&part);
}

static void hints_that_have_no_effect_are_not_shown(void)
{
    MPI_Info info;
    int keys = -1;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
    MPI_Comm_set_info(MPI_COMM_WORLD, info);
    MPI_Info_free(&info);
    MPI_Comm_get_info(MPI_COMM_WORLD, &info);
    MPI_Info_get_nkeys(info, &keys);
    CHECK(keys == 1); // the kinds of memory, which are no hint
    MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    groups_are_made_of_ranges();
    groups_are_sets();
    groups_become_communicators();
    communicators_have_names();
    members_of_a_group_make_one_alone();
    errors_go_to_the_handler_that_is_given();
    hints_that_have_no_effect_are_not_shown();
    attributes_have_names_of_before();
    a_duplicate_comes_later();
    communicators_tell_what_mpi_predefines();
    splits_follow_resources();
    unguided_splits_tell_the_resource();
    return finish();
}
