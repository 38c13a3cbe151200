// SPDX-License-Identifier: BSD-3-Clause
// Vector clocks and stamps, and how they travel: in parts, for jobs of many processes.
#include "races/state.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

static void clock_join(uint64_t *clock, const uint64_t *other, int size)
{
    for (int i = 0; i < size; i++)
        if (other[i] > clock[i])
            clock[i] = other[i];
}

// ---- stamps ---------------------------------------------------------------------------
struct stamp *stamp_make(int origin, const uint64_t *clock)
{
    size_t bytes = (size_t)process.races->size * sizeof *clock;
    struct stamp *stamp = malloc(sizeof *stamp + bytes);
    if (stamp == NULL)
        return NULL;
    *stamp = (struct stamp){.references = 1, .origin = origin};
    memcpy(stamp->clock, clock, bytes);
    return stamp;
}

void stamp_release(struct stamp *stamp)
{
    if (stamp != NULL && --stamp->references == 0)
        free(stamp);
}

struct stamp *stamp_now(void)
{
    struct races *races = process.races;
    struct stamp *now = races->now;
    if (now == NULL)
        races->now = now = stamp_make(races->rank, races->clock);
    if (now != NULL)
        now->references++;
    return now;
}

void clock_changes(void)
{
    loads_keep();
    stamp_release(process.races->now);
    process.races->now = NULL;
}

uint64_t clock_tick(void)
{
    struct races *races = process.races;
    clock_changes();
    races->loads.are_untold = false;
    return ++races->clock[races->rank];
}

// ---- travel ---------------------------------------------------------------------------
enum {
    PART_COUNTS = (MESSAGE_MAX - sizeof(struct part_head)) / sizeof(uint64_t),
};

void clock_send_parts(int job_rank, int kind, struct part_head head,
                      const uint64_t *clock)
{
    uint32_t size = (uint32_t)process.races->size;
    head.is_settled &= process.races->sources[job_rank].pending == 0;
    for (head.first = 0; head.first < size; head.first += head.count) {
        uint32_t left = size - head.first;
        head.count = left < PART_COUNTS ? left : PART_COUNTS;
        message_send(job_rank, kind, &head, sizeof head, clock + head.first,
                     head.count * sizeof *clock);
    }
}

// Takes in a part; true when all have come.
static bool part_take(struct source *source, const struct part_head *head, size_t size)
{
    const struct races *races = process.races;
    uint64_t counts = (size - sizeof *head) / sizeof *source->arriving;
    if (source->arriving == NULL)
        source->arriving = calloc((size_t)races->size, sizeof *source->arriving);
    if (source->arriving == NULL || head->count > counts ||
        head->first > (uint32_t)races->size ||
        head->count > (uint32_t)races->size - head->first)
        return false;
    memcpy(source->arriving + head->first, head + 1,
           head->count * sizeof *source->arriving);
    return head->first + head->count == (uint32_t)races->size;
}

static void source_set_floor(struct source *source)
{
    size_t bytes = (size_t)process.races->size * sizeof *source->floor;
    if (source->floor == NULL)
        source->floor = malloc(bytes);
    if (source->floor != NULL)
        memcpy(source->floor, source->arriving, bytes);
}

static void clock_keep(struct source *source, const struct part_head *head)
{
    size_t bytes = (size_t)process.races->size * sizeof *source->arriving;
    struct come_clock *come = malloc(sizeof *come + bytes);
    if (come == NULL)
        return;
    *come = (struct come_clock){.context = head->context,
                                .number = head->number,
                                .signature = head->signature,
                                .site = head->site};
    memcpy(come->clock, source->arriving, bytes);
    *source->last = come;
    source->last = &come->next;
}

static void handle_clock(int rank, const void *message, size_t size)
{
    struct source *source = &process.races->sources[rank];
    const struct part_head *head = message;
    if (size < sizeof *head || !part_take(source, head, size))
        return;
    if (head->is_settled)
        source_set_floor(source);
    if (head->number <= ORDER_UPDATE && head->number >= ORDER_ASK)
        updates_take(rank, head->context, head->number, source->arriving);
    else
        clock_keep(source, head);
}

static void handle_stamp(int rank, const void *message, size_t size)
{
    struct source *source = &process.races->sources[rank];
    const struct part_head *head = message;
    if (size < sizeof *head || !part_take(source, head, size))
        return;
    if (head->is_settled)
        source_set_floor(source);
    stamp_release(source->stamp);
    source->stamp = stamp_make(rank, source->arriving);
    if (source->stamp != NULL)
        source->stamp->completed = head->context;
}

void races_send_clock(int job_rank, uint64_t context, int64_t number)
{
    struct races *races = process.races;
    if (job_rank == races->rank)
        return;
    clock_is_told();
    clock_send_parts(
        job_rank, MESSAGE_CLOCK,
        (struct part_head){.context = context, .number = number, .is_settled = true},
        races->clock);
}

static struct come_clock **clock_find(int job_rank, uint64_t context, int64_t number)
{
    struct come_clock **at = &process.races->sources[job_rank].first;
    while (*at != NULL && ((*at)->context != context || (*at)->number != number))
        at = &(*at)->next;
    return at;
}

bool clock_has_come(int job_rank, uint64_t context, int64_t number)
{
    return job_rank == process.races->rank ||
           *clock_find(job_rank, context, number) != NULL;
}

