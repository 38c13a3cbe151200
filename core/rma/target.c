// SPDX-License-Identifier: BSD-3-Clause
// Batches at their target. The handler trusts nothing that a message says: window,
// ranges and lengths are checked before memory is touched.
#include "rma/bulk.h"

static bool span_is_inside(const struct window *window, const struct rma_span *span)
{
    uint64_t size = (uint64_t)window->size;
    if (window->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return attachments_check(&window_own_lock_record(window)->attachments,
                                 span->offset, span->bytes, NULL) == 0;
    return span->offset <= size && span->bytes <= size - span->offset;
}

bool spans_are_inside(const struct window *window, const struct rma_request *request)
{
    for (uint32_t i = 0; i < request->count; i++)
        if (!span_is_inside(window, &request->spans[i]))
            return false;
    return true;
}

// Bytes of data in a request; more than a message has for one that is malformed. The
// loops over elements end at one, so that no span is empty.
static size_t spanned_bytes(const struct rma_request *request)
{
    size_t total = 0;
    for (uint32_t i = 0; i < request->count && total <= BATCH_MAX; i++) {
        if (request->spans[i].bytes == 0 || request->spans[i].bytes > BATCH_MAX)
            return BATCH_MAX + 1;
        total += request->spans[i].bytes;
    }
    return total;
}

static bool request_is_well_formed(int source, const struct rma_request *request,
                                   size_t bytes)
{
    if (request->count > SPANS_MAX || bytes < request_bytes(request->count))
        return false;
    size_t data = spanned_bytes(request);
    if (data > BATCH_MAX || request->kind.fetches + request->kind.is_noticed > 1)
        return false;
    if (request->kind.fetches && data > batch_limit(source) - sizeof(struct rma_reply))
        return false;
    if (bytes - request_bytes(request->count) != request->kind.operands * data)
        return false;
    return request->kind.op == PLAIN_COPY
               ? request->kind.operands == !request->kind.fetches
               : elements_are_well_formed(request);
}

// Copies the data of all spans between the window and the message.
static void spans_copy(const struct window *window, const struct rma_request *request,
                       const char *operands, char *fetched)
{
    size_t done = 0;
    for (uint32_t i = 0; i < request->count; i++) {
        char *memory = exposed_at(window->base, request->spans[i].offset);
        size_t bytes = request->spans[i].bytes;
        if (request->kind.fetches)
            copy_bytes(fetched + done, memory, bytes);
        else
            copy_bytes(memory, operands + done, bytes);
        done += bytes;
    }
}

// Returns the data for the reply: one span of a get is sent from where it lies.
static const char *request_carry_out(const struct window *window,
                                     const struct rma_request *request, char *fetched)
{
    const char *operands = (const char *)request + request_bytes(request->count);
    bool is_copy = request->kind.op == PLAIN_COPY;
    if (is_copy && request->kind.fetches && request->count == 1)
        return exposed_at(window->base, request->spans[0].offset);
    if (is_copy)
        spans_copy(window, request, operands, fetched);
    else
        elements_combine(window, request, operands, fetched);
    return fetched;
}

// The answer goes with the grant of the lock that was asked for, if it was.
static void answer_send(int source, const struct sync_head *grant,
                        const struct rma_reply *reply, const char *data, size_t bytes)
{
    if (grant == NULL) {
        message_send(source, MESSAGE_RMA_REPLY, reply, sizeof *reply, data, bytes);
        return;
    }
    struct {
        struct sync_head grant;
        struct rma_reply reply;
    } head = {*grant, *reply};
    message_send(source, MESSAGE_GRANT, &head, sizeof head, data, bytes);
}

// Is there anybody to answer for? A window that has been freed only refuses locks.
static bool is_answerable(const struct window *window, int source,
                          const struct rma_request *request,
                          const struct sync_head *grant)
{
    return window != NULL ? window_has_member(window, request->origin, source)
                          : grant != NULL && grant->error != 0;
}

void request_serve(int source, const void *message, size_t bytes, int error,
                   const struct sync_head *grant)
{
    const struct rma_request *request = message;
    bool has_head = bytes >= request_bytes(0);
    struct window *window = has_head ? handle_object(KIND_WIN, request->window) : NULL;
    if (!has_head || !is_answerable(window, source, request, grant)) {
        message_refuse(source, "an operation");
        return;
    }
    struct rma_reply reply = {.window = request->reply_to,
                              .fetches = request->kind.fetches};
    char fetched[BATCH_MAX];
    const char *data = fetched;
    reply.rank = grant != NULL ? grant->rank : window->comm->rank;
    if (error)
        reply.error = error;
    else if (!request_is_well_formed(source, request, bytes))
        reply.error = MPI_ERR_INTERN;
    else if (!spans_are_inside(window, request))
        reply.error = MPI_ERR_RMA_RANGE;
    else
        data = request_carry_out(window, request, fetched);
    if (request->kind.is_noticed) {
        if (reply.error) // which its origin would have found
            message_refuse(source, "an operation");
        return;
    }
    size_t fetched_bytes =
        request->kind.fetches && !reply.error ? spanned_bytes(request) : 0;
    answer_send(source, grant, &reply, data, fetched_bytes);
}

static void batch_serve(int source, const void *message, size_t bytes)
{
    request_serve(source, message, bytes, 0, NULL);
}

// ---- joint copies
// False also if the window is gone: then the copy has long been complete.
static bool help_is_allowed(int source, const struct rma_help *help, size_t bytes,
                            const struct window *window)
{
    if (window == NULL || !window_has_member(window, help->origin, source) ||
        !boot_is_local(process.boot, source) || help->joint.index >= JOINT_COPIES ||
        help->count > SPANS_MAX || bytes != help_bytes(help->count))
        return false;
    for (uint32_t i = 0; i < help->count; i++)
        if (!span_is_inside(window, &help->spans[i].target))
            return false;
    return true;
}

static void help_carry_out(int source, const struct rma_help *help,
                           const struct window *window)
{
    struct iovec remote[SPANS_MAX], local[SPANS_MAX];
    struct joint_side side = {.name = help->joint,
                              .is_helper = true,
                              .is_writer = help->fetches,
                              .partner = boot_local_rank(process.boot, source),
                              .local = local,
                              .remote = remote,
                              .count = help->count};
    for (uint32_t i = 0; i < help->count; i++) {
        const struct help_span *span = &help->spans[i];
        size_t length = (size_t)span->target.bytes;
        local[i].iov_base = exposed_at(window->base, span->target.offset);
        remote[i].iov_base = (void *)(uintptr_t)span->origin;
        local[i].iov_len = remote[i].iov_len = length;
        side.bytes += length;
    }
    message_joint_help(source, &side);
}

static void help_serve(int source, const void *message, size_t bytes)
{
    const struct rma_help *help = message;
    struct window *window =
        bytes < help_bytes(0) ? NULL : handle_object(KIND_WIN, help->window);
    if (help_is_allowed(source, help, bytes, window))
        help_carry_out(source, help, window);
}

static const struct message_kind kinds[] = {
    {MESSAGE_RMA, batch_serve, .can_fail = true},
    {MESSAGE_RMA_REPLY, reply_handle, false},
    {MESSAGE_RMA_BULK, bulk_serve, .can_fail = true},
    {MESSAGE_RMA_BULK_REPLY, bulk_reply_handle, false},
    {MESSAGE_RMA_HELP, help_serve, .can_fail = true},
};

void rma_start_serving(void)
{
    message_register(kinds, sizeof kinds / sizeof *kinds);
}

void rma_stop_serving(void)
{
    message_unregister(kinds, sizeof kinds / sizeof *kinds);
    bulks_stop();
}
