// SPDX-License-Identifier: BSD-3-Clause
// Moving data that this process cannot touch: long pieces by the network's remote
// access, short or otherwise unreachable ones in batches that the target carries out.
// Both are counted by the peer's counter.
#include "rma/private.h"

#include <stdlib.h>
#include <string.h>

enum {
    DIRECT_BYTES = 2048, // a piece of so many bytes is worth an access of its own
    BATCHES_AT_ONCE = 64 // under way to one target
};

static struct net_counter *counter_of(const struct batch *batch)
{
    return &batch->operation->peer->counter;
}

static bool has_room_for_batch(void *argument)
{
    const struct net_counter *counter = argument;
    return net_counter_pending(counter) < BATCHES_AT_ONCE;
}

// Remembers where what is fetched belongs; NULL without memory.
static struct awaited *await(const struct batch *batch)
{
    uint32_t count = batch->request.count;
    struct awaited *awaited = malloc(sizeof *awaited + count * sizeof *awaited->parts);
    if (awaited == NULL)
        return NULL;
    *awaited = (struct awaited){
        .bytes = batch->bytes, .count = count, .counter = batch->operation->counter};
    for (uint32_t i = 0; i < count; i++) {
        awaited->parts[i].address = batch->local[i];
        awaited->parts[i].bytes = batch->request.spans[i].bytes;
    }
    return awaited;
}

static void batch_clear(struct batch *batch)
{
    batch->request.count = 0;
    batch->bytes = 0;
}

void batch_begin(struct batch *batch, const struct operation *operation)
{
    batch->operation = operation;
    batch->request = (struct rma_request){
        .window = operation->peer->card->handle,
        .reply_to = (uint32_t)object_handle(operation->window),
        .origin = operation->window->comm->rank,
        .brings = operation->is_put,
        .fetches = !operation->is_put,
        .op = PLAIN_COPY,
    };
    batch_clear(batch);
}

// Sends the batch; callers hold the message lock.
static int post(struct batch *batch, struct awaited *awaited)
{
    struct peer *peer = batch->operation->peer;
    const struct rma_request *request = &batch->request;
    int err = message_send(peer->job_rank, MESSAGE_RMA, request,
                           request_bytes(request->count), batch->data,
                           request->brings * batch->bytes);
    if (err)
        return err;
    net_counter_issue(&peer->counter);
    window_expect_pending(batch->operation->window);
    if (awaited != NULL) {
        *peer->awaited_end = awaited;
        peer->awaited_end = &awaited->next;
        if (awaited->counter != NULL)
            net_counter_issue(awaited->counter);
    }
    return 0;
}

int batch_send(struct batch *batch)
{
    if (batch->request.count == 0)
        return 0;
    struct awaited *awaited = batch->request.fetches ? await(batch) : NULL;
    if (batch->request.fetches && awaited == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory to fetch %zu bytes", batch->bytes);
    int err = message_wait(has_room_for_batch, counter_of(batch));
    if (!err) {
        message_lock();
        err = post(batch, awaited);
        message_unlock();
    }
    if (err)
        free(awaited);
    batch_clear(batch);
    return err;
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

int batch_reserve(struct batch *batch, uint32_t spans, size_t bytes)
{
    bool has_room = batch->request.count + spans <= SPANS_MAX &&
                    batch_room(batch) >= bytes + spans * sizeof(struct rma_span);
    return has_room ? 0 : batch_send(batch);
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

int batch_add(struct batch *batch, struct rma_span span, const char *brought,
              char *fetched, size_t unit)
{
    for (uint64_t done = 0; done < span.bytes;) {
        if (batch_room(batch) < unit) {
            int err = batch_send(batch);
            if (err)
                return err;
        }
        size_t room = batch_room(batch), bytes = span.bytes - done;
        if (bytes > room)
            bytes = room - room % unit;
        batch_append(batch, (struct rma_span){span.offset + done, bytes},
                     brought + done, fetched + done);
        done += bytes;
    }
    return 0;
}

static int access_remotely(const struct operation *operation, const struct piece *piece)
{
    struct peer *peer = operation->peer;
    struct net_counter *own = operation->counter;
    struct net_access access = {
        .rank = peer->job_rank,
        .is_write = operation->is_put,
        .local = operation->origin + piece->origin,
        .bytes = piece->bytes,
        .target = peer->card->net,
        .counter = own ? own : &peer->counter,
    };
    access.target.address += operation->offset + (uint64_t)piece->target;
    if (own != NULL)
        own->total = &peer->counter;
    for (unsigned spins = 0;;) {
        message_lock();
        window_expect_pending(operation->window);
        int err = net_access(process.net, &access);
        message_unlock();
        if (err || likely(access.bytes == 0))
            return err;
        err = message_progress() > 0 ? 0 : message_backoff(&spins);
        if (err)
            return err;
    }
}

static int send_pieces(const struct operation *operation)
{
    struct batch batch;
    batch_begin(&batch, operation);
    bool has_access = operation->reach == REACH_NET;
    struct walk walk = walk_of(operation);
    struct piece piece;
    int err = 0;
    while (!err && walk_next(&walk, &piece)) {
        char *local = operation->origin + piece.origin;
        uint64_t offset = operation->offset + (uint64_t)piece.target;
        struct rma_span span = {offset, piece.bytes};
        err = !has_access || piece.bytes < DIRECT_BYTES
                  ? batch_add(&batch, span, local, local, 1)
                  : access_remotely(operation, &piece);
    }
    return err ? err : batch_send(&batch);
}

int rma_send(const struct operation *operation)
{
    struct piece whole = {0, 0, operation->bytes};
    if (operation->reach == REACH_NET && is_plain(operation))
        return access_remotely(operation, &whole);
    return send_pieces(operation);
}
