// SPDX-License-Identifier: BSD-3-Clause
// oriel.h: all that the generated bindings know of the core, and the only header they
// include besides mpi.h. The core's functions (oriel_put and so on) are declared in
// oriel_core.h, generated from the records: handles arrive as resolved objects, counts
// as MPI_Count, arguments already valid. The rest of this file is what entry points
// need to check arguments and to hand results out.
#pragma once

#include "object/object.h"
#include "pt2pt/inline.h"
#include "window/window.h"
#include "rma/inline.h"
#include "sync/inline.h"
#include "oriel_core.h"

// ---- the groups that ranks are of ---------------------------------------------------
// Named by the core's struct, as the tables of kinds spell it.
static inline int communicator_ranks(const struct communicator *comm)
{
    return comm->peers->size;
}

static inline int communicator_members(const struct communicator *comm)
{
    return comm->size;
}

static inline int communicator_sources(const struct communicator *comm)
{
    return comm->topology ? comm->topology->in_degree : 0;
}

static inline int communicator_destinations(const struct communicator *comm)
{
    return comm->topology ? comm->topology->out_degree : 0;
}

static inline int communicator_dimensions(const struct communicator *comm)
{
    return comm->topology ? comm->topology->ndims : 0;
}

static inline int group_ranks(const struct group *group)
{
    return group->size;
}

static inline int window_ranks(const struct window *window)
{
    return window->size_of_group;
}

// One comparison, since no group has more than INT_MAX.
static inline bool is_rank(int rank, int ranks)
{
    return (unsigned)rank < (unsigned)ranks;
}

// Is `root` a valid root? In an intercommunicator the group of the root says MPI_ROOT
// or MPI_PROC_NULL (MPI-4.1 6.2.3).
static inline bool communicator_has_root(const struct communicator *comm, int root)
{
    return is_rank(root, comm->peers->size) ||
           (comm_is_inter(comm) && (root == MPI_ROOT || root == MPI_PROC_NULL));
}

// ---- how many elements follow from an array of counts -----------------------------------
static inline int ints_last(const int ints[], int count)
{
    return count > 0 ? ints[count - 1] : 0;
}

static inline MPI_Count ints_sum(const int ints[], int count)
{
    MPI_Count sum = 0;
    for (int i = 0; i < count; i++)
        sum += ints[i];
    return sum;
}

// ---- results ------------------------------------------------------------------------
// The handle of a new object, or the null handle if the procedure gives none to this
// process.
static inline uintptr_t handle_of(const void *object, const void *null_handle)
{
    return object ? object_handle(object) : (uintptr_t)null_handle;
}

// ---- the life of the library (MPI-4.1 11.2) -------------------------------------------
// For procedures without a handle, since outside of this time a handle would be found
// bad, and for those that bring processes together when there are only sessions.
static inline bool is_active(void)
{
    return atomic_load_explicit(&process.state, memory_order_acquire) == PROCESS_ACTIVE;
}

// 0, or what has been raised on `object`.
static inline int become_active(const struct call *call, void *object)
{
    bool can_meet = atomic_load(&process.state) == PROCESS_ALONE;
    int err = can_meet ? process.meet()
                       : fail(MPI_ERR_OTHER,
                              "must be called between MPI_Init and MPI_Finalize");
    return err ? raise_error(call, object, err) : 0;
}
