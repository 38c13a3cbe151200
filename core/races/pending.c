// SPDX-License-Identifier: BSD-3-Clause
// Own accesses: kept until they are complete, then sent to the processes whose memory it
// is, by messages that come before anything by which those could learn of it.
#include "races/state.h"

#include <stdlib.h>
#include <string.h>

enum {
    PENDING_MAX = 1 << 19, // accesses: what is more is not watched
    RECORDS_PER_MESSAGE =
        (MESSAGE_MAX - sizeof(struct accesses_head)) / sizeof(struct access_record),
};

// ---- keeping ----------------------------------------------------------------------------
// Makes room for one more in an array of `bytes` each.
static bool array_grow(void **array, size_t count, size_t *room, size_t bytes)
{
    if (count < *room)
        return true;
    size_t grown = *room > 0 ? 2 * *room : 16;
    void *memory = realloc(*array, grown * bytes);
    if (memory == NULL)
        return false;
    *array = memory;
    *room = grown;
    return true;
}

// Opens a section unless the last one has the stamp of this moment.
static bool stamped_open(struct pending *pending)
{
    size_t count = pending->stamped_count;
    const struct races *races = process.races;
    if (count > 0 && races->now != NULL &&
        pending->stamped[count - 1].stamp == races->now)
        return true;
    if (!array_grow((void **)&pending->stamped, count, &pending->stamped_room,
                    sizeof *pending->stamped))
        return false;
    struct stamp *stamp = stamp_now();
    pending->stamped[count] = (struct stamped){stamp, pending->count};
    pending->stamped_count += stamp != NULL;
    return stamp != NULL;
}

// Takes it as a part of the last one of the section, if it goes on with that.
static bool record_extend(const struct pending *pending,
                          const struct access_record *record)
{
    size_t first = pending->stamped[pending->stamped_count - 1].first;
    if (pending->count == first)
        return false;
    struct access_record *last = &pending->records[pending->count - 1];
    return memcmp(&last->facts, &record->facts, sizeof last->facts) == 0 &&
           range_is_contiguous(&record->range) &&
           range_extend(&last->range, record->range.begin, record->range.block);
}

// Into the last section.
static void record_keep(struct pending *pending, const struct access_record *record)
{
    struct races *races = process.races;
    if (races->pending_count == PENDING_MAX ||
        !array_grow((void **)&pending->records, pending->count, &pending->room,
                    sizeof *pending->records))
        return;
    pending->records[pending->count++] = *record;
    races->pending_count++;
    _Atomic(size_t) *of_target = &races->sources[pending->job_rank].pending;
    size_t before = atomic_load_explicit(of_target, memory_order_relaxed);
    atomic_store_explicit(of_target, before + 1, memory_order_relaxed);
}

static void pending_record(struct pending *pending, const struct access_record *record)
{
    if (stamped_open(pending) && !record_extend(pending, record))
        record_keep(pending, record);
}

// The accesses are sent, or dropped.
static void pending_forget(struct pending *pending)
{
    struct races *races = process.races;
    races->pending_count -= pending->count;
    races->sources[pending->job_rank].pending -= pending->count;
    pending->count = 0;
}

static struct access_facts facts_of(const struct watched_access *access,
                                    struct call_place place, uint16_t fence)
{
    const struct basic *basic = access->type->basic;
    return (struct access_facts){
        .site = site_at(place),
        .element = (uint32_t)(basic != NULL ? basic->bytes : 1),
        .kind = (uint8_t)access->kind,
        .epoch = (uint8_t)access->epoch,
        .fence = fence,
        .type = (uint16_t)(basic != NULL ? 1 + basic->number : 0),
        .op = (uint16_t)(access->op != NULL ? access->op->code : 0),
    };
}

static void records_add(struct pending *pending, const struct watched_access *access,
                        struct call_place place)
{
    struct access_record record = {.facts = facts_of(access, place, pending->fence)};
    pending->place = place.address;
    struct blocks blocks = blocks_of(access->type, access->count);
    while (blocks_next_range(&blocks, access->offset, &record.range))
        pending_record(pending, &record);
}

// That of a target is at the front from now on.
static struct pending *pending_of(struct watched_window *window,
                                  const struct watched_access *access)
{
    struct pending **at = &window->pendings, *pending = *at;
    if (pending != NULL && pending->target == access->target)
        return pending;
    while ((pending = *at) != NULL && pending->target != access->target)
        at = &pending->next;
    if (pending == NULL) {
        pending = calloc(1, sizeof *pending);
        if (pending == NULL)
            return NULL;
        pending->target = access->target;
        pending->job_rank = comm_job_rank(window->plan.comm, access->target);
        pending->handle = access->handle;
        pending->clocks = access->clocks;
    } else {
        *at = pending->next;
    }
    pending->next = window->pendings;
    window->pendings = pending;
    return pending;
}

