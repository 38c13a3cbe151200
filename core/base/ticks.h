// SPDX-License-Identifier: BSD-3-Clause
// The fastest clock that there is: it counts evenly, in a unit of its own, and is the
// same for all cores.
#pragma once

#include "base/clock.h"

#if defined(__x86_64__)
#include <x86intrin.h>

static inline uint64_t ticks_now(void)
{
    return __rdtsc();
}
#else
static inline uint64_t ticks_now(void)
{
    return clock_nanoseconds();
}
#endif
