// SPDX-License-Identifier: BSD-3-Clause
// Seals. A seal shows that a message from the network is of a process of the job, for
// this process, whole and new. Inside a node the permissions of the segment do that.
#include "message/engine.h"
#include "message/seal.h"

#include <string.h>

// The hash is in two steps. A block is condensed to 16 bytes by NH (Black and others,
// UMAC, 1999): of two blocks that differ, whatever they are, the sums have a given
// difference under one of 2^64 keys. That takes a fifth of the instructions that SipHash of
// the bytes would. The sums are multiplied with keys of 16 bytes each, and 8 bytes of
// the result are kept (Lemire and Kaser, Strongly universal string hashing is fast, 2014).
// The pad hides the hash, as Wegman and Carter do (1981). It does not depend on the
// message, so that it can be made before there is one.
__extension__ typedef unsigned __int128 sum_t;

void seals_start(struct messages *messages, const struct secret *secret)
{
    struct seals *seals = &messages->seals;
    uint64_t number = 0;
    messages->secret = *secret;
    for (size_t i = 0; i < SEAL_KEYS; i++)
        seals->block_keys[i] = keyed_hash(secret, number++, "", 0);
    for (size_t i = 0; i < sizeof seals->sum_keys / sizeof *seals->sum_keys; i++) {
        seals->sum_keys[i].low = keyed_hash(secret, number++, "", 0);
        seals->sum_keys[i].high = keyed_hash(secret, number++, "", 0);
    }
}

// ---- pads: hashes of number, source and destination, the number never 0

static uint64_t pad_value(const struct messages *messages, const struct pad *pad)
{
    uint32_t ranks[2] = {pad->source, pad->destination};
    return keyed_hash(&messages->secret, pad->number, ranks, sizeof ranks);
}

static uint32_t pad_place(uint32_t source, uint32_t destination)
{
    bool is_sent = source == (uint32_t)process.boot->rank;
    return is_sent ? destination % SEAL_PADS : SEAL_PADS + source % SEAL_PADS;
}

static uint64_t pad_of(const struct messages *messages, uint64_t number,
                       uint32_t source, uint32_t destination)
{
    uint32_t place = pad_place(source, destination);
    const struct pad *made = &messages->seals.pads[place];
    struct pad pad = {0, number, source, destination};
    bool is_made = !(messages->seals.pads_due >> place & 1) && made->number == number &&
                   made->source == source && made->destination == destination;
    return is_made ? made->value : pad_value(messages, &pad);
}

// The next message between these ranks has this number.
static void pad_await(struct messages *messages, uint64_t number, uint32_t source,
                      uint32_t destination)
{
    uint32_t place = pad_place(source, destination);
    messages->seals.pads[place] = (struct pad){0, number, source, destination};
    messages->seals.pads_due |= UINT32_C(1) << place;
}

void seals_prepare(struct messages *messages)
{
    struct seals *seals = &messages->seals;
    for (uint32_t place = 0; seals->pads_due >> place; place++)
        if (seals->pads_due >> place & 1)
            seals->pads[place].value = pad_value(messages, &seals->pads[place]);
    seals->pads_due = 0;
}

// ---- hashes

static inline sum_t sum_product(const struct sum_key *key, uint64_t word)
{
    return (sum_t)word * key->low + ((sum_t)(word * key->high) << 64);
}

static inline sum_t words_product(const char *at, const uint64_t keys[2])
{
    uint64_t words[2];
    memcpy(words, at, sizeof words);
    return (sum_t)(words[0] + keys[0]) * (words[1] + keys[1]);
}

// Two sums, so that an addition need not wait for the one before it.
static sum_t bytes_sum(const uint64_t *keys, const char *at, size_t bytes)
{
    sum_t sum = bytes, other = 0;
    for (; bytes >= 32; bytes -= 32, at += 32, keys += 4) {
        sum += words_product(at, keys);
        other += words_product(at + 16, keys + 2);
    }
    if (bytes >= 16) {
        sum += words_product(at, keys);
        bytes -= 16, at += 16, keys += 2;
    }
    if (bytes > 0) {
        char rest[16] = {0};
        memcpy(rest, at, bytes);
        sum += words_product(rest, keys);
    }
    return sum + other;
}

// Of the message's source and what follows it.
static uint64_t sealed_hash(const struct seals *seals, const struct sealed *sealed,
                            size_t bytes)
{
    const char *at = (const char *)&sealed->source, *end = (const char *)sealed + bytes;
    sum_t hash = 0;
    for (size_t i = 0; at < end; at += SEAL_BLOCK, i += 2) {
        size_t left = (size_t)(end - at);
        sum_t sum =
            bytes_sum(seals->block_keys, at, left < SEAL_BLOCK ? left : SEAL_BLOCK);
        hash += sum_product(&seals->sum_keys[i], (uint64_t)sum) +
                sum_product(&seals->sum_keys[i + 1], (uint64_t)(sum >> 64));
    }
    return (uint64_t)(hash >> 64);
}

static uint64_t seal_of(const struct messages *messages, int destination,
                        const struct sealed *sealed, size_t bytes)
{
    return sealed_hash(&messages->seals, sealed, bytes) +
           pad_of(messages, sealed->number, sealed->source, (uint32_t)destination);
}

size_t message_seal(struct messages *messages, int rank, int kind, const void *head,
                    size_t head_bytes, const void *body, size_t body_bytes,
                    struct sealed *sealed)
{
    size_t bytes = SEALED_HEAD + head_bytes + body_bytes;
    sealed->number = ++messages->numbers[rank].sent;
    sealed->source = (uint32_t)process.boot->rank;
    sealed->kind = (uint32_t)kind;
    if (head_bytes > 0)
        memcpy(sealed->message, head, head_bytes);
    if (body_bytes > 0)
        memcpy(sealed->message + head_bytes, body, body_bytes);
    sealed->seal = seal_of(messages, rank, sealed, bytes);
    pad_await(messages, sealed->number + 1, sealed->source, (uint32_t)rank);
    return bytes;
}

bool seal_is_good(struct messages *messages, const struct sealed *sealed, size_t bytes)
{
    const struct boot *boot = process.boot;
    if (bytes < SEALED_HEAD || bytes > sizeof *sealed ||
        sealed->source >= (uint32_t)boot->size || sealed->kind >= MESSAGE_KINDS ||
        boot_is_local(boot, (int)sealed->source))
        return false;
    if (sealed->number <= messages->numbers[sealed->source].taken ||
        sealed->seal != seal_of(messages, boot->rank, sealed, bytes))
        return false;
    pad_await(messages, sealed->number + 1, sealed->source, (uint32_t)boot->rank);
    return true;
}
