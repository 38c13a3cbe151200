// SPDX-License-Identifier: BSD-3-Clause
// Completions and received messages. Reading completions and handing over messages are
// two steps: while the network closes, only the first is done.

#include "net/network.h"

#include <assert.h>

enum { EVENTS = 64 };

static void access_finish(struct net *net, struct net_operation *access, int error)
{
    struct net_counter *counter = access->counter;
    local_finish(net, access, error == 0);
    net->peers[access->rank].access_bytes -= access->bytes;
    pool_give(&net->accesses, access);
    access_count_end(counter, error);
}

static void send_finish(struct net *net, struct net_operation *send)
{
    pool_give(&net->sends, send);
    net->sends_under_way--;
}

static void event_finish(struct net *net, const struct fi_cq_msg_entry *event)
{
    struct net_operation *operation = event->op_context;
    switch (operation->kind) {
    case RECEIVING:
        net->receives_posted--;
        operation->bytes = event->len;
        queue_put(&net->arrived, operation);
        break;
    case SENDING:
        send_finish(net, operation);
        break;
    case WRITING:
    case READING:
        access_finish(net, operation, 0);
        break;
    }
}

// A provider that cannot read or write the memory here may end the connection for it.
static int access_fail(struct net *net, const struct net_operation *access, int code,
                       const char *what)
{
    size_t mapped;
    if (memory_has_holes(access->memory, access->bytes, &mapped))
        return fail(MPI_ERR_BUFFER, "%zu bytes at %p: this memory is not there",
                    access->bytes, access->memory);
    return net_fail_peer(net, access->rank, code, what);
}

static void finish_failed(struct net *net, const struct fi_cq_err_entry *event)
{
    struct net_operation *operation = event->op_context;
    if (!operation) { // of an injected message: to which peer is not known
        log_verbose("network: a message was lost: %s", fi_strerror(event->err));
        net->has_doubt = true;
        return;
    }
    switch (operation->kind) {
    case RECEIVING:
        net->receives_posted--;
        log_verbose("network: a receive failed: %s", fi_strerror(event->err));
        if (event->err == FI_ECANCELED)
            break;
        net->has_doubt = true;
        receive_post(net, operation);
        break;
    case SENDING:
        net_fail_message(net, operation->rank, event->err);
        send_finish(net, operation);
        break;
    case WRITING:
        access_finish(net, operation,
                      access_fail(net, operation, event->err, "a write to"));
        break;
    case READING:
        access_finish(net, operation,
                      access_fail(net, operation, event->err, "a read from"));
        break;
    }
}

static int read_failure(struct net *net)
{
    struct fi_cq_err_entry event = {0};
    if (fi_cq_readerr(net->completions, &event, 0) != 1)
        return 0;
    finish_failed(net, &event);
    return 1;
}

static void post_again(struct net *net)
{
    struct queue waiting = net->unposted;
    struct net_operation *receive;
    net->unposted = (struct queue){0};
    while ((receive = queue_take(&waiting)))
        receive_post(net, receive);
}

static int completions_handle(struct net *net)
{
    struct fi_cq_msg_entry events[EVENTS];
    if (unlikely(net->unposted.first != NULL))
        post_again(net);
    if (has_connections(net))
        connections_progress(net);
    ssize_t count = fi_cq_read(net->completions, events, EVENTS);
    for (ssize_t i = 0; i < count; i++)
        event_finish(net, &events[i]);
    if (unlikely(net->waiting != NULL))
        accesses_resume(net);
    if (likely(count >= 0))
        return (int)count;
    if (unlikely(count != -FI_EAGAIN && count != -FI_EAVAIL)) {
        log_verbose("network: completions are lost: %s", fi_strerror((int)-count));
        net_lose_all(net);
    }
    return count == -FI_EAVAIL ? read_failure(net) : 0;
}

// What the caller waits for may come behind messages that need buffers.
int net_progress(struct net *net)
{
    int events = completions_handle(net);
    if (net->receives_posted == 0)
        receive_add(net);
    return events;
}

// The last message's buffer is posted by the next poll, since who has waited for the
// message may have an answer to send first.
int net_poll(struct net *net)
{
    int events = completions_handle(net);
    struct net_operation *receive;
    assert(!net->is_delivering);
    net->is_delivering = true;
    while ((receive = net->arrived.first) != NULL &&
           net->receive(receive->buffer, receive->bytes)) {
        queue_take(&net->arrived);
        if (net->arrived.first != NULL)
            receive_post(net, receive);
        else
            queue_put(&net->unposted, receive);
        events++;
    }
    net->is_delivering = false;
    return events;
}
