// SPDX-License-Identifier: BSD-3-Clause
// Long copies by vectors, where memcpy is slow. On processors that say that this is fast
// glibc copies by `rep movsb`: from 2 KiB on where it is so for short copies too, else from
// 4 KiB. On AMD's (Zen 3, Zen 4) it takes twice the time if the target begins up to 63
// bytes behind the source, counted within their pages (glibc bug 30994). That is usual:
// malloc puts large pieces 16 bytes behind the start of a page, and windows begin at the
// start of one. It takes two to three times the time, too, where another core has written
// the source, or has read the target, as in messages.
#include "base/copy.h"

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
// Longer copies do not stay in a cache; memcpy stores them past it.
static const size_t VECTORS_MAX = (size_t)8 << 20;

typedef char vector __attribute__((vector_size(32), aligned(1), may_alias));
enum { STEP = 4 * sizeof(vector) };
#define BY_VECTORS __attribute__((target("avx2")))

static inline BY_VECTORS __attribute__((always_inline)) void copy_step(char *to,
                                                                       const char *from)
{
    const vector *in = (const vector *)from;
    vector *out = (vector *)to;
    vector a = in[0], b = in[1], c = in[2], d = in[3];
    out[0] = a, out[1] = b, out[2] = c, out[3] = d;
}

// At least STEP bytes. Stores are aligned but for those of the first vector and of the
// last step, which share some bytes with others.
static BY_VECTORS void copy_by_vectors(char *to, const char *from, size_t bytes)
{
    size_t at = sizeof(vector) - (uintptr_t)to % sizeof(vector);
    *(vector *)to = *(const vector *)from;
    for (; at + STEP < bytes; at += STEP)
        copy_step(to + at, from + at);
    copy_step(to + bytes - STEP, from + bytes - STEP);
}

static inline bool vectors_are_faster(void)
{
    return __builtin_cpu_is("amd") && __builtin_cpu_supports("avx2");
}
#endif

void copy_long(void *to, const void *from, size_t bytes)
{
#if defined(__x86_64__)
    if (bytes <= VECTORS_MAX && vectors_are_faster()) {
        copy_by_vectors(to, from, bytes);
        return;
    }
#endif
    memcpy(to, from, bytes);
}