const struct come_clock *clock_come(int job_rank, uint64_t context, int64_t number)
{
    return *clock_find(job_rank, context, number);
}

// False if none has come.
static bool clock_take_first(int job_rank, uint64_t context, int64_t number,
                             uint64_t *joined)
{
    struct come_clock **at = clock_find(job_rank, context, number), *come = *at;
    if (come == NULL)
        return false;
    clock_join(joined, come->clock, process.races->size);
    *at = come->next;
    if (come->next == NULL)
        process.races->sources[job_rank].last = at;
    free(come);
    return true;
}

void clock_take(int job_rank, uint64_t context, int64_t number, uint64_t *joined)
{
    while (clock_take_first(job_rank, context, number, joined))
        ;
}

void races_learn_clock(int job_rank, uint64_t context, int64_t number)
{
    if (*clock_find(job_rank, context, number) == NULL)
        return;
    clock_changes();
    clock_take(job_rank, context, number, process.races->clock);
}

// Polls: the others have sent their clocks, or are about to.
void clock_await(bool (*done)(void *argument), void *argument)
{
    bool is_done = false;
    while (!is_done && message_known_death() == 0) {
        message_progress();
        message_lock();
        is_done = done(argument);
        message_unlock();
        if (!is_done)
            sched_yield();
    }
}

// Messages have numbers beyond those of meetings.
static int64_t message_number(struct message_key key)
{
    return ((int64_t)(1 + key.channel) << 40) + key.tag;
}

void races_sent(int job_rank, struct message_key key, const struct datatype *type)
{
    struct races *races = process.races;
    struct part_head head = {.context = key.context,
                             .number = message_number(key),
                             .is_settled = true,
                             .signature = signature_of(type)};
    if (job_rank == races->rank)
        return;
    if (head.signature != 0) {
        head.site = site_now();
        sites_tell(job_rank);
    }
    clock_is_told();
    clock_send_parts(job_rank, MESSAGE_CLOCK, head, races->clock);
}

void races_probed(int job_rank, struct message_key key)
{
    const struct races *races = process.races;
    const struct come_clock *come =
        *clock_find(job_rank, key.context, message_number(key));
    if (come == NULL)
        return;
    clock_changes();
    clock_join(races->clock, come->clock, races->size);
}

static void mismatch_tell(int job_rank, const struct come_clock *sent,
                          const struct received *receive)
{
    char words[2][WORDS_BYTES], procedure[SOURCE_TEXT_BYTES];
    uint32_t signature = signature_of(receive->type);
    if (!signatures_differ(sent->signature, signature))
        return;
    struct call_place place = buffer_place(receive->request);
    struct site_text text = site_text(job_rank, sent->site);
    struct call_site sites[] = {
        {.rank = process.races->rank,
         .call =
             entry_text(place.entry != NULL ? place.entry : calling_entry(), procedure),
         .address = place.address},
        {.rank = job_rank, .call = text.procedure, .source = text.source},
    };
    signature_words(sent->signature, words[0]);
    signature_words(signature, words[1]);
    finding_tell(RULE_TYPE_MISMATCH, sites, 2, "receives %s as %s", words[0], words[1]);
}

void races_matched(int job_rank, struct message_key key, const struct received *receive)
{
    int64_t number = message_number(key);
    const struct come_clock *come = *clock_find(job_rank, key.context, number);
    if (receive != NULL && come != NULL)
        mismatch_tell(job_rank, come, receive);
    clock_changes();
    clock_take_first(job_rank, key.context, number, process.races->clock);
}

// The clock that is dropped is that of the first message that has not been matched, so that
// those behind it have that of a later one, and none that of an earlier one.
void races_cancelled(int job_rank, struct message_key key)
{
    const struct races *races = process.races;
    uint64_t *dropped = calloc((size_t)races->size, sizeof *dropped);
    if (dropped != NULL)
        clock_take_first(job_rank, key.context, message_number(key), dropped);
    free(dropped);
}

// ---- start and stop -------------------------------------------------------------------
static const struct message_kind kinds[] = {
    {MESSAGE_CLOCK, handle_clock, false},
    {MESSAGE_STAMP, handle_stamp, false},
};

int clocks_start(struct races *races)
{
    races->clock = calloc((size_t)races->size, sizeof *races->clock);
    races->sources = calloc((size_t)races->size, sizeof *races->sources);
    if (races->clock == NULL || races->sources == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for the clocks of %d processes",
                    races->size);
    races->clock[races->rank] = 1; // 0 is that of processes of which nothing is known
    for (int i = 0; i < races->size; i++)
        races->sources[i].last = &races->sources[i].first;
    message_register(kinds, sizeof kinds / sizeof *kinds);
    return 0;
}

static void source_clear(struct source *source)
{
    while (source->first != NULL) {
        struct come_clock *come = source->first;
        source->first = come->next;
        free(come);
    }
    stamp_release(source->stamp);
    free(source->arriving);
    free(source->floor);
}

void clocks_stop(struct races *races)
{
    message_unregister(kinds, sizeof kinds / sizeof *kinds);
    stamp_release(races->now);
    for (int i = 0; races->sources != NULL && i < races->size; i++)
        source_clear(&races->sources[i]);
    free(races->sources);
    free(races->clock);
}
