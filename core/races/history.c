// SPDX-License-Identifier: BSD-3-Clause
// The accesses to memory of this process that others may still conflict with. Each that
// comes is compared with those that have a byte of it, in whatever order they come.
#include "races/state.h"

#include <stdlib.h>

enum {
    HISTORY_FIRST = 4096, // accesses, before the first look for those that are over
    COVERED_MAX = 32,
};

// ---- what is over ---------------------------------------------------------------------
// No member of the window will ever do anything that does not come after the access.
static bool is_over(const struct access *access)
{
    const struct races *races = process.races;
    const struct group *members = access->window->plan.comm->peers;
    for (int i = 0; i < members->size; i++) {
        int job_rank = group_job_rank(members, i);
        const struct source *source = &races->sources[job_rank];
        bool is_own = job_rank == races->rank;
        const uint64_t *floor = !is_own                ? source->floor
                                : source->pending == 0 ? races->clock
                                                       : NULL;
        if (floor == NULL || !clock_covers(floor, access->stamp))
            return false;
    }
    return true;
}

static void access_free(struct access *access)
{
    stamp_release(access->stamp);
    free(access);
}

static bool access_keep_open(struct interval *interval, void *unused)
{
    struct access *access = (struct access *)interval;
    (void)unused;
    bool is_open = !is_over(access);
    if (!is_open)
        access_free(access);
    return is_open;
}

static bool access_keep_others(struct interval *interval, void *window)
{
    struct access *access = (struct access *)interval;
    bool is_other = window != NULL && access->window != window;
    if (!is_other)
        access_free(access);
    return is_other;
}

void history_forget(const struct watched_window *window)
{
    interval_map_filter(&process.races->history, access_keep_others, (void *)window);
}

// Twice the memory of the windows and 64 MiB: then all is forgotten, since a conflict that
// is not reported is better than a program that has no memory.
static size_t history_most(const struct races *races)
{
    uint64_t bytes = (uint64_t)64 << 20;
    for (struct watched_window *window = races->windows; window != NULL;
         window = window->next)
        bytes += 2 * window->plan.bytes;
    return bytes / (sizeof(struct access) + 16);
}

static void history_shorten(struct races *races)
{
    interval_map_filter(&races->history, access_keep_open, NULL);
    if (races->history.count > history_most(races))
        history_forget(NULL);
    size_t limit = 2 * races->history.count;
    races->history_limit = limit > HISTORY_FIRST ? limit : HISTORY_FIRST;
}

// ---- comparing ------------------------------------------------------------------------
struct comparison {
    const struct access *added;
    struct access *covered[COVERED_MAX]; // that nobody needs when `added` is there
    int covered_count;
};

// What conflicts with the old one and is not after the new one conflicts with that, too.
static bool access_replaces(const struct access *added, const struct access *old)
{
    const struct access_record *one = &added->record, *other = &old->record;
    if (added->interval.begin > old->interval.begin ||
        added->interval.end < old->interval.end || added->window != old->window)
        return false;
    return one->kind == WATCHED_PUT || one->kind == WATCHED_STORE ||
           (added->stamp->origin == old->stamp->origin && one->kind == other->kind &&
            one->type == other->type && one->op == other->op);
}

static void access_compare(struct interval *interval, void *argument)
{
    struct access *old = (struct access *)interval;
    struct comparison *comparison = argument;
    const struct access *added = comparison->added;
    bool is_before = clock_covers(added->stamp->clock, old->stamp);
    bool is_together = added->stamp == old->stamp;
    if ((is_before || is_together) && access_replaces(added, old) &&
        comparison->covered_count < COVERED_MAX)
        comparison->covered[comparison->covered_count++] = old;
    if (!is_before && !clock_covers(old->stamp->clock, added->stamp) &&
        accesses_conflict(old, added))
        conflict_tell(old, added);
}

void history_add(struct watched_window *window, struct stamp *stamp,
                 const struct access_record *record)
{
    struct races *races = process.races;
    struct access *access = malloc(sizeof *access);
    if (access == NULL)
        return;
    uint64_t base = window->plan.is_dynamic ? 0 : (uintptr_t)window->plan.base;
    *access = (struct access){
        .interval = {.begin = base + record->begin, .end = base + record->end},
        .stamp = stamp,
        .window = window,
        .record = *record};
    stamp->references++;
    struct comparison comparison = {.added = access};
    interval_map_visit(&races->history, access->interval.begin, access->interval.end,
                       access_compare, &comparison);
    for (int i = 0; i < comparison.covered_count; i++) {
        interval_map_remove(&races->history, &comparison.covered[i]->interval);
        access_free(comparison.covered[i]);
    }
    interval_map_add(&races->history, &access->interval);
    if (races->history.count > races->history_limit)
        history_shorten(races);
}

// ---- what others send -----------------------------------------------------------------
static struct watched_window *window_find(uint32_t handle)
{
    struct watched_window *window = process.races->windows;
    while (window != NULL && window->plan.handle != handle)
        window = window->next;
    return window;
}

static bool is_record(const struct access_record *record)
{
    return record->begin < record->end && record->kind <= WATCHED_STORE;
}

static void handle_accesses(int rank, const void *message, size_t size)
{
    const struct accesses_head *head = message;
    const struct access_record *records = (const void *)(head + 1);
    struct stamp *stamp = process.races->sources[rank].stamp;
    struct watched_window *window =
        size < sizeof *head ? NULL : window_find(head->handle);
    if (window == NULL || stamp == NULL ||
        head->count != (size - sizeof *head) / sizeof *records)
        return;
    for (uint32_t i = 0; i < head->count; i++)
        if (is_record(&records[i]))
            history_add(window, stamp, &records[i]);
}

static const struct message_kind kinds[] = {
    {MESSAGE_ACCESSES, handle_accesses, false},
};

void history_start(void)
{
    process.races->history_limit = HISTORY_FIRST;
    message_register(kinds, sizeof kinds / sizeof *kinds);
}

void history_stop(void)
{
    message_unregister(kinds, sizeof kinds / sizeof *kinds);
    history_forget(NULL);
}
