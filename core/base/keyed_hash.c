// SPDX-License-Identifier: BSD-3-Clause
// SipHash-2-4 (Aumasson and Bernstein 2012): short, without tables, and quick for the
// few bytes of most messages.
#include "base/base.h"

#include <string.h>

struct state {
    uint64_t a, b, c, d;
};

static inline uint64_t word_rotate(uint64_t word, int bits)
{
    return word << bits | word >> (64 - bits);
}

static inline void state_mix(struct state *state)
{
    state->a += state->b;
    state->c += state->d;
    state->b = word_rotate(state->b, 13) ^ state->a;
    state->d = word_rotate(state->d, 16) ^ state->c;
    state->a = word_rotate(state->a, 32);
    state->c += state->b;
    state->a += state->d;
    state->b = word_rotate(state->b, 17) ^ state->c;
    state->d = word_rotate(state->d, 21) ^ state->a;
    state->c = word_rotate(state->c, 32);
}

static inline void state_take(struct state *state, uint64_t word)
{
    state->d ^= word;
    state_mix(state);
    state_mix(state);
    state->a ^= word;
}

uint64_t keyed_hash(const struct secret *secret, uint64_t first, const void *bytes,
                    size_t count)
{
    struct state state = {.a = secret->low ^ 0x736f6d6570736575,
                          .b = secret->high ^ 0x646f72616e646f6d,
                          .c = secret->low ^ 0x6c7967656e657261,
                          .d = secret->high ^ 0x7465646279746573};
    uint64_t word, last = (uint64_t)(sizeof first + count) << 56;
    const char *at = bytes;
    state_take(&state, first);
    for (const char *end = at + count / 8 * 8; at < end; at += 8) {
        memcpy(&word, at, sizeof word);
        state_take(&state, word);
    }
    word = 0;
    memcpy(&word, at, count % 8);
    state_take(&state, last | word);
    state.c ^= 0xff;
    for (int i = 0; i < 4; i++)
        state_mix(&state);
    return state.a ^ state.b ^ state.c ^ state.d;
}
