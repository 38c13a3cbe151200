// SPDX-License-Identifier: BSD-3-Clause
// Batches at their origin. A target has at most one that is being filled. It ends when
// the next item does not go with it, when nothing else is under way to a target that is
// to carry it out, and when the program waits for the target. If a wait came soon after
// the last batch of several items, the next one is left to the next wait, so that both
// need one message.
#include "rma/batch.h"

#include <assert.h>
#include <stdlib.h>

enum { BATCHES_AT_ONCE = 64 }; // sent to one target and not answered yet

static const uint64_t SOON = 50000; // ns

// ---- the end of a batch ------------------------------------------------------------
static void batch_drop(struct peer_traffic *traffic, struct batch *batch)
{
    if (traffic->spare == NULL)
        traffic->spare = batch;
    else
        free(batch);
}

// Sends the batch or has it copied. An error is also counted for the request and the
// next flush, since the operations in the batch may have returned already.
static int batch_dispatch(struct peer_traffic *traffic, struct batch *batch,
                          bool may_unlock)
{
    bool is_copied;
    int err = batch_carry(traffic, batch, may_unlock, &is_copied);
    if (err && batch->counter != NULL) {
        net_counter_issue(batch->counter);
        net_counter_complete(batch->counter, err);
    }
    if (err || is_copied)
        net_counter_complete(&traffic->counter, err);
    if (is_copied && process.thread_level == MPI_THREAD_MULTIPLE)
        message_wake(); // who waits for the operations of this thread
    return err;
}

int batch_end(struct peer_traffic *traffic, bool may_unlock)
{
    struct batch *batch = traffic->batch;
    if (batch == NULL)
        return 0;
    assert(traffic_is_valid(traffic));
    traffic->batch = NULL;
    int err = batch_dispatch(traffic, batch, may_unlock);
    batch_drop(traffic, batch);
    return err;
}

int traffic_send(struct peer_traffic *traffic, bool may_unlock)
{
    const struct batch *batch = traffic->batch;
    int err = 0;
    if (batch != NULL) {
        traffic->is_awaited_soon =
            batch->additions > 1 && clock_nanoseconds() - batch->begun < SOON;
        traffic->is_lone = batch->additions == 1;
        err = batch_end(traffic, may_unlock);
    }
    traffic->in_epoch = 0;
    return err;
}

void traffic_abandon(struct peer_traffic *traffic)
{
    traffic_leave_joints(traffic);
    for (struct pending_reply *reply = traffic->replies; reply; reply = reply->next)
        reply->is_abandoned |= reply->counter == NULL;
}

// Sends the batch when an operation has completed and nothing else is under way.
static void send_when_alone(struct net_counter *counter)
{
    struct peer_traffic *traffic =
        (struct peer_traffic *)((char *)counter -
                                offsetof(struct peer_traffic, counter));
    if (unlikely(traffic->timed.times != NULL))
        message_timed(traffic);
    if (traffic->batch != NULL && net_counter_pending(counter) == 1 &&
        !goes_by_kernel(traffic, traffic->batch))
        batch_end(traffic, false);
}

// ---- filling a batch ---------------------------------------------------------------
// With room for the operands of a batch to this target, not for those of the longest one.
static struct batch *batch_memory(struct peer_traffic *traffic)
{
    struct batch *batch = traffic->spare;
    traffic->spare = NULL;
    return batch != NULL
               ? batch
               : malloc(offsetof(struct batch, operands) + traffic->batch_max);
}

// May a local target that ends the epoch carry out a batch then, by a message? Only a fence
// waits for what it fetches. The kernel copies for the origin what is long or comes after
// some messages, and everything while the target computes or sleeps: an origin that comes
// late had to wait until it has woken.
static bool is_left_to_target(const struct peer_traffic *traffic,
                              struct batch_kind kind, size_t bytes)
{
    bool is_fence = is_in_fence(traffic);
    if (!is_joined(traffic) || traffic->peer->lock_record == NULL ||
        (kind.fetches && !is_fence))
        return false;
    return !is_copyable(traffic, kind) ||
           (!(is_fence && message_is_crowded()) && bytes <= EPOCH_BYTES &&
            traffic->in_epoch + 1 < EPOCH_MESSAGES &&
            target_wait(traffic) != SHM_WAIT_SLEEPS &&
            !shm_is_computing(process.shm, peer_node_rank(traffic->peer)));
}

// The batch counts as under way from now on, so that a flush waits for it.
static inline void batch_begin(struct batch *batch, const struct operation *operation,
                               struct batch_kind kind)
{
    const struct peer *peer = operation->peer;
    batch->counter = operation->counter;
    batch->bytes = batch->copied = batch->additions = 0;
    batch->completes_at_once = false;
    batch->request.window = peer->member->handle;
    batch->request.reply_to = (uint32_t)object_handle(operation->window);
    batch->request.origin = operation->window->comm->rank;
    batch->is_left = false;
    batch->request.kind = kind;
    batch->request.count = 0;
    peer->traffic->counter.completed_one = send_when_alone;
    net_counter_issue(&peer->traffic->counter);
    epoch_begin_pending(&operation->window->epoch);
}

