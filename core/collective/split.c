// SPDX-License-Identifier: BSD-3-Clause
// New communicators from old ones: dup, split, split_type, create, free
// (MPI-4.1 7.4.2).
#include "collective/color_list.h"
#include "collective/leaders.h"
#include "collective/topology.h"

#include <oriel_core.h>
#include <stdlib.h>
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

static int by_key(const void *one, const void *other)
{
    const struct choice *a = one, *b = other;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->rank < b->rank ? -1 : 1;
}

int group_of_choices(const struct group *members, struct choice *choices, int count,
                     struct group **group)
{
    qsort(choices, (size_t)count, sizeof *choices, by_key);
    int *ranks = malloc((size_t)count * sizeof *ranks + 1);
    if (ranks == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for a group of %d", count);
    for (int i = 0; i < count; i++)
        ranks[i] = group_job_rank(members, choices[i].rank);
    int err = group_make(ranks, count, members->session, group);
    free(ranks);
    return err;
}

int group_of_color(const struct group *members, struct choice *choices, int color,
                   struct group **group)
{
    int count = 0;
    for (int rank = 0; rank < members->size; rank++)
        if (choices[rank].color == color)
            choices[count++] = choices[rank];
    return group_of_choices(members, choices, count, group);
}

int communicator_publish(struct communicator *made, struct communicator **newcomm)
{
    *newcomm = made;
    return made ? object_open(&made->object, KIND_COMM) : 0;
}

// Opens the communicator over `group`; NULL for a process that is not to be in one.
static int communicator_over(struct communicator *comm, struct group *group,
                             struct communicator **newcomm)
{
    struct communicator *made = NULL;
    int err = communicator_make(comm, group, 0, &made);
    return err ? err : communicator_publish(made, newcomm);
}

// ---- split: what the members of a node have in the segment, from their leader

struct splitting {
    struct communicator *comm;
    struct choice *choices;    // [node_size]
    struct progression *parts; // [part_count] of all colors of the node, by color
    int part_count;
    void *provided_choices, *provided_parts; // leader: to be freed
};

static int choices_meet(struct splitting *splitting, struct choice own)
{
    struct communicator *comm = splitting->comm;
    void *memory;
    int err =
        collective_node_alloc(comm, (size_t)comm->node_size * sizeof(struct choice),
                              &splitting->provided_choices, &memory);
    if (err)
        return err;
    splitting->choices = memory;
    splitting->choices[comm->node_rank] = own;
    return collective_node_barrier(comm);
}

static int by_color(const void *one, const void *other)
{
    const struct choice *a = one, *b = other;
    if (a->color != b->color)
        return a->color < b->color ? -1 : 1;
    return a->rank < b->rank ? -1 : 1;
}

static int node_list_make(const struct splitting *splitting, struct color_list *list)
{
    int err = 0, members = splitting->comm->node_size;
    qsort(splitting->choices, (size_t)members, sizeof *splitting->choices, by_color);
    for (int i = 0; i < members && !err; i++) {
        const struct choice *choice = &splitting->choices[i];
        if (choice->color != MPI_UNDEFINED)
            err = color_list_append(list, (struct progression){.color = choice->color,
                                                               .count = 1,
                                                               .rank = choice->rank,
                                                               .key = choice->key});
    }
    return err;
}

// Of all colors that the node has, in all of the communicator.
static int leader_find_parts(struct communicator *comm, struct color_list *list,
                             const struct splitting *splitting, int err)
{
    if (!err)
        err = node_list_make(splitting, list);
    return comm->leader_count > 1 ? leaders_complete_list(comm, list, err) : err;
}

// All members of the node get the parts, or the leader's error.
static int parts_meet(struct splitting *splitting, const struct color_list *list,
                      int err)
{
    struct communicator *comm = splitting->comm;
    struct {
        int error, count;
    } told = {err, list->count};
    int told_err = collective_node_broadcast(comm, &told, sizeof told);
    if (err || told_err)
        return err ? err : told_err;
    if (told.error)
        return fail(told.error, "the leader of this node has failed");
    if (told.count == 0)
        return 0;
    void *memory;
    size_t bytes = (size_t)told.count * sizeof *splitting->parts;
    err = collective_node_alloc(comm, bytes, &splitting->provided_parts, &memory);
    if (err)
        return err;
    splitting->parts = memory;
    splitting->part_count = told.count;
    if (is_leader(comm))
        memcpy(memory, list->all, bytes);
    return collective_node_barrier(comm);
}

// Only when all members of the node have made their groups.
static void splitting_end(struct splitting *splitting)
{
    int err = collective_node_barrier(splitting->comm);
    if (err || !is_leader(splitting->comm))
        return;
    shm_free(process.shm, splitting->provided_choices);
    shm_free(process.shm, splitting->provided_parts);
}

// NULL for a member without a color.
static int find_own_group(struct communicator *comm, int color, int key,
                          struct group **group)
{
    struct splitting splitting = {.comm = comm};
    struct color_list list = {0};
    int err = choices_meet(&splitting, (struct choice){color, key, comm->rank});
    if (is_leader(comm))
        err = leader_find_parts(comm, &list, &splitting, err);
    err = parts_meet(&splitting, &list, err);
    color_list_free(&list);
    if (!err && color != MPI_UNDEFINED)
        err = color_list_group(comm->group, splitting.parts, splitting.part_count,
                               color, group);
    splitting_end(&splitting);
    return err;
}

int split_members(struct communicator *comm, int color, int key,
                  struct communicator **made)
{
    struct group *group = NULL;
    int err = find_own_group(comm, color, key, &group);
    err = communicator_make(comm, group, err, made);
    object_release(group);
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

int check_subset(const struct communicator *comm, const struct group *group)
{
    struct group_search search;
    int err = group_search_begin(comm->group, &search);
    for (int i = 0; i < group->size && !err; i++) {
        int job_rank = group_job_rank(group, i);
        if (group_search_rank(&search, job_rank) == MPI_UNDEFINED)
            err = fail(MPI_ERR_GROUP,
                       "group: its member %d (process %d of the job) is not in comm", i,
                       job_rank);
    }
    group_search_end(&search);
    return err;
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
