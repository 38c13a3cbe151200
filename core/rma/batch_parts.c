// SPDX-License-Identifier: BSD-3-Clause
// Batches that are too long for a message, which are made for the kernel: where the
// target polls they go in parts, each a batch that fits. While the target copies one part
// the origin copies the next, so that both work at once.
#include "rma/batch.h"

#include <string.h>

// What is left of a batch: it begins `done` bytes into a span.
struct rest {
    const struct batch *batch;
    uint32_t span;
    uint64_t done;
};

static bool rest_is_empty(const struct rest *rest)
{
    return rest->span == rest->batch->request.count;
}

static size_t span_left(const struct rest *rest)
{
    return rest->batch->request.spans[rest->span].bytes - rest->done;
}

static size_t part_room(const struct peer_traffic *traffic, const struct batch *part)
{
    return message_room(traffic, part) / CACHE_LINE * CACHE_LINE;
}

static void part_append(struct batch *part, struct rest *rest, size_t bytes)
{
    const struct rma_span *span = &rest->batch->request.spans[rest->span];
    uint32_t count = part->request.count++;
    part->request.spans[count] = (struct rma_span){span->offset + rest->done, bytes};
    part->local[count] = rest->batch->local[rest->span] + rest->done;
    part->bytes += bytes;
    rest->done += bytes;
    if (rest->done == span->bytes) {
        rest->done = 0;
        rest->span++;
    }
}

// What the next of so few parts as there must be has, if all are alike; whole cache lines.
static size_t even_part(size_t bytes, size_t room)
{
    size_t parts = (bytes + room - 1) / room;
    return round_up((bytes + parts - 1) / parts, CACHE_LINE);
}

// Spans that fit share a part; one that is longer than a message has parts of its own.
static void part_fill(const struct peer_traffic *traffic, struct batch *part,
                      struct rest *rest)
{
    part->bytes = part->request.count = 0;
    size_t left = span_left(rest), room = part_room(traffic, part);
    if (left > room)
        part_append(part, rest, even_part(left, room));
    else
        while (!rest_is_empty(rest) && span_left(rest) <= part_room(traffic, part))
            part_append(part, rest, span_left(rest));
}

int batch_send_in_parts(struct peer_traffic *traffic, const struct batch *batch)
{
    struct rest rest = {.batch = batch};
    struct batch part;
    part.counter = batch->counter;
    part.copied = 0;
    memcpy(&part.request, &batch->request, request_bytes(0));
    int err = 0;
    for (bool is_first = true; !err && !rest_is_empty(&rest); is_first = false) {
        part_fill(traffic, &part, &rest);
        if (!is_first) // the batch counts as under way already
            net_counter_issue(&traffic->counter);
        err = batch_send(traffic, &part);
    }
    return err;
}
