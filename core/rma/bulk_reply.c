// SPDX-License-Identifier: BSD-3-Clause
// The end of bulk accumulates at their origin: the replies, in any order.
#include "rma/bulk.h"

#include <assert.h>
#include <stdlib.h>

void bulk_free(struct bulk *bulk)
{
    net_deregister(process.net, &bulk->operands);
    net_deregister(process.net, &bulk->results);
    free(bulk);
}

static struct bulk *bulk_take(struct peer_traffic *traffic, uint64_t number)
{
    struct bulk **link = &traffic->bulks;
    while (*link != NULL && (*link)->number != number)
        link = &(*link)->next;
    struct bulk *bulk = *link;
    if (bulk != NULL) {
        *link = bulk->next;
        traffic->bulk_count--;
    }
    return bulk;
}

void bulk_reply_handle(int source, const void *message, size_t bytes)
{
    const struct bulk_reply *reply = message;
    struct peer_traffic *traffic =
        bytes == sizeof *reply ? traffic_of(source, &reply->head) : NULL;
    struct bulk *bulk = traffic != NULL ? bulk_take(traffic, reply->number) : NULL;
    if (bulk == NULL) {
        message_refuse(source, "a reply");
        return;
    }
    struct net_counter *own = bulk->counter;
    bulk_free(bulk);
    if (own != NULL)
        net_counter_complete(own, reply->head.error);
    net_counter_complete(&traffic->counter, reply->head.error);
    assert(traffic_is_valid(traffic));
}

// A target that is still at work must find the regions, lest its provider ends the
// connection; they go with the network.
void bulks_free(struct peer_traffic *traffic)
{
    while (traffic->bulks != NULL) {
        struct bulk *bulk = traffic->bulks;
        traffic->bulks = bulk->next;
        free(bulk);
    }
}
