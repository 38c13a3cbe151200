// SPDX-License-Identifier: BSD-3-Clause
// Making and freeing of communicators (MPI-4.1 7.4.2, 7.4.3).
#include "collective/awaited.h"
#include "collective/communicator.h"
#include "collective/leaders.h"
#include "collective/node_map.h"
#include "collective/refusal.h"
#include "collective/shared_buffer.h"
#include "collective/topology.h"

#include <oriel_core.h>
#include <stdlib.h>
#include <string.h>

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
    communicators_remove(comm);
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
    free(comm->name);
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
    comm->leader_index = leader_index_of(comm, comm->rank);
    while (comm->node_members[comm->node_rank] != comm->rank)
        comm->node_rank++;
    return 0;
}

// One allocation.
struct communicator_memory {
    struct communicator comm;
    struct comm_collective collective;
    uint64_t awaited[]; // [UNITS] if the shared buffer is to have slots
};

static int plan_members(const struct communicator *parent, struct group *group,
                        bool has_slots, struct communicator **planned)
{
    struct communicator_memory *memory =
        calloc(1, sizeof *memory + (has_slots ? UNITS * sizeof(uint64_t) : 0));
    if (memory == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for a communicator of %d", group->size);
    struct communicator *comm = &memory->comm;
    comm->collective = &memory->collective;
    comm->collective->awaited = has_slots ? memory->awaited : NULL;
    object_init(&comm->object, communicator_destroy);
    object_retain(group);
    comm->group = comm->peers = group;
    comm->rank = group->rank;
    comm->size = group->size;
    communicators_add(comm);
    int err = find_nodes(parent, comm);
    if (err) {
        object_release(comm);
        return err;
    }
    *planned = comm;
    return 0;
}

int communicator_plan(const struct communicator *parent, struct group *group,
                      struct communicator **planned)
{
    return plan_members(parent, group, true, planned);
}

// The leader of a node provides the buffer of its members.
static int make_buffer(struct communicator *comm)
{
    bool is_needed = is_leader(comm) && comm->node_size > 1;
    return is_needed
               ? shared_buffer_make(comm->node_size, &comm->collective->shared_buffer)
               : 0;
}

// The rank in `carrier` of a member of `comm` on this node.
static int carrier_rank(const struct communicator *carrier,
                        const struct communicator *comm, int node_rank)
{
    int rank = comm->node_members[node_rank];
    return carrier->group == comm->group
               ? rank
               : group_rank_of(carrier->group, comm_job_rank(comm, rank));
}

// Tells the members of the node where their buffer is, down a binomial tree: a member
// hears of it from that whose node rank lacks its lowest bit.
static int share_buffer(struct communicator *comm, struct communicator *carrier)
{
    struct shared_buffer **buffer = &comm->collective->shared_buffer;
    int own = comm->node_rank, size = comm->node_size, distance = 1, err = 0;
    uint64_t offset = 0;
    while (distance < size && !(own & distance))
        distance *= 2;
    if (own > 0) {
        err = pt2pt_receive(carrier, &offset, sizeof offset,
                            carrier_rank(carrier, comm, own - distance),
                            TAG_SHARED_BUFFER);
        *buffer = err ? NULL : shm_at(process.shm, offset);
    } else if (size > 1) {
        offset = shm_offset(process.shm, *buffer);
    }
    for (distance /= 2; !err && distance > 0; distance /= 2)
        if (own + distance < size)
            err = pt2pt_send(carrier, &offset, sizeof offset,
                             carrier_rank(carrier, comm, own + distance),
                             TAG_SHARED_BUFFER);
    return err;
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

// What members bring to an agreement, and its result: the largest of each.
struct agreement {
    uint64_t error, context;
};

static int members_agree_on(struct communicator *comm, struct agreement *agreement)
{
    struct datatype *type = handle_object(KIND_DATATYPE, (uintptr_t)MPI_UINT64_T);
    struct op *op = handle_object(KIND_OP, (uintptr_t)MPI_MAX);
    int own = (int)agreement->error;
    int err = collective_reduce_all(comm, agreement, agreement,
                                    sizeof *agreement / sizeof(uint64_t), type, op);
    if (err || own)
        return err ? err : own;
    int worst = (int)agreement->error;
    return worst ? fail(worst, "another member of the communicator has failed") : 0;
}

int communicator_agree(struct communicator *comm, int err)
{
    struct agreement agreement = {.error = (uint64_t)err};
    int unfit = check_intra(comm);
    return unfit ? unfit : members_agree_on(comm, &agreement);
}

// One context serves all groups of the call, of which a process is in one at most.
int communicator_make(struct communicator *parent, struct group *group, int err,
                      struct communicator **made)
{
    int unfit = check_intra(parent);
    if (unfit)
        return unfit;
    struct communicator *comm = NULL;
    if (!err && group != NULL)
        err = communicator_plan(parent, group, &comm);
    if (!err && group != NULL)
        err = make_buffer(comm);
    struct agreement agreement = {
        .error = (uint64_t)err,
        .context = parent->rank == 0 ? context_next() : 0,
    };
    err = members_agree_on(parent, &agreement);
    if (!err && comm != NULL) {
        comm->context = agreement.context;
        errhandler_inherit(comm, parent);
        err = share_buffer(comm, parent);
    }
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

int communicator_publish(struct communicator *made, struct communicator **newcomm)
{
    *newcomm = made;
    return made ? object_open(&made->object, KIND_COMM) : 0;
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

// The leader tells the others of its node where it has provided memory, or its error.
static int tell_memory(struct communicator *comm, const void *provided, size_t bytes,
                       int error, void **memory)
{
    struct {
        uint64_t offset;
        int error;
    } told = {0, error};
    if (provided != NULL)
        told.offset = shm_offset(process.shm, provided);
    int err = collective_node_broadcast(comm, &told, sizeof told);
    if (err)
        return err;
    if (told.error)
        return is_leader(comm) ? told.error
                               : fail(told.error,
                                      "the leader of this node could not "
                                      "provide %zu bytes for its processes",
                                      bytes);
    *memory = shm_at(process.shm, told.offset);
    return 0;
}

int collective_node_alloc(struct communicator *comm, size_t bytes, void **provided,
                          void **memory)
{
    if (!is_leader(comm))
        return tell_memory(comm, NULL, bytes, 0, memory);
    int error = shm_alloc(process.shm, bytes, CACHE_LINE, provided);
    return tell_memory(comm, error ? NULL : *provided, bytes, error, memory);
}

// ---- the communicators of windows

// Contexts of ranks have this bit clear: that of the first window over a communicator is the
// communicator's own with it.
static const uint64_t FIRST_WINDOW = (uint64_t)1 << 63;

int communicator_make_for_window(const struct communicator *parent,
                                 struct communicator **made)
{
    uint64_t agreed = parent->collective->window_context;
    int err = plan_members(parent, parent->group, false, made);
    if (err)
        return err;
    (*made)->context = agreed != 0 ? agreed : parent->context | FIRST_WINDOW;
    (*made)->is_windows = true;
    errhandler_inherit(*made, parent);
    return 0;
}

int communicator_share_memory(struct communicator *parent, struct communicator *comm,
                              size_t bytes, void **memory)
{
    struct shared_buffer *own = NULL;
    void *buffer;
    int error = 0;
    if (is_leader(parent))
        error = comm == NULL ? fail(MPI_ERR_NO_MEM, "no memory for a communicator")
                             : barrier_buffer_make(comm->node_size, bytes, &own);
    int err = tell_memory(parent, own, bytes, error, &buffer);
    if (comm == NULL)
        return err;
    comm->collective->shared_buffer = err ? own : buffer;
    if (!err)
        *memory = comm->collective->shared_buffer->members;
    return err;
}

uint64_t window_context_make(const struct communicator *parent)
{
    return parent->rank == 0 ? context_next() : 0;
}

void window_context_take(struct communicator *parent, uint64_t context)
{
    parent->collective->window_context = context;
}

// Each process has made tables of where all are; one copy for all of the node is enough.
static int share_node_tables(void)
{
    size_t bytes = boot_tables_bytes(process.boot);
    void *provided, *tables;
    if (bytes == 0 || process.boot->node_size == 1)
        return 0;
    int err = collective_node_alloc(process.world, bytes, &provided, &tables);
    if (err)
        return err;
    if (is_leader(process.world))
        boot_copy_tables(process.boot, tables);
    err = collective_node_barrier(process.world);
    if (err)
        return err;
    message_lock(); // handlers look into the tables
    boot_use_tables(process.boot, tables);
    message_unlock();
    return 0;
}

static int predefined_make(int first, int size, const char *name, uint64_t context,
                           struct communicator **made)
{
    struct group *group;
    int err = group_make_regular(first, 1, size, NULL, &group);
    if (err)
        return err;
    err = communicator_plan(NULL, group, made);
    object_release(group);
    if (err)
        return err;
    (*made)->context = context;
    errhandler_give(*made, &errors_are_fatal);
    return object_set_name(&(*made)->name, name);
}

int collectives_start(void)
{
    int rank = process.boot->rank, size = process.boot->size;
    process.collectives = calloc(1, sizeof *process.collectives);
    if (process.collectives == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for communicators");
    pthread_mutex_init(&process.collectives->list_lock, NULL);
    refusals_start();
    awaited_collectives_start();
    int err = predefined_make(0, size, "MPI_COMM_WORLD", INT64_MAX, &process.world);
    if (!err)
        err = predefined_make(rank, 1, "MPI_COMM_SELF", context_next(), &process.self);
    if (!err)
        err = make_buffer(process.world);
    if (!err)
        err = share_buffer(process.world, process.world);
    return err ? err : share_node_tables();
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
    schedules_stop();
    communicator_destroy(&process.world->object);
    communicator_destroy(&process.self->object);
    process.world = process.self = NULL;
    pthread_mutex_destroy(&process.collectives->list_lock);
    free(process.collectives);
    process.collectives = NULL;
}
