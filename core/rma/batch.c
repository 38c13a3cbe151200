// SPDX-License-Identifier: BSD-3-Clause
// Batches at their origin. A target has at most one that is being filled. It leaves when
// the next piece does not go with it, when nothing else is under way to the target, and
// when the program waits for the target. If a wait came soon after what was gathered
// last, the next batch is left to the next wait, so that both need one message.
#include "rma/private.h"

#include <stdlib.h>
#include <string.h>

enum { BATCHES_AT_ONCE = 64 }; // sent to one target and not answered yet

static const uint64_t SOON = 50000; // ns

struct batch {
    struct net_counter *counter; // of the request that all of it is for, or NULL
    size_t bytes;                // in all spans
    uint64_t begun;              // time
    uint64_t additions;
    char *local[SPANS_MAX]; // where what is fetched from each span belongs
    struct rma_request request;
    char data[MESSAGE_MAX]; // that the request brings
};

// ---- under the message lock ------------------------------------------------------
// Remembers where what is fetched belongs; NULL without memory.
static struct awaited *await(const struct batch *batch)
{
    uint32_t count = batch->request.count;
    struct awaited *awaited = malloc(sizeof *awaited + count * sizeof *awaited->parts);
    if (awaited == NULL)
        return NULL;
    *awaited = (struct awaited){
        .bytes = batch->bytes, .count = count, .counter = batch->counter};
    for (uint32_t i = 0; i < count; i++) {
        awaited->parts[i].address = batch->local[i];
        awaited->parts[i].bytes = batch->request.spans[i].bytes;
    }
    return awaited;
}

