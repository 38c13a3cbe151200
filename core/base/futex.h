// SPDX-License-Identifier: BSD-3-Clause
// Sleep on a word of memory.
#pragma once

#include <stdatomic.h>
#include <stdint.h>

// Sleeps while *word == expected, at most timeout_nanoseconds; works across processes
// when the word lies in shared memory. Spurious returns are normal.
void futex_wait(_Atomic(uint32_t) *word, uint32_t expected,
                uint64_t timeout_nanoseconds);
void futex_wake(_Atomic(uint32_t) *word, int waiters);
