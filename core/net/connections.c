// SPDX-License-Identifier: BSD-3-Clause
// Connections, for providers whose endpoints lead to one peer each (FI_EP_MSG): one for
// each two processes that talk, made when one of them first has something for the other.
// Who asks for a connection shows by a keyed hash that it is the process that it claims
// to be. When two ask each other at once, the request of the lower rank is accepted.
#include "net/network.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { QUIET_POLLS = 64 }; // between looks for events, which cost a call of the system

struct connection {
    struct fid_ep *endpoint;
    int rank;                // of the peer
    bool is_open, has_ended; // what was under way then completes with errors
    struct connection *next, **link;
};

// What comes with a request for a connection.
struct claim {
    uint64_t hash;
    uint32_t source, destination;
};

static struct claim claim_make(const struct net *net, int source, int destination)
{
    struct claim claim = {0, (uint32_t)source, (uint32_t)destination};
    claim.hash = keyed_hash(&net->secret, 0, &claim.source, 2 * sizeof claim.source);
    return claim;
}

void net_set_secret(struct net *net, const struct secret *secret)
{
    net->secret = *secret;
}

// ---- one connection ---------------------------------------------------------------

static void connection_drop(struct net *net, struct connection *connection)
{
    struct net_peer *peer = &net->peers[connection->rank];
    if (connection->endpoint)
        fi_close(&connection->endpoint->fid);
    if (peer->connection == connection) {
        peer->connection = NULL;
        peer->endpoint = NULL;
    }
    net->connecting -= !connection->is_open;
    *connection->link = connection->next;
    if (connection->next)
        connection->next->link = connection->link;
    free(connection);
}

static int endpoint_prepare(struct net *net, struct connection *connection,
                            struct fi_info *info)
{
    int code = fi_endpoint(net->domain, info, &connection->endpoint, connection);
    if (code)
        return code;
    struct fid_ep *endpoint = connection->endpoint;
    code = fi_ep_bind(endpoint, &net->events->fid, 0);
    if (!code)
        code = fi_ep_bind(endpoint, &net->receiver->fid, 0);
    if (!code)
        code = fi_ep_bind(endpoint, &net->completions->fid, FI_TRANSMIT | FI_RECV);
    return code ? code : fi_enable(endpoint);
}

// 0 or a libfabric code (negative).
static int connection_make(struct net *net, struct fi_info *info, int rank,
                           struct connection **made)
{
    struct connection *connection = calloc(1, sizeof *connection);
    if (!connection)
        return -FI_ENOMEM;
    connection->rank = rank;
    connection->next = net->connections;
    connection->link = &net->connections;
    if (net->connections)
        net->connections->link = &connection->next;
    net->connections = connection;
    net->connecting++;
    int code = endpoint_prepare(net, connection, info);
    if (code) {
        connection_drop(net, connection);
        return code;
    }
    net->peers[rank].connection = *made = connection;
    return 0;
}

// ---- connecting and accepting ------------------------------------------------------

ssize_t connection_begin(struct net *net, int rank)
{
    struct net_peer *peer = &net->peers[rank];
    struct connection *connection = peer->connection;
    if (connection)
        return connection->has_ended ? -FI_ECONNRESET : -FI_EAGAIN;
    if (!peer->is_known) {
        peer_want(net, rank);
        return -FI_EAGAIN;
    }
    struct claim claim = claim_make(net, process.rank, rank);
    int code = connection_make(net, net->info, rank, &connection);
    if (!code) {
        code = fi_connect(connection->endpoint, peer->name, &claim, sizeof claim);
        if (code)
            connection_drop(net, connection);
    }
    if (code)
        log_verbose("connecting with rank %d: %s", rank, fi_strerror(-code));
    return -FI_EAGAIN; // the caller tries again until it loses patience
}

// The rank that a request may be accepted from, or -1. Then it takes the place of one of
// this process.
static int claim_check(struct net *net, const struct claim *claim, size_t bytes)
{
    if (bytes < sizeof *claim || claim->source >= (uint32_t)net->size)
        return -1;
    int rank = (int)claim->source;
    struct claim expected = claim_make(net, rank, process.rank);
    if (memcmp(claim, &expected, sizeof expected) != 0 || rank == process.rank)
        return -1;
    struct connection *own = net->peers[rank].connection;
    if (own && (own->is_open || own->has_ended || process.rank < rank))
        return -1;
    if (own)
        connection_drop(net, own);
    return rank;
}

static void claim_answer(struct net *net, struct fi_info *info,
                         const struct claim *claim, size_t bytes)
{
    struct connection *connection;
    int rank = claim_check(net, claim, bytes);
    int code = rank < 0 ? -FI_EACCES : connection_make(net, info, rank, &connection);
    if (code)
        fi_reject(net->listener, info->handle, NULL, 0);
    else if ((code = fi_accept(connection->endpoint, NULL, 0)) != 0)
        connection_drop(net, connection);
    if (code)
        log_verbose("network: a connection is not accepted: %s", fi_strerror(-code));
    fi_freeinfo(info);
}