// ---- sending ----------------------------------------------------------------------------
static void stamped_send(const struct pending *pending, const struct stamp *stamp,
                         const struct access_record *records, size_t count)
{
    clock_send_parts(
        pending->job_rank, MESSAGE_STAMP,
        (struct part_head){.context = stamp->completed, .is_settled = true},
        stamp->clock);
    for (size_t done = 0, part; done < count; done += part) {
        part = count - done < RECORDS_PER_MESSAGE ? count - done : RECORDS_PER_MESSAGE;
        struct accesses_head head = {pending->handle, (uint32_t)part};
        message_send(pending->job_rank, MESSAGE_ACCESSES, &head, sizeof head,
                     records + done, part * sizeof *records);
    }
}

static void stamped_complete(struct watched_window *window,
                             const struct pending *pending,
                             const struct stamped *stamped, size_t end, uint64_t count)
{
    const struct races *races = process.races;
    struct stamp *stamp = stamp_make(races->rank, stamped->stamp->clock);
    if (stamp == NULL)
        return;
    stamp->completed = count;
    const struct access_record *records = pending->records + stamped->first;
    size_t number = end - stamped->first;
    if (pending->job_rank != races->rank)
        stamped_send(pending, stamp, records, number);
    for (size_t i = 0; pending->job_rank == races->rank && i < number; i++)
        history_add(window, stamp, &records[i]);
    stamp_release(stamp);
}

static void pending_complete(struct watched_window *window, struct pending *pending,
                             uint64_t count)
{
    size_t records = pending->count;
    pending_forget(pending);
    if (pending->job_rank != process.races->rank)
        sites_tell(pending->job_rank);
    for (size_t i = 0; i < pending->stamped_count; i++) {
        struct stamped *stamped = &pending->stamped[i];
        bool is_last = i + 1 == pending->stamped_count;
        stamped_complete(window, pending, stamped, is_last ? records : stamped[1].first,
                         count);
        stamp_release(stamped->stamp);
    }
    pending->stamped_count = 0;
    flushes_tell(window, pending);
}

static void pending_clear(struct pending *pending)
{
    pending_forget(pending);
    for (size_t i = 0; i < pending->stamped_count; i++)
        stamp_release(pending->stamped[i].stamp);
    free(pending->stamped);
    free(pending->records);
}

void pendings_free(struct watched_window *window)
{
    while (window->pendings != NULL) {
        struct pending *pending = window->pendings;
        window->pendings = pending->next;
        pending_clear(pending);
        free(pending);
    }
}

// ---- fetched by accumulates --------------------------------------------------------------
struct asked {
    int job_rank;
    uint64_t context;
};

// ---- calls ------------------------------------------------------------------------------
static void access_complete(struct watched_window *window, const struct pending *target,
                            const struct watched_access *access,
                            struct call_place place)
{
    struct pending pending = {
        .target = target->target,
        .job_rank = target->job_rank,
        .handle = target->handle,
        .clocks = target->clocks,
        .fence = target->fence,
    };
    records_add(&pending, access, place);
    if (pending.count > 0)
        pending_complete(window, &pending, clock_tick());
    pending_clear(&pending);
}

// What has been fetched at a local peer may have been looked at before it is flushed, if
// that had a request.
static void fetches_learn(const struct watched_window *window)
{
    if (likely(!window->has_fetched))
        return;
    for (struct pending *pending = window->pendings; pending != NULL;
         pending = pending->next)
        if (pending->has_fetched && pending->clocks.updates != NULL)
            updates_learn(window, pending);
}

static void access_take(struct watched_window *window, struct pending *pending,
                        const struct watched_access *access, struct call_place place)
{
    if (access->kind == WATCHED_ACCUMULATE)
        updates_tell(window, pending);
    pending->fence = window->fences;
    if (access->is_complete)
        access_complete(window, pending, access, place);
    else
        records_add(pending, access, place);
    pending->has_fetched |= access->fetches;
    window->has_fetched |= access->fetches;
}

static bool has_answered(void *argument)
{
    const struct asked *asked = argument;
    return clock_has_come(asked->job_rank, asked->context, ORDER_ANSWER);
}

