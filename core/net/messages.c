// SPDX-License-Identifier: BSD-3-Clause
// Messages: receives that are posted all the time, and sends from buffers that the
// provider may keep until the message is on its way.

#include "net/network.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERS = SEND_BUFFERS + 1 + RECEIVE_BUFFERS };

static char *buffer_at(const struct net *net, ptrdiff_t number)
{
    return net->buffers + (size_t)number * net->message_max;
}

void receive_post(struct net *net, struct net_operation *operation)
{
    ssize_t code = fi_recv(net->receiver, operation->buffer, net->message_max,
                           net->buffers_descriptor, FI_ADDR_UNSPEC, operation);
    if (code)
        queue_put(&net->unposted, operation); // net_progress tries again
    else
        net->receives_posted++;
}

void receive_add(struct net *net)
{
    struct net_operation *receive = pool_take(&net->receives);
    if (!receive)
        return;
    receive->rank = -1;
    receive->buffer =
        buffer_at(net, SEND_BUFFERS + 1 + (receive - net->receives.operations));
    receive_post(net, receive);
}

int messages_open(struct net *net)
{
    size_t bytes = BUFFERS * net->message_max;
    if (!(net->buffers = aligned_alloc(page_bytes(), bytes)))
        return fail(MPI_ERR_NO_MEM, "no memory for %zu bytes of network buffers",
                    bytes);
    if (net->must_register) {
        int code = region_register(net, net->buffers, bytes,
                                   FI_SEND | FI_RECV | FI_READ | FI_WRITE, 0,
                                   &net->buffers_registration);
        if (code)
            return net_fail(code, "registering network buffers");
        net->buffers_descriptor = fi_mr_desc(net->buffers_registration);
    }
    for (int i = 0; i < SEND_BUFFERS; i++)
        net->sends.operations[i].buffer = buffer_at(net, i);
    int receives = has_connections(net) ? RECEIVES_AT_FIRST : RECEIVE_BUFFERS;
    for (int i = 0; i < receives; i++)
        receive_add(net);
    return 0;
}

void messages_close(struct net *net)
{
    if (net->buffers_registration)
        fi_close(&net->buffers_registration->fid);
    free(net->buffers);
}

// Gives messages that have been sent a moment to leave before the endpoint closes.
void messages_flush(struct net *net)
{
    double end = clock_seconds() + 1;
    while (net->sends_under_way && clock_seconds() < end)
        net_progress(net);
}

// While all buffers of sends are in use, the one behind them.
void *net_outbox(struct net *net)
{
    const struct net_operation *next = pool_next(&net->sends);
    return next ? next->buffer : buffer_at(net, SEND_BUFFERS);
}

static ssize_t send_buffered(struct net *net, int rank, const void *message,
                             size_t bytes)
{
    struct net_operation *send = pool_take(&net->sends);
    if (!send)
        return -FI_EAGAIN;
    send->rank = rank;
    if (message != send->buffer)
        memcpy(send->buffer, message, bytes);
    const struct net_peer *peer = &net->peers[rank];
    ssize_t code = fi_send(peer->endpoint, send->buffer, bytes, net->buffers_descriptor,
                           peer->address, send);
    if (code)
        pool_give(&net->sends, send);
    else
        net->sends_under_way++;
    return code;
}

int net_send(struct net *net, int rank, const void *message, size_t bytes, bool *sent)
{
    struct net_peer *peer = &net->peers[rank];
    *sent = false;
    if (peer->error)
        return net_still_trying(net, rank);
    ssize_t code;
    if (unlikely(!peer->endpoint))
        code = connection_begin(net, rank);
    else if (bytes <= net->inject_max)
        code = fi_inject(peer->endpoint, message, bytes, peer->address);
    else
        code = send_buffered(net, rank, message, bytes);
    if (unlikely(code != 0)) {
        bool is_starved = code == -FI_ENOMEM;
        atomic_store(&net->is_starved, is_starved);
        return is_starved || code == -FI_EAGAIN
                   ? net_still_trying(net, rank)
                   : net_fail_message(net, rank, (int)-code);
    }
    if (unlikely(atomic_load_explicit(&net->is_starved, memory_order_relaxed)))
        atomic_store(&net->is_starved, false);
    peer->is_reached = true;
    *sent = true;
    return 0;
}
