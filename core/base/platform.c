// SPDX-License-Identifier: BSD-3-Clause
// What Oriel asks of the machine: time, threads, randomness, memory sizes.
#include "base/base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

uint64_t clock_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The address of a thread's own variable: no system call, unlike gettid().
uint64_t thread_identity(void)
{
    static _Thread_local char mine;
    return (uint64_t)(uintptr_t)&mine;
}

// Guessable bits would be guessable keys to other processes' memory, so a system that
// refuses to give any ends the process.
uint64_t random_bits(void)
{
    uint64_t bits;
    while (getrandom(&bits, sizeof bits, 0) != (ssize_t)sizeof bits) {
        if (errno == EINTR)
            continue;
        log_error("the system gives no random numbers: getrandom: %s", strerror(errno));
        abort();
    }
    return bits;
}

size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

size_t machine_bytes(void)
{
    return (size_t)sysconf(_SC_PHYS_PAGES) * page_bytes();
}