// Lets targets take in what they have been sent, which else would gather here.
static void records_await(const struct watched_window *window, int target)
{
    const struct communicator *comm = window->plan.comm;
    for (int rank = 0; rank < comm->peers->size; rank++)
        if (target == MPI_ANY_SOURCE || target == rank)
            message_wait_for_backlog(comm_job_rank(comm, rank));
}

// Waits for what targets on other nodes say of what this process has fetched there.
static void answers_await(struct watched_window *window, int target)
{
    if (!window->has_fetched)
        return;
    window->has_fetched = target != MPI_ANY_SOURCE;
    for (struct pending *pending = window->pendings; pending != NULL;
         pending = pending->next) {
        if (!pending->has_fetched ||
            (target != MPI_ANY_SOURCE && target != pending->target))
            continue;
        struct asked asked = {pending->job_rank, window->plan.comm->context};
        message_lock();
        updates_learn(window, pending);
        pending->has_fetched = false;
        message_unlock();
        if (pending->clocks.updates != NULL)
            continue;
        clock_await(has_answered, &asked);
        message_lock();
        races_learn_clock(asked.job_rank, asked.context, ORDER_ANSWER);
        message_unlock();
    }
}

static void types_compare(const struct watched_window *window,
                          const struct watched_access *access)
{
    char words[2][WORDS_BYTES], object[WORDS_BYTES], procedure[SOURCE_TEXT_BYTES];
    if (likely(access->given == access->type))
        return;
    uint32_t given = signature_of(access->given), taken = signature_of(access->type);
    if (!signatures_differ(given, taken))
        return;
    window_words(window, object);
    struct call_site site = {.rank = process.races->rank,
                             .call = entry_text(calling_entry(), procedure),
                             .object = object};
    signature_words(given, words[0]);
    signature_words(taken, words[1]);
    finding_tell(RULE_TYPE_MISMATCH, &site, 1,
                 "the data are %s at the origin and %s at the target", words[0],
                 words[1]);
}

void races_access(struct watched_window *window, const struct watched_access *access,
                  const struct buffer_use uses[], int use_count)
{
    if (window == NULL)
        return;
    types_compare(window, access);
    message_lock();
    struct call_place place = call_place();
    clock_is_told();
    fetches_learn(window);
    struct pending *pending = pending_of(window, access);
    if (pending != NULL)
        access_take(window, pending, access, place);
    buffers_use(uses, use_count, place);
    message_unlock();
}

// The last access, if that of the block has the same facts and stamp.
static struct access_record *record_again(const struct watched_window *window,
                                          const struct watched_block *block)
{
    const struct races *races = process.races;
    const struct pending *pending = window->pendings;
    const struct basic *basic = block->type->basic;
    if (pending == NULL || pending->count == 0 || pending->target != block->target ||
        pending->place != block->place || window->has_fetched ||
        atomic_load_explicit(&races->loads.are_untold, memory_order_relaxed) ||
        pending->stamped[pending->stamped_count - 1].stamp !=
            atomic_load_explicit(&races->now, memory_order_relaxed))
        return NULL;
    struct access_record *last = &pending->records[pending->count - 1];
    bool is_same = last->facts.kind == block->kind &&
                   last->facts.type == (basic != NULL ? 1 + basic->number : 0);
    return is_same ? last : NULL;
}

bool races_access_again(struct watched_window *window,
                        const struct watched_block *block)
{
    struct access_record *last = window != NULL ? record_again(window, block) : NULL;
    if (last == NULL || !buffer_use_again(window, block))
        return false;
    if (!range_extend(&last->range, block->offset, block->bytes))
        record_keep(window->pendings,
                    &(struct access_record){range_of_bytes(block->offset, block->bytes),
                                            last->facts});
    return true;
}

void races_complete(struct watched_window *window, int target)
{
    uint64_t count = 0;
    if (window == NULL)
        return;
    races_return_buffers(window, target);
    message_lock();
    if (target == MPI_ANY_SOURCE || target == window->plan.comm->rank)
        stores_forget(window);
    for (struct pending *pending = window->pendings; pending != NULL;
         pending = pending->next) {
        if (pending->count == 0 ||
            (target != MPI_ANY_SOURCE && target != pending->target))
            continue;
        if (count == 0)
            count = clock_tick();
        pending_complete(window, pending, count);
    }
    message_unlock();
    if (message_waiting() & MESSAGES_CLOGGED)
        records_await(window, target);
    answers_await(window, target);
}
