// SPDX-License-Identifier: BSD-3-Clause
// Communicators made by the members of a group alone, and by schedules (MPI-4.1 7.4.2).
#include "collective/communicator.h"
#include "collective/leaders.h"
#include "collective/refusal.h"
#include "collective/shared_buffer.h"
#include "collective/topology.h"

#include <limits.h>
#include <oriel_core.h>
#include <stdlib.h>

static struct datatype *int_type(void)
{
    return handle_object(KIND_DATATYPE, (uintptr_t)MPI_INT);
}

// The result of an agreement: the worst error of all members and the context of the
// first.
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

static int agreement_error(int error, int own)
{
    if (own || !error)
        return own;
    return fail(error, "another member of the communicator has failed");
}

// ---- the shared buffer

struct setup {
    struct communicator *comm;
    uint64_t buffer; // offset in the segment
    struct agreement agreement;
};

static void setup_make_buffer(struct setup *setup)
{
    struct communicator *comm = setup->comm;
    if (comm->node_size == 1 || !is_leader(comm))
        return;
    setup->agreement.error =
        shared_buffer_make(comm->node_size, &comm->collective->shared_buffer);
    if (!setup->agreement.error)
        setup->buffer = shm_offset(process.shm, comm->collective->shared_buffer);
}

static int setup_use_buffer(void *argument)
{
    struct setup *setup = argument;
    struct communicator *comm = setup->comm;
    int err = setup->agreement.error;
    if (err)
        return fail(err, "another member of the communicator has failed");
    if (comm->node_size > 1)
        comm->collective->shared_buffer = shm_at(process.shm, setup->buffer);
    return 0;
}

// The leader of each node tells its members where the shared buffer is, over `carrier`,
// which has the same members.
static void append_setup(struct schedule *schedule, struct setup *setup,
                         struct communicator *carrier)
{
    struct communicator *comm = setup->comm;
    struct elements offset = elements_of(&setup->buffer, sizeof(uint64_t), byte_type());
    for (int node_rank = 1; node_rank < comm->node_size; node_rank++) {
        int member = comm->node_members[node_rank], leader = comm->node_members[0];
        if (is_leader(comm))
            schedule_send(schedule, carrier, offset, member);
        else if (member == comm->rank)
            schedule_receive(schedule, carrier, offset, leader);
    }
    schedule_wait(schedule);
    struct peers peers = peers_all(carrier);
    append_agreement(schedule, &peers, &setup->agreement);
    schedule_call(schedule, setup_use_buffer, setup);
}

int communicator_set_up(struct communicator *comm, struct errhandler *errhandler)
{
    struct setup setup = {.comm = comm};
    struct schedule *schedule;
    errhandler_give(comm, errhandler);
    setup_make_buffer(&setup);
    int own = setup.agreement.error;
    int err = schedule_make(comm, &schedule);
    if (!err) {
        append_setup(schedule, &setup, comm);
        err = schedule_run(schedule);
    }
    if (!err)
        return 0;
    if (!is_leader(comm))
        comm->collective->shared_buffer = NULL;
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

// Messages of members that have begun would match the next call with the tag, so that a
// member refuses only when memory does not come back.
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
        err = agreement_error(agreement.error, own);
    if (err) {
        communicator_abandon(comm);
        return err;
    }
    comm->context = agreement.context;
    err = communicator_set_up(comm, errhandler);
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
    return (int)(text_hash(text) & INT_MAX);
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

struct duplication {
    struct setup setup;
    struct agreement agreement; // its context is that of the copy
};

static int use_context(void *argument)
{
    struct duplication *duplication = argument;
    duplication->setup.comm->context = duplication->agreement.context;
    return 0;
}

static struct duplication *append_duplication(struct schedule *schedule,
                                              struct communicator *parent,
                                              struct communicator *copy)
{
    struct elements memory =
        schedule_scratch(schedule, sizeof(struct duplication), byte_type());
    struct duplication *duplication = (struct duplication *)memory.at;
    if (duplication == NULL)
        return NULL;
    *duplication = (struct duplication){.setup = {.comm = copy}};
    duplication->agreement.context = context_next();
    setup_make_buffer(&duplication->setup);
    struct peers peers = peers_all(parent);
    append_agreement(schedule, &peers, &duplication->agreement);
    append_setup(schedule, &duplication->setup, parent);
    return duplication;
}

// The groups of an intercommunicator take the smaller of the contexts that their ranks
// 0 propose.
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

static void append_copy(struct schedule *schedule, struct communicator *comm,
                        struct communicator *copy)
{
    struct duplication *duplication;
    if (comm_is_inter(comm)) {
        duplication = append_duplication(schedule, comm->local, copy->local);
        append_swap_contexts(schedule, comm, comm->local, 0, copy);
    } else {
        duplication = append_duplication(schedule, comm, copy);
    }
    if (duplication != NULL)
        schedule_call(schedule, use_context, duplication);
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
        append_copy(schedule, comm, copy);
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
