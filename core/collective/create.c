// SPDX-License-Identifier: BSD-3-Clause
// Communicators made by the members of a group alone, and by schedules (MPI-4.1 7.4.2).
#include "collective/private.h"

#include <limits.h>
#include <oriel_core.h>
#include <stdlib.h>

static struct datatype *int_type(void)
{
    return handle_object(KIND_DATATYPE, (uintptr_t)MPI_INT);
}

// What all learn from each other: the worst error, and from the first the context.
struct agreement {
    int error;
    uint64_t context;
};

static void append_agreement(struct schedule *schedule, const struct peers *peers,
                             struct agreement *agreement)
{
    struct op *op = handle_object(KIND_OP, (uintptr_t)MPI_MAX);
    append_reduce(schedule, peers, op, elements_of(&agreement->error, 1, int_type()),
                  &agreement->error, 0);
    append_broadcast(schedule, peers,
                     elements_of(agreement, sizeof *agreement, byte_type()), 0);
}

static int complain(int error, int own)
{
    if (own || !error)
        return own;
    return fail(error, "another member of the communicator has failed");
}

// ---- the shared buffer

struct furniture {
    struct communicator *comm;
    uint64_t buffer; // offset in the segment
    struct agreement agreement;
};

static void setup_make_buffer(struct furniture *furniture)
{
    struct communicator *comm = furniture->comm;
    if (comm->node_size == 1 || !is_leader(comm))
        return;
    furniture->agreement.error =
        shared_buffer_make(comm->node_size, &comm->shared_buffer);
    if (!furniture->agreement.error)
        furniture->buffer = shm_offset(process.shm, comm->shared_buffer);
}

static int setup_use_buffer(void *argument)
{
    struct furniture *furniture = argument;
    struct communicator *comm = furniture->comm;
    int err = furniture->agreement.error;
    if (err)
        return fail(err, "another member of the communicator has failed");
    if (comm->node_size > 1)
        comm->shared_buffer = shm_at(process.shm, furniture->buffer);
    return 0;
}

// The leader of each node tells its members where the shared buffer is, over `carrier`,
// which has the same members.
static void append_furnishing(struct schedule *schedule, struct furniture *furniture,
                              struct communicator *carrier)
{
    struct communicator *comm = furniture->comm;
    struct elements offset =
        elements_of(&furniture->buffer, sizeof(uint64_t), byte_type());
    for (int node_rank = 1; node_rank < comm->node_size; node_rank++) {
        int member = comm->node_members[node_rank], leader = comm->node_members[0];
        if (is_leader(comm))
            schedule_send(schedule, carrier, offset, member);
        else if (member == comm->rank)
            schedule_receive(schedule, carrier, offset, leader);
    }
    schedule_wait(schedule);
    struct peers peers = peers_all(carrier);
    append_agreement(schedule, &peers, &furniture->agreement);
    schedule_call(schedule, setup_use_buffer, furniture);
}

int communicator_furnish(struct communicator *comm, struct errhandler *errhandler)
{
    struct furniture furniture = {.comm = comm};
    struct schedule *schedule;
    object_retain(errhandler);
    comm->object.errhandler = errhandler;
    setup_make_buffer(&furniture);
    int own = furniture.agreement.error;
    int err = schedule_make(comm, &schedule);
    if (!err) {
        append_furnishing(schedule, &furniture, comm);
        err = schedule_run(schedule);
    }
    if (!err)
        return 0;
    if (!is_leader(comm))
        comm->shared_buffer = NULL;
    communicator_abandon(comm);
    return own ? own : err;
}

// ---- groups

enum { PATIENCE = 1000 }; // times that memory is asked for

static int plan_agreement(struct communicator *carrier, int tag,
                          const struct group *group, struct agreement *agreement,
                          struct schedule **schedule)
{
    struct peers peers = peers_in(carrier, group);
    int err = schedule_make_tagged(carrier, group, tag, schedule);
    if (err)
        return err;
    append_agreement(*schedule, &peers, agreement);
    err = schedule_close(*schedule);
    if (err)
        schedule_free(*schedule);
    return err;
}

// What others have sent when a member refuses would be taken for messages of the next
// call with the tag, so that it is refused only when memory does not come back.
static int agree_apart(struct communicator *carrier, int tag, struct group *group,
                       struct agreement *agreement)
{
    struct schedule *schedule;
    int err = plan_agreement(carrier, tag, group, agreement, &schedule);
    for (int i = 1; err && i < PATIENCE; i++) {
        message_progress_and_yield();
        err = plan_agreement(carrier, tag, group, agreement, &schedule);
    }
    if (!err)
        return schedule_run(schedule);
    refusal_send_unlocked(carrier, group, tag, err);
    return err;
}

int communicator_make_apart(struct communicator *carrier, int tag, struct group *group,
                            struct errhandler *errhandler, struct communicator **made)
{
    struct communicator *comm = NULL;
    struct agreement agreement = {.context = context_next()};
    int own = communicator_plan(NULL, group, &comm);
    agreement.error = own;
    int err = agree_apart(carrier, tag, group, &agreement);
    if (!err)
        err = complain(agreement.error, own);
    if (err) {
        communicator_abandon(comm);
        return err;
    }
    comm->context = agreement.context;
    err = communicator_furnish(comm, errhandler);
    if (!err)
        *made = comm;
    return err;
}

