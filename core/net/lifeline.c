// SPDX-License-Identifier: BSD-3-Clause
// Lifelines: TCP connections that carry nothing. The system ends one with the process
// that offers it, however that ends; a process that is merely stopped keeps it; and it
// does not outlive its host. No connection is accepted before the end, so that
// strangers get nothing to talk to.

#include "net/network.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum {
    OFFERS = 16,
    CONNECT_SECONDS = 5,
    IDLE_SECONDS = 5, // until a silent host is asked whether it lives,
    TRIES = 5,        // so often, once a second
};

// The endpoint's address or that of a peer.
union internet {
    char bytes[NET_ADDRESS_MAX];
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
};

static socklen_t size_of(const union internet *address)
{
    switch (address->any.sa_family) {
    case AF_INET:
        return sizeof address->four;
    case AF_INET6:
        return sizeof address->six;
    default:
        return 0;
    }
}

static void set_port(union internet *address, int port)
{
    if (address->any.sa_family == AF_INET)
        address->four.sin_port = htons((uint16_t)port);
    else
        address->six.sin6_port = htons((uint16_t)port);
}

static bool is_internet(const struct net *net)
{
    uint32_t format = net->info->addr_format;
    return format == FI_SOCKADDR || format == FI_SOCKADDR_IN ||
           format == FI_SOCKADDR_IN6;
}

static int port_of(int socket)
{
    union internet address = {0};
    socklen_t size = sizeof address;
    if (getsockname(socket, &address.any, &size) != 0)
        return 0;
    return ntohs(address.any.sa_family == AF_INET ? address.four.sin_port
                                                  : address.six.sin6_port);
}

int net_lifeline_offer(struct net *net)
{
    union internet own = {0};
    size_t bytes = sizeof own;
    if (!is_internet(net) || fi_getname(net->named, &own, &bytes) != 0 ||
        size_of(&own) == 0)
        return 0;
    set_port(&own, 0);
    net->lifelines =
        socket(own.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (net->lifelines >= 0 && bind(net->lifelines, &own.any, size_of(&own)) == 0 &&
        listen(net->lifelines, OFFERS) == 0)
        return port_of(net->lifelines);
    return 0;
}

void lifelines_end(struct net *net)
{
    int holder;
    if (net->lifelines < 0)
        return;
    while ((holder = accept(net->lifelines, NULL, NULL)) >= 0) {
        send(holder, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
        close(holder);
    }
    close(net->lifelines);
}

static int connect_to(const union internet *address)
{
    int lifeline = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct timeval patience = {.tv_sec = CONNECT_SECONDS};
    if (lifeline < 0)
        return NET_NO_LIFELINE;
    setsockopt(lifeline, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    setsockopt(lifeline, SOL_SOCKET, SO_KEEPALIVE, &(int){1}, sizeof(int));
    setsockopt(lifeline, IPPROTO_TCP, TCP_KEEPIDLE, &(int){IDLE_SECONDS}, sizeof(int));
    setsockopt(lifeline, IPPROTO_TCP, TCP_KEEPINTVL, &(int){1}, sizeof(int));
    setsockopt(lifeline, IPPROTO_TCP, TCP_KEEPCNT, &(int){TRIES}, sizeof(int));
    if (connect(lifeline, &address->any, size_of(address)) == 0)
        return lifeline;
    int reason = errno;
    close(lifeline);
    return reason == ECONNREFUSED ? NET_LIFELINE_REFUSED : NET_NO_LIFELINE;
}

int net_lifeline_take(const struct net *net, const void *address, size_t bytes,
                      int port, char host[NET_HOST_MAX])
{
    union internet peer;
    if (port == 0 || !peer_address(net, address, bytes, peer.bytes) ||
        size_of(&peer) == 0)
        return NET_NO_LIFELINE;
    set_port(&peer, port);
    const void *number = peer.any.sa_family == AF_INET ? (void *)&peer.four.sin_addr
                                                       : (void *)&peer.six.sin6_addr;
    inet_ntop(peer.any.sa_family, number, host, NET_HOST_MAX);
    int lifeline = connect_to(&peer);
    if (lifeline < 0)
        log_verbose("the lifeline of %s, port %d, is out of reach", host, port);
    return lifeline;
}

bool net_lifeline_is_cut(int lifeline)
{
    char farewell;
    return recv(lifeline, &farewell, 1, MSG_DONTWAIT) != 1;
}
