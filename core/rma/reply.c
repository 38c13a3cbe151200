// SPDX-License-Identifier: BSD-3-Clause
// Replies to batches, at their origin. The handler trusts nothing that a message says.
#include "rma/batch.h"

#include <assert.h>
#include <stdlib.h>

// Copies the fetched data to the results; false when their sizes differ.
static bool reply_scatter(const struct pending_reply *pending, const char *data,
                          size_t bytes)
{
    if (bytes != pending->bytes)
        return false;
    for (uint32_t i = 0; i < pending->count && !pending->is_abandoned; i++) {
        copy_bytes(pending->results[i].address, data, pending->results[i].bytes);
        data += pending->results[i].bytes;
    }
    return true;
}

// Takes the oldest batch that fetches off the list; the reply is its answer.
static int reply_finish(struct peer_traffic *traffic, const struct rma_reply *reply,
                        size_t bytes)
{
    struct pending_reply *pending = traffic->replies;
    traffic->replies = pending->next;
    if (traffic->replies == NULL)
        traffic->replies_end = &traffic->replies;
    int error = reply->error;
    if (!error &&
        !reply_scatter(pending, (const char *)(reply + 1), bytes - sizeof *reply))
        error = MPI_ERR_INTERN;
    if (pending->counter != NULL)
        net_counter_complete(pending->counter, error);
    reply_drop(traffic, pending);
    return error;
}

struct peer_traffic *traffic_of(int source, const struct rma_reply *reply)
{
    struct window *window =
        is_error_class(reply->error) ? handle_object(KIND_WIN, reply->window) : NULL;
    const struct peer *peer = window ? window_find_peer(window, reply->rank) : NULL;
    return peer != NULL && peer->job_rank == source ? peer->traffic : NULL;
}

static bool is_expected(const struct peer_traffic *traffic,
                        const struct rma_reply *reply)
{
    return traffic->batches > 0 && (!reply->fetches || traffic->replies != NULL);
}

void reply_handle(int source, const void *message, size_t bytes)
{
    const struct rma_reply *reply = message;
    struct peer_traffic *traffic =
        bytes >= sizeof *reply ? traffic_of(source, reply) : NULL;
    if (traffic == NULL || !is_expected(traffic, reply)) {
        message_refuse(source, "a reply"); // nothing of that kind is under way
        return;
    }
    assert(traffic_is_valid(traffic));
    traffic->batches--;
    int error = reply->fetches ? reply_finish(traffic, reply, bytes) : reply->error;
    net_counter_complete(&traffic->counter, error);
}
