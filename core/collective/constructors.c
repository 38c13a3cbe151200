// SPDX-License-Identifier: BSD-3-Clause
// New communicators from old ones: dup, split, split_type, create, those of topologies;
// and their end: free, disconnect (MPI-4.1 7.4.2, 7.4.3, 11.10.4).
#include "collective/communicator.h"
#include "collective/topology.h"

#include <oriel_core.h>
#include <string.h>
#include <strings.h>

// Since MPI-4.0 hints stay behind.
int oriel_comm_dup(struct communicator *comm, struct communicator **newcomm)
{
    struct communicator *made;
    int err = comm_is_inter(comm) ? intercommunicator_split(comm, 0, comm->rank, &made)
                                  : communicator_make(comm, comm->group, 0, &made);
    if (err)
        return err;
    topology_share(comm, made);
    err = communicator_agree(comm_is_inter(comm) ? comm->local : comm,
                             attributes_copy(comm, made));
    if (err) {
        attributes_drop(made);
        communicator_drop(made);
        return err;
    }
    *newcomm = made;
    return object_open(&made->object, KIND_COMM);
}

int oriel_comm_dup_with_info(struct communicator *comm, struct info *info,
                             struct communicator **newcomm)
{
    (void)info; // no hint has an effect
    return oriel_comm_dup(comm, newcomm);
}

// Opens the communicator over `group`; NULL for a process that is not to be in one.
static int communicator_over(struct communicator *comm, struct group *group,
                             struct communicator **newcomm)
{
    struct communicator *made = NULL;
    int err = communicator_make(comm, group, 0, &made);
    return err ? err : communicator_publish(made, newcomm);
}

int topology_communicator(struct communicator *comm_old, int count, int err,
                          struct topology *topology, struct communicator **made)
{
    struct group *group = NULL;
    if (!err && comm_old->rank < count)
        err = group_make_head(comm_old->group, count, &group);
    err = communicator_make(comm_old, group, err, made);
    object_release(group);
    if (err || *made == NULL)
        topology_release(topology);
    else
        (*made)->topology = topology;
    return err;
}

int oriel_comm_split(struct communicator *comm, int color, int key,
                     struct communicator **newcomm)
{
    struct communicator *made = NULL;
    int err = comm_is_inter(comm) ? intercommunicator_split(comm, color, key, &made)
                                  : split_members(comm, color, key, &made);
    return err ? err : communicator_publish(made, newcomm);
}

static const char resource_key[] = "mpi_hw_resource_type";
static const char node_resource[] = "mpi_shared_memory";

// The color of the resource that a process shares with others, by the names of MPI-4.1:
// a node, all of the job, or nothing.
static int color_of_resource(const struct communicator *comm, int split_type,
                             const struct info *info)
{
    char resource[MPI_MAX_INFO_VAL], pset[MPI_MAX_INFO_VAL];
    bool is_guided = split_type == MPI_COMM_TYPE_HW_GUIDED ||
                     split_type == MPI_COMM_TYPE_RESOURCE_GUIDED;
    if (is_guided && info_value(info, resource_key, resource))
        return strcmp(resource, node_resource) == 0 ? comm->leader_index
                                                    : MPI_UNDEFINED;
    if (split_type == MPI_COMM_TYPE_RESOURCE_GUIDED &&
        info_value(info, "mpi_pset_name", pset)) {
        if (strcasecmp(pset, "mpi://WORLD") == 0)
            return 0;
        return strcasecmp(pset, "mpi://SELF") == 0 ? comm->rank : MPI_UNDEFINED;
    }
    bool is_part = split_type == MPI_COMM_TYPE_HW_UNGUIDED && comm->leader_count > 1;
    return split_type == MPI_COMM_TYPE_SHARED || is_part ? comm->leader_index
                                                         : MPI_UNDEFINED;
}

// Tells the program the resource by which it was split, if it has not named one
// (MPI-4.1 7.4.2).
static int tell_resource(struct communicator *comm, int color, struct info *info)
{
    bool is_told = info != NULL && color != MPI_UNDEFINED;
    int err = is_told ? info_put(info, resource_key, node_resource) : 0;
    return communicator_agree(comm_is_inter(comm) ? comm->local : comm, err);
}

int oriel_comm_split_type(struct communicator *comm, int split_type, int key,
                          struct info *info, struct communicator **newcomm)
{
    int color = color_of_resource(comm, split_type, info), err = 0;
    if (split_type == MPI_COMM_TYPE_HW_UNGUIDED)
        err = tell_resource(comm, color, info);
    return err ? err : oriel_comm_split(comm, color, key, newcomm);
}

int oriel_comm_create(struct communicator *comm, struct group *group,
                      struct communicator **newcomm)
{
    int err = check_subset(comm, group);
    if (err)
        return err;
    bool is_member = group->rank != MPI_UNDEFINED;
    if (comm_is_inter(comm)) // who is not in the group is in no communicator
        return oriel_comm_split(comm, is_member ? 0 : MPI_UNDEFINED, group->rank,
                                newcomm);
    return communicator_over(comm, is_member ? group : NULL, newcomm);
}

int oriel_comm_free(struct communicator *comm)
{
    int err = attributes_drop(comm);
    if (!err)
        object_close(&comm->object);
    return err;
}

// Communication under way keeps the communicator until it ends, so that a barrier is
// enough (MPI-4.1 11.10.4).
int oriel_comm_disconnect(struct communicator *comm)
{
    int err = oriel_barrier(comm);
    return err ? err : oriel_comm_free(comm);
}
