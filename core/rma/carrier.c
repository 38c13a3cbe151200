// SPDX-License-Identifier: BSD-3-Clause
// Carriers of batches. One of puts or gets for a local peer has two. The kernel copies for
// the origin whatever the target does, for more than a microsecond; a message takes a part
// of that where the target waits for something and polls.
#include "rma/batch.h"

#include <stdlib.h>

enum {
    POLLS_TO_ROUSE = 50, // in vain, until a target that has stopped polling is roused
    COPIES_TO_WAKE = 8   // in a row, until a target that sleeps in a wait is woken
};

static const uint64_t ROW = 50000; // longest time between two copies of a row, in ns

enum shm_wait target_wait(const struct peer_traffic *traffic)
{
    return shm_wait_of(process.shm, peer_node_rank(traffic->peer));
}

bool target_polls(const struct peer_traffic *traffic)
{
    return target_wait(traffic) == SHM_WAIT_POLLS;
}

// With room for `count` results: that of the last reply, if that had one as well.
static struct pending_reply *reply_memory(struct peer_traffic *traffic, uint32_t count)
{
    struct pending_reply *spare = traffic->spare_reply;
    if (count > 1 || spare == NULL)
        return malloc(sizeof *spare + count * sizeof *spare->results);
    traffic->spare_reply = NULL;
    return spare;
}

// Where the reply's data belongs; NULL without memory.
static struct pending_reply *reply_make(struct peer_traffic *traffic,
                                        const struct batch *batch)
{
    uint32_t count = batch->request.count;
    struct pending_reply *reply = reply_memory(traffic, count);
    if (reply == NULL)
        return NULL;
    *reply = (struct pending_reply){
        .bytes = batch->bytes, .count = count, .counter = batch->counter};
    for (uint32_t i = 0; i < count; i++) {
        reply->results[i].address = batch->local[i];
        reply->results[i].bytes = batch->request.spans[i].bytes;
    }
    return reply;
}

// The operands in the order of their spans; those of puts may have to be gathered.
static const char *batch_body(const struct batch *batch, char gathered[BATCH_MAX])
{
    const struct rma_request *request = &batch->request;
    if (batch->copied == request->kind.operands * batch->bytes)
        return batch->operands;
    if (request->count == 1)
        return batch->local[0];
    size_t done = 0;
    for (uint32_t i = 0; i < request->count; done += request->spans[i++].bytes)
        copy_bytes(gathered + done, batch->local[i], request->spans[i].bytes);
    return gathered;
}

// A lock is asked for, or given back, by what goes in front.
static int batch_post(const struct peer_traffic *traffic, struct batch *batch)
{
    const struct rma_request *request = &batch->request;
    const char *head = (const char *)request;
    size_t head_bytes = request_bytes(request->count);
    char gathered[BATCH_MAX];
    int kind = peer_sync_head(traffic->peer, &batch->head);
    if (kind != 0) {
        head -= sizeof batch->head;
        head_bytes += sizeof batch->head;
    }
    int err = message_send(traffic->peer->job_rank, kind ? kind : MESSAGE_RMA, head,
                           head_bytes, batch_body(batch, gathered),
                           request->kind.operands * batch->bytes);
    if (!err && kind != 0)
        peer_sync_sent(traffic->peer);
    return err;
}

// Of the batches that need no reply some have one, so that not too many are under way.
static bool message_is_noticed(struct peer_traffic *traffic, const struct batch *batch)
{
    if (!is_joined(traffic))
        return false;
    if (is_in_fence(traffic))
        traffic->has_left = true;
    return ++traffic->in_epoch % EPOCH_MESSAGES != 0 && is_unanswered(traffic, batch);
}

