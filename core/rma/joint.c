// SPDX-License-Identifier: BSD-3-Clause
// Long batches of puts or gets for a local peer that waits inside MPI, at their origin:
// both carry them out, by a joint copy. A call for help that comes too late is none.
#include "rma/batch.h"

#include <stdlib.h>

// A joint copy that is not complete.
struct joint_batch {
    struct joint_batch *next;
    struct peer_traffic *traffic;
    struct net_counter *counter; // of the batch's request, or NULL
    struct joint_name name;
};

static void joint_batch_remove(const struct joint_batch *joint)
{
    struct joint_batch **link = &joint->traffic->joints;
    while (*link != joint)
        link = &(*link)->next;
    *link = joint->next;
}

static void joint_batch_ended(void *argument, int error)
{
    struct joint_batch *joint = argument;
    struct net_counter *total = &joint->traffic->counter, *own = joint->counter;
    joint_batch_remove(joint);
    free(joint);
    error = copy_error(error);
    if (own != NULL)
        net_counter_complete(own, error);
    net_counter_complete(total, error);
}

// NULL: too many are under way, or there is no memory.
static struct joint_batch *joint_batch_make(struct peer_traffic *traffic,
                                            const struct batch *batch)
{
    struct joint_batch *joint = malloc(sizeof *joint);
    if (joint == NULL)
        return NULL;
    *joint = (struct joint_batch){traffic->joints, traffic, batch->counter, {0}};
    if (!message_joint_begin(traffic->peer->job_rank, batch->bytes, joint_batch_ended,
                             joint, &joint->name)) {
        free(joint);
        return NULL;
    }
    traffic->joints = joint;
    if (batch->counter != NULL)
        net_counter_issue(batch->counter);
    return joint;
}

// Without it the target just does not come.
static void ask_target_for_help(const struct peer_traffic *traffic,
                                const struct batch *batch, struct joint_name name)
{
    const struct rma_request *request = &batch->request;
    struct rma_help help;
    help.window = request->window;
    help.origin = request->origin;
    help.joint = name;
    help.fetches = request->kind.fetches;
    help.count = request->count;
    for (uint32_t i = 0; i < request->count; i++)
        help.spans[i] =
            (struct help_span){request->spans[i], (uintptr_t)batch->local[i]};
    shm_open_memory(process.shm);
    message_send(traffic->peer->job_rank, MESSAGE_RMA_HELP, &help,
                 help_bytes(help.count), NULL, 0);
}

static void joint_work_unlocked(const struct joint_side *side, bool unlocks)
{
    if (unlocks)
        message_unlock();
    shm_joint_work(process.shm, side);
    if (unlocks)
        message_lock();
}

bool batch_copy_jointly(struct peer_traffic *traffic, const struct batch *batch,
                        bool may_unlock)
{
    struct joint_batch *joint =
        batch->copied == 0 ? joint_batch_make(traffic, batch) : NULL;
    if (joint == NULL)
        return false;
    struct iovec remote[SPANS_MAX], local[SPANS_MAX];
    struct joint_side side = {.name = joint->name,
                              .is_writer = !batch->request.kind.fetches,
                              .partner = peer_node_rank(traffic->peer),
                              .local = local,
                              .remote = remote,
                              .count = batch->request.count,
                              .bytes = batch->bytes};
    batch_spans(traffic, batch, remote, local);
    ask_target_for_help(traffic, batch, joint->name);
    bool has_threads = process.thread_level == MPI_THREAD_MULTIPLE;
    joint_work_unlocked(&side, may_unlock && has_threads);
    message_joint_look(); // which may free it
    if (has_threads)
        message_wake();
    return true;
}

void traffic_leave_joints(struct peer_traffic *traffic)
{
    while (traffic->joints != NULL) {
        message_joint_leave(traffic->joints->name);
        joint_batch_ended(traffic->joints, MPI_ERR_PROC_ABORTED);
    }
}