static int send_batch(struct peer *peer, const struct batch *batch)
{
    const struct rma_request *request = &batch->request;
    struct awaited *awaited = request->fetches ? await(batch) : NULL;
    if (request->fetches && awaited == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory to fetch %zu bytes", batch->bytes);
    int err = message_send(peer->job_rank, MESSAGE_RMA, request,
                           request_bytes(request->count), batch->data,
                           request->brings * batch->bytes);
    if (err) {
        free(awaited);
        return err;
    }
    peer->batches++;
    if (awaited != NULL) {
        *peer->awaited_end = awaited;
        peer->awaited_end = &awaited->next;
        if (awaited->counter != NULL)
            net_counter_issue(awaited->counter);
    }
    return 0;
}

// What cannot be sent has failed for those who wait for it, too, since the operations
// that began the batch have returned, or another call sends it for them.
static int batch_leave(struct peer *peer)
{
    struct batch *batch = peer->batch;
    if (batch == NULL)
        return 0;
    int err = send_batch(peer, batch);
    struct net_counter *own = batch->counter;
    peer->batch = NULL;
    free(batch);
    if (err && own != NULL) {
        net_counter_issue(own);
        net_counter_complete(own, err);
    }
    if (err)
        net_counter_complete(&peer->counter, err);
    return err;
}

int rma_send_gathered(struct peer *peer)
{
    const struct batch *batch = peer->batch;
    if (batch == NULL)
        return 0;
    peer->is_awaited_soon =
        batch->additions > 1 && clock_nanoseconds() - batch->begun < SOON;
    return batch_leave(peer);
}

// An operation has completed: was it the last of those that the batch has waited for?
static void send_when_alone(struct net_counter *counter)
{
    struct peer *peer =
        (struct peer *)((char *)counter - offsetof(struct peer, counter));
    if (peer->batch != NULL && net_counter_pending(counter) == 1)
        batch_leave(peer);
}

// It counts as under way from now on, so that nobody forgets it.
static int batch_make(const struct operation *operation, struct sort sort)
{
    struct peer *peer = operation->peer;
    struct batch *batch = malloc(sizeof *batch);
    if (batch == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for operations on rank %d", peer->rank);
    batch->counter = operation->counter;
    batch->bytes = batch->additions = 0;
    batch->begun = clock_nanoseconds();
    batch->request.window = peer->member->handle;
    batch->request.reply_to = (uint32_t)object_handle(operation->window);
    batch->request.origin = operation->window->comm->rank;
    batch->request.brings = sort.brings;
    batch->request.fetches = sort.fetches;
    batch->request.op = sort.op;
    batch->request.basic = sort.basic;
    batch->request.count = 0;
    peer->batch = batch;
    peer->counter.part_completed = send_when_alone;
    net_counter_issue(&peer->counter);
    window_expect_pending(operation->window);
    return 0;
}

// How many bytes another piece may add.
static size_t batch_room(const struct batch *batch)
{
    uint32_t count = batch->request.count;
    size_t head =
        batch->request.brings ? request_bytes(count + 1) : sizeof(struct rma_reply);
    size_t used = head + batch->bytes;
    return count < SPANS_MAX && used < MESSAGE_MAX ? MESSAGE_MAX - used : 0;
}

// All that is brought once comes before what is brought a second time, so that nothing
// can be added to that.
static bool goes_with(const struct batch *batch, const struct operation *operation,
                      struct sort sort, uint32_t spans, size_t bytes)
{
    const struct rma_request *request = &batch->request;
    return request->brings == sort.brings && sort.brings < 2 &&
           request->fetches == sort.fetches && request->op == sort.op &&
           request->basic == sort.basic && batch->counter == operation->counter &&
           request->count + spans <= SPANS_MAX &&
           batch_room(batch) >= bytes + (spans - 1) * sizeof(struct rma_span);
}

static void batch_append(struct batch *batch, struct rma_span span, const char *brought,
                         char *fetched)
{
    if (batch->request.brings)
        memcpy(batch->data + batch->bytes, brought, span.bytes);
    batch->local[batch->request.count] = fetched;
    batch->request.spans[batch->request.count++] = span;
    batch->bytes += span.bytes;
}

// The last two spans become one if they follow each other at both ends, as those of a
// loop over an array do.
static void batch_join(struct batch *batch)
{
    uint32_t count = batch->request.count;
    if (count < 2)
        return;
    struct rma_span *last = &batch->request.spans[count - 1], *before = last - 1;
    bool fetches = batch->request.fetches;
    if (before->offset + before->bytes != last->offset ||
        (fetches && batch->local[count - 2] + before->bytes != batch->local[count - 1]))
        return;
    before->bytes += last->bytes;
    batch->request.count--;
}

// ---- what operations call ----------------------------------------------------------
// Accesses of the network do not count, for they need nothing of the target.
static bool has_room_for_batch(void *argument)
{
    const struct peer *peer = argument;
    return atomic_load_explicit(&peer->batches, memory_order_relaxed) < BATCHES_AT_ONCE;
}

// Takes the message lock, unless it fails, with a batch that has room for so many more
// spans and bytes of the sort.
static int lock_batch(const struct operation *operation, struct sort sort,
                      uint32_t spans, size_t bytes)
{
    struct peer *peer = operation->peer;
    int err = has_room_for_batch(peer) ? 0 : message_wait(has_room_for_batch, peer);
    if (err)
        return err;
    message_lock();
    if (peer->batch != NULL && !goes_with(peer->batch, operation, sort, spans, bytes))
        err = batch_leave(peer);
    if (!err && peer->batch == NULL)
        err = batch_make(operation, sort);
    if (err)
        message_unlock();
    else
        peer->batch->additions++;
    return err;
}

int batch_add(const struct operation *operation, struct sort sort, struct rma_span span,
              const char *brought, char *fetched, size_t unit)
{
    for (uint64_t done = 0; done < span.bytes;) {
        int err = lock_batch(operation, sort, 1, unit);
        if (err)
            return err;
        struct batch *batch = operation->peer->batch;
        size_t room = batch_room(batch), bytes = span.bytes - done;
        if (bytes > room)
            bytes = room - room % unit;
        batch_append(batch, (struct rma_span){span.offset + done, bytes},
                     brought + done, fetched + done);
        batch_join(batch);
        message_unlock();
        done += bytes;
    }
    return 0;
}

int batch_add_pair(const struct operation *operation, struct sort sort,
                   const struct rma_span spans[2], const char *const brought[2],
                   char *const fetched[2])
{
    int err = lock_batch(operation, sort, 2, spans[0].bytes + spans[1].bytes);
    if (err)
        return err;
    for (int i = 0; i < 2; i++)
        batch_append(operation->peer->batch, spans[i], brought[i], fetched[i]);
    message_unlock();
    return 0;
}

int batch_add_swap(const struct operation *operation, struct sort sort,
                   struct rma_span span, const char *compare, char *fetched)
{
    int err = lock_batch(operation, sort, 1, 2 * span.bytes);
    if (err)
        return err;
    struct batch *batch = operation->peer->batch;
    batch_append(batch, span, operation->origin, fetched);
    memcpy(batch->data + batch->bytes, compare, span.bytes);
    message_unlock();
    return 0;
}

int batch_finish(const struct operation *operation)
{
    struct peer *peer = operation->peer;
    bool may_wait = peer->is_awaited_soon || net_counter_pending(&peer->counter) > 1;
    if (may_wait && operation->counter == NULL)
        return 0;
    message_lock();
    int err = batch_leave(peer);
    message_unlock();
    return err;
}
