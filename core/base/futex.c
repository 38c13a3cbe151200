// SPDX-License-Identifier: BSD-3-Clause
// Sleeping on a word of memory, within a process or across processes (Linux futex).
#include "base/base.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void futex_wait(_Atomic(uint32_t) *word, uint32_t expected,
                uint64_t timeout_nanoseconds)
{
    struct timespec timeout = {
        .tv_sec = (time_t)(timeout_nanoseconds / 1000000000u),
        .tv_nsec = (long)(timeout_nanoseconds % 1000000000u),
    };
    // Every way of returning means "look again", so the result does not matter.
    syscall(SYS_futex, word, FUTEX_WAIT, expected, &timeout, NULL, 0);
}

void futex_wake(_Atomic(uint32_t) *word, int waiters)
{
    syscall(SYS_futex, word, FUTEX_WAKE, waiters, NULL, NULL, 0);
}
