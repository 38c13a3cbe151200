// SPDX-License-Identifier: BSD-3-Clause
// Messages: receives that are posted all the time, and sends from buffers that the
// provider may keep until the message is on its way.

#include "net/network.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFERS = RECEIVE_BUFFERS + SEND_BUFFERS };

void receive_post(struct net *net, struct net_operation *operation)
{
    ssize_t code = fi_recv(net->receiver, operation->buffer, NET_MESSAGE_MAX,
                           net->buffers_descriptor, FI_ADDR_UNSPEC, operation);
    if (code)
        queue_put(&net->unposted, operation); // net_progress tries again
}

int messages_open(struct net *net)
{
    size_t bytes = (size_t)BUFFERS * NET_MESSAGE_MAX;
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
    char *buffer = net->buffers;
    for (int i = 0; i < SEND_BUFFERS; i++, buffer += NET_MESSAGE_MAX)
        net->sends.operations[i].buffer = buffer;
    for (int i = 0; i < RECEIVE_BUFFERS; i++, buffer += NET_MESSAGE_MAX) {
        struct net_operation *receive = pool_take(&net->receives);
        receive->rank = -1;
        receive->buffer = buffer;
        receive_post(net, receive);
    }
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

// Completions that have been read are handled in order, before more are read.
bool net_has_room(struct net *net, size_t messages)
{
    size_t most = net->sends.size - messages;
    if (net->sends_under_way > most && !net->is_reading)
        net_progress(net);
    return net->sends_under_way <= most;
}

static ssize_t send_injected(const struct net_peer *peer, const void *head,
                             size_t head_bytes, const void *body, size_t body_bytes)
{
    char message[INJECT_MAX];
    memcpy(message, head, head_bytes);
    if (body_bytes)
        memcpy(message + head_bytes, body, body_bytes);
    return fi_inject(peer->endpoint, message, head_bytes + body_bytes, peer->address);
}

static ssize_t send_buffered(struct net *net, int rank, const void *head,
                             size_t head_bytes, const void *body, size_t body_bytes)
{
    struct net_operation *send = pool_take(&net->sends);
    if (!send)
        return -FI_EAGAIN;
    send->rank = rank;
    send->bytes = head_bytes + body_bytes;
    memcpy(send->buffer, head, head_bytes);
    if (body_bytes)
        memcpy(send->buffer + head_bytes, body, body_bytes);
    const struct net_peer *peer = &net->peers[rank];
    ssize_t code = fi_send(peer->endpoint, send->buffer, send->bytes,
                           net->buffers_descriptor, peer->address, send);
    if (code)
        pool_give(&net->sends, send);
    else
        net->sends_under_way++;
    return code;
}

int net_send(struct net *net, int rank, const void *head, size_t head_bytes,
             const void *body, size_t body_bytes, bool *sent)
{
    struct net_peer *peer = &net->peers[rank];
    *sent = false;
    if (peer->error)
        return net_still_trying(net, rank);
    ssize_t code;
    if (unlikely(!peer->endpoint))
        code = connection_begin(net, rank);
    else if (head_bytes + body_bytes <= net->inject_max)
        code = send_injected(peer, head, head_bytes, body, body_bytes);
    else
        code = send_buffered(net, rank, head, head_bytes, body, body_bytes);
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
