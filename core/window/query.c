// SPDX-License-Identifier: BSD-3-Clause
// Queries of windows: group, name, attributes, shared memory (MPI-4.1 12.2.3, 12.2.6,
// 7.7, 7.8).
#include "window/window.h"

#include <oriel_core.h>

int oriel_win_get_group(struct window *win, struct group **group)
{
    return oriel_comm_group(win->comm, group);
}

int oriel_win_set_name(struct window *win, const char *win_name)
{
    char text[MPI_MAX_OBJECT_NAME + 16]; // of the communicator: what people are told
    snprintf(text, sizeof text, "window \"%s\"", win_name);
    int err = object_set_name(&win->name, win_name);
    return err ? err : object_set_name(&win->comm->name, text);
}

int oriel_win_get_name(struct window *win, char *win_name, int *resultlen)
{
    object_get_name(win ? win->name : "MPI_WIN_NULL", win_name, resultlen);
    return 0;
}

// The base is the value itself; of everything else a pointer (MPI-4.1 12.2.6).
static void *predefined_attribute(struct window *win, int keyval)
{
    switch (keyval) {
    case MPI_WIN_BASE:
        return win->base;
    case MPI_WIN_SIZE:
        return &win->size;
    case MPI_WIN_DISP_UNIT:
        return &win->unit_attribute;
    case MPI_WIN_CREATE_FLAVOR:
        return &win->flavor;
    case MPI_WIN_MODEL:
        return &win->model;
    default:
        return NULL;
    }
}

int oriel_win_get_attr(struct window *win, int win_keyval, void *attribute_val,
                       int *flag)
{
    if (win_keyval < MPI_WIN_BASE || win_keyval > MPI_WIN_MODEL)
        return attribute_get(KIND_WIN, win, win_keyval, attribute_val, flag);
    *(void **)attribute_val = predefined_attribute(win, win_keyval);
    *flag = 1;
    return 0;
}

int oriel_win_set_attr(struct window *win, int win_keyval, void *attribute_val)
{
    return attribute_set(KIND_WIN, win, win_keyval, attribute_val);
}

int oriel_win_delete_attr(struct window *win, int win_keyval)
{
    return attribute_delete(KIND_WIN, win, win_keyval);
}

// The base of `rank` in this process, or NULL if its memory is not mapped here.
static void *address_here(const struct window *win, int rank,
                          const struct local_member *local)
{
    if (rank == win->comm->rank)
        return win->base;
    return local->is_in_segment ? shm_at(process.shm, local->place) : NULL;
}

// The lowest rank with memory that is mapped here; 0 if there is none.
static int first_with_memory(const struct window *win)
{
    const struct communicator *comm = win->comm;
    for (int i = 0; i < comm->node_size; i++) {
        int rank = comm->node_members[i];
        if (member_table_read(&win->members, rank, VALUE_SIZE) > 0 &&
            address_here(win, rank, &win->local_members[i]) != NULL)
            return rank;
    }
    return 0;
}

// From now on the program may load from the local peer's memory without a call that
// could take its lock. So lock_all epochs take it when they are opened, and one that is
// open does now.
static int memory_show(struct window *win, int rank)
{
    window_set_trait(win, TRAIT_SHOWN, true);
    return epoch_access(&win->epoch) == ACCESS_LOCK_ALL
               ? window_target(win, rank, &(struct peer *){NULL})
               : 0;
}

// Memory that cannot be reached by loads and stores is shown as none (MPI-4.1 12.2.3).
int oriel_win_shared_query(struct window *win, int rank, MPI_Aint *size,
                           MPI_Aint *disp_unit, void *baseptr)
{
    if (win->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return fail(MPI_ERR_RMA_FLAVOR, "the window was opened by "
                                        "MPI_Win_create_dynamic and has no memory of "
                                        "its own");
    if (rank == MPI_PROC_NULL)
        rank = first_with_memory(win);
    struct member member = window_member(win, rank);
    void *address = member.size > 0 ? address_here(win, rank, &member.local) : NULL;
    if (address != NULL && rank != win->comm->rank) {
        int err = memory_show(win, rank);
        if (err)
            return err;
    }
    *size = address != NULL ? (MPI_Aint)member.size : 0;
    *disp_unit = (MPI_Aint)member.unit;
    *(void **)baseptr = address;
    return 0;
}
