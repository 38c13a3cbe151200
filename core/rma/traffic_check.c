// SPDX-License-Identifier: BSD-3-Clause
// The invariants of a peer's traffic, of its batch and of the replies under way.
#include "rma/batch.h"

static size_t spans_bytes(const struct rma_request *request)
{
    size_t total = 0;
    for (uint32_t i = 0; i < request->count; i++)
        total += request->spans[i].bytes;
    return total;
}

// Request and reply fit in a message each, unless the kernel copies them.
static bool batch_is_valid(const struct peer_traffic *traffic,
                           const struct batch *batch)
{
    const struct rma_request *request = &batch->request;
    const struct batch_kind *kind = &request->kind;
    size_t operands = kind->operands * batch->bytes;
    size_t fetched = kind->fetches * batch->bytes;
    if (request->count > SPANS_MAX || kind->operands > 2 || kind->fetches > 1 ||
        batch->bytes != spans_bytes(request) || batch->copied > operands)
        return false;
    if (is_copyable(traffic, *kind))
        return batch->copied <= traffic->batch_max;
    return batch->copied == operands &&
           request_bytes(request->count) + operands <= traffic->batch_max &&
           sizeof(struct rma_reply) + fetched <= traffic->batch_max;
}

static bool reply_is_valid(const struct pending_reply *reply)
{
    size_t total = 0;
    for (uint32_t i = 0; i < reply->count; i++)
        total += reply->results[i].bytes;
    return reply->count <= SPANS_MAX && total == reply->bytes;
}

// No more replies are under way than batches, and they end where the next one is added.
static bool replies_are_valid(const struct peer_traffic *traffic)
{
    struct pending_reply *const *at = &traffic->replies;
    int count = 0;
    for (; *at != NULL && count < traffic->batches; at = &(*at)->next, count++)
        if (!reply_is_valid(*at))
            return false;
    return *at == NULL && at == traffic->replies_end;
}

// The counter knows of each batch, also of the one that is being filled.
bool traffic_is_valid(const struct peer_traffic *traffic)
{
    const struct batch *batch = traffic->batch;
    uint64_t pending = net_counter_pending(&traffic->counter);
    uint64_t batches = (uint64_t)traffic->batches + (batch != NULL);
    uint64_t counted = batches + (uint64_t)traffic->bulk_count;
    return traffic->batches >= 0 && traffic->bulk_count >= 0 && counted <= pending &&
           pending <= INT64_MAX && (batch == NULL || batch_is_valid(traffic, batch)) &&
           replies_are_valid(traffic);
}
