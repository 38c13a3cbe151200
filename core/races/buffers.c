// SPDX-License-Identifier: BSD-3-Clause
// Buffers of the program that operations under way read or write. A call that accesses
// the same memory is told of when it comes: whether the data have moved by then, the
// program cannot know.
#include "races/state.h"

#include <stdlib.h>

enum { BUFFERS_MAX = 1 << 13 }; // blocks in use: what is more is not looked at

// A block of a buffer, as an interval of addresses.
struct used_block {
    struct interval interval;
    struct buffer_use use;
    struct call_place place;
};

// ---- reports --------------------------------------------------------------------------
static const char *completion_of(const struct buffer_use *use)
{
    if (use->request != NULL)
        return "a call that completes its request";
    switch (use->epoch) {
    case IN_FENCE:
        return "MPI_Win_fence";
    case IN_START:
        return "MPI_Win_complete";
    default:
        return "MPI_Win_flush_local";
    }
}

struct site_words {
    char procedure[SOURCE_TEXT_BYTES], window[WORDS_BYTES];
};

static struct call_site use_site(const struct used_block *block,
                                 struct site_words *words)
{
    const struct buffer_use *use = &block->use;
    if (use->window != NULL)
        window_words(use->window, words->window);
    return (struct call_site){
        .rank = process.races->rank,
        .call = entry_text(block->place.entry, words->procedure),
        .address = block->place.address,
        .object = use->window != NULL ? words->window : NULL,
        .text = use->is_written ? "writes to them" : "reads them",
    };
}

static void overlap_tell(const struct used_block *added, const struct used_block *old)
{
    struct site_words words[2];
    struct call_site sites[] = {use_site(added, &words[0]), use_site(old, &words[1])};
    struct range common = {0};
    ranges_meet(&added->interval.range, &old->interval.range, &common);
    finding_tell(
        RULE_BUFFER_IN_USE, sites, 2,
        "%s %ju bytes of the program that another call, which is not complete, "
        "%s; %s between them would order the two",
        added->use.is_written ? "writes to" : "reads",
        (uintmax_t)(common.end - common.begin),
        old->use.is_written ? "writes to" : "reads", completion_of(&old->use));
}

// ---- what is in use -------------------------------------------------------------------
struct overlap {
    const struct used_block *added;
    const struct used_block *conflict; // the first that was found
    bool is_known; // the same use of a block that has all of its bytes
};

static bool is_same_use(const struct buffer_use *one, const struct buffer_use *other)
{
    return one->is_written == other->is_written && one->window == other->window &&
           one->target == other->target && one->request == other->request;
}

static void block_compare(struct interval *interval, void *argument)
{
    const struct used_block *old = (const struct used_block *)interval;
    struct overlap *overlap = argument;
    const struct used_block *added = overlap->added;
    if ((added->use.is_written || old->use.is_written) && overlap->conflict == NULL)
        overlap->conflict = old;
    overlap->is_known |= is_same_use(&added->use, &old->use) &&
                         range_covers(&old->interval.range, &added->interval.range);
}

// Where the last one that was added has no conflict, what it covers has none.
static bool last_covers(const struct used_block *last, const struct used_block *block)
{
    return last != NULL && last->place.address == block->place.address &&
           is_same_use(&last->use, &block->use) &&
           range_covers(&last->interval.range, &block->interval.range);
}

// Tells the map how far the last one goes.
static void last_settle(struct buffers *buffers)
{
    struct used_block *last = buffers->last;
    if (last != NULL && buffers->end > last->interval.range.end)
        interval_map_extend(&buffers->map, &last->interval, last->interval.range.end,
                            buffers->end - last->interval.range.end);
}

static bool last_extend(struct buffers *buffers, const struct used_block *block)
{
    struct used_block *last = buffers->last;
    const struct range *range = &block->interval.range;
    if (last == NULL || last->place.address != block->place.address ||
        !is_same_use(&last->use, &block->use) || !range_is_contiguous(range) ||
        !interval_map_extend(&buffers->map, &last->interval, range->begin,
                             range->block))
        return false;
    buffers->end = last->interval.range.end;
    return true;
}

// Its conflicts, if it has any, have been told.
static void block_keep(struct buffers *buffers, const struct used_block *block,
                       bool has_conflict)
{
    struct interval_map *map = &buffers->map;
    if (!has_conflict && last_extend(buffers, block))
        return;
    struct used_block *kept = map->count < BUFFERS_MAX ? malloc(sizeof *kept) : NULL;
    buffers->last = has_conflict ? NULL : kept;
    if (kept == NULL)
        return;
    *kept = *block;
    buffers->end = kept->interval.range.end;
    interval_map_add(map, &kept->interval);
}

