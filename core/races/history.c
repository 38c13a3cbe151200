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
    uint64_t bytes = (uint64_t)60 << 20; // the rest is for stamps and messages
    for (struct watched_window *window = races->windows; window != NULL;
         window = window->next)
        bytes += 2 * window->plan.bytes;
    return bytes / (sizeof(struct access) + 16);
}

static void history_shorten(struct races *races)
{
    interval_map_filter(&races->history, access_keep_open, NULL);
    size_t most = history_most(races);
    if (races->history.count > most - most / 4) // it would soon be looked through again
        history_forget(NULL);
    size_t limit = 2 * races->history.count;
    races->history_limit = limit < HISTORY_FIRST ? HISTORY_FIRST
                           : limit < most        ? limit
                                                 : most;
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
    const struct access_facts *one = &added->facts, *other = &old->facts;
    if (added->window != old->window ||
        !range_covers(&added->interval.range, &old->interval.range))
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

uint64_t window_base(const struct watched_window *window)
{
    return window->plan.is_dynamic ? 0 : (uintptr_t)window->plan.base;
}

// Takes out what is covered; the place of one that has the same bytes is left, or NULL.
static struct access *covered_remove(const struct comparison *comparison)
{
    const struct range *range = &comparison->added->interval.range;
    struct access *left = NULL;
    for (int i = 0; i < comparison->covered_count; i++) {
        struct access *old = comparison->covered[i];
        if (left == NULL && range_covers(&old->interval.range, range)) {
            left = old;
            continue;
        }
        interval_map_remove(&process.races->history, &old->interval);
        access_free(old);
    }
    return left;
}

static void access_keep(const struct access *added)
{
    struct races *races = process.races;
    struct access *access = malloc(sizeof *access);
    if (access == NULL)
        return;
    *access = *added;
    access->stamp->references++;
    interval_map_add(&races->history, &access->interval);
    if (races->history.count > races->history_limit)
        history_shorten(races);
}

static void access_exchange(struct access *old, const struct access *added)
{
    added->stamp->references++;
    stamp_release(old->stamp);
    old->stamp = added->stamp;
    old->facts = added->facts;
}

void history_add(struct watched_window *window, struct stamp *stamp,
                 const struct access_record *record)
{
    uint64_t base = window_base(window);
    struct access added = {.interval.range = record->range,
                           .stamp = stamp,
                           .window = window,
                           .facts = record->facts};
    added.interval.range.begin += base;
    added.interval.range.end += base;
    struct comparison comparison = {.added = &added};
    promise_compare(&added);
    interval_map_visit(&process.races->history, &added.interval.range, access_compare,
                       &comparison);
    struct access *old = covered_remove(&comparison);
    if (old != NULL)
        access_exchange(old, &added);
    else
        access_keep(&added);
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
    return range_is_valid(&record->range) && record->facts.kind <= WATCHED_STORE;
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
