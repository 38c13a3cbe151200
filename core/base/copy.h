// SPDX-License-Identifier: BSD-3-Clause
// Copies of memory whose size may be large.
#pragma once

#include <stddef.h>
#include <string.h>

enum { COPY_LONG = 2048 }; // bytes from which copy_long is worth its call

// memcpy of COPY_LONG bytes and more.
void copy_long(void *to, const void *from, size_t bytes);

// memcpy by whatever is fastest here.
static inline void copy_bytes(void *to, const void *from, size_t bytes)
{
    if (__builtin_expect(bytes >= COPY_LONG, 0))
        copy_long(to, from, bytes);
    else
        memcpy(to, from, bytes);
}
