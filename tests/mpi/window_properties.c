// SPDX-License-Identifier: BSD-3-Clause
// windows_tell_what_they_are: attributes, group, name.
#include "window_test.h"

static void *attribute(MPI_Win win, int keyval)
{
    void *value = NULL;
    int flag = 0;
    MPI_Win_get_attr(win, keyval, &value, &flag);
    CHECK(flag);
    return value;
}

static int flavor_of(const struct source *source)
{
    if (source->open == open_allocated)
        return MPI_WIN_FLAVOR_ALLOCATE;
    return source->open == open_shared ? MPI_WIN_FLAVOR_SHARED : MPI_WIN_FLAVOR_CREATE;
}

static void predefined_attributes(const struct source *source)
{
    struct opened opened = source->open(24 * (rank + 1), 3 * (rank + 1));
    CHECK(attribute(opened.win, MPI_WIN_BASE) == opened.base);
    CHECK(*(MPI_Aint *)attribute(opened.win, MPI_WIN_SIZE) == 24 * (rank + 1));
    CHECK(*(int *)attribute(opened.win, MPI_WIN_DISP_UNIT) == 3 * (rank + 1));
    CHECK(*(int *)attribute(opened.win, MPI_WIN_CREATE_FLAVOR) == flavor_of(source));
    CHECK(*(int *)attribute(opened.win, MPI_WIN_MODEL) == MPI_WIN_UNIFIED);
    CHECK_CLASS(MPI_Win_set_attr(opened.win, MPI_WIN_SIZE, &opened), MPI_ERR_KEYVAL);
    CHECK_CLASS(MPI_Win_delete_attr(opened.win, MPI_WIN_BASE), MPI_ERR_KEYVAL);
    source->close(&opened);
}

static int dropped;

static int count_drop(MPI_Win win, int keyval, void *value, void *extra)
{
    (void)win, (void)keyval;
    CHECK(value == extra);
    dropped++;
    return MPI_SUCCESS;
}

static int refuse_drop(MPI_Win win, int keyval, void *value, void *extra)
{
    (void)win, (void)keyval, (void)value;
    return *(bool *)extra ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static void own_attributes(void)
{
    struct opened opened = open_allocated(8, 1);
    int keyval, flag;
    void *value;
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, count_drop, &keyval, &dropped);
    MPI_Win_get_attr(opened.win, keyval, &value, &flag);
    CHECK(!flag);
    MPI_Win_set_attr(opened.win, keyval, &dropped);
    CHECK(attribute(opened.win, keyval) == &dropped);
    MPI_Win_delete_attr(opened.win, keyval);
    CHECK(dropped == 1);
    MPI_Win_set_attr(opened.win, keyval, &dropped);
    MPI_Win_free_keyval(&keyval);
    CHECK(keyval == MPI_KEYVAL_INVALID);
    close_allocated(&opened);
    CHECK(dropped == 2);
}

// A delete callback that fails keeps the window open.
static void a_refused_delete_keeps_the_window(void)
{
    struct opened opened = open_allocated(8, 1);
    bool refuses = true;
    int keyval;
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, refuse_drop, &keyval, &refuses);
    MPI_Win_set_attr(opened.win, keyval, NULL);
    CHECK(MPI_Win_free(&opened.win) != MPI_SUCCESS && opened.win != MPI_WIN_NULL);
    refuses = false;
    CHECK_CLASS(MPI_Win_free(&opened.win), MPI_SUCCESS);
    MPI_Win_free_keyval(&keyval);
}

static void names(void)
{
    struct opened opened = open_allocated(8, 1);
    char name[MPI_MAX_OBJECT_NAME], longer[2 * MPI_MAX_OBJECT_NAME];
    int length = -1;
    MPI_Win_get_name(opened.win, name, &length);
    CHECK(length == 0 && name[0] == '\0');
    MPI_Win_set_name(opened.win, "halo");
    MPI_Win_get_name(opened.win, name, &length);
    CHECK(length == 4 && strcmp(name, "halo") == 0);
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    MPI_Win_set_name(opened.win, longer);
    MPI_Win_get_name(opened.win, name, &length);
    CHECK(length == MPI_MAX_OBJECT_NAME - 1 && strlen(name) == (size_t)length);
    MPI_Win_get_name(MPI_WIN_NULL, name, &length);
    CHECK(length == 12 && strcmp(name, "MPI_WIN_NULL") == 0);
    close_allocated(&opened);
}

static void the_group_is_the_communicators(void)
{
    MPI_Comm half;
    MPI_Group of_win, of_comm;
    MPI_Win win;
    void *base;
    int result;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Win_allocate(8, 1, MPI_INFO_NULL, half, &base, &win);
    MPI_Comm_group(half, &of_comm);
    MPI_Comm_free(&half);
    MPI_Win_get_group(win, &of_win);
    MPI_Win_free(&win);
    MPI_Group_compare(of_win, of_comm, &result);
    CHECK(result == MPI_IDENT);
    MPI_Group_free(&of_win);
    MPI_Group_free(&of_comm);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for_each_source(predefined_attributes);
    own_attributes();
    a_refused_delete_keeps_the_window();
    names();
    the_group_is_the_communicators();
    return finish();
}