// `bytes` are those of its first item.
static __attribute__((noinline)) int batch_make(const struct operation *operation,
                                                struct batch_kind kind, size_t bytes)
{
    const struct peer *peer = operation->peer;
    struct batch *batch = batch_memory(peer->traffic);
    if (batch == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for operations on rank %d", peer->rank);
    batch_begin(batch, operation, kind);
    batch->is_left = is_left_to_target(peer->traffic, kind, bytes);
    peer->traffic->batch = batch;
    return 0;
}

// How many bytes another item may add. The last item for the kernel may be of any length.
static inline size_t batch_room(const struct peer_traffic *traffic,
                                const struct batch *batch)
{
    if (batch->request.count == SPANS_MAX)
        return 0;
    if (batch->is_left || !is_copyable(traffic, batch->request.kind))
        return message_room(traffic, batch);
    return batch->bytes < COPY_BYTES ? SIZE_MAX : 0;
}

// The first operands of all spans come before the second ones, so that nothing can be
// added to those. `all` are the bytes of the item, which need not go together.
static inline bool batch_takes(const struct operation *operation,
                               struct batch_kind kind, uint32_t spans, size_t bytes,
                               size_t all)
{
    const struct peer_traffic *traffic = operation->peer->traffic;
    const struct batch *batch = traffic->batch;
    const struct batch_kind *own = &batch->request.kind;
    return own->operands == kind.operands && kind.operands < 2 &&
           own->fetches == kind.fetches && own->op == kind.op &&
           own->basic == kind.basic && batch->counter == operation->counter &&
           batch->request.count + spans <= SPANS_MAX &&
           !(batch->is_left && all > EPOCH_BYTES) &&
           batch_room(traffic, batch) >= bytes + (spans - 1) * sizeof(struct rma_span);
}

static char *operand_keep(struct batch *batch, const char *operand, size_t bytes)
{
    char *kept = batch->operands + batch->copied;
    copy_bytes(kept, operand, bytes);
    batch->copied += bytes;
    return kept;
}

// A put that the kernel may copy keeps a long operand where it is: the program leaves it
// unchanged until the put has completed.
static inline void batch_append(const struct peer_traffic *traffic, struct batch *batch,
                                const struct batch_item *item)
{
    size_t bytes = item->span.bytes;
    char *local = item->result;
    bool may_refer =
        is_copyable(traffic, batch->request.kind) &&
        (bytes > SHORT_BYTES || batch->copied + bytes > traffic->batch_max);
    if (batch->request.kind.operands && !may_refer) {
        char *kept = operand_keep(batch, item->operand, bytes);
        if (!batch->request.kind.fetches)
            local = kept;
    }
    batch->local[batch->request.count] = local;
    batch->request.spans[batch->request.count++] = item->span;
    batch->bytes += bytes;
}

// The last two spans become one if they follow each other at both ends, as those of a
// loop over an array do.
static inline void batch_join(struct batch *batch)
{
    uint32_t count = batch->request.count;
    if (count < 2)
        return;
    struct rma_span *last = &batch->request.spans[count - 1], *before = last - 1;
    char *const *local = &batch->local[count - 1];
    if (before->offset + before->bytes != last->offset ||
        local[-1] + before->bytes != local[0])
        return;
    before->bytes += last->bytes;
    batch->request.count--;
}

// ---- for operations ----------------------------------------------------------------
// Limits the batches that the target has not answered; remote accesses do not count.
static bool has_room_for_batch(const struct peer_traffic *traffic)
{
    return traffic->batches < BATCHES_AT_ONCE;
}

static bool has_room_at_last(void *argument)
{
    struct peer_traffic *traffic = argument;
    bool has_room = has_room_for_batch(traffic);
    if (!has_room)
        traffic_await(traffic);
    return has_room;
}

static int await_answers(struct peer_traffic *traffic)
{
    message_unlock();
    int err = message_wait(has_room_at_last, traffic, NULL);
    message_lock();
    return err;
}

// Sees to a batch of the kind that has room for so many more spans and bytes, of an item
// or two with so many in all.
static inline __attribute__((always_inline)) int
batch_open(const struct operation *operation, struct batch_kind kind, uint32_t spans,
           size_t bytes, size_t all)
{
    struct peer_traffic *traffic = operation->peer->traffic;
    int err = likely(has_room_for_batch(traffic)) ? 0 : await_answers(traffic);
    while (!err && traffic->batch != NULL &&
           !batch_takes(operation, kind, spans, bytes, all))
        err = batch_end(traffic, true);
    if (!err && traffic->batch == NULL)
        err = batch_make(operation, kind, all);
    if (!err && ++traffic->batch->additions == 2)
        traffic->batch->begun = clock_nanoseconds();
    return err;
}

int batch_add(const struct operation *operation, struct batch_kind kind,
              const struct batch_item *item, size_t unit)
{
    const struct peer_traffic *traffic = operation->peer->traffic;
    for (uint64_t done = 0; done < item->span.bytes;) {
        int err = batch_open(operation, kind, 1, unit, item->span.bytes);
        if (err)
            return err;
        size_t room = batch_room(traffic, traffic->batch);
        size_t bytes = item->span.bytes - done;
        if (bytes > room)
            bytes = room - room % unit;
        batch_append(traffic, traffic->batch,
                     &(struct batch_item){{item->span.offset + done, bytes},
                                          item->operand + done,
                                          item->result + done});
        batch_join(traffic->batch);
        assert(traffic_is_valid(traffic));
        done += bytes;
    }
    return 0;
}

int batch_add_pair(const struct operation *operation, struct batch_kind kind,
                   const struct batch_item items[2])
{
    size_t bytes = items[0].span.bytes + items[1].span.bytes;
    int err = batch_open(operation, kind, 2, bytes, bytes);
    if (err)
        return err;
    struct peer_traffic *traffic = operation->peer->traffic;
    for (int i = 0; i < 2; i++)
        batch_append(traffic, traffic->batch, &items[i]);
    assert(traffic_is_valid(traffic));
    return 0;
}

int batch_add_swap(const struct operation *operation, struct batch_kind kind,
                   const struct batch_item *item, const char *compare)
{
    size_t bytes = 2 * item->span.bytes;
    int err = batch_open(operation, kind, 1, bytes, bytes);
    if (err)
        return err;
    struct peer_traffic *traffic = operation->peer->traffic;
    batch_append(traffic, traffic->batch, item);
    operand_keep(traffic->batch, compare, item->span.bytes);
    assert(traffic_is_valid(traffic));
    return 0;
}

int batch_add_piece(const struct operation *operation, const struct piece *piece)
{
    bool is_put = operation->kind == OPERATION_PUT;
    struct batch_kind kind = {.operands = is_put, .fetches = !is_put, .op = PLAIN_COPY};
    char *local = operation->origin.address + piece->origin;
    struct batch_item item = {
        {operation->offset + (uint64_t)piece->target, piece->bytes}, local, local};
    return batch_add(operation, kind, &item, 1);
}

// A batch that the kernel copies takes as long now as later, but later it is one with
// others, until it is long. One that asks for the lock goes with the release, and one that
// nobody answers, or that is left to the target, with what ends the epoch, if nothing comes
// between.
static bool may_aggregate(const struct operation *operation)
{
    const struct peer_traffic *traffic = operation->peer->traffic;
    const struct batch *batch = traffic->batch;
    if (operation->counter != NULL)
        return false;
    if (batch != NULL && goes_by_kernel(traffic, batch))
        return batch->bytes < COPY_BYTES;
    return traffic->is_awaited_soon ||
           peer_lock_state(operation->peer) == LOCK_WANTED ||
           (batch != NULL && (batch->is_left || is_unanswered(traffic, batch))) ||
           net_counter_pending(&traffic->counter) > 1;
}

int batch_finish(const struct operation *operation)
{
    return may_aggregate(operation) ? 0 : batch_end(operation->peer->traffic, true);
}

static int add_pieces(const struct operation *operation)
{
    if (is_contiguous(operation))
        return batch_add_piece(operation, &(struct piece){.bytes = operation->bytes});
    struct walk walk;
    struct piece piece;
    int err = 0;
    walk_begin(&walk, operation);
    while (!err && walk_next(&walk, &piece))
        err = batch_add_piece(operation, &piece);
    return err;
}

int batch_move(const struct operation *operation)
{
    message_lock();
    int err = add_pieces(operation);
    if (!err)
        err = batch_finish(operation);
    message_unlock();
    return err;
}

int batch_send_alone(const struct operation *operation, struct batch_kind kind,
                     const struct batch_item *item, const char *compare)
{
    struct peer_traffic *traffic = operation->peer->traffic;
    struct batch batch;
    batch_begin(&batch, operation, kind);
    batch_append(traffic, &batch, item);
    if (compare != NULL)
        operand_keep(&batch, compare, item->span.bytes);
    return batch_dispatch(traffic, &batch, false);
}

const struct means means_batch = {
    .locate = locate_in_window,
    .start = {[OPERATION_PUT] = batch_move,
              [OPERATION_GET] = batch_move,
              [OPERATION_ACCUMULATE] = batch_accumulate,
              [OPERATION_GET_ACCUMULATE] = batch_accumulate,
              [OPERATION_COMPARE_AND_SWAP] = batch_compare_and_swap},
};
