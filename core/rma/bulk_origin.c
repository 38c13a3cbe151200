// SPDX-License-Identifier: BSD-3-Clause
// Bulk accumulates at their origin.
#include "rma/bulk.h"

#include <stdlib.h>

enum {
    BULK_BYTES = 24 << 10, // fewer take no longer in batches
    BULKS_AT_ONCE = 16,    // towards one target
    // To local peers:
    PART_BYTES = 8 << 10,
    LONGEST = 256 << 10, // request: the target handles no other message meanwhile
    SLOW_PARTS = 2,      // in a row: it was no accident
    BULKS_IN_ROW = 16    // until a part tells again how long it takes
};

// Twice as long as the target needs for a part that the kernel reads.
static const uint64_t SLOW = 2000; // ns, for a part to be written to a message

static bool is_for_local_peer(const struct operation *operation)
{
    return operation->peer->lock_record != NULL;
}

bool bulk_is_worth(const struct operation *operation, struct batch_kind kind,
                   const struct atomic_type *type, size_t bytes)
{
    bool is_for_kernel =
        kind.operands == 1 && !kind.fetches && operation->peer->traffic->is_copied;
    return bytes >= BULK_BYTES && !is_padded(type) &&
           (!is_for_local_peer(operation) || is_for_kernel);
}

static void item_skip(struct batch_item *item, size_t bytes)
{
    item->span.offset += bytes;
    item->span.bytes -= bytes;
    item->operand += bytes;
    item->result += bytes;
}

// ---- local peers -----------------------------------------------------------------
// Between cores that are near each other messages carry operands faster than the kernel
// does, since the origin writes one while the target combines the one before. Where cores
// have no cache in common a message's lines, which the target has read last, take so long
// to pass to and fro that the target had better read the operands where they lie. How
// long a part takes tells.
static bool are_parts_slow(const struct peer_traffic *traffic)
{
    return traffic->slow_parts == SLOW_PARTS;
}

static bool must_try_part(struct peer_traffic *traffic)
{
    return !are_parts_slow(traffic) || ++traffic->bulks_in_row == BULKS_IN_ROW;
}

static int part_send(const struct operation *operation, struct batch_kind kind,
                     struct batch_item *item, const struct atomic_type *type)
{
    struct peer_traffic *traffic = operation->peer->traffic;
    struct batch_item part = *item;
    part.span.bytes = PART_BYTES - PART_BYTES % type->size;
    item_skip(item, part.span.bytes);
    int err = batch_end(traffic, true);
    if (!err)
        err = batch_add(operation, kind, &part, type->size);
    uint64_t start = clock_nanoseconds();
    if (!err)
        err = batch_end(traffic, true);
    bool is_slow = clock_nanoseconds() - start > SLOW;
    traffic->slow_parts = is_slow ? traffic->slow_parts + 1 : 0;
    if (traffic->slow_parts > SLOW_PARTS)
        traffic->slow_parts = SLOW_PARTS;
    traffic->bulks_in_row = 0;
    return err;
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
    int err = message_wait(done, traffic, NULL);
    message_lock();
    return err;
}

// The target keeps the order of bulk requests, but on another node a batch would overtake
// them.
int bulks_await(const struct operation *operation)
{
    return operation->window->is_ordered && !is_for_local_peer(operation)
               ? traffic_wait(operation->peer->traffic, has_no_bulk)
               : 0;
}

// ---- the request -----------------------------------------------------------------
static int memory_check(const void *memory, size_t bytes)
{
    size_t mapped;
    return memory_has_holes(memory, bytes, &mapped)
               ? fail(MPI_ERR_BUFFER, "%zu bytes at %p: this memory is not there",
                      bytes, memory)
               : 0;
}

// A provider need not look at memory that it registers, and some never answer when the
// target comes to read what is not there.
static int exposed_check(const struct operation *operation, struct batch_kind kind,
                         const struct batch_item *item)
{
    size_t bytes = item->span.bytes;
    if (is_for_local_peer(operation))
        return 0;
    int err = kind.operands ? memory_check(item->operand, bytes) : 0;
    return !err && kind.fetches ? memory_check(item->result, bytes) : err;
}

static bool bulk_expose(struct bulk *bulk, const struct operation *operation,
                        struct batch_kind kind, const struct batch_item *item)
{
    size_t bytes = item->span.bytes;
    if (is_for_local_peer(operation)) {
        bulk->operands.remote.address = (uintptr_t)item->operand;
        shm_open_memory(process.shm);
        return true;
    }
    return (!kind.operands || net_register(process.net, (void *)item->operand, bytes, 0,
                                           &bulk->operands) == 0) &&
           (!kind.fetches ||
            net_register(process.net, item->result, bytes, 0, &bulk->results) == 0);
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
    bool has_waited = target_has_waited(peer->traffic);
    int err = message_send(peer->job_rank, MESSAGE_RMA_BULK, &request, request_bytes(1),
                           &places, sizeof places);
    if (!err && has_waited)
        target_look_again(peer->traffic, operation->counter);
    return err;
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

// *is_sent is false where operands or results cannot be registered, or without memory.
static int bulk_request(const struct operation *operation, struct batch_kind kind,
                        const struct batch_item *item, bool *is_sent)
{
    int err = exposed_check(operation, kind, item);
    if (err)
        return err;
    struct bulk *bulk = calloc(1, sizeof *bulk);
    bool is_exposed = bulk != NULL && bulk_expose(bulk, operation, kind, item);
    err = is_exposed ? bulk_send(operation, kind, &item->span, bulk) : 0;
    *is_sent = is_exposed && !err;
    if (bulk != NULL && !*is_sent)
        bulk_free(bulk);
    return err;
}

static int bulk_start(const struct operation *operation, struct batch_kind kind,
                      struct batch_item *item, const struct atomic_type *type)
{
    struct peer_traffic *traffic = operation->peer->traffic;
    int err = batch_end(traffic, true); // what is in it comes before
    if (!err && peer_is_asked_for(operation->peer))
        err = await_lock(operation->peer);
    for (bool is_sent = true; !err && is_sent && item->span.bytes > 0;) {
        err = traffic_wait(traffic, has_room_for_bulk);
        struct batch_item piece = *item;
        if (is_for_local_peer(operation) && piece.span.bytes > LONGEST)
            piece.span.bytes = LONGEST - LONGEST % type->size;
        is_sent = false;
        if (!err)
            err = bulk_request(operation, kind, &piece, &is_sent);
        if (is_sent)
            item_skip(item, piece.span.bytes);
    }
    return err;
}

int bulk_try(const struct operation *operation, struct batch_kind kind,
             struct batch_item *item, const struct atomic_type *type)
{
    int err = 0;
    if (is_for_local_peer(operation) && must_try_part(operation->peer->traffic))
        err = part_send(operation, kind, item, type);
    if (err ||
        (is_for_local_peer(operation) && !are_parts_slow(operation->peer->traffic)))
        return err;
    return bulk_start(operation, kind, item, type);
}
