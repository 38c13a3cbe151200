// SPDX-License-Identifier: BSD-3-Clause
// The granularity at which updates of a member's elements are kept apart. Element by
// element, processor atomics need no lock, but take some ten times as long as loops over
// vectors; block by block, loops over vectors run under a stripe, and single elements
// need it, too.
//
// Both may not meet in one memory. Who changes the granularity holds all stripes, so that
// whoever holds one has the granularity that it has found under it. By element, who has a
// presence updates without a stripe: it enters the record, and then looks at the
// granularity. So a change to blocks is stored, and then all leaves are awaited, before
// the stripes are free: later entrants see blocks and leave. A change back to elements
// need not wait, since all updates by block are done under stripes. Its store is a
// release, which entrants acquire.
//
// A change to blocks costs some microseconds, so it is made when the updates of many
// elements have lost as much by instructions: this is their credit. Updates of few
// elements by block use it up, and then the granularity is the element's again.
#include "window/window.h"

#include <sched.h>

enum {
    PAUSES_MAX = 8,          // between two looks at a stripe
    TRIES_BEFORE_YIELD = 12, // a holder needs some microseconds if it runs
    TRIES_BEFORE_DOUBT = 1 << 11,
};

// ---- stripes ------------------------------------------------------------------
// A holder that has died leaves its elements as they are; the process that finds it dead
// takes the stripe. The holder may have been about to await the leaves after a change to
// blocks.
static bool stripe_inherit(struct lock_record *record, _Atomic(uint32_t) *stripe,
                           uint32_t holder, uint32_t own)
{
    if (shm_is_alive(process.shm, (int)holder - 1) ||
        !atomic_compare_exchange_strong(stripe, &holder, own))
        return false;
    if (granularity_of(record) == BY_BLOCK)
        shm_await_leaves(process.shm, record);
    return true;
}

// Looks ever less often: each look takes the holder's cache line, which it needs to leave.
static void stripe_take(struct lock_record *record, _Atomic(uint32_t) *stripe)
{
    uint32_t own = (uint32_t)process.shm->node_rank + 1, holder;
    int pauses = 4;
    for (unsigned tries = 1; !stripe_try(stripe); tries++) {
        for (int i = 0; i < pauses; i++)
            cpu_relax();
        if (pauses < PAUSES_MAX)
            pauses *= 2;
        holder = atomic_load_explicit(stripe, memory_order_relaxed);
        if (tries % TRIES_BEFORE_DOUBT == 0 && holder != 0 &&
            stripe_inherit(record, stripe, holder, own))
            return;
        if (tries % TRIES_BEFORE_YIELD == 0)
            sched_yield();
    }
}

struct stripe stripe_await(struct lock_record *record, uint64_t offset)
{
    for (;;) {
        enum granularity granularity = granularity_of(record);
        _Atomic(uint32_t) *word = stripe_of(record, granularity, offset);
        stripe_take(record, word);
        if (likely(granularity_of(record) == granularity))
            return (struct stripe){word, granularity};
        stripe_unlock(word);
    }
}

static void stripes_take_all(struct lock_record *record)
{
    for (int i = 0; i < LOCK_STRIPES; i++)
        stripe_take(record, &record->stripes[i]);
}

static void stripes_unlock_all(struct lock_record *record)
{
    for (int i = 0; i < LOCK_STRIPES; i++)
        stripe_unlock(&record->stripes[i]);
}

// ---- changes --------------------------------------------------------------------
static __attribute__((noinline)) void change_to(struct lock_record *record,
                                                enum granularity granularity)
{
    if (granularity == BY_BLOCK && !shm_can_await_leaves(process.shm))
        return;
    stripes_take_all(record);
    if (granularity_of(record) != granularity) {
        atomic_store_explicit(&record->granularity, granularity, memory_order_release);
        count_shared(COUNTER_GRANULARITY_CHANGES, 1);
        if (granularity == BY_BLOCK)
            shm_await_leaves(process.shm, record);
    }
    stripes_unlock_all(record);
}

void granularity_begin(struct lock_record *record, uint64_t bytes)
{
    record->keeps_granularity = bytes > 0;
    record->credit = bytes > CACHE_LINE ? CREDIT_MAX : 0;
    record->granularity = bytes > 0 && bytes <= CACHE_LINE ? BY_ELEMENT : BY_BLOCK;
}

// The credit is a guess: updates that meet may count once.
void granularity_count_many(struct lock_record *record, MPI_Count elements)
{
    int32_t credit = atomic_load_explicit(&record->credit, memory_order_relaxed);
    int32_t room = CREDIT_MAX - credit;
    if (record->keeps_granularity)
        return;
    if (room > 0)
        atomic_store_explicit(&record->credit,
                              elements < room ? credit + (int32_t)elements : CREDIT_MAX,
                              memory_order_relaxed);
    if (elements >= room && granularity_of(record) == BY_ELEMENT)
        change_to(record, BY_BLOCK);
}

void granularity_count_few(struct lock_record *record)
{
    int32_t credit = atomic_load_explicit(&record->credit, memory_order_relaxed);
    if (record->keeps_granularity || granularity_of(record) == BY_ELEMENT)
        return;
    if (credit > 0)
        atomic_store_explicit(&record->credit, credit - 1, memory_order_relaxed);
    else
        change_to(record, BY_ELEMENT);
}
