// SPDX-License-Identifier: BSD-3-Clause
// What Oriel asks of the machine: time, threads, randomness, memory sizes.
#include "base/base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
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

// The struct sched_attr of the kernel; libraries before glibc 2.41 lack it.
struct scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period; // nanoseconds
};

// From Linux 6.12 a thread may ask for short slices of time. It then preempts threads
// of longer ones, that would else run on to the end of theirs: some milliseconds. It
// gets no more time than without. Earlier kernels ignore that.
void thread_run_briefly(void)
{
    enum { SHORTEST = 100000 };
    struct scheduling scheduling = {.size = sizeof scheduling};
    if (syscall(SYS_sched_getattr, 0, &scheduling, sizeof scheduling, 0) != 0 ||
        scheduling.policy != SCHED_OTHER)
        return;
    scheduling.runtime = SHORTEST;
    syscall(SYS_sched_setattr, 0, &scheduling, 0);
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
