// SPDX-License-Identifier: BSD-3-Clause
// Which message goes to which receive, in order (MPI-4.1 3.5).
#include "pt2pt/private.h"

#include <stdlib.h>
#include <string.h>

static enum pattern pattern_of(const struct transfer_parameters *parameters)
{
    return (parameters->rank == MPI_ANY_SOURCE ? PATTERN_ANY_RANK : 0) |
           (parameters->tag == MPI_ANY_TAG ? PATTERN_ANY_TAG : 0);
}

static struct bucket *bucket_of(enum pattern pattern, uint64_t context, int rank,
                                int tag)
{
    uint64_t key = context * 3;
    if (!(pattern & PATTERN_ANY_RANK))
        key += (uint64_t)(uint32_t)rank << 20;
    if (!(pattern & PATTERN_ANY_TAG))
        key ^= (uint64_t)(uint32_t)tag << 40 | (uint32_t)tag;
    uint64_t hash = key * 0x9e3779b97f4a7c15u;
    return &process.matching->buckets[pattern][hash >> (64 - BUCKET_BITS)];
}

static struct bucket *bucket_of_parameters(const struct transfer_parameters *parameters)
{
    return bucket_of(pattern_of(parameters), parameters->comm->context,
                     parameters->rank, parameters->tag);
}

static struct bucket *bucket_of_envelope(enum pattern pattern,
                                         const struct envelope *envelope)
{
    return bucket_of(pattern, envelope->context, envelope->source, envelope->tag);
}

// The sender must be the process of the rank that its message claims to be from.
static bool matches(const struct transfer_parameters *parameters, int peer,
                    const struct envelope *envelope)
{
    const struct communicator *comm = parameters->comm;
    return comm->context == envelope->context &&
           parameters->channel == envelope->channel &&
           (parameters->rank == MPI_ANY_SOURCE ||
            parameters->rank == envelope->source) &&
           (parameters->tag == MPI_ANY_TAG || parameters->tag == envelope->tag) &&
           (uint32_t)envelope->source < (uint32_t)comm->peers->size &&
           comm_job_rank(comm, envelope->source) == peer;
}

// ---- posted receives

void post(struct transfer *transfer)
{
    struct matching *matching = process.matching;
    struct bucket *bucket = bucket_of_parameters(&transfer->parameters);
    transfer->next = NULL;
    transfer->number = matching->postings++;
    if (bucket->posted != NULL)
        bucket->last_posted->next = transfer;
    else
        bucket->posted = transfer;
    bucket->last_posted = transfer;
    matching->posted[pattern_of(&transfer->parameters)]++;
}

// `before` is the one before it in its bucket, or NULL.
static void unlink_posted(struct transfer *transfer, struct transfer *before)
{
    struct bucket *bucket = bucket_of_parameters(&transfer->parameters);
    *(before ? &before->next : &bucket->posted) = transfer->next;
    if (bucket->last_posted == transfer)
        bucket->last_posted = before;
    process.matching->posted[pattern_of(&transfer->parameters)]--;
}

bool unpost(struct transfer *transfer)
{
    struct transfer *before = NULL,
                    *at = bucket_of_parameters(&transfer->parameters)->posted;
    for (; at != NULL && at != transfer; at = at->next)
        before = at;
    if (at != NULL)
        unlink_posted(at, before);
    return at != NULL;
}

// The receive that was posted first of those of all patterns.
struct transfer *take_posted(int peer, const struct envelope *envelope)
{
    struct transfer *first = NULL, *before_first = NULL;
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        if (process.matching->posted[pattern] == 0)
            continue;
        struct transfer *before = NULL;
        struct transfer *at = bucket_of_envelope(pattern, envelope)->posted;
        for (; at != NULL && !matches(&at->parameters, peer, envelope); at = at->next)
            before = at;
        if (at != NULL && (first == NULL || at->number < first->number)) {
            first = at;
            before_first = before;
        }
    }
    if (first != NULL)
        unlink_posted(first, before_first);
    return first;
}

// ---- arrivals

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
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        struct bucket *bucket = bucket_of_envelope(pattern, envelope);
        arrival->places[pattern].previous = bucket->last_arrived;
        if (bucket->last_arrived != NULL)
            bucket->last_arrived->places[pattern].next = arrival;
        else
            bucket->arrived = arrival;
        bucket->last_arrived = arrival;
    }
    count_alone(COUNTER_UNEXPECTED, 1);
    count_alone(COUNTER_UNEXPECTED_NOW, 1);
    if (event_is_wanted(EVENT_UNEXPECTED_MESSAGE))
        event_raise(EVENT_UNEXPECTED_MESSAGE,
                    (MPI_Count[]){peer, envelope->tag, (MPI_Count)envelope->bytes});
    return 0;
}

static void unlink_arrival(struct arrival *arrival)
{
    count_alone(COUNTER_UNEXPECTED_NOW, -UINT64_C(1));
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        struct bucket *bucket = bucket_of_envelope(pattern, &arrival->envelope);
        struct arrival *next = arrival->places[pattern].next;
        struct arrival *previous = arrival->places[pattern].previous;
        *(previous ? &previous->places[pattern].next : &bucket->arrived) = next;
        *(next ? &next->places[pattern].previous : &bucket->last_arrived) = previous;
    }
}

struct arrival *find_arrival(const struct transfer_parameters *parameters)
{
    enum pattern pattern = pattern_of(parameters);
    struct arrival *at = bucket_of_parameters(parameters)->arrived;
    while (at != NULL && !matches(parameters, at->peer, &at->envelope))
        at = at->places[pattern].next;
    return at;
}

struct arrival *take_arrival(const struct transfer_parameters *parameters)
{
    struct arrival *arrival = find_arrival(parameters);
    if (arrival != NULL)
        unlink_arrival(arrival);
    return arrival;
}

struct arrival *take_offer(int peer, uint64_t context, uint32_t sender)
{
    struct arrival *at = bucket_of(PATTERN_ANY, context, 0, 0)->arrived;
    while (at != NULL && !(at->peer == peer && at->envelope.sender == sender))
        at = at->places[PATTERN_ANY].next;
    if (at != NULL)
        unlink_arrival(at);
    return at;
}

void arrivals_free(void)
{
    for (int i = 0; i < 1 << BUCKET_BITS; i++) {
        struct bucket *bucket = &process.matching->buckets[PATTERN_ANY][i];
        while (bucket->arrived != NULL) {
            struct arrival *arrival = bucket->arrived;
            bucket->arrived = arrival->places[PATTERN_ANY].next;
            free(arrival);
        }
    }
    counter_reset(COUNTER_UNEXPECTED_NOW);
}
