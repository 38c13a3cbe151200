// SPDX-License-Identifier: BSD-3-Clause
// Addresses of endpoints. A head names the provider and its kind of endpoints, so that a
// job whose hosts choose different ones fails with an error and does not hang.

#include "net/network.h"

#include <stdlib.h>
#include <string.h>

struct address_head {
    uint32_t format;   // FI_SOCKADDR_IN and so on
    uint32_t provider; // hash of its name and the type of its endpoints
};

static struct address_head address_head(const struct net *net)
{
    uint32_t type = (uint32_t)net->info->ep_attr->type;
    uint64_t hash = hash_go_on(text_hash(net_provider(net)), &type, sizeof type);
    return (struct address_head){net->info->addr_format, (uint32_t)hash};
}

size_t net_address(const struct net *net, char address[NET_ADDRESS_MAX])
{
    struct address_head head = address_head(net);
    size_t bytes = NET_ADDRESS_MAX - sizeof head;
    if (fi_getname(net->named, address + sizeof head, &bytes))
        return 0;
    memcpy(address, &head, sizeof head);
    return sizeof head + bytes;
}

bool peer_address(const struct net *net, const void *address, size_t bytes,
                  char endpoint[NET_ADDRESS_MAX])
{
    struct address_head own = address_head(net);
    if (bytes <= sizeof own || bytes > NET_ADDRESS_MAX ||
        memcmp(address, &own, sizeof own))
        return false;
    memset(endpoint, 0, NET_ADDRESS_MAX);
    memcpy(endpoint, (const char *)address + sizeof own, bytes - sizeof own);
    return true;
}

void peer_want(struct net *net, int rank)
{
    struct net_peer *peer = &net->peers[rank];
    if (peer->is_wanted)
        return;
    peer->is_wanted = true;
    peer->next_wanted = net->first_wanted;
    net->first_wanted = rank + 1;
}

int net_take_wanted(struct net *net)
{
    int rank = net->first_wanted - 1;
    if (likely(rank < 0))
        return -1;
    net->first_wanted = net->peers[rank].next_wanted;
    net->peers[rank].is_wanted = false;
    return rank;
}

// Connections are made when there is something to send.
static int peer_insert(struct net *net, struct net_peer *peer, const char *endpoint)
{
    if (has_connections(net)) {
        peer->address = FI_ADDR_UNSPEC;
        peer->name = malloc(NET_ADDRESS_MAX);
        if (!peer->name)
            return fail(MPI_ERR_NO_MEM, "no memory for a peer's network address");
        memcpy(peer->name, endpoint, NET_ADDRESS_MAX);
        return 0;
    }
    int count = fi_av_insert(net->addresses, endpoint, 1, &peer->address, 0, NULL);
    if (count != 1)
        return net_fail(count < 0 ? -count : FI_EINVAL,
                        "adding a peer's network address");
    peer->endpoint = net->endpoint;
    return 0;
}

int net_connect(struct net *net, int rank, const void *address, size_t bytes)
{
    struct net_peer *peer = &net->peers[rank];
    char endpoint[NET_ADDRESS_MAX]; // padded: providers read all of it
    if (peer->is_known)
        return 0;
    if (!peer_address(net, address, bytes, endpoint))
        return fail(MPI_ERR_OTHER,
                    "rank %d does not use the network provider %s of this process; set "
                    "ORIEL_PROVIDER for the whole job",
                    rank, net_provider(net));
    int err = peer_insert(net, peer, endpoint);
    peer->is_known = !err;
    return err;
}
