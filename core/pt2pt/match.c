// SPDX-License-Identifier: BSD-3-Clause
// Matching of messages and receives, in order (MPI-4.1 3.5).
#include "pt2pt/match.h"
#include "pt2pt/probe.h"
#include "pt2pt/transfer.h"

#include <stdlib.h>

static enum pattern pattern_of(const struct transfer_parameters *parameters)
{
    return (parameters->rank == MPI_ANY_SOURCE ? PATTERN_ANY_RANK : 0) |
           (parameters->tag == MPI_ANY_TAG ? PATTERN_ANY_TAG : 0);
}

static inline struct bucket *bucket_of(enum pattern pattern, uint64_t context, int rank,
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

static inline struct bucket *
bucket_of_parameters(enum pattern pattern, const struct transfer_parameters *parameters)
{
    return bucket_of(pattern, parameters->comm->context, parameters->rank,
                     parameters->tag);
}

static inline struct bucket *bucket_of_envelope(enum pattern pattern,
                                                const struct envelope *envelope)
{
    return bucket_of(pattern, envelope->context, envelope->source, envelope->tag);
}

// The sender must be the process of the rank that its message claims to be from.
static inline bool parameters_match(const struct transfer_parameters *parameters,
                                    int peer, const struct envelope *envelope)
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

static inline void posted_add(enum pattern pattern, struct bucket *bucket,
                              struct transfer *transfer)
{
    struct matching *matching = process.matching;
    transfer->bucket = bucket;
    transfer->next = NULL;
    transfer->number = matching->postings++;
    if (bucket->posted != NULL)
        bucket->last_posted->next = transfer;
    else
        bucket->posted = transfer;
    bucket->last_posted = transfer;
    matching->posted[pattern]++;
    matching->posted_in_all++;
}

// `before` is the one before it in its bucket, or NULL.
static inline void posted_unlink(struct transfer *transfer, struct transfer *before)
{
    struct bucket *bucket = transfer->bucket;
    *(before ? &before->next : &bucket->posted) = transfer->next;
    if (bucket->last_posted == transfer)
        bucket->last_posted = before;
    process.matching->posted[pattern_of(&transfer->parameters)]--;
    process.matching->posted_in_all--;
}

bool posted_remove(struct transfer *transfer)
{
    struct transfer *before = NULL;
    struct transfer *at = transfer->bucket ? transfer->bucket->posted : NULL;
    for (; at != NULL && at != transfer; at = at->next)
        before = at;
    if (at != NULL)
        posted_unlink(at, before);
    return at != NULL;
}

bool posted_has(const struct transfer *transfer)
{
    const struct transfer *at = transfer->bucket ? transfer->bucket->posted : NULL;
    while (at != NULL && at != transfer)
        at = at->next;
    return at != NULL;
}

// The first receive of a pattern that matches, and the one before it in its bucket.
static inline struct transfer *posted_find(enum pattern pattern, int peer,
                                           const struct envelope *envelope,
                                           struct transfer **before)
{
    *before = NULL;
    struct transfer *at = bucket_of_envelope(pattern, envelope)->posted;
    for (; at != NULL && !parameters_match(&at->parameters, peer, envelope);
         at = at->next)
        *before = at;
    return at;
}

// The receive that was posted first, of all patterns.
static __attribute__((noinline)) struct transfer *
posted_find_first(int peer, const struct envelope *envelope, struct transfer **before)
{
    struct transfer *first = NULL, *before_this;
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        if (process.matching->posted[pattern] == 0)
            continue;
        struct transfer *at = posted_find(pattern, peer, envelope, &before_this);
        if (at != NULL && (first == NULL || at->number < first->number)) {
            first = at;
            *before = before_this;
        }
    }
    return first;
}

struct transfer *posted_take(int peer, const struct envelope *envelope)
{
    const struct matching *matching = process.matching;
    bool has_wildcards = matching->posted_in_all != matching->posted[PATTERN_EXACT];
    struct transfer *before;
    struct transfer *first = likely(!has_wildcards)
                                 ? posted_find(PATTERN_EXACT, peer, envelope, &before)
                                 : posted_find_first(peer, envelope, &before);
    if (first != NULL)
        posted_unlink(first, before);
    return first;
}

// ---- messages in parts

int incoming_prepare(int peer)
{
    struct incoming **spare = &process.matching->spare_incoming;
    if (*spare == NULL)
        *spare = calloc(1, sizeof **spare);
    return *spare != NULL ? 0
                          : fail(MPI_ERR_NO_MEM,
                                 "no memory for a message of rank %d in parts", peer);
}

static struct incoming *incoming_link(int peer)
{
    struct incoming **bucket = incoming_bucket(peer);
    struct incoming *incoming = process.matching->spare_incoming;
    process.matching->spare_incoming = incoming->next;
    incoming->next = *bucket;
    return *bucket = incoming;
}

void incoming_begin(int peer, struct incoming incoming)
{
    struct incoming *noted = incoming_of(peer);
    if (noted == NULL)
        noted = incoming_link(peer);
    incoming.peer = peer;
    incoming.next = noted->next;
    *noted = incoming;
}

