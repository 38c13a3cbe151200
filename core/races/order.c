// SPDX-License-Identifier: BSD-3-Clause
// What orders the processes: meetings in collective calls, and locks.
#include "races/state.h"

#include <stdlib.h>

// ---- meetings -------------------------------------------------------------------------
// The members are kept, since the call may free the communicator.
struct meeting {
    struct group *members;
    uint64_t context;
    int64_t number;
    const struct watched_window *window; // of a fence, or NULL
    int assert;                          // what it asserts
    uint32_t site;
    int left;        // members whose clocks have not come
    bool has_come[]; // [members]
};

static struct meeting_count *count_find(struct meeting_counts *counts, uint64_t context)
{
    size_t at = (size_t)(context * 0x9e3779b97f4a7c15u >> 32);
    for (;; at++) {
        struct meeting_count *count = &counts->table[at & (counts->room - 1)];
        if (count->count == 0 || count->context == context)
            return count;
    }
}

static bool counts_grow(struct meeting_counts *counts)
{
    struct meeting_counts grown = {.room = counts->room > 0 ? 2 * counts->room : 64};
    grown.table = calloc(grown.room, sizeof *grown.table);
    if (grown.table == NULL)
        return false;
    for (size_t i = 0; i < counts->room; i++)
        if (counts->table[i].count > 0)
            *count_find(&grown, counts->table[i].context) = counts->table[i];
    grown.used = counts->used;
    free(counts->table);
    *counts = grown;
    return true;
}

// The number of the next meeting in a context, which is the same for all members; 0
// without memory.
static int64_t meeting_number(uint64_t context)
{
    struct meeting_counts *counts = &process.races->meeting_counts;
    if (2 * counts->used >= counts->room && !counts_grow(counts))
        return 0;
    struct meeting_count *count = count_find(counts, context);
    counts->used += count->count == 0;
    count->context = context;
    return ++count->count;
}

static struct meeting *meeting_make(const struct communicator *comm, int64_t number)
{
    size_t members = (size_t)comm->peers->size;
    struct meeting *meeting = calloc(1, sizeof *meeting + members * sizeof(bool));
    if (meeting == NULL)
        return NULL;
    object_retain(comm->peers);
    meeting->members = comm->peers;
    meeting->context = comm->context;
    meeting->number = number;
    meeting->left = comm->peers->size;
    return meeting;
}

// Callers hold the message lock. The head says more of a fence.
static struct meeting *meeting_begin(const struct communicator *comm,
                                     struct part_head head, bool is_fence)
{
    const struct races *races = process.races;
    head.context = comm->context;
    head.number = meeting_number(comm->context);
    head.is_settled = true;
    clock_is_told();
    for (int rank = 0; rank < comm->peers->size; rank++) {
        int job_rank = comm_job_rank(comm, rank);
        if (job_rank == races->rank)
            continue;
        if (is_fence)
            sites_tell(job_rank);
        clock_send_parts(job_rank, MESSAGE_CLOCK, head, races->clock);
    }
    return meeting_make(comm, head.number);
}

struct meeting *races_meet(const struct communicator *comm)
{
    message_lock();
    struct meeting *meeting = meeting_begin(comm, (struct part_head){0}, false);
    message_unlock();
    return meeting;
}

struct meeting *races_meet_in_fence(struct watched_window *window,
                                    const struct communicator *comm, int assert)
{
    struct part_head head = {
        .signature = (uint32_t)(assert &(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED))};
    message_lock();
    if (window != NULL)
        head.site = assertions_fence(window, assert);
    message_unlock();
    races_complete(window, MPI_ANY_SOURCE);
    message_lock();
    struct meeting *meeting = meeting_begin(comm, head, window != NULL);
    message_unlock();
    if (meeting == NULL)
        return NULL;
    meeting->window = window;
    meeting->assert = assert;
    meeting->site = head.site;
    return meeting;
}

