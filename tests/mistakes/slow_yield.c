// SPDX-License-Identifier: BSD-3-Clause
// Preloaded, it makes each yield take as long as on a machine with many busy programs,
// which have the core meanwhile.
#include <sched.h>
#include <time.h>

int sched_yield(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    return 0;
}
