// SPDX-License-Identifier: BSD-3-Clause
// Accessors of communicators (MPI-4.1 7.4.1).
#include "object/object.h"

#include <limits.h>
#include <oriel_core.h>

int oriel_comm_size(struct communicator *comm, int *size)
{
    *size = comm->size;
    return 0;
}

int oriel_comm_rank(struct communicator *comm, int *rank)
{
    *rank = comm->rank;
    return 0;
}

// ---- for the Fortran layer

bool oriel_is_root(uintptr_t handle, int root)
{
    const struct communicator *comm = handle_object(KIND_COMM, handle);
    return comm && communicator_is_root(comm, root);
}

int oriel_own_rank(uintptr_t handle)
{
    const struct communicator *comm = handle_object(KIND_COMM, handle);
    return comm ? comm->rank : 0;
}

// ---- groups

int oriel_comm_group(struct communicator *comm, struct group **group)
{
    object_retain(comm->group);
    int err = object_open(&comm->group->object, KIND_GROUP);
    if (!err)
        *group = comm->group;
    return err;
}

int oriel_comm_test_inter(struct communicator *comm, int *flag)
{
    *flag = comm_is_inter(comm);
    return 0;
}

static int check_inter(const struct communicator *comm)
{
    return comm_is_inter(comm) ? 0 : fail(MPI_ERR_COMM, "comm: has no remote group");
}

int oriel_comm_remote_size(struct communicator *comm, int *size)
{
    int err = check_inter(comm);
    if (!err)
        *size = comm->peers->size;
    return err;
}

int oriel_comm_remote_group(struct communicator *comm, struct group **group)
{
    int err = check_inter(comm);
    if (err)
        return err;
    object_retain(comm->peers);
    err = object_open(&comm->peers->object, KIND_GROUP);
    if (!err)
        *group = comm->peers;
    return err;
}

// The groups of an intercommunicator differ as much as the two that differ more.
static int compare_groups(const struct communicator *comm1,
                          const struct communicator *comm2, int *result)
{
    int local, remote;
    *result = MPI_UNEQUAL;
    if (comm_is_inter(comm1) != comm_is_inter(comm2))
        return 0;
    int err = group_compare(comm1->group, comm2->group, &local);
    if (!err)
        err = group_compare(comm1->peers, comm2->peers, &remote);
    if (err)
        return err;
    if (local == MPI_IDENT && remote == MPI_IDENT)
        *result = MPI_CONGRUENT;
    else if (local != MPI_UNEQUAL && remote != MPI_UNEQUAL)
        *result = MPI_SIMILAR;
    return 0;
}

int oriel_comm_compare(struct communicator *comm1, struct communicator *comm2,
                       int *result)
{
    if (comm1 != comm2)
        return compare_groups(comm1, comm2, result);
    *result = MPI_IDENT;
    return 0;
}

const char *communicator_text(const struct communicator *comm,
                              char text[COMMUNICATOR_TEXT_BYTES])
{
    const char *name = object_name_or_none(comm->name);
    if (*name != '\0')
        snprintf(text, COMMUNICATOR_TEXT_BYTES, "%s", name);
    else if (comm->is_windows)
        snprintf(text, COMMUNICATOR_TEXT_BYTES, "a window");
    else
        snprintf(text, COMMUNICATOR_TEXT_BYTES, "a communicator of %d processes",
                 comm->size);
    return text;
}

int oriel_comm_set_name(struct communicator *comm, const char *comm_name)
{
    return object_set_name(&comm->name, comm_name);
}

int oriel_comm_get_name(struct communicator *comm, char *comm_name, int *resultlen)
{
    object_get_name(comm ? comm->name : "MPI_COMM_NULL", comm_name, resultlen);
    return 0;
}

// ---- hints: none has an effect, so none is in use (MPI-4.1 7.4.4)

int oriel_comm_set_info(struct communicator *comm, struct info *info)
{
    (void)comm, (void)info;
    return 0;
}

int oriel_comm_get_info(struct communicator *comm, struct info **info_used)
{
    (void)comm;
    struct info *made;
    int err = info_make(&made);
    if (err)
        return err;
    err = memory_kinds_show(made);
    if (err) {
        object_release(made);
        return err;
    }
    *info_used = made;
    return object_open(&made->object, KIND_INFO);
}

// ---- attributes (MPI-4.1 7.7.2, 9.1.2)

int oriel_comm_create_keyval(generic_function *comm_copy_attr_fn,
                             generic_function *comm_delete_attr_fn, int *comm_keyval,
                             void *extra_state)
{
    return keyval_make(KIND_COMM, comm_copy_attr_fn, comm_delete_attr_fn, extra_state,
                       comm_keyval);
}

int oriel_comm_free_keyval(int *comm_keyval)
{
    return keyval_free(KIND_COMM, comm_keyval);
}

int oriel_comm_set_attr(struct communicator *comm, int comm_keyval, void *attribute_val)
{
    return attribute_set(KIND_COMM, comm, comm_keyval, attribute_val);
}

int oriel_comm_delete_attr(struct communicator *comm, int comm_keyval)
{
    return attribute_delete(KIND_COMM, comm, comm_keyval);
}

// A number that the launcher has told, or NULL: such an attribute is not set.
static const int *number_or_null(const int *number)
{
    return *number >= 0 ? number : NULL;
}

// What MPI tells with every communicator, or NULL. There is no host process.
static const int *comm_predefined_attribute(int keyval)
{
    static const int any_tag = INT_MAX, own_clock = 0, any_process = MPI_ANY_SOURCE,
                     no_host = MPI_PROC_NULL;
    switch (keyval) {
    case MPI_TAG_UB:
        return &any_tag;
    case MPI_IO:
        return &any_process;
    case MPI_HOST:
        return &no_host;
    case MPI_WTIME_IS_GLOBAL:
        return &own_clock;
    case MPI_UNIVERSE_SIZE:
        return number_or_null(&process.boot->universe_size);
    case MPI_APPNUM:
        return number_or_null(&process.boot->app_number);
    case MPI_LASTUSEDCODE:
        return &objects.last_code;
    default:
        return NULL;
    }
}

int oriel_comm_get_attr(struct communicator *comm, int comm_keyval, void *attribute_val,
                        int *flag)
{
    bool may_be_unset = comm_keyval == MPI_UNIVERSE_SIZE || comm_keyval == MPI_APPNUM;
    const int *found = comm_predefined_attribute(comm_keyval);
    if (found == NULL && !may_be_unset)
        return attribute_get(KIND_COMM, comm, comm_keyval, attribute_val, flag);
    *flag = found != NULL;
    if (found != NULL)
        *(const void **)attribute_val = found;
    return 0;
}

// ---- the same by their names of MPI-1 (MPI-4.1 16.1)

int oriel_keyval_create(generic_function *copy_fn, generic_function *delete_fn,
                        int *keyval, void *extra_state)
{
    return oriel_comm_create_keyval(copy_fn, delete_fn, keyval, extra_state);
}

int oriel_keyval_free(int *keyval)
{
    return oriel_comm_free_keyval(keyval);
}

int oriel_attr_put(struct communicator *comm, int keyval, void *attribute_val)
{
    return oriel_comm_set_attr(comm, keyval, attribute_val);
}

int oriel_attr_get(struct communicator *comm, int keyval, void *attribute_val,
                   int *flag)
{
    return oriel_comm_get_attr(comm, keyval, attribute_val, flag);
}

int oriel_attr_delete(struct communicator *comm, int keyval)
{
    return oriel_comm_delete_attr(comm, keyval);
}
