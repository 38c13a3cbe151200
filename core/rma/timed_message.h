// SPDX-License-Identifier: BSD-3-Clause
// The times of lone operations on a local peer that polls, by the sizes of the operations.
#pragma once

#include "base/base.h"

#include <stddef.h>

enum {
    TIMED_BITS = 11,  // operations of 1 KiB and more are timed, by the number of bits
    TIMED_CLASSES = 6 // of their size, up to those that both processes copy
};

// A message whose answer is awaited to know how long it takes.
struct timed_message {
    struct carrier_times *times; // NULL: there is none
    uint64_t begun, issued;      // when, and as which operation of its target
};

// The place of the times of an operation of so many bytes; TIMED_CLASSES if it has none.
static inline unsigned carrier_class(size_t bytes)
{
    unsigned bits = bytes > 0 ? 64 - (unsigned)__builtin_clzll(bytes) : 0;
    return bits - TIMED_BITS < TIMED_CLASSES ? bits - TIMED_BITS : TIMED_CLASSES;
}
