// SPDX-License-Identifier: BSD-3-Clause
// Records calls. A call that comes soon after one like it only counts in the record that is
// there, so that loops over short operations, however long, leave few records.
#include "trace.h"

#include "base/ticks.h"

#include <string.h>

static const uint64_t QUICK = 1 << 14; // ticks of a call, and between two, in a run

static bool is_run(const struct record *run, const struct record *next)
{
    return run && run->site == next->site && run->procedure == next->procedure &&
           run->object == next->object && run->peer == next->peer &&
           run->detail == next->detail && next->begin - run->end < QUICK;
}

// In a loop, what comes next is the same again, or what came behind it before.
static struct record *run_find(struct recorder *recorder, const struct record *next)
{
    for (unsigned i = 0; i < RECENT; i++) {
        unsigned turn = (recorder->turn + i) % RECENT;
        if (is_run(recorder->recent[turn], next)) {
            recorder->turn = turn;
            return recorder->recent[turn];
        }
    }
    return NULL;
}

static void runs_end(struct recorder *recorder)
{
    memset(recorder->recent, 0, sizeof recorder->recent);
}

static struct record *record_add(struct recorder *recorder, const struct record *record)
{
    struct chunk *chunk = recorder->chunk;
    if (chunk->used == sizeof chunk->records / sizeof chunk->records[0]) {
        if (recorder->depth > 0) { // the record of the outer call is still needed
            recorder->unwritten++;
            return NULL;
        }
        chunk_write(recorder);
        runs_end(recorder);
    }
    struct record *place = &chunk->records[chunk->used];
    *place = *record;
    chunk->used++;
    recorder->turn = (recorder->turn + 1) % RECENT;
    recorder->recent[recorder->turn] = place;
    return place;
}

struct call call_begin(uint64_t returns, uintptr_t frame, int procedure, int object,
                       int peer, int detail, uint64_t bytes)
{
    struct recorder *recorder = recorder_get();
    if (!recorder)
        return (struct call){0};
    struct record next = {
        .site = site_find(recorder, returns, frame),
        .object = object,
        .peer = peer,
        .procedure = (uint16_t)procedure,
        .detail = (uint16_t)detail,
        .begin = ticks_now(),
    };
    struct record *record = recorder->depth == 0 ? run_find(recorder, &next) : NULL;
    if (!record)
        record = record_add(recorder, &next);
    if (record)
        record->entered = next.begin;
    recorder->depth++;
    return (struct call){recorder, record, bytes};
}

void call_end(struct call *call)
{
    struct recorder *recorder = call->recorder;
    struct record *record = call->record;
    if (!recorder)
        return;
    recorder->depth--;
    if (!record)
        return;
    uint64_t now = ticks_now(), spent = now - record->entered;
    record->end = now;
    record->inside += spent;
    record->bytes += call->bytes;
    record->calls++;
    record->entered = 0;
    if (spent >= QUICK)
        runs_end(recorder);
}