int batch_send(struct peer_traffic *traffic, struct batch *batch)
{
    bool fetches = batch->request.kind.fetches;
    struct pending_reply *reply = fetches ? reply_make(traffic, batch) : NULL;
    if (fetches && reply == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory to fetch %zu bytes", batch->bytes);
    batch->request.kind.is_noticed = message_is_noticed(traffic, batch);
    int err = batch_post(traffic, batch);
    if (err) {
        reply_drop(traffic, reply);
        return err;
    }
    if (batch->request.kind.is_noticed)
        net_counter_complete(&traffic->counter, 0);
    else
        traffic->batches++;
    if (reply != NULL) {
        *traffic->replies_end = reply;
        traffic->replies_end = &reply->next;
        if (reply->counter != NULL)
            net_counter_issue(reply->counter);
    }
    return 0;
}

// Does the batch, and what it fetches, fit in a message?
static bool fits_message(const struct peer_traffic *traffic, const struct batch *batch)
{
    const struct batch_kind *kind = &batch->request.kind;
    return request_bytes(batch->request.count) + kind->operands * batch->bytes <=
               traffic->batch_max &&
           sizeof(struct rma_reply) + kind->fetches * batch->bytes <=
               traffic->batch_max;
}

// The class of the only operation of a batch; TIMED_CLASSES if times do not choose its
// carrier, since it has no answer or gets it late, in epochs that the target ends as well.
static unsigned class_of(const struct peer_traffic *traffic, const struct batch *batch)
{
    return batch->additions == 1 && is_copyable(traffic, batch->request.kind) &&
                   !batch->is_left && !is_unanswered(traffic, batch)
               ? carrier_class(batch->bytes)
               : TIMED_CLASSES;
}

static bool is_copied_sooner(const struct peer_traffic *traffic,
                             const struct batch *batch)
{
    unsigned class = class_of(traffic, batch);
    return class < TIMED_CLASSES && traffic->times[class].is_copied;
}

bool goes_by_kernel(const struct peer_traffic *traffic, const struct batch *batch)
{
    return is_copyable(traffic, batch->request.kind) && !batch->is_left &&
           (batch->bytes >= JOINT_BYTES || !target_polls(traffic) ||
            is_copied_sooner(traffic, batch));
}

bool is_copied_untimed(struct peer_traffic *traffic, size_t bytes)
{
    if (!traffic->is_copied || bytes >= JOINT_BYTES)
        return false;
    enum shm_wait wait = target_wait(traffic);
    unsigned class = carrier_class(bytes);
    if (wait == SHM_WAIT_NONE || class == TIMED_CLASSES)
        return wait == SHM_WAIT_NONE;
    struct carrier_times *times = &traffic->times[class];
    return times->is_copied && (wait == SHM_WAIT_SLEEPS || carrier_untimed(times));
}

bool traffic_can_part(const struct peer_traffic *traffic)
{
    const struct batch *batch = traffic->batch;
    return traffic_is_in_order(traffic) &&
           (batch == NULL ||
            (fits_message(traffic, batch) && !goes_by_kernel(traffic, batch)));
}

// A message wakes a target that sleeps in a wait, which takes longer than some copies;
// then it polls while more come. It may sleep on if copies take less even then.
static bool message_wakes(struct peer_traffic *traffic, const struct batch *batch)
{
    if (likely(target_wait(traffic) != SHM_WAIT_SLEEPS) ||
        is_copied_sooner(traffic, batch))
        return false;
    uint64_t now = clock_nanoseconds();
    if (now - traffic->last_copy >= ROW)
        traffic->copies_in_row = 0;
    traffic->last_copy = now;
    if (traffic->copies_in_row++ < COPIES_TO_WAKE)
        return false;
    traffic->copies_in_row = 0;
    return true;
}

static void target_rouse(const struct peer_traffic *traffic)
{
    shm_rouse(process.shm, peer_node_rank(traffic->peer));
}

// A target that waited may stop before it has seen the message: see shm_wait_of. Mostly
// it is on its way to the next call; if not, its progress thread, which naps, handles
// the message. A wait for the request alone does not look again.
bool target_has_waited(const struct peer_traffic *traffic)
{
    return traffic->is_copied && target_wait(traffic) != SHM_WAIT_NONE;
}

void target_look_again(struct peer_traffic *traffic, const struct net_counter *counter)
{
    if (likely(target_wait(traffic) != SHM_WAIT_NONE))
        return;
    if (counter != NULL)
        target_rouse(traffic);
    else
        traffic->polls_to_rouse = POLLS_TO_ROUSE;
}

static int send_to_waiter(struct peer_traffic *traffic, struct batch *batch)
{
    bool has_waited = !batch->is_left && target_has_waited(traffic);
    int err = likely(fits_message(traffic, batch))
                  ? batch_send(traffic, batch)
                  : batch_send_in_parts(traffic, batch);
    if (!err && has_waited)
        target_look_again(traffic, batch->counter);
    return err;
}

void traffic_await(struct peer_traffic *traffic)
{
    if (unlikely(traffic->polls_to_rouse > 0) && --traffic->polls_to_rouse == 0)
        target_rouse(traffic);
}

// Threads of the program do not wait for each other's copies.
static int copy_unlocked(const struct peer_traffic *traffic, const struct batch *batch,
                         bool may_unlock)
{
    bool unlocks = may_unlock && process.thread_level == MPI_THREAD_MULTIPLE;
    if (unlocks)
        message_unlock();
    int err = batch_copy(traffic, batch);
    if (unlocks)
        message_lock();
    return err;
}

// Is the batch long enough for two, and does the target wait?
static bool is_for_both(const struct peer_traffic *traffic, const struct batch *batch)
{
    return batch->bytes >= JOINT_BYTES && !batch->completes_at_once &&
           !batch->is_left && is_copyable(traffic, batch->request.kind) &&
           target_wait(traffic) != SHM_WAIT_NONE;
}

// The time of a message is that until its answer, if nothing else is sent meanwhile.
static void message_time(struct peer_traffic *traffic, struct carrier_times *times,
                         uint64_t begun)
{
    uint64_t issued =
        atomic_load_explicit(&traffic->counter.issued, memory_order_relaxed);
    traffic->timed = (struct timed_message){times, begun, issued};
}

void message_timed(struct peer_traffic *traffic)
{
    struct timed_message *timed = &traffic->timed;
    bool is_alone = timed->issued == atomic_load_explicit(&traffic->counter.issued,
                                                          memory_order_relaxed);
    if (is_alone && net_counter_pending(&traffic->counter) > 0)
        return; // there are more parts
    if (is_alone)
        carrier_took(timed->times, false, clock_nanoseconds() - timed->begun);
    timed->times = NULL;
}

int batch_carry(struct peer_traffic *traffic, struct batch *batch, bool may_unlock,
                bool *is_copied)
{
    *is_copied = false;
    if (is_for_both(traffic, batch) && batch_copy_jointly(traffic, batch, may_unlock))
        return 0;
    unsigned class = class_of(traffic, batch);
    bool is_timed = class < TIMED_CLASSES && target_polls(traffic) &&
                    net_counter_pending(&traffic->counter) == 1 &&
                    !carrier_untimed(&traffic->times[class]);
    uint64_t begun = is_timed ? clock_nanoseconds() : 0;
    *is_copied = goes_by_kernel(traffic, batch) && !message_wakes(traffic, batch);
    int err = *is_copied ? copy_unlocked(traffic, batch, may_unlock)
                         : send_to_waiter(traffic, batch);
    if (is_timed && *is_copied)
        carrier_took(&traffic->times[class], true, clock_nanoseconds() - begun);
    else if (is_timed)
        message_time(traffic, &traffic->times[class], begun);
    return err;
}
