// SPDX-License-Identifier: BSD-3-Clause
// first_polls_do_not_yield: no yield holds up what another node answers soon; a wait that
// lasts yields, and so does a short one on a crowded machine.
#include "message/engine.h"
#include "message_job.h"

int __real_sched_yield(void);
int __wrap_sched_yield(void);

static int yields, looks;

int __wrap_sched_yield(void)
{
    yields++;
    return __real_sched_yield();
}

static bool has_looked(void *argument)
{
    return ++looks >= *(int *)argument;
}

// How often a wait yields that is over after so many looks.
static int yields_until(int count)
{
    yields = looks = 0;
    CHECK(message_wait(has_looked, &count, NULL) == 0);
    return yields;
}

static void wait_between_nodes(void)
{
    process.messages->is_crowded = false;
    CHECK(yields_until(1) == 0);
    CHECK(yields_until(20) == 0);
    CHECK(yields_until(500) > 10);
}

static void wait_on_a_crowded_machine(void)
{
    process.messages->is_crowded = true;
    CHECK(yields_until(20) > 10);
}

int main(void)
{
    struct job between = {.nodes = 2,
                          .node_size = 1,
                          .spin_microseconds = 10000000,
                          .body = wait_between_nodes};
    struct job crowded = {.nodes = 1,
                          .node_size = 2,
                          .spin_microseconds = 10000000,
                          .body = wait_on_a_crowded_machine};
    return run_job(between) + run_job(crowded) > 0;
}
