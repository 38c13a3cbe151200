// SPDX-License-Identifier: BSD-3-Clause
// Seals. A seal shows that a message from the network is of a process of the job, for
// this process, whole and new. Inside a node the permissions of the segment do that.
#include "message/engine.h"
#include "message/seal.h"

#include <string.h>

// A block is condensed to 16 bytes by NH (Black and others, UMAC, 1999): of two blocks
// that differ, whatever they are, the sums are equal under one of 2^64 keys. That takes
// a fifth of the instructions that hashing the bytes would.
enum {
    BLOCK = SEAL_KEYS * sizeof(uint64_t),
    BLOCKS_MAX = 1 + sizeof(struct sealed) / BLOCK
};
__extension__ typedef unsigned __int128 sum_t;

void seals_start(struct messages *messages, const struct secret *secret)
{
    messages->secret = *secret;
    for (uint64_t i = 0; i < SEAL_KEYS; i++)
        messages->seal_keys[i] = keyed_hash(secret, i, "", 0);
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

// The seal of a message's bytes and destination, under its number.
static uint64_t seal_of(const struct messages *messages, int destination,
                        const struct sealed *sealed, size_t bytes)
{
    struct {
        uint32_t source, destination;
        uint64_t sums[2 * BLOCKS_MAX];
    } digest;
    const char *at = (const char *)&sealed->source, *end = (const char *)sealed + bytes;
    uint64_t *sums = digest.sums;
    digest.source = sealed->source;
    digest.destination = (uint32_t)destination;
    for (; at < end; at += BLOCK) {
        size_t left = (size_t)(end - at);
        sum_t sum = bytes_sum(messages->seal_keys, at, left < BLOCK ? left : BLOCK);
        *sums++ = (uint64_t)sum;
        *sums++ = (uint64_t)(sum >> 64);
    }
    return keyed_hash(&messages->secret, sealed->number, &digest,
                      (size_t)((char *)sums - (char *)&digest));
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
    return bytes;
}

bool seal_is_good(const struct messages *messages, const struct sealed *sealed,
                  size_t bytes)
{
    const struct boot *boot = process.boot;
    if (bytes < SEALED_HEAD || bytes > sizeof *sealed ||
        sealed->source >= (uint32_t)boot->size || sealed->kind >= MESSAGE_KINDS ||
        boot_is_local(boot, (int)sealed->source))
        return false;
    return sealed->number > messages->numbers[sealed->source].taken &&
           sealed->seal == seal_of(messages, boot->rank, sealed, bytes);
}
