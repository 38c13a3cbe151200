// SPDX-License-Identifier: BSD-3-Clause
// What launch/ does with processes and people, for targets that have neither.
#pragma once

#include "fuzz.h"
#include "launch.h"

struct process process;

// ---- a store that can be emptied
enum { PAIRS = 8 };
struct store {
    char *keys[PAIRS], *values[PAIRS];
    int count;
};

bool store_put(struct store *store, const char *key, const char *value)
{
    if (store->count == PAIRS || store_get(store, key) != NULL)
        return false;
    store->keys[store->count] = strdup(key);
    store->values[store->count++] = strdup(value);
    return true;
}

const char *store_get(const struct store *store, const char *key)
{
    for (int i = 0; i < store->count; i++)
        if (strcmp(store->keys[i], key) == 0)
            return store->values[i];
    return NULL;
}

static inline void store_clear(struct store *store)
{
    for (; store->count > 0; store->count--) {
        free(store->keys[store->count - 1]);
        free(store->values[store->count - 1]);
    }
}

// ---- processes, time and people
uint64_t now_nanoseconds(void)
{
    return 1; // no time passes
}

void say(const char *format, ...)
{
    (void)format;
}

void job_end(struct job *job, struct rank *failed, int exit_code, const char *format,
             ...)
{
    (void)format;
    must(failed >= job->ranks && failed < job->ranks + job->size);
    must(exit_code > 0 && exit_code < 256);
    job->end_step = END_OTHERS;
}

void job_abort(struct job *job, struct rank *rank, int code)
{
    (void)code;
    job_end(job, rank, 1, "has aborted");
}

void rank_ended(struct job *job, struct rank *rank, int status)
{
    (void)status;
    must(!rank->has_ended && job->running > 0);
    rank->has_ended = true;
    job->running--;
}
