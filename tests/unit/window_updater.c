// SPDX-License-Identifier: BSD-3-Clause
// one_updater_is_alone_until_a_second_comes: who comes waits until an update under way
// has ended or its process has died, and afterwards nobody is alone.

#include "check.h"
#include "window/window.h"

#include <pthread.h>

struct process process;

static _Atomic(bool) first_is_alive = true, has_joined;

bool shm_is_alive(const struct shm *shm, int node_rank)
{
    (void)shm;
    return node_rank != 0 || first_is_alive;
}

static struct shm shm = {.node_size = 2};
static struct lock_record record;

// The updater of a node rank's program.
static uint32_t program_of(int node_rank)
{
    shm.node_rank = node_rank;
    return updater_program();
}

static void *join_second(void *argument)
{
    (void)argument;
    updater_join(&record, program_of(1));
    atomic_store(&has_joined, true);
    return NULL;
}

static void the_first_is_alone(void)
{
    uint32_t first = program_of(0);
    CHECK(!updater_begin_alone(&record, first)); // has not joined
    updater_join(&record, first);
    updater_join(&record, first);
    CHECK(updater_begin_alone(&record, first));
    CHECK(!updater_begin_alone(&record, updater_target())); // of the same process
    updater_end(&record);
}

// The first updates while the second comes; `end` lets the second go on.
static void the_second_waits(void (*end)(void))
{
    uint32_t first = program_of(0);
    pthread_t thread;
    record = (struct lock_record){0};
    has_joined = false;
    first_is_alive = true;
    updater_join(&record, first);
    CHECK(updater_begin_alone(&record, first));
    CHECK(pthread_create(&thread, NULL, join_second, NULL) == 0);
    while (updater_begin_alone(&record, first)) // until the second is there
        ;
    atomic_store(&record.updating, first); // the update goes on
    for (int i = 0; i < 1000; i++)
        sched_yield();
    CHECK(!has_joined);
    end();
    CHECK(pthread_join(thread, NULL) == 0 && has_joined);
    CHECK(!updater_begin_alone(&record, first));
    CHECK(!updater_begin_alone(&record, program_of(1)));
    updater_join(&record, first); // nobody waits any more
}

static void end_update(void)
{
    updater_end(&record);
}

static void die(void)
{
    first_is_alive = false;
}

static void threads_are_many(void)
{
    record = (struct lock_record){0};
    process.thread_level = MPI_THREAD_MULTIPLE;
    uint32_t program = program_of(0);
    updater_join(&record, program);
    CHECK(!updater_begin_alone(&record, program));
    CHECK(!updater_begin_alone(&record, updater_target()));
    process.thread_level = MPI_THREAD_SERIALIZED;
    CHECK(!updater_begin_alone(&record, program_of(0)));
}

int main(void)
{
    process.shm = &shm;
    the_first_is_alone();
    the_second_waits(end_update);
    record.updating = 0;
    the_second_waits(die);
    threads_are_many();
    return 0;
}
