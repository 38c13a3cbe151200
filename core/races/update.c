// SPDX-License-Identifier: BSD-3-Clause
// Order that programs make by themselves: locks and flags of accumulates, and flags that a
// target reads by loads. Which of them is one is not known, so that whoever fetches from
// memory comes after all who have updated it before, and who calls MPI_Win_sync after all
// whose accesses to its memory are complete.
#include "races/state.h"

static uint64_t context_of(const struct watched_window *window)
{
    return window->plan.comm->context;
}

void updates_tell(const struct watched_window *window, const struct pending *pending)
{
    if (pending->clocks.updates != NULL)
        clock_raise_shared(pending->clocks.updates, process.races->clock);
    else
        races_send_clock(pending->job_rank, context_of(window), ORDER_UPDATE);
}

void flushes_tell(const struct watched_window *window, const struct pending *pending)
{
    if (pending->clocks.flushes != NULL)
        clock_raise_shared(pending->clocks.flushes, process.races->clock);
    else
        races_send_clock(pending->job_rank, context_of(window), ORDER_FLUSH);
}

// A target on another node has answered when the operation itself is complete.
void updates_learn(const struct watched_window *window, const struct pending *pending)
{
    if (pending->clocks.updates != NULL)
        clock_learn_shared(pending->clocks.updates);
    else
        races_send_clock(pending->job_rank, context_of(window), ORDER_ASK);
}

static const struct watched_window *window_of(uint64_t context)
{
    const struct watched_window *window = process.races->windows;
    while (window != NULL && context_of(window) != context)
        window = window->next;
    return window;
}

static void updates_answer(int job_rank, const struct watched_window *window)
{
    struct stamp *answer = stamp_make(job_rank, process.races->clock);
    if (answer == NULL)
        return;
    for (int i = 0; i < process.races->size; i++)
        answer->clock[i] = 0;
    clock_join_shared(answer->clock, window->plan.clocks.updates);
    clock_send_parts(
        job_rank, MESSAGE_CLOCK,
        (struct part_head){.context = context_of(window), .number = ORDER_ANSWER},
        answer->clock);
    stamp_release(answer);
}

void updates_take(int job_rank, uint64_t context, int64_t number, const uint64_t *clock)
{
    const struct watched_window *window = window_of(context);
    if (window == NULL)
        return;
    if (number == ORDER_ASK)
        updates_answer(job_rank, window);
    else
        clock_raise_shared(number == ORDER_UPDATE ? window->plan.clocks.updates
                                                  : window->plan.clocks.flushes,
                           clock);
}

void updates_see(struct lock_clocks clocks)
{
    clock_learn_shared(clocks.updates);
    clock_learn_shared(clocks.flushes);
}

void races_synced(struct lock_clocks clocks)
{
    message_lock();
    updates_see(clocks);
    clock_is_told();
    clock_raise_shared(clocks.flushes, process.races->clock);
    message_unlock();
}
