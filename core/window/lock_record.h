// SPDX-License-Identifier: BSD-3-Clause
// The lock record of a member in the segment: a ticket lock for readers and writers, and
// what keeps updates of elements apart. Members of the node work on it directly.
#pragma once

#include "collective/collective.h"

// Attached memory of a member of a dynamic window, under a seqlock; see attachments.c.
struct attachments {
    _Atomic(uint64_t) version; // seqlock: odd while the owner changes what follows
    _Atomic(uint64_t) place;   // of the sorted array of them in the segment
    _Atomic(uint64_t) count;
    uint64_t segment; // where the segment is mapped in the owner's process
};

// How updates of elements are kept apart: see granularity.c. A new window is updated by
// block.
enum granularity { BY_BLOCK, BY_ELEMENT = ADMITTING };

enum {
    LOCK_STRIPES = 32,
    BLOCK_BYTES = 1 << 15,
    CREDIT_MAX = 8192, // elements, as many as a change to blocks costs
};

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
    _Atomic(int32_t) credit;   // elements that updates of many have in favour of blocks
    // Often read and seldom written, on a line of their own.
    _Alignas(CACHE_LINE) _Atomic(uint32_t) granularity; // enum granularity
    bool keeps_granularity;                             // a hint has chosen it
    struct attachments attachments;
    // Each protects the elements of some blocks, or single elements that no instruction
    // updates whole: 0, or the node rank of the holder plus 1.
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

// ---- updates of elements --------------------------------------------------------
// By element, elements that instructions update whole are updated by them, within the
// record; all others under a stripe.
static inline struct presence *update_enter(const struct lock_record *record)
{
    return presence_enter(record, &record->granularity);
}

static inline enum granularity granularity_of(const struct lock_record *record)
{
    return atomic_load_explicit(&record->granularity, memory_order_acquire);
}

// A stripe that is held, with the granularity that holds as long.
struct stripe {
    _Atomic(uint32_t) *word;
    enum granularity granularity;
};

static inline _Atomic(uint32_t) *
stripe_of(struct lock_record *record, enum granularity granularity, uint64_t offset)
{
    uint64_t grain =
        granularity == BY_BLOCK ? offset / BLOCK_BYTES : offset / CACHE_LINE;
    return &record->stripes[grain % LOCK_STRIPES];
}

static inline bool stripe_try(_Atomic(uint32_t) *word)
{
    return atomic_compare_exchange_strong_explicit(
        word, &(uint32_t){0}, (uint32_t)process.shm->node_rank + 1,
        memory_order_acquire, memory_order_relaxed);
}

static inline void stripe_unlock(_Atomic(uint32_t) *word)
{
    atomic_store_explicit(word, 0, memory_order_release);
}

// Locks the stripe of an element that another thread holds, or that it may hold.
struct stripe stripe_await(struct lock_record *record, uint64_t offset);

// Locks the stripe of an element.
static inline struct stripe stripe_lock(struct lock_record *record, uint64_t offset)
{
    enum granularity granularity = granularity_of(record);
    _Atomic(uint32_t) *word = stripe_of(record, granularity, offset);
    if (unlikely(!stripe_try(word)))
        return stripe_await(record, offset);
    if (likely(granularity_of(record) == granularity))
        return (struct stripe){word, granularity};
    stripe_unlock(word);
    return stripe_await(record, offset);
}

// How updates of a new window's memory are kept apart: 0, by what comes; else by pieces
// of so many bytes for good.
void granularity_begin(struct lock_record *record, uint64_t bytes);

// Counts an update of many elements, or of few, and changes the granularity if that pays.
void granularity_count_many(struct lock_record *record, MPI_Count elements);
void granularity_count_few(struct lock_record *record);

// Before an update of many elements.
static inline void granularity_favour_blocks(struct lock_record *record,
                                             MPI_Count elements)
{
    if (unlikely(granularity_of(record) != BY_BLOCK) ||
        unlikely(atomic_load_explicit(&record->credit, memory_order_relaxed) !=
                 CREDIT_MAX))
        granularity_count_many(record, elements);
}

// Before an update of few.
static inline void granularity_favour_elements(struct lock_record *record)
{
    if (granularity_of(record) == BY_BLOCK)
        granularity_count_few(record);
}
