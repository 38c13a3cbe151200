// SPDX-License-Identifier: BSD-3-Clause
// Batches at their target, and the replies at their origin. Handlers trust nothing that
// a message says: window, ranges and lengths are checked before memory is touched.
#include "rma/private.h"

#include <stdlib.h>
#include <string.h>

// ---- at the target ------------------------------------------------------------
static bool is_inside(const struct window *window, const struct rma_span *span)
{
    uint64_t size = (uint64_t)window->size;
    if (window->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return attachments_check(&window_own_lock_record(window)->attachments,
                                 span->offset, span->bytes) == 0;
    return span->offset <= size && span->bytes <= size - span->offset;
}

static bool are_inside(const struct window *window, const struct rma_request *request)
{
    for (uint32_t i = 0; i < request->count; i++)
        if (!is_inside(window, &request->spans[i]))
            return false;
    return true;
}

// Bytes of data in a request; more than a message has for one that is malformed. The
// loops over elements end at one, so that no span is empty.
static size_t spanned_bytes(const struct rma_request *request)
{
    size_t total = 0;
    for (uint32_t i = 0; i < request->count && total <= MESSAGE_MAX; i++) {
        if (request->spans[i].bytes == 0 || request->spans[i].bytes > MESSAGE_MAX)
            return MESSAGE_MAX + 1;
        total += request->spans[i].bytes;
    }
    return total;
}

static bool is_well_formed(const struct rma_request *request, size_t bytes)
{
    if (request->count > SPANS_MAX || bytes < request_bytes(request->count))
        return false;
    size_t data = spanned_bytes(request);
    if (data > MESSAGE_MAX || request->fetches > 1)
        return false;
    if (request->fetches && data > MESSAGE_MAX - sizeof(struct rma_reply))
        return false;
    if (bytes - request_bytes(request->count) != request->brings * data)
        return false;
    return request->op == PLAIN_COPY ? request->brings == !request->fetches
                                     : elements_are_well_formed(request);
}

// Copies the data of all spans between the window and what is brought or fetched.
static void copy(const struct window *window, const struct rma_request *request,
                 const char *brought, char *fetched)
{
    size_t done = 0;
    for (uint32_t i = 0; i < request->count; i++) {
        char *memory = part_at(window->base, request->spans[i].offset);
        size_t bytes = request->spans[i].bytes;
        if (request->fetches)
            memcpy(fetched + done, memory, bytes);
        else
            memcpy(memory, brought + done, bytes);
        done += bytes;
    }
}

static void carry_out(const struct window *window, const struct rma_request *request,
                      char *fetched)
{
    const char *brought = (const char *)request + request_bytes(request->count);
    if (request->op == PLAIN_COPY)
        copy(window, request, brought, fetched);
    else
        elements_combine(window, request, brought, fetched);
}

static void serve_request(int source, const void *message, size_t bytes)
{
    const struct rma_request *request = message;
    struct window *window =
        bytes < request_bytes(0) ? NULL : handle_object(KIND_WIN, request->window);
    if (window == NULL || !window_has_member(window, request->origin, source)) {
        message_refuse(source, "an operation"); // nobody here to answer for
        return;
    }
    struct rma_reply reply = {.window = request->reply_to, .fetches = request->fetches};
    char fetched[MESSAGE_MAX];
    reply.rank = window->comm->rank;
    if (!is_well_formed(request, bytes))
        reply.error = MPI_ERR_INTERN;
    else if (!are_inside(window, request))
        reply.error = MPI_ERR_RMA_RANGE;
    else
        carry_out(window, request, fetched);
    size_t fetched_bytes =
        request->fetches && !reply.error ? spanned_bytes(request) : 0;
    message_send(source, MESSAGE_RMA_REPLY, &reply, sizeof reply, fetched,
                 fetched_bytes);
}

// ---- at the origin ------------------------------------------------------------
// Puts what was fetched where it belongs; false when it is not as much as was asked
// for.
static bool scatter(const struct awaited *awaited, const char *data, size_t bytes)
{
    if (bytes != awaited->bytes)
        return false;
    for (uint32_t i = 0; i < awaited->count && !awaited->is_unwanted; i++) {
        memcpy(awaited->parts[i].address, data, awaited->parts[i].bytes);
        data += awaited->parts[i].bytes;
    }
    return true;
}

// Takes the oldest request that fetches off the list; the reply is its answer.
static int finish_fetch(struct peer *peer, const struct rma_reply *reply, size_t bytes)
{
    struct awaited *awaited = peer->awaited;
    peer->awaited = awaited->next;
    if (peer->awaited == NULL)
        peer->awaited_end = &peer->awaited;
    int error = reply->error;
    if (!error && !scatter(awaited, (const char *)(reply + 1), bytes - sizeof *reply))
        error = MPI_ERR_INTERN;
    if (awaited->counter != NULL)
        net_counter_complete(awaited->counter, error);
    free(awaited);
    return error;
}

static void serve_reply(int source, const void *message, size_t bytes)
{
    const struct rma_reply *reply = message;
    struct window *window = bytes < sizeof *reply || !is_error_class(reply->error)
                                ? NULL
                                : handle_object(KIND_WIN, reply->window);
    struct peer *peer = window ? window_find_peer(window, reply->rank) : NULL;
    if (peer == NULL || peer->job_rank != source || peer->batches == 0 ||
        (reply->fetches && peer->awaited == NULL)) {
        message_refuse(source, "a reply"); // nothing of that kind is under way
        return;
    }
    peer->batches--;
    int error = reply->fetches ? finish_fetch(peer, reply, bytes) : reply->error;
    net_counter_complete(&peer->counter, error);
}

static const struct message_kind kinds[] = {
    {MESSAGE_RMA, serve_request, .can_fail = true},
    {MESSAGE_RMA_REPLY, serve_reply, false},
};

void rma_start_serving(void)
{
    message_register(kinds, sizeof kinds / sizeof *kinds);
}

void rma_stop_serving(void)
{
    message_unregister(kinds, sizeof kinds / sizeof *kinds);
}
