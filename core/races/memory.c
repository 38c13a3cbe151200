// SPDX-License-Identifier: BSD-3-Clause
// Memory of this process in watched windows: by it loads and stores find their window, and
// memory that the program gives back too early is found.
#include "races/load_watch.h"
#include "races/state.h"

#include <stdlib.h>

// What a member exposes in a window; of a dynamic one, what it has attached.
struct watched_memory {
    struct interval interval;
    struct watched_window *window;
    uint32_t site;    // of the call by which it belongs to the window
    bool is_programs; // the program's, which the window has not allocated
};

// ---- what is there ------------------------------------------------------------------
void memory_expose(struct watched_window *window, const void *base, uint64_t bytes)
{
    struct watched_memory *memory = bytes > 0 ? malloc(sizeof *memory) : NULL;
    if (memory == NULL)
        return;
    *memory = (struct watched_memory){
        .interval.range = range_of_bytes((uintptr_t)base, bytes),
        .window = window,
        .site = site_now(),
        .is_programs = window->plan.is_programs,
    };
    interval_map_add(&process.races->memories, &memory->interval);
    loads_see_memories();
}

struct hidden {
    const struct watched_window *window; // NULL: of all
    const void *base;                    // NULL: all of its memory
};

static bool memory_keep(struct interval *interval, void *argument)
{
    const struct watched_memory *memory = (const struct watched_memory *)interval;
    const struct hidden *hidden = argument;
    bool is_hidden =
        (hidden->window == NULL || memory->window == hidden->window) &&
        (hidden->base == NULL || interval->range.begin == (uintptr_t)hidden->base);
    if (is_hidden)
        free(interval);
    return !is_hidden;
}

void memory_hide(const struct watched_window *window, const void *base)
{
    loads_keep();
    interval_map_filter(&process.races->memories, memory_keep,
                        &(struct hidden){window, base});
    loads_see_memories();
}

static void memory_note(struct interval *interval, void *found)
{
    *(struct watched_memory **)found = (struct watched_memory *)interval;
}

struct watched_window *window_at(uintptr_t address)
{
    struct watched_memory *found = NULL;
    struct range byte = range_of_bytes(address, 1);
    interval_map_visit(&process.races->memories, &byte, memory_note, &found);
    return found != NULL ? found->window : NULL;
}

// ---- what the library that sees loads is told -------------------------------------------
struct seen_memories {
    struct load_watch *watch;
    uintptr_t begin, end;
    int brought;
};

static void memory_see(struct interval *interval, void *argument)
{
    const struct watched_memory *memory = (const struct watched_memory *)interval;
    struct seen_memories *seen = argument;
    uintptr_t begin = interval->range.begin, end = interval->range.end;
    if (begin < seen->begin)
        seen->begin = begin;
    if (end > seen->end)
        seen->end = end;
    if (!memory->is_programs || seen->brought == LOAD_WATCH_BROUGHT)
        return;
    struct brought_memory *brought = &seen->watch->brought[seen->brought++];
    atomic_store(&brought->end, 0); // it is nothing while the two change
    atomic_store(&brought->begin, begin);
    atomic_store(&brought->end, end);
}

void loads_see_memories(void)
{
    struct load_watch *watch = process.races->loads.watch;
    struct seen_memories seen = {.watch = watch, .begin = UINTPTR_MAX};
    struct range all = range_of_bytes(0, UINT64_MAX);
    if (watch == NULL)
        return;
    interval_map_visit(&process.races->memories, &all, memory_see, &seen);
    for (int i = seen.brought; i < LOAD_WATCH_BROUGHT; i++)
        atomic_store(&watch->brought[i].end, 0);
    atomic_store(&watch->end, 0); // nothing is watched while the two change
    atomic_store(&watch->begin, seen.begin);
    atomic_store(&watch->end, seen.end);
}

// ---- what is gone -----------------------------------------------------------------------
struct gone {
    struct range range; // of addresses
    const char *call;
    const void *place;
};

static void gone_tell(struct interval *interval, void *argument)
{
    const struct watched_memory *memory = (const struct watched_memory *)interval;
    const struct gone *gone = argument;
    if (!memory->is_programs)
        return;
    char words[WORDS_BYTES];
    int rank = process.races->rank;
    struct site_text text = site_text(rank, memory->site);
    struct range common = {0};
    ranges_meet(&interval->range, &gone->range, &common);
    window_words(memory->window, words);
    struct call_site sites[] = {
        {.rank = rank, .call = gone->call, .address = gone->place, .object = words},
        {.rank = rank, .call = text.procedure, .source = text.source, .object = words},
    };
    finding_tell(RULE_MEMORY_GONE, sites, 2,
                 "gives back %ju bytes of memory that is still in the window",
                 (uintmax_t)(common.end - common.begin));
}

void memory_gone(uintptr_t begin, uintptr_t end, const char *call, const void *place)
{
    if (!races_are_checked() || !message_lock_unless_held())
        return;
    struct gone gone = {range_of_bytes(begin, end - begin), call, place};
    interval_map_visit(&process.races->memories, &gone.range, gone_tell, &gone);
    message_unlock();
}
