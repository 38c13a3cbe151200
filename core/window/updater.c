// SPDX-License-Identifier: BSD-3-Clause
// The updater of a member's elements (Dekker). Atomic instructions take some ten times
// as long as loops over plain vectors, which a single updater may use. A second updater
// writes that there are many, and waits until the first does not update any more; the
// first writes that it updates and then looks again whether it is alone. So at least
// one of the two sees the other.
#include "window/window.h"

#include <sched.h>

static const uint32_t many = UINT32_MAX;

uint32_t updater_program(void)
{
    bool is_one = process.thread_level < MPI_THREAD_MULTIPLE;
    return is_one ? 2 * (uint32_t)process.shm->node_rank + 2 : 0;
}

uint32_t updater_target(void)
{
    return 2 * (uint32_t)process.shm->node_rank + 3;
}

static bool is_alive(uint32_t updater)
{
    return shm_is_alive(process.shm, (int)(updater - 2) / 2);
}

void updater_join(struct lock_record *record, uint32_t updater)
{
    uint32_t first = atomic_load(&record->updater), updating;
    if (updater != 0 &&
        (first == updater ||
         atomic_compare_exchange_strong(&record->updater, &(uint32_t){0}, updater)))
        return;
    if (first != many)
        atomic_store(&record->updater, many);
    while ((updating = atomic_load(&record->updating)) != 0 && is_alive(updating))
        sched_yield();
}