// True if there is a conflict, which is told of once for each call.
static bool block_use(const struct used_block *block, bool is_told)
{
    struct buffers *buffers = &process.races->buffers;
    if (last_covers(buffers->last, block))
        return false;
    struct overlap overlap = {.added = block};
    interval_map_visit(&buffers->map, &block->interval.range, block_compare, &overlap);
    if (overlap.conflict != NULL && !is_told)
        overlap_tell(block, overlap.conflict);
    bool is_pending = block->use.window != NULL || block->use.request != NULL;
    if (is_pending && !overlap.is_known)
        block_keep(buffers, block, overlap.conflict != NULL);
    return overlap.conflict != NULL;
}

void buffers_use(const struct buffer_use uses[], int count, struct call_place place)
{
    last_settle(&process.races->buffers);
    for (int i = 0; i < count; i++) {
        struct blocks blocks = blocks_of(uses[i].type, uses[i].count);
        struct used_block block = {.use = uses[i], .place = place};
        bool is_told = false;
        while (blocks_next_range(&blocks, (uintptr_t)uses[i].address,
                                 &block.interval.range))
            is_told |= block_use(&block, is_told);
    }
}

static void block_note(struct interval *interval, void *is_met)
{
    (void)interval;
    *(bool *)is_met = true;
}

// Does a block meet no other one than the last? That is the only one, mostly.
static bool block_is_free(const struct buffers *buffers, uint64_t begin, uint64_t bytes)
{
    struct range range = range_of_bytes(begin, bytes);
    bool is_met = false;
    if (buffers->map.count > 1)
        interval_map_visit(&buffers->map, &range, block_note, &is_met);
    return !is_met;
}

bool buffer_use_again(const struct watched_window *window,
                      const struct watched_block *block)
{
    struct buffers *buffers = &process.races->buffers;
    const struct used_block *last = buffers->last;
    uint64_t begin = (uintptr_t)block->address, end = begin + block->bytes;
    if (last == NULL || last->place.address != block->place ||
        last->use.window != window || last->use.target != block->target ||
        last->use.request != NULL ||
        last->use.is_written != (block->kind == WATCHED_GET) ||
        !range_is_contiguous(&last->interval.range) ||
        begin < last->interval.range.begin || begin > buffers->end)
        return false;
    if (end <= buffers->end)
        return true;
    if (begin != buffers->end || !block_is_free(buffers, begin, block->bytes))
        return false;
    buffers->end = end;
    return true;
}

void races_use_buffers(const struct buffer_use uses[], int count)
{
    message_lock();
    buffers_use(uses, count, call_place());
    message_unlock();
}

// A datatype is made of it. Without memory it is not looked at.
void races_use_demand(const void *address, bool is_written, const struct demand *demand,
                      const void *request)
{
    struct datatype *type;
    if (demand_type(demand, &type) || type == NULL)
        return;
    races_use_buffers(&(struct buffer_use){.address = address,
                                           .count = 1,
                                           .type = type,
                                           .is_written = is_written,
                                           .request = request},
                      1);
    object_release(type);
}

// ---- what is given back ---------------------------------------------------------------
static bool block_is_of_others(struct interval *interval, void *argument)
{
    const struct buffer_use *use = &((const struct used_block *)interval)->use;
    const struct buffer_use *ended = argument;
    bool is_ended = ended->request != NULL ? use->request == ended->request
                                           : use->window == ended->window &&
                                                 (ended->target == MPI_ANY_SOURCE ||
                                                  use->target == ended->target);
    if (is_ended)
        free(interval);
    return !is_ended;
}

static void buffers_return(struct buffer_use ended)
{
    struct buffers *buffers = &process.races->buffers;
    message_lock();
    last_settle(buffers);
    buffers->last = NULL;
    if (buffers->map.count > 0)
        interval_map_filter(&buffers->map, block_is_of_others, &ended);
    message_unlock();
}

void races_return_buffers(const struct watched_window *window, int target)
{
    if (window != NULL)
        buffers_return((struct buffer_use){.window = window, .target = target});
}

void races_return_buffers_of(const void *request)
{
    buffers_return((struct buffer_use){.request = request});
}

struct search {
    const void *request;
    struct call_place found;
};

static void block_look(struct interval *interval, void *argument)
{
    const struct used_block *block = (const struct used_block *)interval;
    struct search *search = argument;
    if (block->use.request == search->request)
        search->found = block->place;
}

struct call_place buffer_place(const void *request)
{
    struct search search = {.request = request};
    struct range all = range_of_bytes(0, UINT64_MAX);
    interval_map_visit(&process.races->buffers.map, &all, block_look, &search);
    return search.found;
}

static bool block_free(struct interval *interval, void *unused)
{
    (void)unused;
    free(interval);
    return false;
}

void buffers_stop(struct races *races)
{
    interval_map_filter(&races->buffers.map, block_free, NULL);
}
