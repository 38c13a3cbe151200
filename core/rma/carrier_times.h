// SPDX-License-Identifier: BSD-3-Clause
// How long the two carriers take for one operation on a local peer that polls. The kernel's
// copy takes a system call, a message the way of its cache lines from core to core. Which
// is less depends on the machine, and on which of its cores the two processes have.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TIMED_BITS = 11,  // operations of 1 KiB and more are timed, by the number of bits
    TIMED_CLASSES = 6 // of their size, up to those that both processes copy
};

// Of operations of about one size on one target.
struct carrier_times {
    uint64_t shortest[2]; // of a message, of a copy by the kernel, in ns; 0: not known
    uint32_t uses;        // that were timed
    bool is_copied;       // is the next one to be copied?
    uint8_t untimed;      // those that follow and need not be timed
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

// Counts an operation that need not be timed, since clocks take their time, too. False:
// the next one is to be timed.
static inline bool carrier_untimed(struct carrier_times *times)
{
    bool is_untimed = times->untimed > 0;
    times->untimed -= is_untimed;
    return is_untimed;
}

// Counts an operation that took so long, and chooses the carrier of the next.
void carrier_took(struct carrier_times *times, bool is_copied, uint64_t took);
