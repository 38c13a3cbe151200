// SPDX-License-Identifier: BSD-3-Clause
// Counts what puts, gets and atomic updates do not need if they are loads, stores and
// instructions.
#pragma once

#include <stdint.h>

void count_begin(void);
// Copies by the kernel and messages in the node, by this process since count_begin.
int64_t copies_and_messages(void);
