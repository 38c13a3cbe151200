// SPDX-License-Identifier: BSD-3-Clause
// Making and freeing of communicators (MPI-4.1 7.4.2, 7.4.3).
#include "collective/communicator.h"
#include "collective/leaders.h"
#include "collective/node_map.h"
#include "collective/refusal.h"
#include "collective/shared_buffer.h"
#include "collective/topology.h"

#include <oriel_core.h>
#include <stdlib.h>
#include <string.h>

// The contribution of a member of the parent to the setup of a new communicator.
struct setup_entry {
    uint64_t context; // for the new communicator, if this is its first member
    uint64_t buffer;  // offset in the segment, if this member leads a node
};

// The job rank of the process that calls, and a count of its contexts.
uint64_t context_next(void)
{
    uint32_t count = atomic_fetch_add_explicit(&process.collectives->contexts, 1,
                                               memory_order_relaxed);
    return (uint64_t)(uint32_t)process.boot->rank << 32 | count;
}

static void communicator_destroy(struct object *object)
{
    struct communicator *comm = (struct communicator *)object;
    if (comm->collective->shared_buffer != NULL)
        shared_buffer_leave(comm->collective->shared_buffer, is_leader(comm));
    if (comm->collective->node_map != NULL)
        node_map_release(comm->collective->node_map);
    if (comm->peers != comm->group)
        object_release(comm->peers);
    object_release(comm->local);
    object_release(comm->group);
    object_release(object->errhandler);
    topology_release(comm->topology);
    send_buffer_free(comm->buffer);
    free(comm);
}

// The members of its group by node: those of the parent if the group is the same.
static int find_nodes(const struct communicator *parent, struct communicator *comm)
{
    struct node_map *map;
    int err = 0;
    if (parent != NULL && parent->group == comm->group) {
        map = parent->collective->node_map;
        atomic_fetch_add(&map->references, 1);
    } else {
        err = node_map_make(comm->group, &map);
    }
    if (err)
        return err;
    comm->collective->node_map = map;
    comm->node_size = map->node_size;
    comm->node_members = map->node_members;
    comm->leader_count = map->leader_count;
    comm->leaders = map->leaders;
    comm->node_index_of = map->node_index_of;
    comm->leader_index = comm->node_index_of[comm->rank];
    while (comm->node_members[comm->node_rank] != comm->rank)
        comm->node_rank++;
    return 0;
}

// One allocation.
struct communicator_memory {
    struct communicator comm;
    struct comm_collective collective;
};

