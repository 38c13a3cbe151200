// SPDX-License-Identifier: BSD-3-Clause
// What the ranks wait for. Each rank that can tell is asked on its wire; one that is in a
// call that has waited for long answers within a second, or later on a busy machine, and
// others do not.
#include "launch.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t PATIENCE = 4000000000; // nanoseconds

static bool can_answer(const struct rank *rank)
{
    return rank->tells_waits && rank->state == RANK_INITIALIZED && !rank->has_ended &&
           rank->wire.fd >= 0;
}

bool waits_ask(struct job *job)
{
    int asked = 0;
    for (int i = 0; i < job->size && job->waits_deadline == 0; i++)
        asked += can_answer(&job->ranks[i]) &&
                 wire_send(&job->ranks[i].wire, "cmd=tell_wait");
    if (asked > 0)
        job->waits_deadline = now_nanoseconds() + PATIENCE;
    return job->waits_deadline != 0;
}

void waits_hear(struct job *job, struct rank *rank, const char *text)
{
    if (job->waits_deadline == 0) // too late, or never asked
        return;
    free(rank->wait);
    rank->wait = strdup(text);
    bool has_all = true;
    for (int i = 0; i < job->size; i++)
        has_all &= job->ranks[i].wait != NULL || !can_answer(&job->ranks[i]);
    if (has_all)
        job->waits_deadline = now_nanoseconds();
}

static const char *what_it_does(const struct rank *rank)
{
    if (rank->wait != NULL)
        return rank->wait;
    if (rank->has_ended)
        return "has ended";
    if (rank->is_in_barrier)
        return "waits for the others in MPI_Init or another common step";
    return rank->state == RANK_STARTED ? "has not called MPI_Init"
           : rank->state == RANK_FINALIZED
               ? "has called MPI_Finalize"
               : "is not in a call that has waited for long";
}

int waits_step(struct job *job)
{
    uint64_t now = now_nanoseconds();
    if (job->waits_deadline == 0)
        return -1;
    if (now < job->waits_deadline)
        return (int)((job->waits_deadline - now) / 1000000u) + 1;
    job->waits_deadline = 0;
    for (int i = 0; i < job->size; i++) {
        struct rank *rank = &job->ranks[i];
        say("rank %d: %s", i, what_it_does(rank));
        free(rank->wait);
        rank->wait = NULL;
    }
    return -1;
}
