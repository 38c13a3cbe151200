// SPDX-License-Identifier: BSD-3-Clause
// Which message goes to which receive, in order (MPI-4.1 3.5), and names on the wire.
#include "pt2pt/private.h"

#include <stdlib.h>
#include <string.h>

enum { INDEX_BITS = 20, FIRST_NAMES = 64 };

static struct bucket *bucket_of(uint64_t context)
{
    return &process.matching->buckets[(context ^ context >> 32) % BUCKETS];
}

static bool matches(const struct transfer *receive, const struct envelope *envelope)
{
    return receive->context == envelope->context &&
           receive->channel == envelope->channel &&
           (receive->source == MPI_ANY_SOURCE || receive->source == envelope->source) &&
           (receive->tag == MPI_ANY_TAG || receive->tag == envelope->tag);
}

void post(struct transfer *transfer)
{
    struct bucket *bucket = bucket_of(transfer->context);
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

void unpost(struct transfer *transfer)
{
    struct bucket *bucket = bucket_of(transfer->context);
    struct transfer **link = &bucket->posted;
    while (*link != NULL && *link != transfer)
        link = &(*link)->next;
    unlink_posted(bucket, link);
}

struct transfer *take_posted(const struct envelope *envelope)
{
    struct bucket *bucket = bucket_of(envelope->context);
    struct transfer **link = &bucket->posted;
    while (*link != NULL && !matches(*link, envelope))
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

struct arrival *take_arrival(const struct transfer *transfer)
{
    struct bucket *bucket = bucket_of(transfer->context);
    struct arrival **link = &bucket->arrived;
    while (*link != NULL && !matches(transfer, &(*link)->envelope))
        link = &(*link)->next;
    struct arrival *found = *link;
    if (found == NULL)
        return NULL;
    *link = found->next;
    if (*link == NULL)
        bucket->arrived_end = link;
    return found;
}

// ---- ids

static int more_names(struct matching *matching)
{
    uint32_t count = matching->name_count ? 2 * matching->name_count : FIRST_NAMES;
    struct named *names = NULL;
    if (count <= 1u << INDEX_BITS)
        names = realloc(matching->names, count * sizeof *names);
    if (names == NULL)
        return fail(MPI_ERR_NO_MEM, "%u long messages are under way",
                    matching->name_count);
    for (uint32_t i = matching->name_count; i < count; i++)
        names[i] = (struct named){.generation = 1};
    matching->names = names;
    matching->name_count = count;
    return 0;
}

int transfer_name(struct transfer *transfer)
{
    struct matching *matching = process.matching;
    uint32_t index = 0;
    while (index < matching->name_count && matching->names[index].transfer != NULL)
        index++;
    if (index == matching->name_count) {
        int err = more_names(matching);
        if (err)
            return err;
    }
    matching->names[index].transfer = transfer;
    transfer->id = matching->names[index].generation << INDEX_BITS | index;
    return 0;
}

void transfer_forget(struct transfer *transfer)
{
    if (transfer->id == 0)
        return;
    struct named *named =
        &process.matching->names[transfer->id & ((1u << INDEX_BITS) - 1)];
    uint32_t generation = (named->generation + 1) & ((1u << (32 - INDEX_BITS)) - 1);
    *named = (struct named){.generation = generation ? generation : 1};
    transfer->id = 0;
}

struct transfer *transfer_of(uint32_t id, bool is_send, int peer)
{
    uint32_t index = id & ((1u << INDEX_BITS) - 1);
    if (index >= process.matching->name_count)
        return NULL;
    struct transfer *transfer = process.matching->names[index].transfer;
    bool is_it = transfer != NULL && transfer->id == id &&
                 transfer->is_send == is_send && transfer->peer == peer;
    return is_it ? transfer : NULL;
}
