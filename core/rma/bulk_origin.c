// SPDX-License-Identifier: BSD-3-Clause
// Bulk accumulates at their origin.
#include "rma/bulk.h"

#include <stdlib.h>

enum {
    BULK_BYTES = 24 << 10, // fewer take no longer in batches
    BULKS_AT_ONCE = 16     // towards one target
};

bool bulk_is_worth(const struct operation *operation, const struct atomic_type *type,
                   size_t bytes)
{
    return bytes >= BULK_BYTES && operation->peer->lock_record == NULL &&
           !is_padded(type);
}

// ---- order ---------------------------------------------------------------------
static bool has_room_for_bulk(void *argument)
{
    const struct peer_traffic *traffic = argument;
    return traffic->bulk_count < BULKS_AT_ONCE;
}

static bool has_no_bulk(void *argument)
{
    const struct peer_traffic *traffic = argument;
    return traffic->bulk_count == 0;
}

static int traffic_wait(struct peer_traffic *traffic, bool (*done)(void *argument))
{
    if (likely(done(traffic)))
        return 0;
    message_unlock();
    int err = message_wait(done, traffic);
    message_lock();
    return err;
}

// The target keeps the order of bulk requests, but a batch would overtake them.
int bulks_await(const struct operation *operation)
{
    return operation->window->is_ordered
               ? traffic_wait(operation->peer->traffic, has_no_bulk)
               : 0;
}

// ---- the request -----------------------------------------------------------------
static bool bulk_expose(struct bulk *bulk, struct batch_kind kind,
                        const struct batch_item *item)
{
    size_t bytes = item->span.bytes;
    return (!kind.operands || net_register(process.net, (void *)item->operand, bytes,
                                           &bulk->operands) == 0) &&
           (!kind.fetches ||
            net_register(process.net, item->result, bytes, &bulk->results) == 0);
}

static int bulk_post(const struct operation *operation, struct batch_kind kind,
                     const struct rma_span *span, const struct bulk *bulk)
{
    const struct peer *peer = operation->peer;
    struct rma_request request;
    request.window = peer->member->handle;
    request.reply_to = (uint32_t)object_handle(operation->window);
    request.origin = operation->window->comm->rank;
    request.kind = kind;
    request.count = 1;
    request.spans[0] = *span;
    struct bulk_places places = {.number = bulk->number,
                                 .operands = bulk->operands.remote,
                                 .results = bulk->results.remote};
    return message_send(peer->job_rank, MESSAGE_RMA_BULK, &request, request_bytes(1),
                        &places, sizeof places);
}

// What is sent counts as under way.
static int bulk_send(const struct operation *operation, struct batch_kind kind,
                     const struct rma_span *span, struct bulk *bulk)
{
    struct peer_traffic *traffic = operation->peer->traffic;
    bulk->number = ++traffic->bulk_number;
    bulk->counter = operation->counter;
    int err = bulk_post(operation, kind, span, bulk);
    if (err)
        return err;
    epoch_begin_pending(&operation->window->epoch);
    net_counter_issue(&traffic->counter);
    if (bulk->counter != NULL)
        net_counter_issue(bulk->counter);
    bulk->next = traffic->bulks;
    traffic->bulks = bulk;
    traffic->bulk_count++;
    return 0;
}

// The target holds no bulk request back.
static int await_lock(struct peer *peer)
{
    message_unlock();
    int err = peer_await_lock(peer);
    message_lock();
    return err;
}

int bulk_start(const struct operation *operation, struct batch_kind kind,
               const struct batch_item *item, bool *taken)
{
    struct peer_traffic *traffic = operation->peer->traffic;
    *taken = false;
    int err = batch_end(traffic, true); // what is in it comes before
    if (!err && peer_is_asked_for(operation->peer))
        err = await_lock(operation->peer);
    if (!err)
        err = traffic_wait(traffic, has_room_for_bulk);
    struct bulk *bulk = err ? NULL : calloc(1, sizeof *bulk);
    if (bulk == NULL)
        return err;
    *taken = bulk_expose(bulk, kind, item);
    if (*taken)
        err = bulk_send(operation, kind, &item->span, bulk);
    if (!*taken || err)
        bulk_free(bulk);
    return err;
}
