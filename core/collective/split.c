// SPDX-License-Identifier: BSD-3-Clause
// New communicators from old ones: dup, split, split_type, create, free
// (MPI-4.1 7.4.2).
#include "collective/private.h"

#include <oriel_core.h>
#include <stdlib.h>
#include <string.h>

// Since MPI-4.0 hints stay behind.
int oriel_comm_dup(struct communicator *comm, struct communicator **newcomm)
{
    struct communicator *made;
    int err = communicator_make(comm, comm->group, &made);
    if (err)
        return err;
    err = attributes_copy(comm, made);
    if (err) {
        attributes_drop(made);
        communicator_drop(made);
        return err;
    }
    *newcomm = made;
    return object_open(&made->object, KIND_COMM);
}

struct choice {
    int color, key, rank;
};

static int by_key(const void *one, const void *other)
{
    const struct choice *a = one, *b = other;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->rank < b->rank ? -1 : 1;
}

// The group of those who chose `color`, in the order of their keys.
static int group_of_color(const struct communicator *comm, struct choice *choices,
                          int color, struct group **group)
{
    int count = 0;
    for (int rank = 0; rank < comm->size; rank++)
        if (choices[rank].color == color)
            choices[count++] = choices[rank];
    qsort(choices, (size_t)count, sizeof *choices, by_key);
    int *ranks = malloc((size_t)count * sizeof *ranks);
    if (ranks == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for a group of %d", count);
    for (int i = 0; i < count; i++)
        ranks[i] = comm_job_rank(comm, choices[i].rank);
    int err = group_make(ranks, count, group);
    free(ranks);
    return err;
}

// Opens the communicator over `group`; NULL for a process that is not to be in one.
static int communicator_over(struct communicator *comm, struct group *group,
                             struct communicator **newcomm)
{
    struct communicator *made = NULL;
    int err = communicator_make(comm, group, &made);
    if (err)
        return err;
    *newcomm = made;
    return made ? object_open(&made->object, KIND_COMM) : 0;
}

int oriel_comm_split(struct communicator *comm, int color, int key,
                     struct communicator **newcomm)
{
    struct group *group = NULL;
    struct choice mine = {color, key, comm->rank};
    struct choice *all = malloc((size_t)comm->size * sizeof *all);
    if (all == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for the colors of %d processes",
                    comm->size);
    int err = collective_gather_all(comm, &mine, sizeof mine, all);
    if (!err && color != MPI_UNDEFINED)
        err = group_of_color(comm, all, color, &group);
    free(all);
    if (!err)
        err = communicator_over(comm, group, newcomm);
    object_release(group);
    return err;
}

// Nodes are the only hardware that Oriel knows, by the name that MPI-4.1 gives them.
int oriel_comm_split_type(struct communicator *comm, int split_type, int key,
                          struct info *info, struct communicator **newcomm)
{
    const char *resource = info_find(info, "mpi_hw_resource_type");
    bool is_shared = split_type == MPI_COMM_TYPE_SHARED ||
                     (split_type == MPI_COMM_TYPE_HW_GUIDED && resource != NULL &&
                      strcmp(resource, "mpi_shared_memory") == 0);
    return oriel_comm_split(comm, is_shared ? comm->leader_index : MPI_UNDEFINED, key,
                            newcomm);
}

int oriel_comm_create(struct communicator *comm, struct group *group,
                      struct communicator **newcomm)
{
    for (int i = 0; i < group->size; i++) {
        int rank = 0;
        while (rank < comm->size && comm->group->ranks[rank] != group->ranks[i])
            rank++;
        if (rank == comm->size)
            return fail(MPI_ERR_GROUP,
                        "group: its member %d (process %d of the job) is not in comm",
                        i, group->ranks[i]);
    }
    bool is_member = group->rank != MPI_UNDEFINED;
    return communicator_over(comm, is_member ? group : NULL, newcomm);
}

int oriel_comm_free(struct communicator *comm)
{
    int err = attributes_drop(comm);
    if (!err)
        object_close(&comm->object);
    return err;
}
