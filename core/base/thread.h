// SPDX-License-Identifier: BSD-3-Clause
// Threads of this process.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

uint64_t thread_identity(void); // differs between living threads
// From now on the calling thread works in short bursts, so that it need not wait when it
// is woken while others compute.
void thread_run_briefly(void);

// Has the process one thread only, so that locks and locked instructions are not needed?
// False where the C library does not tell. It stays so until this thread makes another.
static inline bool thread_is_alone(void)
{
#if __has_include(<sys/single_threaded.h>)
    return __libc_single_threaded;
#else
    return false;
#endif
}
