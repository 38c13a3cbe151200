// SPDX-License-Identifier: BSD-3-Clause
// Own accesses: kept until they are complete, then sent to the processes whose memory it
// is, by messages that come before anything by which those could learn of it.
#include "races/state.h"

#include <stdlib.h>

enum {
    PENDING_MAX = 1 << 19, // accesses to a target: what is more is not watched
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

// Is it what the last one of the section goes on with?
static bool record_extends(const struct pending *pending,
                           const struct access_record *record)
{
    size_t first = pending->stamped[pending->stamped_count - 1].first;
    if (pending->count == first)
        return false;
    const struct access_record *last = &pending->records[pending->count - 1];
    return last->end == record->begin && last->site == record->site &&
           last->kind == record->kind && last->epoch == record->epoch &&
           last->type == record->type && last->op == record->op;
}

static void pending_record(struct pending *pending, const struct access_record *record)
{
    if (!stamped_open(pending))
        return;
    if (record_extends(pending, record)) {
        pending->records[pending->count - 1].end = record->end;
        return;
    }
    if (pending->count == PENDING_MAX ||
        !array_grow((void **)&pending->records, pending->count, &pending->room,
                    sizeof *pending->records))
        return;
    pending->records[pending->count++] = *record;
    process.races->sources[pending->job_rank].pending++;
}

static struct access_record record_of(const struct watched_access *access)
{
    const struct basic *basic = access->type->basic;
    return (struct access_record){
        .site = site_now(),
        .element = (uint32_t)(basic != NULL ? basic->bytes : 1),
        .kind = (uint16_t)access->kind,
        .epoch = (uint16_t)access->epoch,
        .type = (uint16_t)(basic != NULL ? 1 + basic->number : 0),
        .op = (uint16_t)(access->op != NULL ? access->op->code : 0),
    };
}

static void records_add(struct pending *pending, const struct watched_access *access)
{
    struct access_record record = record_of(access);
    struct blocks blocks = blocks_of(access->type, access->count);
    MPI_Aint at;
    size_t bytes;
    while ((bytes = blocks_next(&blocks, SIZE_MAX, &at)) > 0) {
        record.begin = access->offset + (uint64_t)at;
        record.end = record.begin + bytes;
        pending_record(pending, &record);
    }
}

// That of a target is at the front from now on.
static struct pending *pending_of(struct watched_window *window,
                                  const struct watched_access *access)
{
    struct pending **at = &window->pendings, *pending;
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
    process.races->sources[pending->job_rank].pending -= pending->count;
    if (pending->job_rank != process.races->rank)
        sites_tell(pending->job_rank);
    for (size_t i = 0; i < pending->stamped_count; i++) {
        struct stamped *stamped = &pending->stamped[i];
        bool is_last = i + 1 == pending->stamped_count;
        stamped_complete(window, pending, stamped,
                         is_last ? pending->count : stamped[1].first, count);
        stamp_release(stamped->stamp);
    }
    pending->count = pending->stamped_count = 0;
    flushes_tell(window, pending);
}

static void pending_clear(struct pending *pending)
{
    process.races->sources[pending->job_rank].pending -= pending->count;
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
                            const struct watched_access *access)
{
    struct pending pending = {
        .target = target->target,
        .job_rank = target->job_rank,
        .handle = target->handle,
        .clocks = target->clocks,
    };
    records_add(&pending, access);
    if (pending.count > 0)
        pending_complete(window, &pending, clock_tick());
    pending_clear(&pending);
}

// What has been fetched at a local peer may have been looked at before it is flushed, if
// that had a request.
static void fetches_learn(const struct watched_window *window)
{
    for (struct pending *pending = window->pendings; pending != NULL;
         pending = pending->next)
        if (pending->has_fetched && pending->clocks.updates != NULL)
            updates_learn(window, pending);
}

static void access_take(struct watched_window *window, struct pending *pending,
                        const struct watched_access *access)
{
    if (access->kind == WATCHED_ACCUMULATE)
        updates_tell(window, pending);
    if (access->is_complete)
        access_complete(window, pending, access);
    else
        records_add(pending, access);
    pending->has_fetched |= access->fetches;
}

static bool has_answered(void *argument)
{
    const struct asked *asked = argument;
    return clock_has_come(asked->job_rank, asked->context, ORDER_ANSWER);
}

// Waits for what targets on other nodes say of what this process has fetched there.
static void answers_await(const struct watched_window *window, int target)
{
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

void races_access(struct watched_window *window, const struct watched_access *access)
{
    if (window == NULL)
        return;
    types_compare(window, access);
    message_lock();
    clock_is_told();
    fetches_learn(window);
    struct pending *pending = pending_of(window, access);
    if (pending != NULL)
        access_take(window, pending, access);
    message_unlock();
}

void races_complete(struct watched_window *window, int target)
{
    uint64_t count = 0;
    if (window == NULL)
        return;
    races_return_buffers(window, target);
    message_lock();
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
    answers_await(window, target);
}
