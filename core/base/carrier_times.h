// SPDX-License-Identifier: BSD-3-Clause
// How long the two carriers take for data of about one size between two processes of a
// node. The kernel's copy takes a system call, a message the way of its cache lines from
// core to core. Which is less depends on the machine, and on which of its cores the two
// processes have.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct carrier_times {
    uint64_t shortest[2]; // of a message, of a copy by the kernel, in ns; 0: not known
    uint32_t uses;        // that were timed
    bool is_copied;       // is the next one to be copied?
    uint8_t untimed;      // those that follow and need not be timed
};

// Have copies taken less time?
bool carrier_copies_sooner(const struct carrier_times *times);

// Counts a use that need not be timed, since clocks take their time, too. False: the next
// one is to be timed.
static inline bool carrier_untimed(struct carrier_times *times)
{
    bool is_untimed = times->untimed > 0;
    times->untimed -= is_untimed;
    return is_untimed;
}

// Counts a use that took so long, and chooses the carrier of the next.
void carrier_took(struct carrier_times *times, bool is_copied, uint64_t took);
