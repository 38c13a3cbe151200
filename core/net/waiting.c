// SPDX-License-Identifier: BSD-3-Clause
// Accesses that wait until the network takes them, so that their callers need not.
#include "net/network.h"

#include <stdlib.h>

int access_queue(struct net *net, const struct net_access *access)
{
    struct waiting_access *waiting = malloc(sizeof *waiting);
    if (waiting == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for an access to rank %d", access->rank);
    *waiting = (struct waiting_access){.access = *access};
    access_count_begin(access->counter); // until all of it has begun
    net->peers[access->rank].waiting_accesses++;
    *net->waiting_end = waiting;
    net->waiting_end = &waiting->next;
    return 0;
}

int net_access_queued(struct net *net, const struct net_access *access)
{
    struct net_access rest = *access;
    int err = access_begin(net, &rest);
    return err || rest.bytes == 0 ? err : access_queue(net, &rest);
}

// What a completion calls may queue accesses too, so that the list is in order before.
static void waiting_finish(struct net *net, struct waiting_access **link, int err)
{
    struct waiting_access *waiting = *link;
    struct net_counter *counter = waiting->access.counter;
    *link = waiting->next;
    if (*link == NULL)
        net->waiting_end = link;
    net->peers[waiting->access.rank].waiting_accesses--;
    free(waiting);
    access_count_end(counter, err);
}

void accesses_resume(struct net *net)
{
    struct waiting_access **link = &net->waiting;
    while (*link != NULL) {
        struct waiting_access *waiting = *link;
        int rank = waiting->access.rank, err = 0;
        if (access_may_begin(net, rank) || net->peers[rank].error)
            err = access_begin(net, &waiting->access);
        if (!err && waiting->access.bytes > 0)
            link = &waiting->next;
        else
            waiting_finish(net, link, err);
    }
}

bool accesses_may_begin(const struct net *net)
{
    const struct waiting_access *waiting = net->waiting;
    while (waiting != NULL && !access_may_begin(net, waiting->access.rank))
        waiting = waiting->next;
    return waiting != NULL;
}

void net_access_withdraw(struct net *net, const struct net_counter *counter)
{
    struct waiting_access **link = &net->waiting;
    while (*link != NULL)
        if ((*link)->access.counter == counter)
            waiting_finish(net, link, 0);
        else
            link = &(*link)->next;
}

void accesses_drop(struct net *net)
{
    while (net->waiting != NULL) {
        struct waiting_access *next = net->waiting->next;
        free(net->waiting);
        net->waiting = next;
    }
}
