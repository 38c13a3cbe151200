// SPDX-License-Identifier: BSD-3-Clause
// Random bits, hashes, and hashes under a secret.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

uint64_t random_bits(void); // unpredictable: job secrets, keys

// FNV-1a. The hash of bytes that follow those with the hash `hash`, or HASH_OF_NOTHING.
#define HASH_OF_NOTHING UINT64_C(0xcbf29ce484222325)
static inline uint64_t hash_go_on(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}
static inline uint64_t text_hash(const char *text)
{
    return hash_go_on(HASH_OF_NOTHING, text, strlen(text));
}

// A secret of the processes of the job.
struct secret {
    uint64_t low, high;
};
// A number that nobody can find for bytes without the secret; `first` stands for eight
// more bytes before them.
uint64_t keyed_hash(const struct secret *secret, uint64_t first, const void *bytes,
                    size_t count);
