// SPDX-License-Identifier: BSD-3-Clause
// Accesses that wait until the network takes them, for callers that cannot wait.
#include "net/network.h"

#include <stdlib.h>

int net_access_queued(struct net *net, const struct net_access *access)
{
    struct net_access rest = *access;
    int err = net_access(net, &rest);
    if (err || rest.bytes == 0)
        return err;
    struct waiting_access *waiting = malloc(sizeof *waiting);
    if (waiting == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for an access to rank %d", access->rank);
    *waiting = (struct waiting_access){.access = rest};
    net_counter_issue(rest.counter); // until all of it has begun
    *net->waiting_end = waiting;
    net->waiting_end = &waiting->next;
    return 0;
}

// What a completion calls may queue accesses too, so that the list is in order before.
static void waiting_finish(struct net *net, struct waiting_access **link, int err)
{
    struct waiting_access *waiting = *link;
    struct net_counter *counter = waiting->access.counter;
    *link = waiting->next;
    if (*link == NULL)
        net->waiting_end = link;
    free(waiting);
    net_counter_complete(counter, err);
}

void accesses_resume(struct net *net)
{
    struct waiting_access **link = &net->waiting;
    while (*link != NULL) {
        struct waiting_access *waiting = *link;
        int err = net_access(net, &waiting->access);
        if (!err && waiting->access.bytes > 0)
            link = &waiting->next;
        else
            waiting_finish(net, link, err);
    }
}

void accesses_drop(struct net *net)
{
    while (net->waiting != NULL) {
        struct waiting_access *next = net->waiting->next;
        free(net->waiting);
        net->waiting = next;
    }
}
