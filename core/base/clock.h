// SPDX-License-Identifier: BSD-3-Clause
// The monotonic clock, which counts from an arbitrary start.
#pragma once

#include <stdint.h>

double clock_seconds(void);
uint64_t clock_nanoseconds(void);
