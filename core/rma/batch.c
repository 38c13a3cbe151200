// SPDX-License-Identifier: BSD-3-Clause
// Batches at their origin. A target has at most one that is being filled. It is sent
// when the next item does not go with it, when nothing else is under way to the target,
// and when the program waits for the target. If a wait came soon after the last batch
// of several items, the next one is left to the next wait, so that both need one
// message.
#include "rma/batch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES_AT_ONCE = 64 }; // sent to one target and not answered yet

static const uint64_t SOON = 50000; // ns

// ---- under the message lock ------------------------------------------------------
// Where the reply's data belongs; NULL without memory.
static struct pending_reply *reply_make(const struct batch *batch)
{
    uint32_t count = batch->request.count;
    struct pending_reply *reply =
        malloc(sizeof *reply + count * sizeof *reply->results);
    if (reply == NULL)
        return NULL;
    *reply = (struct pending_reply){
        .bytes = batch->bytes, .count = count, .counter = batch->counter};
    for (uint32_t i = 0; i < count; i++) {
        reply->results[i].address = batch->results[i];
        reply->results[i].bytes = batch->request.spans[i].bytes;
    }
    return reply;
}

static int batch_send(struct peer_traffic *traffic, const struct batch *batch)
{
    const struct rma_request *request = &batch->request;
    bool fetches = request->kind.fetches;
    struct pending_reply *reply = fetches ? reply_make(batch) : NULL;
    if (fetches && reply == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory to fetch %zu bytes", batch->bytes);
    int err = message_send(traffic->peer->job_rank, MESSAGE_RMA, request,
                           request_bytes(request->count), batch->operands,
                           request->kind.operands * batch->bytes);
    if (err) {
        free(reply);
        return err;
    }
    traffic->batches++;
    if (reply != NULL) {
        *traffic->replies_end = reply;
        traffic->replies_end = &reply->next;
        if (reply->counter != NULL)
            net_counter_issue(reply->counter);
    }
    return 0;
}

// Sends the batch and ends it. An error of the sending is also counted for the request
// and the next flush, since the operations in the batch may have returned already.
static int batch_end(struct peer_traffic *traffic)
{
    struct batch *batch = traffic->batch;
    if (batch == NULL)
        return 0;
    assert(traffic_is_valid(traffic));
    int err = batch_send(traffic, batch);
    struct net_counter *own = batch->counter;
    traffic->batch = NULL;
    free(batch);
    if (err && own != NULL) {
        net_counter_issue(own);
        net_counter_complete(own, err);
    }
    if (err)
        net_counter_complete(&traffic->counter, err);
    return err;
}

int traffic_send(struct peer_traffic *traffic)
{
    const struct batch *batch = traffic->batch;
    if (batch == NULL)
        return 0;
    traffic->is_awaited_soon =
        batch->additions > 1 && clock_nanoseconds() - batch->begun < SOON;
    return batch_end(traffic);
}

// Sends the batch when an operation has completed and nothing else is under way.
static void send_when_alone(struct net_counter *counter)
{
    struct peer_traffic *traffic =
        (struct peer_traffic *)((char *)counter -
                                offsetof(struct peer_traffic, counter));
    if (traffic->batch != NULL && net_counter_pending(counter) == 1)
        batch_end(traffic);
}

// The batch counts as under way from now on, so that a flush waits for it.
static int batch_make(const struct operation *operation, struct batch_kind kind)
{
    const struct peer *peer = operation->peer;
    struct batch *batch = malloc(sizeof *batch);
    if (batch == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for operations on rank %d", peer->rank);
    batch->counter = operation->counter;
    batch->bytes = batch->additions = 0;
    batch->begun = clock_nanoseconds();
    batch->request.window = peer->member->handle;
    batch->request.reply_to = (uint32_t)object_handle(operation->window);
    batch->request.origin = operation->window->comm->rank;
    batch->request.kind = kind;
    batch->request.count = 0;
    peer->traffic->batch = batch;
    peer->traffic->counter.completed_one = send_when_alone;
    net_counter_issue(&peer->traffic->counter);
    epoch_begin_pending(&operation->window->epoch);
    return 0;
}

// How many bytes another item may add.
static size_t batch_room(const struct batch *batch)
{
    uint32_t count = batch->request.count;
    size_t head = batch->request.kind.operands ? request_bytes(count + 1)
                                               : sizeof(struct rma_reply);
    size_t used = head + batch->bytes;
    return count < SPANS_MAX && used < MESSAGE_MAX ? MESSAGE_MAX - used : 0;
}

// The first operands of all spans come before the second ones, so that nothing can be
// added to those.
static bool batch_takes(const struct batch *batch, const struct operation *operation,
                        struct batch_kind kind, uint32_t spans, size_t bytes)
{
    const struct batch_kind *own = &batch->request.kind;
    return own->operands == kind.operands && kind.operands < 2 &&
           own->fetches == kind.fetches && own->op == kind.op &&
           own->basic == kind.basic && batch->counter == operation->counter &&
           batch->request.count + spans <= SPANS_MAX &&
           batch_room(batch) >= bytes + (spans - 1) * sizeof(struct rma_span);
}

static void batch_append(struct batch *batch, const struct batch_item *item)
{
    if (batch->request.kind.operands)
        memcpy(batch->operands + batch->bytes, item->operand, item->span.bytes);
    batch->results[batch->request.count] = item->result;
    batch->request.spans[batch->request.count++] = item->span;
    batch->bytes += item->span.bytes;
}

// The last two spans become one if they follow each other at both ends, as those of a
// loop over an array do.
static void batch_join(struct batch *batch)
{
    uint32_t count = batch->request.count;
    if (count < 2)
        return;
    struct rma_span *last = &batch->request.spans[count - 1], *before = last - 1;
    char *const *result = &batch->results[count - 1];
    if (before->offset + before->bytes != last->offset ||
        (batch->request.kind.fetches && result[-1] + before->bytes != result[0]))
        return;
    before->bytes += last->bytes;
    batch->request.count--;
}

// ---- for operations ----------------------------------------------------------------
// Limits the batches that the target has not answered; remote accesses do not count.
static bool has_room_for_batch(void *argument)
{
    const struct peer_traffic *traffic = argument;
    return atomic_load_explicit(&traffic->batches, memory_order_relaxed) <
           BATCHES_AT_ONCE;
}

// Locks a batch of the kind that has room for so many more spans and bytes: takes the
// message lock, unless it fails.
static int batch_lock(const struct operation *operation, struct batch_kind kind,
                      uint32_t spans, size_t bytes)
{
    struct peer_traffic *traffic = operation->peer->traffic;
    int err =
        has_room_for_batch(traffic) ? 0 : message_wait(has_room_for_batch, traffic);
    if (err)
        return err;
    message_lock();
    if (traffic->batch != NULL &&
        !batch_takes(traffic->batch, operation, kind, spans, bytes))
        err = batch_end(traffic);
    if (!err && traffic->batch == NULL)
        err = batch_make(operation, kind);
    if (err)
        message_unlock();
    else
        traffic->batch->additions++;
    return err;
}

int batch_add(const struct operation *operation, struct batch_kind kind,
              const struct batch_item *item, size_t unit)
{
    for (uint64_t done = 0; done < item->span.bytes;) {
        int err = batch_lock(operation, kind, 1, unit);
        if (err)
            return err;
        struct batch *batch = operation->peer->traffic->batch;
        size_t room = batch_room(batch), bytes = item->span.bytes - done;
        if (bytes > room)
            bytes = room - room % unit;
        batch_append(batch, &(struct batch_item){{item->span.offset + done, bytes},
                                                 item->operand + done,
                                                 item->result + done});
        batch_join(batch);
        assert(traffic_is_valid(operation->peer->traffic));
        message_unlock();
        done += bytes;
    }
    return 0;
}

int batch_add_pair(const struct operation *operation, struct batch_kind kind,
                   const struct batch_item items[2])
{
    int err = batch_lock(operation, kind, 2, items[0].span.bytes + items[1].span.bytes);
    if (err)
        return err;
    for (int i = 0; i < 2; i++)
        batch_append(operation->peer->traffic->batch, &items[i]);
    assert(traffic_is_valid(operation->peer->traffic));
    message_unlock();
    return 0;
}

int batch_add_swap(const struct operation *operation, struct batch_kind kind,
                   const struct batch_item *item, const char *compare)
{
    int err = batch_lock(operation, kind, 1, 2 * item->span.bytes);
    if (err)
        return err;
    struct batch *batch = operation->peer->traffic->batch;
    batch_append(batch, item);
    memcpy(batch->operands + batch->bytes, compare, item->span.bytes);
    assert(traffic_is_valid(operation->peer->traffic));
    message_unlock();
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

int batch_finish(const struct operation *operation)
{
    struct peer_traffic *traffic = operation->peer->traffic;
    bool may_wait =
        traffic->is_awaited_soon || net_counter_pending(&traffic->counter) > 1;
    if (may_wait && operation->counter == NULL)
        return 0;
    message_lock();
    int err = batch_end(traffic);
    message_unlock();
    return err;
}