// A message of which a part has come keeps its buffer, and each connection has one such.
static void connection_open(struct net *net, struct connection *connection)
{
    net->connecting--;
    connection->is_open = true;
    net->peers[connection->rank].endpoint = connection->endpoint;
    receive_add(net);
}

static void connection_end(struct net *net, struct connection *connection)
{
    if (!connection->is_open) {
        connection_drop(net, connection);
        return;
    }
    connection->has_ended = true;
    net->peers[connection->rank].endpoint = NULL;
}

// ---- events ------------------------------------------------------------------------

struct connection_event {
    struct fi_eq_cm_entry entry;
    struct claim claim; // of a request; perhaps shorter
};

static void event_handle(struct net *net, uint32_t kind,
                         const struct connection_event *event, size_t bytes)
{
    const struct fi_eq_cm_entry *entry = &event->entry;
    if (kind == FI_CONNREQ)
        claim_answer(net, entry->info, &event->claim, bytes - sizeof *entry);
    else if (kind == FI_CONNECTED)
        connection_open(net, entry->fid->context);
    else if (kind == FI_SHUTDOWN)
        connection_end(net, entry->fid->context);
}

static bool event_read(struct net *net)
{
    struct connection_event event;
    struct fi_eq_err_entry failure = {0};
    uint32_t kind;
    ssize_t bytes = fi_eq_read(net->events, &kind, &event, sizeof event, 0);
    if (bytes >= (ssize_t)sizeof event.entry)
        event_handle(net, kind, &event, (size_t)bytes);
    if (bytes >= 0)
        return true;
    if (bytes != -FI_EAVAIL || fi_eq_readerr(net->events, &failure, 0) < 0)
        return false;
    if (failure.fid && failure.fid->fclass == FI_CLASS_EP)
        connection_end(net, failure.fid->context);
    return true;
}

// Handles events of connections now.
static void connections_look(struct net *net)
{
    net->quiet_polls = 0;
    while (event_read(net))
        ;
}

void connections_progress(struct net *net)
{
    if (net->connecting > 0 || ++net->quiet_polls >= QUIET_POLLS)
        connections_look(net);
}

// ---- sleeping

// The provider's own look at the completion queue before a sleep would wait for the ring
// that bell_silence has taken away.
bool connections_may_sleep(struct net *net)
{
    struct fid *objects[] = {&net->events->fid};
    connections_look(net);
    return net_progress(net) == 0 && fi_trywait(net->fabric, objects, 1) == FI_SUCCESS;
}

// ---- opening and closing -----------------------------------------------------------

// The provider rings a descriptor of its own at each completion, for threads that sleep
// in its calls, which costs a write, a read and one more look for each message. Nobody
// sleeps there. It does not ring again before it has seen its own ring: so it is made to
// ring once, before anything else is watched, and the ring is taken away.
static void bell_silence(struct net *net, int queue)
{
    char path[64], line[256];
    int watched;
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", queue);
    FILE *list = fopen(path, "re");
    if (!list || fi_cq_signal(net->completions) != 0)
        log_verbose("network: completions ring a descriptor that nobody sleeps on");
    while (list && fgets(line, sizeof line, list))
        if (sscanf(line, "tfd: %d", &watched) == 1)
            recv(watched, line, 1, MSG_DONTWAIT);
    if (list)
        fclose(list);
}

static int descriptor_open(struct net *net)
{
    if (fi_control(&net->events->fid, FI_GETWAIT, &net->event_descriptor) != 0)
        return fail(MPI_ERR_OTHER, "nobody can sleep on the network's connections");
    bell_silence(net, net->descriptor);
    return 0;
}

int connections_open(struct net *net)
{
    struct fi_eq_attr attributes = {.wait_obj = FI_WAIT_FD};
    struct fi_rx_attr receives = *net->info->rx_attr;
    net->info->ep_attr->rx_ctx_cnt = FI_SHARED_CONTEXT;
    int code = fi_eq_open(net->fabric, &attributes, &net->events, NULL);
    if (!code)
        code = fi_srx_context(net->domain, &receives, &net->receiver, NULL);
    if (!code)
        code = fi_passive_ep(net->fabric, net->info, &net->listener, NULL);
    if (!code)
        code = fi_pep_bind(net->listener, &net->events->fid, 0);
    if (!code)
        code = fi_listen(net->listener);
    if (code)
        return net_fail(-code, "listening for connections");
    net->named = &net->listener->fid;
    return descriptor_open(net);
}

void connections_close(struct net *net)
{
    while (net->connections)
        connection_drop(net, net->connections);
    for (int rank = 0; rank < net->size; rank++)
        free(net->peers[rank].name);
    if (net->listener)
        fi_close(&net->listener->fid);
    if (net->receiver)
        fi_close(&net->receiver->fid);
}
