// SPDX-License-Identifier: BSD-3-Clause
// What collective calls depend on: that the other members arrive in a round, or begin their
// schedules, and the messages of those that have begun.
#include "collective/awaited.h"
#include "collective/step.h"

#include <limits.h>

// ---- communicators by context ------------------------------------------------------
// Communicators come and go with and without the message lock.
void communicators_add(struct communicator *comm)
{
    struct collectives *collectives = process.collectives;
    pthread_mutex_lock(&collectives->list_lock);
    comm->collective->next = collectives->first;
    comm->collective->comm = comm;
    collectives->first = comm->collective;
    pthread_mutex_unlock(&collectives->list_lock);
}

void communicators_remove(const struct communicator *comm)
{
    struct collectives *collectives = process.collectives;
    pthread_mutex_lock(&collectives->list_lock);
    struct comm_collective **link = &collectives->first;
    while (*link != NULL && *link != comm->collective)
        link = &(*link)->next;
    if (*link != NULL)
        *link = comm->collective->next;
    pthread_mutex_unlock(&collectives->list_lock);
}

// This process is blocked, so that the communicator stays. NULL: it has been freed, or is
// still to be made.
static const struct comm_collective *collective_find(uint64_t context)
{
    struct collectives *collectives = process.collectives;
    pthread_mutex_lock(&collectives->list_lock);
    const struct comm_collective *found = collectives->first;
    while (found != NULL && found->comm->context != context)
        found = found->next;
    pthread_mutex_unlock(&collectives->list_lock);
    return found;
}

// ---- explanations ------------------------------------------------------------------
static void await_call(struct explanation *explanation)
{
    awaited_add(explanation,
                (struct awaited){.rank = process.boot->rank, .kind = AWAITED_CALL});
}

static void say_collective(struct explanation *explanation,
                           const struct communicator *comm)
{
    char name[COMMUNICATOR_TEXT_BYTES];
    awaited_say(explanation, "to take part in a collective call on %s",
                communicator_text(comm, name));
}

static bool is_behind(const struct comm_collective *own, const struct awaited *awaited)
{
    uint32_t reached = awaited->other ? own->barriers : (uint32_t)own->sequence;
    return (int32_t)(reached - awaited->number) < 0;
}

static void explain_round(const struct awaited *awaited,
                          struct explanation *explanation)
{
    const struct comm_collective *found = collective_find(awaited->context);
    if (found == NULL || is_behind(found, awaited))
        await_call(explanation);
}

static struct awaited round_of(const struct communicator *comm, int node_rank,
                               uint32_t number, bool is_barrier)
{
    return (struct awaited){.context = comm->context,
                            .rank = comm_job_rank(comm, comm->node_members[node_rank]),
                            .number = number,
                            .other = is_barrier,
                            .kind = AWAITED_ROUND};
}

void member_wait_explain(const void *argument, struct explanation *explanation)
{
    const struct member_wait *wait = argument;
    const struct communicator *comm = wait->comm;
    const char *members = (const char *)comm->collective->shared_buffer->members;
    size_t offset = (size_t)((const char *)wait->word - members);
    say_collective(explanation, comm);
    if (!wait->has_come(wait->word, wait->round))
        awaited_add(explanation,
                    round_of(comm, (int)(offset / sizeof(struct member_slots)),
                             (uint32_t)wait->round, false));
}

void barrier_explain(const void *argument, struct explanation *explanation)
{
    const struct communicator *comm = argument;
    const struct comm_collective *own = comm->collective;
    uint32_t expected = own->barriers * (uint32_t)comm->node_size;
    say_collective(explanation, comm);
    if ((int32_t)(atomic_load(&own->shared_buffer->arrivals) - expected) >= 0)
        return;
    for (int i = 0; i < comm->node_size; i++)
        if (i != comm->node_rank)
            awaited_add(explanation, round_of(comm, i, own->barriers, true));
}

static const struct communicator *comm_of(const struct schedule *schedule)
{
    return (const struct communicator *)schedule->request.owner;
}

static const struct schedule *schedule_find(const struct awaited *awaited)
{
    const struct schedule *at = process.collectives->schedules;
    while (at != NULL && (comm_of(at)->context != awaited->context ||
                          (uint32_t)at->tag != awaited->number ||
                          (at->apart != NULL) != awaited->other))
        at = at->next_active;
    return at;
}

// A schedule waits for all its transfers, or for none.
static void explain_transfers(const struct schedule *schedule,
                              struct explanation *explanation)
{
    explanation->state = (uint64_t)schedule->next + 1;
    if (schedule->next < schedule->step_count &&
        schedule->steps[schedule->next].kind != STEP_WAIT)
        return;
    for (int i = 0; i < schedule->transfer_count; i++)
        transfer_explain(schedule->transfers[i], explanation);
}

// One that is not under way has been completed, unless the program has not begun it yet.
static void explain_steps(const struct awaited *awaited,
                          struct explanation *explanation)
{
    const struct schedule *schedule = schedule_find(awaited);
    if (schedule != NULL) {
        explain_transfers(schedule, explanation);
        return;
    }
    const struct comm_collective *found = collective_find(awaited->context);
    uint32_t behind =
        found != NULL ? (found->schedules - awaited->number) & INT_MAX : 0;
    bool has_begun = behind > 0 && behind < INT_MAX / 2;
    if (!has_begun && !awaited->other)
        await_call(explanation);
}

// A persistent one may have been completed, or be still to begin: nobody can tell.
void schedule_explain(const struct request *request, struct explanation *explanation)
{
    const struct schedule *schedule = (const struct schedule *)request;
    say_collective(explanation, comm_of(schedule));
    explanation->is_open |= request->is_persistent;
    awaited_add(explanation, (struct awaited){.context = comm_of(schedule)->context,
                                              .rank = process.boot->rank,
                                              .number = (uint32_t)schedule->tag,
                                              .other = schedule->apart != NULL,
                                              .kind = AWAITED_STEPS});
}

void awaited_collectives_start(void)
{
    awaited_register(AWAITED_ROUND, explain_round);
    awaited_register(AWAITED_STEPS, explain_steps);
}