int communicator_plan(const struct communicator *parent, struct group *group,
                      struct communicator **planned)
{
    struct communicator_memory *memory = calloc(1, sizeof *memory);
    if (memory == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for a communicator of %d", group->size);
    struct communicator *comm = &memory->comm;
    comm->collective = &memory->collective;
    object_init(&comm->object, communicator_destroy);
    object_retain(group);
    comm->group = comm->peers = group;
    comm->rank = group->rank;
    comm->size = group->size;
    int err = find_nodes(parent, comm);
    if (err) {
        object_release(comm);
        return err;
    }
    *planned = comm;
    return 0;
}

static int setup_prepare(const struct communicator *parent, struct group *group,
                         struct communicator **comm, struct setup_entry *mine)
{
    int err = communicator_plan(parent, group, comm);
    if (err)
        return err;
    if ((*comm)->rank == 0)
        mine->context = context_next();
    if (is_leader(*comm) && (*comm)->node_size > 1) {
        err =
            shared_buffer_make((*comm)->node_size, &(*comm)->collective->shared_buffer);
        if (!err)
            mine->buffer = shm_offset(process.shm, (*comm)->collective->shared_buffer);
    }
    return err;
}

// The rank in `parent` of a member of `comm`.
static int parent_rank(const struct communicator *parent,
                       const struct communicator *comm, int rank)
{
    int found = 0;
    while (parent->group->ranks[found] != comm->group->ranks[rank])
        found++;
    return found;
}

static void setup_accept(const struct communicator *parent, struct communicator *comm,
                         const struct setup_entry *all)
{
    if (comm == NULL)
        return;
    comm->context = all[parent_rank(parent, comm, 0)].context;
    if (comm->node_size > 1) {
        int leader = parent_rank(parent, comm, comm->node_members[0]);
        comm->collective->shared_buffer = shm_at(process.shm, all[leader].buffer);
    }
    errhandler_inherit(comm, parent);
}

void communicator_abandon(struct communicator *comm)
{
    if (comm == NULL)
        return;
    shm_free(process.shm, comm->collective->shared_buffer);
    comm->collective->shared_buffer = NULL;
    object_release(comm);
}

static int check_intra(const struct communicator *comm)
{
    return comm_is_inter(comm) ? fail(MPI_ERR_COMM, "comm: is an intercommunicator")
                               : 0;
}

// Members agree on an error before they exchange anything.
int communicator_agree(struct communicator *comm, int err)
{
    int unfit = check_intra(comm);
    if (unfit)
        return unfit;
    int worst = err;
    struct datatype *type = handle_object(KIND_DATATYPE, (uintptr_t)MPI_INT);
    struct op *op = handle_object(KIND_OP, (uintptr_t)MPI_MAX);
    int failed = collective_reduce_all(comm, &worst, &worst, 1, type, op);
    if (failed || err)
        return failed ? failed : err;
    return worst ? fail(worst, "another member of the communicator has failed") : 0;
}

static int setup_exchange(struct communicator *parent, struct communicator *comm,
                          const struct setup_entry *mine, struct setup_entry *all)
{
    int err = collective_gather_all(parent, mine, sizeof *mine, all);
    if (!err)
        setup_accept(parent, comm, all);
    return err;
}

int communicator_make(struct communicator *parent, struct group *group,
                      struct communicator **made)
{
    int unfit = check_intra(parent);
    if (unfit)
        return unfit;
    struct communicator *comm = NULL;
    struct setup_entry mine = {0};
    struct setup_entry *all = malloc((size_t)parent->size * sizeof *all);
    int err = all ? 0
                  : fail(MPI_ERR_NO_MEM, "no memory to set up a communicator of %d",
                         parent->size);
    if (!err && group != NULL)
        err = setup_prepare(parent, group, &comm, &mine);
    err = communicator_agree(parent, err);
    if (!err)
        err = setup_exchange(parent, comm, &mine, all);
    free(all);
    if (err) {
        communicator_abandon(comm);
        return err;
    }
    *made = comm;
    return 0;
}

void communicator_drop(struct communicator *comm)
{
    object_release(comm);
}

// The members of the parent's node have no shared buffer yet: the leader tells them by
// message.
static int world_share_buffer(struct communicator *world)
{
    uint64_t offset = 0;
    int err = 0;
    if (world->node_size == 1)
        return 0;
    if (!is_leader(world)) {
        err = pt2pt_receive(world, &offset, sizeof offset,
                            world->leaders[world->leader_index], TAG_SHARED_BUFFER);
        if (!err)
            world->collective->shared_buffer = shm_at(process.shm, offset);
        return err;
    }
    err = shared_buffer_make(world->node_size, &world->collective->shared_buffer);
    offset = err ? 0 : shm_offset(process.shm, world->collective->shared_buffer);
    for (int node_rank = 1; !err && node_rank < world->node_size; node_rank++)
        err = pt2pt_send(world, &offset, sizeof offset, world->node_members[node_rank],
                         TAG_SHARED_BUFFER);
    return err;
}

static int predefined_make(const int *ranks, int size, const char *name,
                           uint64_t context, struct communicator **made)
{
    struct group *group;
    int err = group_make(ranks, size, NULL, &group);
    if (err)
        return err;
    err = communicator_plan(NULL, group, made);
    object_release(group);
    if (err)
        return err;
    (*made)->context = context;
    errhandler_give(*made, &errors_are_fatal);
    object_set_name((*made)->name, name);
    return 0;
}

int collectives_start(void)
{
    int rank = process.boot->rank, size = process.boot->size;
    int *ranks = malloc((size_t)size * sizeof *ranks);
    process.collectives = calloc(1, sizeof *process.collectives);
    if (ranks == NULL || process.collectives == NULL) {
        free(ranks);
        return fail(MPI_ERR_NO_MEM, "no memory for communicators of %d ranks", size);
    }
    refusals_start();
    for (int i = 0; i < size; i++)
        ranks[i] = i;
    int err =
        predefined_make(ranks, size, "MPI_COMM_WORLD", UINT64_MAX, &process.world);
    if (!err)
        err = predefined_make(&rank, 1, "MPI_COMM_SELF", context_next(), &process.self);
    free(ranks);
    return err ? err : world_share_buffer(process.world);
}

void world_open(void)
{
    object_open_predefined(&process.world->object, KIND_COMM,
                           (uintptr_t)MPI_COMM_WORLD);
    object_open_predefined(&process.self->object, KIND_COMM, (uintptr_t)MPI_COMM_SELF);
}

void world_close(void)
{
    object_close_predefined(&process.world->object);
    object_close_predefined(&process.self->object);
}

void collectives_stop(void)
{
    refusals_stop();
    communicator_destroy(&process.world->object);
    communicator_destroy(&process.self->object);
    process.world = process.self = NULL;
    free(process.collectives);
    process.collectives = NULL;
}