int oriel_comm_create_group(struct communicator *comm, struct group *group, int tag,
                            struct communicator **newcomm)
{
    if (comm_is_inter(comm))
        return fail(MPI_ERR_COMM, "comm: is an intercommunicator");
    int err = check_subset(comm, group);
    if (err || group->rank == MPI_UNDEFINED)
        return err;
    struct communicator *made;
    struct errhandler *errhandler = errhandler_of(&comm->object);
    err = communicator_make_apart(comm, tag, group, errhandler, &made);
    object_release(errhandler);
    return err ? err : communicator_publish(made, newcomm);
}

int tag_of_text(const char *text)
{
    uint32_t hash = 2166136261u; // FNV-1a
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return (int)(hash & INT_MAX);
}

int oriel_comm_create_from_group(struct group *group, const char *stringtag,
                                 struct info *info, struct errhandler *errhandler,
                                 struct communicator **newcomm)
{
    (void)info; // no hint has an effect
    if (group->rank == MPI_UNDEFINED)
        return group->size == 0 ? 0
                                : fail(MPI_ERR_GROUP, "group: has not this process");
    struct communicator *made;
    int err = errhandler_check(errhandler, KIND_COMM);
    if (!err)
        err = communicator_make_apart(process.world, tag_of_text(stringtag), group,
                                      errhandler, &made);
    return err ? err : communicator_publish(made, newcomm);
}

// ---- nonblocking duplication

struct naming {
    struct furniture furniture;
    struct agreement agreement; // its context is that of the copy
};

static int use_context(void *argument)
{
    struct naming *naming = argument;
    naming->furniture.comm->context = naming->agreement.context;
    return 0;
}

static struct naming *append_naming(struct schedule *schedule,
                                    struct communicator *parent,
                                    struct communicator *copy)
{
    struct elements memory =
        schedule_scratch(schedule, sizeof(struct naming), byte_type());
    struct naming *naming = (struct naming *)memory.at;
    if (naming == NULL)
        return NULL;
    *naming = (struct naming){.furniture = {.comm = copy}};
    naming->agreement.context = context_next();
    setup_make_buffer(&naming->furniture);
    struct peers peers = peers_all(parent);
    append_agreement(schedule, &peers, &naming->agreement);
    append_furnishing(schedule, &naming->furniture, parent);
    return naming;
}

// The groups of an intercommunicator take the context that rank 0 of either group
// proposes, whichever is smaller.
struct proposal {
    uint64_t own, theirs;
    struct communicator *comm;
};

static int use_smaller(void *argument)
{
    struct proposal *proposal = argument;
    uint64_t own = proposal->own, theirs = proposal->theirs;
    proposal->comm->context = own < theirs ? own : theirs;
    return 0;
}

void append_swap_contexts(struct schedule *schedule, struct communicator *comm,
                          struct communicator *local, int remote_leader,
                          struct communicator *made)
{
    struct elements memory =
        schedule_scratch(schedule, sizeof(struct proposal), byte_type());
    struct proposal *proposal = (struct proposal *)memory.at;
    if (proposal == NULL)
        return;
    *proposal = (struct proposal){.own = context_next(), .comm = made};
    struct elements own = elements_of(&proposal->own, sizeof(uint64_t), byte_type());
    struct elements theirs =
        elements_of(&proposal->theirs, sizeof(uint64_t), byte_type());
    if (local->rank == 0) {
        schedule_receive(schedule, comm, theirs, remote_leader);
        schedule_send(schedule, comm, own, remote_leader);
        schedule_wait(schedule);
    }
    struct peers peers = peers_all(local);
    append_broadcast(schedule, &peers,
                     elements_of(&proposal->own, 2 * sizeof(uint64_t), byte_type()), 0);
    schedule_call(schedule, use_smaller, proposal);
}

static int plan_copy(struct communicator *comm, struct communicator **planned)
{
    int err = communicator_plan(comm, comm->group, planned);
    if (err)
        return err;
    struct communicator *copy = *planned;
    topology_share(comm, copy);
    if (comm_is_inter(comm)) {
        object_retain(comm->peers);
        copy->peers = comm->peers;
        err = communicator_plan(comm->local, comm->group, &copy->local);
    }
    if (!err) {
        errhandler_inherit(copy, comm);
        err = attributes_copy(comm, copy);
    }
    if (err)
        communicator_abandon(copy);
    return err;
}

static void append_copying(struct schedule *schedule, struct communicator *comm,
                           struct communicator *copy)
{
    struct naming *naming;
    if (comm_is_inter(comm)) {
        naming = append_naming(schedule, comm->local, copy->local);
        append_swap_contexts(schedule, comm, comm->local, 0, copy);
    } else {
        naming = append_naming(schedule, comm, copy);
    }
    if (naming != NULL)
        schedule_call(schedule, use_context, naming);
}

int oriel_comm_idup(struct communicator *comm, struct communicator **newcomm,
                    struct request **request)
{
    struct communicator *copy;
    struct schedule *schedule;
    int err = plan_copy(comm, &copy);
    if (err)
        return schedule_miss(comm, err);
    err = schedule_make(comm, &schedule);
    if (!err) {
        append_copying(schedule, comm, copy);
        err = schedule_start(schedule, request);
    }
    if (err)
        communicator_abandon(copy);
    return err ? err : communicator_publish(copy, newcomm);
}

int oriel_comm_idup_with_info(struct communicator *comm, struct info *info,
                              struct communicator **newcomm, struct request **request)
{
    (void)info; // no hint has an effect
    return oriel_comm_idup(comm, newcomm, request);
}

int oriel_comm_dup_with_info(struct communicator *comm, struct info *info,
                             struct communicator **newcomm)
{
    (void)info; // no hint has an effect
    return oriel_comm_dup(comm, newcomm);
}