// Learns what has come; true when that is all.
static bool meeting_learn(void *argument)
{
    struct meeting *meeting = argument;
    for (int i = 0; i < meeting->members->size; i++) {
        int job_rank = group_job_rank(meeting->members, i);
        if (meeting->has_come[i] ||
            !clock_has_come(job_rank, meeting->context, meeting->number))
            continue;
        if (meeting->window != NULL && job_rank != process.races->rank)
            fences_compare(meeting->window, meeting->assert, meeting->site, job_rank,
                           clock_come(job_rank, meeting->context, meeting->number));
        races_learn_clock(job_rank, meeting->context, meeting->number);
        meeting->has_come[i] = true;
        meeting->left--;
    }
    return meeting->left == 0;
}

// An error means that a process has died, which the program learns from its next call.
void races_meeting_end(struct meeting *meeting, bool has_met)
{
    if (meeting == NULL)
        return;
    if (has_met)
        clock_await(meeting_learn, meeting);
    object_release(meeting->members);
    free(meeting);
}

// ---- locks ----------------------------------------------------------------------------
void clock_join_shared(uint64_t *clock, const _Atomic(uint64_t) *other)
{
    for (int i = 0; i < process.races->size; i++) {
        uint64_t count = atomic_load_explicit(&other[i], memory_order_relaxed);
        if (count > clock[i])
            clock[i] = count;
    }
}

// What those have done that the holder of a lock comes after: holders of a shared one are
// not ordered among each other.
static void lock_clocks_join(uint64_t *clock, struct lock_clocks clocks, int lock_type)
{
    clock_join_shared(clock, clocks.exclusive);
    if (lock_type == MPI_LOCK_EXCLUSIVE)
        clock_join_shared(clock, clocks.shared);
}

static void count_raise(_Atomic(uint64_t) *at, uint64_t count)
{
    uint64_t old = atomic_load_explicit(at, memory_order_relaxed);
    while (old < count &&
           !atomic_compare_exchange_weak_explicit(at, &old, count, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
}

// Accesses have one stamp as long as nothing new has been learnt.
void clock_learn_shared(const _Atomic(uint64_t) *other)
{
    struct races *races = process.races;
    int i = 0;
    while (i < races->size &&
           atomic_load_explicit(&other[i], memory_order_relaxed) <= races->clock[i])
        i++;
    if (i == races->size)
        return;
    clock_changes();
    clock_join_shared(races->clock, other);
}

void clock_raise_shared(_Atomic(uint64_t) *raised, const uint64_t *clock)
{
    for (int i = 0; i < process.races->size; i++)
        count_raise(&raised[i], clock[i]);
}

static void lock_clocks_raise(struct lock_clocks clocks, int lock_type,
                              const uint64_t *clock)
{
    bool is_exclusive = lock_type == MPI_LOCK_EXCLUSIVE;
    clock_raise_shared(is_exclusive ? clocks.exclusive : clocks.shared, clock);
}

void races_locked(struct lock_clocks clocks, int lock_type)
{
    message_lock();
    clock_learn_shared(clocks.exclusive);
    if (lock_type == MPI_LOCK_EXCLUSIVE)
        clock_learn_shared(clocks.shared);
    message_unlock();
}

void races_unlocked(struct lock_clocks clocks, int lock_type)
{
    message_lock();
    clock_is_told();
    lock_clocks_raise(clocks, lock_type, process.races->clock);
    message_unlock();
}

void races_locked_for(int job_rank, uint64_t context, struct lock_clocks clocks,
                      int lock_type)
{
    uint64_t *clock = calloc((size_t)process.races->size, sizeof *clock);
    if (clock == NULL)
        return;
    lock_clocks_join(clock, clocks, lock_type);
    clock_send_parts(job_rank, MESSAGE_CLOCK,
                     (struct part_head){.context = context, .number = ORDER_GRANT},
                     clock);
    free(clock);
}

void races_unlocked_for(int job_rank, uint64_t context, struct lock_clocks clocks,
                        int lock_type)
{
    uint64_t *clock = calloc((size_t)process.races->size, sizeof *clock);
    if (clock == NULL)
        return;
    clock_take(job_rank, context, ORDER_RELEASE, clock);
    lock_clocks_raise(clocks, lock_type, clock);
    free(clock);
}

void order_stop(struct races *races)
{
    free(races->meeting_counts.table);
}
