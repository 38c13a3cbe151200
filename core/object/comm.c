// SPDX-License-Identifier: BSD-3-Clause
// What communicators tell about themselves (MPI-4.1 7.4.1).
#include "object/object.h"

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

int oriel_comm_group(struct communicator *comm, struct group **group)
{
    object_retain(comm->group);
    int err = object_open(&comm->group->object, KIND_GROUP);
    if (!err)
        *group = comm->group;
    return err;
}

int oriel_comm_compare(struct communicator *comm1, struct communicator *comm2,
                       int *result)
{
    if (comm1 == comm2) {
        *result = MPI_IDENT;
        return 0;
    }
    int err = group_compare(comm1->group, comm2->group, result);
    if (!err && *result == MPI_IDENT)
        *result = MPI_CONGRUENT;
    return err;
}

int oriel_comm_set_name(struct communicator *comm, const char *comm_name)
{
    object_set_name(comm->name, comm_name);
    return 0;
}

int oriel_comm_get_name(struct communicator *comm, char *comm_name, int *resultlen)
{
    object_get_name(comm->name, comm_name, resultlen);
    return 0;
}
