// SPDX-License-Identifier: BSD-3-Clause
// Presences: a barrier that only one side pays for (an asymmetric Dekker, as in the
// expedited grace periods of RCU). A thread that enters stores to its presence, then
// loads what it depends on; who changes that stores it, then looks at the presences. Each
// must have its store before its load in memory. The changer makes both sure: membarrier
// has every running thread of the node's processes pass a full barrier, and one that does
// not run has passed it when it was descheduled. If the thread's barrier comes before its
// load, the load sees the change; if it comes after, so is the store to the presence
// visible, and the changer waits until the thread has left.
#include "shm/control.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LOOKS_BEFORE_YIELD = 64, LOOKS_BEFORE_DOUBT = 1 << 14 };

struct presence no_presence = {.admitting = ~(uint32_t)ADMITTING};
_Thread_local struct presence *presence_own = &no_presence;

static bool barrier_call(int command)
{
    return syscall(SYS_membarrier, command, 0, 0) == 0;
}

void presences_open(struct shm *shm)
{
    if (!barrier_call(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED))
        atomic_store(&shm->control->barriers_fail, 1);
}

bool shm_can_await_leaves(const struct shm *shm)
{
    return !atomic_load_explicit(&shm->control->barriers_fail, memory_order_relaxed);
}

// ---- presences of this process ---------------------------------------------------
static struct presence *presence_at(const struct shm *shm, uint64_t offset)
{
    return offset == 0 ? NULL : shm_at(shm, offset);
}

static struct presence *first_presence(const struct shm *shm, int node_rank)
{
    return presence_at(shm, atomic_load(&peer_record_of(shm, node_rank)->presences));
}

static struct presence *next_presence(const struct shm *shm,
                                      const struct presence *presence)
{
    return presence_at(shm, presence->next);
}

static bool thread_is_alive(int thread)
{
    return syscall(SYS_tgkill, getpid(), thread, 0) == 0;
}

// A presence whose thread has ended serves another one.
static struct presence *presence_inherit(const struct shm *shm, int thread)
{
    struct presence *presence = first_presence(shm, shm->node_rank);
    for (; presence != NULL; presence = next_presence(shm, presence)) {
        int owner = atomic_load(&presence->thread);
        if ((owner == thread || !thread_is_alive(owner)) &&
            atomic_compare_exchange_strong(&presence->thread, &owner, thread))
            break;
    }
    return presence;
}

static struct presence *presence_add(struct shm *shm, int thread)
{
    void *memory;
    if (shm_alloc(shm, sizeof(struct presence), CACHE_LINE, &memory) != 0)
        return NULL;
    struct presence *presence = memory;
    _Atomic(uint64_t) *first = &peer_record_of(shm, shm->node_rank)->presences;
    presence->admitting = ADMITTING;
    presence->base = (uintptr_t)shm->base;
    presence->next = atomic_load(first);
    atomic_init(&presence->object, 0);
    atomic_init(&presence->thread, thread);
    while (!atomic_compare_exchange_weak(first, &presence->next,
                                         shm_offset(shm, presence)))
        ;
    return presence;
}

void shm_make_presence(struct shm *shm)
{
    int thread = (int)syscall(SYS_gettid);
    struct presence *presence = presence_inherit(shm, thread);
    if (presence == NULL)
        presence = presence_add(shm, thread);
    if (presence != NULL)
        presence_own = presence;
}

// ---- waiting for all ---------------------------------------------------------------
// A process that has died has left.
static void await_leave(const struct shm *shm, int node_rank,
                        const struct presence *presence, uint64_t offset)
{
    uintptr_t object = presence->base + offset;
    for (unsigned looks = 1;
         atomic_load_explicit(&presence->object, memory_order_acquire) == object;
         looks++) {
        if (looks % LOOKS_BEFORE_DOUBT == 0 && !shm_is_alive(shm, node_rank))
            return;
        if (looks % LOOKS_BEFORE_YIELD == 0)
            sched_yield();
        else
            cpu_relax();
    }
}

void shm_await_leaves(const struct shm *shm, const void *object)
{
    uint64_t offset = shm_offset(shm, object);
    barrier_call(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
    for (int node_rank = 0; node_rank < shm->node_size; node_rank++)
        for (const struct presence *presence = first_presence(shm, node_rank); presence;
             presence = next_presence(shm, presence))
            await_leave(shm, node_rank, presence, offset);
}
