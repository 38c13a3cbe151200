// SPDX-License-Identifier: BSD-3-Clause
// Two processes for the tests of net: the child is rank 1, the parent rank 0. They tell
// each other addresses and places over a socket pair, and end when one of them fails.
#pragma once

#include "net/network.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(claim)                                                                   \
    do {                                                                               \
        if (!(claim))                                                                  \
            check_failed(__FILE__, __LINE__, #claim);                                  \
    } while (0)

struct process process;

struct pair {
    struct net *net;
    int rank, peer;
    pid_t child; // 0 in the child
    int wire;    // to the peer
};

static _Noreturn void check_failed(const char *file, int line, const char *claim)
{
    fprintf(stderr, "%s:%d: %s is not true; last error: %s\n", file, line, claim,
            error_detail(&(int){0}));
    _exit(1);
}

static void tell(const struct pair *pair, const void *bytes, size_t size)
{
    CHECK(write(pair->wire, bytes, size) == (ssize_t)size);
}

// Polls the network while the peer has nothing to tell.
static void hear(const struct pair *pair, void *bytes, size_t size)
{
    ssize_t count;
    while ((count = recv(pair->wire, bytes, size, MSG_DONTWAIT)) < 0)
        net_poll(pair->net);
    CHECK(count == (ssize_t)size);
}

// Both sides get here.
static void meet(const struct pair *pair)
{
    char word = 'm';
    tell(pair, &word, 1);
    hear(pair, &word, 1);
}

static struct pair pair_open(bool (*receive)(const void *message, size_t bytes))
{
    int wires[2];
    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, wires) == 0);
    alarm(60); // a hang is a failure
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(60);
    }
    struct pair pair = {.rank = child ? 0 : 1, .peer = child ? 1 : 0, .child = child};
    pair.wire = wires[pair.rank];
    close(wires[pair.peer]);
    process.rank = pair.rank;
    CHECK(net_start(&pair.net, 2, receive) == 0);
    char own[NET_ADDRESS_MAX] = {0}, other[NET_ADDRESS_MAX];
    size_t bytes = net_address(pair.net, own);
    CHECK(bytes > 0);
    tell(&pair, own, sizeof own);
    hear(&pair, other, sizeof other);
    bool sent = true;
    CHECK(net_send(pair.net, pair.peer, own, sizeof own, &sent) == 0 && !sent);
    CHECK(net_send(pair.net, pair.peer, own, sizeof own, &sent) == 0 && !sent);
    CHECK(net_take_wanted(pair.net) == pair.peer && net_take_wanted(pair.net) == -1);
    CHECK(net_connect(pair.net, pair.peer, other, bytes) == 0);
    CHECK(net_connect(pair.net, pair.peer, other, bytes) == 0);
    CHECK(net_take_wanted(pair.net) == -1);
    return pair;
}

// Ends the child, and in the parent returns the exit code of the test.
static int pair_close(struct pair *pair)
{
    meet(pair);
    net_stop(pair->net);
    if (!pair->child)
        _exit(0);
    int status;
    CHECK(waitpid(pair->child, &status, 0) == pair->child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}

static inline unsigned char pattern(size_t at, unsigned seed)
{
    return (unsigned char)(at * 31 + at / 251 + seed);
}

static inline void fill(unsigned char *bytes, size_t size, unsigned seed)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = pattern(i, seed);
}

static inline bool is_filled(const unsigned char *bytes, size_t size, unsigned seed)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != pattern(i, seed))
            return false;
    return true;
}

// Starts a whole write to the other process of the pair, or a read from it.
static inline int access_all(struct net *net, bool is_write, void *local, size_t bytes,
                             struct net_remote target, struct net_counter *counter)
{
    struct net_access access = {1, is_write, local, bytes, target, counter};
    int err;
    while ((err = net_access(net, &access)) == 0 && access.bytes > 0)
        net_poll(net);
    return err;
}

static inline int wait_for(struct net *net, const struct net_counter *counter)
{
    while (atomic_load(&counter->completed) < counter->issued)
        net_poll(net);
    return atomic_load(&counter->error);
}
