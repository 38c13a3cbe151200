// SPDX-License-Identifier: BSD-3-Clause
// Error classes for libfabric's codes, and when a peer counts as lost.

#include "net/network.h"

static int error_class(int code)
{
    switch (code) {
    case FI_ENOMEM:
    case FI_ENOSPC:
        return MPI_ERR_NO_MEM;
    case FI_EFAULT:
        return MPI_ERR_BUFFER;
    case FI_EACCES:
    case FI_EPERM:
    case FI_ENOKEY:
    case FI_EKEYREJECTED:
        return MPI_ERR_RMA_RANGE;
    case FI_ECONNREFUSED:
    case FI_ECONNRESET:
    case FI_ECONNABORTED:
    case FI_ENOTCONN:
    case FI_ESHUTDOWN:
    case FI_EHOSTDOWN:
    case FI_EHOSTUNREACH:
    case FI_ENETUNREACH:
    case FI_ETIMEDOUT:
    case FI_ECANCELED:
    case FI_EIO:
        return MPI_ERR_PROC_ABORTED;
    default:
        return MPI_ERR_OTHER;
    }
}

int net_fail(int code, const char *what)
{
    return fail(error_class(code), "%s: libfabric says: %s", what, fi_strerror(code));
}

static void rank_lose(struct net *net, int rank)
{
    if (net->peers[rank].error)
        return;
    net->peers[rank].error = MPI_ERR_PROC_ABORTED;
    if (net->lost < 0)
        net->lost = rank;
}

int net_take_lost(struct net *net)
{
    int lost = net->lost;
    net->lost = -1;
    return lost;
}

int net_fail_peer(struct net *net, int rank, int code, const char *what)
{
    int class = error_class(code);
    if (class != MPI_ERR_PROC_ABORTED)
        return fail(class, "%s rank %d over %s: libfabric says: %s", what, rank,
                    net_provider(net), fi_strerror(code));
    rank_lose(net, rank);
    return fail(class, "%s rank %d over %s: the peer has ended the connection (%s)",
                what, rank, net_provider(net), fi_strerror(code));
}

bool net_take_doubt(struct net *net)
{
    bool has_doubt = net->has_doubt;
    net->has_doubt = false;
    return has_doubt;
}

bool net_is_starved(const struct net *net)
{
    return atomic_load(&net->is_starved);
}

int net_fail_message(struct net *net, int rank, int code)
{
    rank_lose(net, rank);
    return fail(MPI_ERR_PROC_ABORTED, "a message to rank %d over %s is lost (%s)", rank,
                net_provider(net), fi_strerror(code));
}

void net_lose_all(struct net *net)
{
    for (int rank = 0; rank < net->size; rank++)
        if (net->peers[rank].is_known || net->peers[rank].connection)
            rank_lose(net, rank);
}

// Seconds since the last try. Of the time in which the process, or its machine, was
// stopped, only a little counts.
static double seconds_since_try(const struct net *net, struct net_peer *peer)
{
    double now = clock_seconds(), most = net->connect_seconds / 30;
    double since = peer->tried_at > 0 ? now - peer->tried_at : 0;
    peer->tried_at = now;
    return since < most ? since : most;
}

int net_still_trying(struct net *net, int rank)
{
    struct net_peer *peer = &net->peers[rank];
    bool is_tried = peer->is_known || peer->connection;
    if (!peer->error && !peer->is_reached && is_tried) {
        peer->tried += seconds_since_try(net, peer);
        if (peer->tried > net->connect_seconds)
            rank_lose(net, rank);
    }
    if (!peer->error)
        return 0;
    if (peer->is_reached)
        return fail(peer->error, "the connection to rank %d over %s has been lost",
                    rank, net_provider(net));
    return fail(peer->error, "rank %d could not be reached over %s in %.0f s", rank,
                net_provider(net), net->connect_seconds);
}
