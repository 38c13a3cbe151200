// SPDX-License-Identifier: BSD-3-Clause
// The lock record of a member in the segment: a ticket lock for readers and writers,
// locks of single elements, and the updater of elements. Members of the node work on it
// directly.
#pragma once

#include "collective/collective.h"

// Attached memory of a member of a dynamic window, under a seqlock; see attach.c.
struct attachments {
    _Atomic(uint64_t) version; // seqlock: odd while the owner changes what follows
    _Atomic(uint64_t) place;   // of the sorted array of them in the segment
    _Atomic(uint64_t) count;
    uint64_t segment; // where the segment is mapped in the owner's process
};

enum { LOCK_STRIPES = 32 };

// A ticket lock for readers and writers: an origin takes a ticket and enters when it is
// served. A writer is served until it leaves; a reader serves the next at once. All
// counters wrap.
struct lock_record {
    _Alignas(CACHE_LINE) _Atomic(uint32_t) next; // ticket for who comes
    _Atomic(uint32_t) serving;                   // ticket that may enter
    _Atomic(uint32_t) entered;                   // readers that have ever entered
    _Atomic(uint32_t) left;                      // readers that have ever left
    _Atomic(uint32_t) distant; // tickets that wait on behalf of other nodes
    _Atomic(bool) is_exposed;  // from MPI_Win_post to MPI_Win_wait
    struct attachments attachments;
    _Atomic(uint32_t) updater;  // who alone updates elements: see updater.c
    _Atomic(uint32_t) updating; // the same while it does so without atomic instructions
    // Each protects elements that no instruction updates whole: 0, or the node rank of
    // the holder plus 1.
    _Alignas(CACHE_LINE) _Atomic(uint32_t) stripes[LOCK_STRIPES];
};

// `next` and `left` are changed by atomic operations of anyone; `serving` and `entered`
// by plain stores of the process that is served.
static inline bool lock_record_is_served(const struct lock_record *record,
                                         uint32_t ticket, int type)
{
    if (atomic_load_explicit(&record->serving, memory_order_acquire) != ticket)
        return false;
    return type == MPI_LOCK_SHARED ||
           atomic_load_explicit(&record->left, memory_order_acquire) ==
               atomic_load_explicit(&record->entered, memory_order_relaxed);
}

static inline void lock_record_serve_next(struct lock_record *record)
{
    uint32_t ticket = atomic_load_explicit(&record->serving, memory_order_relaxed);
    atomic_store_explicit(&record->serving, ticket + 1, memory_order_release);
}

// A ticket that is served becomes a lock that is held.
static inline void lock_record_enter(struct lock_record *record, int type)
{
    if (type != MPI_LOCK_SHARED)
        return;
    uint32_t entered = atomic_load_explicit(&record->entered, memory_order_relaxed);
    atomic_store_explicit(&record->entered, entered + 1, memory_order_relaxed);
    lock_record_serve_next(record);
}

static inline void lock_record_leave(struct lock_record *record, int type)
{
    if (type == MPI_LOCK_SHARED)
        atomic_fetch_add_explicit(&record->left, 1, memory_order_release);
    else
        lock_record_serve_next(record);
}

// Takes the lock if it is free and may be taken: a ticket only if it is served at once.
static inline bool lock_record_try(struct lock_record *record, int type)
{
    uint32_t ticket = atomic_load_explicit(&record->next, memory_order_relaxed);
    if (atomic_load_explicit(&record->is_exposed, memory_order_relaxed) ||
        !lock_record_is_served(record, ticket, type) ||
        !atomic_compare_exchange_strong_explicit(&record->next, &ticket, ticket + 1,
                                                 memory_order_relaxed,
                                                 memory_order_relaxed))
        return false;
    lock_record_enter(record, type);
    return true;
}

// ---- updaters -----------------------------------------------------------------
// A process joins the updaters of a member's memory before it updates elements. A
// single updater needs no atomic instructions; once there are several, all use them for
// good.
uint32_t updater_program(void); // of this process; 0, many by itself, with threads
uint32_t updater_target(void);  // this process on behalf of others, one at a time
void updater_join(struct lock_record *record, uint32_t updater);

// Until updater_end, no other process updates elements of the memory; false if others
// may.
static inline bool updater_begin_alone(struct lock_record *record, uint32_t updater)
{
    if (atomic_load_explicit(&record->updater, memory_order_relaxed) != updater)
        return false;
    atomic_store(&record->updating, updater);
    if (likely(atomic_load(&record->updater) == updater))
        return true;
    atomic_store_explicit(&record->updating, 0, memory_order_release);
    return false;
}
static inline void updater_end(struct lock_record *record)
{
    atomic_store_explicit(&record->updating, 0, memory_order_release);
}
