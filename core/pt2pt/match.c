// SPDX-License-Identifier: BSD-3-Clause
// Which message goes to which receive, in order (MPI-4.1 3.5).
#include "pt2pt/private.h"

#include <stdlib.h>
#include <string.h>

static struct bucket *bucket_of(uint64_t context)
{
    return &process.matching->buckets[(context ^ context >> 32) % BUCKETS];
}

// The sender must be the process of the rank that its message claims to be from.
static bool matches(const struct order *order, int peer,
                    const struct envelope *envelope)
{
    const struct communicator *comm = order->comm;
    return comm->context == envelope->context && order->channel == envelope->channel &&
           (order->rank == MPI_ANY_SOURCE || order->rank == envelope->source) &&
           (order->tag == MPI_ANY_TAG || order->tag == envelope->tag) &&
           (uint32_t)envelope->source < (uint32_t)comm->peers->size &&
           comm_job_rank(comm, envelope->source) == peer;
}

void post(struct transfer *transfer)
{
    struct bucket *bucket = bucket_of(transfer->order.comm->context);
    transfer->next = NULL;
    *(bucket->posted ? bucket->posted_end : &bucket->posted) = transfer;
    bucket->posted_end = &transfer->next;
}

static struct transfer *unlink_posted(struct bucket *bucket, struct transfer **link)
{
    struct transfer *found = *link;
    if (found == NULL)
        return NULL;
    *link = found->next;
    found->next = NULL;
    if (*link == NULL)
        bucket->posted_end = link;
    return found;
}

bool unpost(struct transfer *transfer)
{
    struct bucket *bucket = bucket_of(transfer->order.comm->context);
    struct transfer **link = &bucket->posted;
    while (*link != NULL && *link != transfer)
        link = &(*link)->next;
    return unlink_posted(bucket, link) != NULL;
}

struct transfer *take_posted(int peer, const struct envelope *envelope)
{
    struct bucket *bucket = bucket_of(envelope->context);
    struct transfer **link = &bucket->posted;
    while (*link != NULL && !matches(&(*link)->order, peer, envelope))
        link = &(*link)->next;
    return unlink_posted(bucket, link);
}

int keep_arrival(int peer, const struct envelope *envelope, bool is_offer,
                 const void *data)
{
    size_t bytes = is_offer ? 0 : (size_t)envelope->bytes;
    struct arrival *arrival = malloc(sizeof *arrival + bytes);
    if (arrival == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for a message of %zu bytes", bytes);
    *arrival =
        (struct arrival){.peer = peer, .is_offer = is_offer, .envelope = *envelope};
    if (bytes > 0)
        memcpy(arrival->data, data, bytes);
    struct bucket *bucket = bucket_of(envelope->context);
    *(bucket->arrived ? bucket->arrived_end : &bucket->arrived) = arrival;
    bucket->arrived_end = &arrival->next;
    return 0;
}

static struct arrival *unlink_arrival(struct bucket *bucket, struct arrival **link)
{
    struct arrival *found = *link;
    if (found == NULL)
        return NULL;
    *link = found->next;
    if (*link == NULL)
        bucket->arrived_end = link;
    return found;
}

// Where the first message that matches is linked, or the end of the list.
static struct arrival **arrival_link(struct bucket *bucket, const struct order *order)
{
    struct arrival **link = &bucket->arrived;
    while (*link != NULL && !matches(order, (*link)->peer, &(*link)->envelope))
        link = &(*link)->next;
    return link;
}

struct arrival *find_arrival(const struct order *order)
{
    return *arrival_link(bucket_of(order->comm->context), order);
}

struct arrival *take_arrival(const struct order *order)
{
    struct bucket *bucket = bucket_of(order->comm->context);
    return unlink_arrival(bucket, arrival_link(bucket, order));
}

struct arrival *take_offer(int peer, uint64_t context, uint32_t sender)
{
    struct bucket *bucket = bucket_of(context);
    struct arrival **link = &bucket->arrived;
    while (*link != NULL &&
           !((*link)->peer == peer && (*link)->envelope.sender == sender))
        link = &(*link)->next;
    return unlink_arrival(bucket, link);
}
