// SPDX-License-Identifier: BSD-3-Clause
// Doorbells: sleep until a local peer has sent something. A sleeper arms its bell and
// then looks for work; a sender leaves work and then looks at the bell. All these are
// sequentially consistent, so that at least one of the two sees the other.
#include "shm/control.h"

#include <limits.h>

// False when nobody sleeps, or another has rung already.
static bool doorbell_ring(struct doorbell *bell)
{
    if (!atomic_load(&bell->is_armed) || !atomic_exchange(&bell->is_armed, 0))
        return false;
    atomic_fetch_add(&bell->word, 1);
    futex_wake(&bell->word, INT_MAX);
    return true;
}

uint32_t shm_arm(struct shm *shm, enum shm_bell bell)
{
    struct doorbell *own = &peer_record_of(shm, shm->node_rank)->bells[bell];
    uint32_t ticket = atomic_load(&own->word);
    atomic_store(&own->is_armed, 1);
    return ticket;
}

uint32_t shm_ticket(const struct shm *shm, enum shm_bell bell)
{
    return atomic_load(&peer_record_of(shm, shm->node_rank)->bells[bell].word);
}

void shm_sleep(struct shm *shm, enum shm_bell bell, uint32_t ticket,
               uint64_t nanoseconds)
{
    futex_wait(&peer_record_of(shm, shm->node_rank)->bells[bell].word, ticket,
               nanoseconds);
}

void shm_disarm(struct shm *shm, enum shm_bell bell)
{
    atomic_store(&peer_record_of(shm, shm->node_rank)->bells[bell].is_armed, 0);
}

void shm_ring(struct shm *shm, int node_rank)
{
    struct peer_record *record = peer_record_of(shm, node_rank);
    if (!doorbell_ring(&record->bells[SHM_BELL_CALL]))
        doorbell_ring(&record->bells[SHM_BELL_PROGRESS]);
}

void shm_ring_own(struct shm *shm, enum shm_bell bell)
{
    doorbell_ring(&peer_record_of(shm, shm->node_rank)->bells[bell]);
}

void shm_rouse(struct shm *shm, int node_rank)
{
    struct doorbell *bell = &peer_record_of(shm, node_rank)->bells[SHM_BELL_PROGRESS];
    atomic_fetch_add(&bell->word, 1);
    futex_wake(&bell->word, INT_MAX);
}

bool shm_is_computing(const struct shm *shm, int node_rank)
{
    const struct doorbell *bells = peer_record_of(shm, node_rank)->bells;
    return atomic_load(&bells[SHM_BELL_PROGRESS].is_armed) &&
           !atomic_load(&bells[SHM_BELL_CALL].is_armed);
}

void shm_show_wait(struct shm *shm, enum shm_wait wait)
{
    atomic_store(&peer_record_of(shm, shm->node_rank)->wait, wait);
}

enum shm_wait shm_wait_of(const struct shm *shm, int node_rank)
{
    return (enum shm_wait)atomic_load(&peer_record_of(shm, node_rank)->wait);
}
