// SPDX-License-Identifier: BSD-3-Clause
// Threads: their identity and how the system runs them.
#include "base/base.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

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