void incoming_end(struct incoming *incoming)
{
    struct incoming **at = incoming_bucket(incoming->peer);
    while (*at != incoming)
        at = &(*at)->next;
    *at = incoming->next;
    incoming->next = process.matching->spare_incoming;
    process.matching->spare_incoming = incoming;
}

static void incoming_free(struct incoming *first)
{
    while (first != NULL) {
        struct incoming *next = first->next;
        free(first);
        first = next;
    }
}

void incoming_free_all(void)
{
    for (int bucket = 0; bucket < 1 << INCOMING_BITS; bucket++)
        incoming_free(process.matching->incoming[bucket]);
    incoming_free(process.matching->spare_incoming);
}

// ---- unexpected queue

int unexpected_add(int peer, const struct envelope *envelope, bool is_rts,
                   const void *data, size_t bytes)
{
    bool has_room_for_all = !is_rts || may_be_kept(peer, envelope);
    size_t room = has_room_for_all ? (size_t)envelope->bytes : bytes;
    struct unexpected *unexpected = malloc(sizeof *unexpected + room);
    if (unexpected == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for a message of %zu bytes", room);
    *unexpected =
        (struct unexpected){.peer = peer, .is_rts = is_rts, .envelope = *envelope};
    if (bytes > 0)
        copy_bytes(unexpected->data, data, bytes);
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        struct bucket *bucket = bucket_of_envelope(pattern, envelope);
        unexpected->links[pattern].previous = bucket->last_unexpected;
        if (bucket->last_unexpected != NULL)
            bucket->last_unexpected->links[pattern].next = unexpected;
        else
            bucket->unexpected = unexpected;
        bucket->last_unexpected = unexpected;
    }
    if (!is_rts && unlikely(bytes < room))
        incoming_begin(
            peer,
            (struct incoming){.unexpected = unexpected, .come = bytes, .bytes = room});
    count_alone(COUNTER_UNEXPECTED, 1);
    count_alone(COUNTER_UNEXPECTED_NOW, 1);
    if (event_is_wanted(EVENT_UNEXPECTED_MESSAGE))
        event_raise(EVENT_UNEXPECTED_MESSAGE,
                    (MPI_Count[]){peer, envelope->tag, (MPI_Count)envelope->bytes});
    return 0;
}

static void unexpected_remove(struct unexpected *unexpected)
{
    count_alone(COUNTER_UNEXPECTED_NOW, -UINT64_C(1));
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        struct bucket *bucket = bucket_of_envelope(pattern, &unexpected->envelope);
        struct unexpected *next = unexpected->links[pattern].next;
        struct unexpected *previous = unexpected->links[pattern].previous;
        *(previous ? &previous->links[pattern].next : &bucket->unexpected) = next;
        *(next ? &next->links[pattern].previous : &bucket->last_unexpected) = previous;
    }
}

static inline struct unexpected *find_in(const struct bucket *bucket,
                                         enum pattern pattern,
                                         const struct transfer_parameters *parameters)
{
    struct unexpected *at = bucket->unexpected;
    while (at != NULL && !parameters_match(parameters, at->peer, &at->envelope))
        at = at->links[pattern].next;
    return at;
}

struct unexpected *unexpected_find(const struct transfer_parameters *parameters)
{
    enum pattern pattern = pattern_of(parameters);
    return find_in(bucket_of_parameters(pattern, parameters), pattern, parameters);
}

struct unexpected *unexpected_take(const struct transfer_parameters *parameters)
{
    struct unexpected *unexpected = unexpected_find(parameters);
    if (unexpected != NULL)
        unexpected_remove(unexpected);
    return unexpected;
}

struct unexpected *unexpected_take_or_post(struct transfer *transfer)
{
    const struct transfer_parameters *parameters = &transfer->parameters;
    enum pattern pattern = pattern_of(parameters);
    struct bucket *bucket = bucket_of_parameters(pattern, parameters);
    struct unexpected *unexpected = find_in(bucket, pattern, parameters);
    if (unexpected != NULL)
        unexpected_remove(unexpected);
    else
        posted_add(pattern, bucket, transfer);
    return unexpected;
}

struct unexpected *unexpected_find_of(int peer, uint64_t context, uint32_t sender)
{
    struct unexpected *at = bucket_of(PATTERN_ANY, context, 0, 0)->unexpected;
    while (at != NULL && !(at->peer == peer && at->envelope.sender == sender))
        at = at->links[PATTERN_ANY].next;
    return at;
}

struct unexpected *unexpected_take_rts(int peer, uint64_t context, uint32_t sender)
{
    struct unexpected *at = unexpected_find_of(peer, context, sender);
    if (at != NULL)
        unexpected_remove(at);
    return at;
}

void unexpected_free_all(void)
{
    for (int i = 0; i < 1 << BUCKET_BITS; i++) {
        struct bucket *bucket = &process.matching->buckets[PATTERN_ANY][i];
        while (bucket->unexpected != NULL) {
            struct unexpected *unexpected = bucket->unexpected;
            bucket->unexpected = unexpected->links[PATTERN_ANY].next;
            free(unexpected);
        }
    }
    counter_reset(COUNTER_UNEXPECTED_NOW);
}
