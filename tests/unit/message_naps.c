// SPDX-License-Identifier: BSD-3-Clause
// polls_end_the_threads_sleep: a program that goes on polling between nodes sends the
// network thread, which each message would wake in vain, to its nap.
#include "message/engine.h"
#include "message_job.h"

enum { POLLS = 100 };

static uint64_t wakes(void)
{
    return counter_value(COUNTER_PROGRESS_THREAD_WAKEUPS);
}

// Nothing comes from the network, so that nothing else wakes the thread.
static void poll_beside_a_sleeper(void)
{
    struct messages *messages = process.messages;
    while (!atomic_load(&messages->network_thread_sleeps))
        sched_yield();
    uint64_t before = wakes(), start = clock_nanoseconds();
    for (int i = 0; i < POLLS; i++) {
        message_lock();
        message_poll();
        message_unlock();
    }
    while (wakes() == before) {
        CHECK(clock_nanoseconds() - start < UINT64_C(30000000000));
        sched_yield();
    }
}

int main(void)
{
    struct job job = {.nodes = 2,
                      .node_size = 1,
                      .spin_microseconds = 50,
                      .progress_thread = true,
                      .body = poll_beside_a_sleeper};
    return run_job(job) > 0;
}
