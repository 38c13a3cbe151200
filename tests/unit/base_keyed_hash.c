// SPDX-License-Identifier: BSD-3-Clause
// hashes_are_those_of_siphash: the key 00 01 .. 0f and the bytes 00 01 .. as in the paper
// on SipHash, which gives the hash of 15 bytes, and in its authors' program.

#include "base/base.h"
#include "check.h"

#include <string.h>

struct process process;

static uint64_t hash_of(size_t count)
{
    unsigned char bytes[64];
    uint64_t first;
    struct secret secret;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    memcpy(&secret, bytes, sizeof secret);
    memcpy(&first, bytes, sizeof first);
    return keyed_hash(&secret, first, bytes + sizeof first, count - sizeof first);
}

int main(void)
{
    CHECK(hash_of(15) == 0xa129ca6149be45e5);
    CHECK(hash_of(8) == 0x93f5f5799a932462);
    CHECK(hash_of(63) == 0x958a324ceb064572);
    return 0;
}
