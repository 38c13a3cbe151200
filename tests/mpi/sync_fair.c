// SPDX-License-Identifier: BSD-3-Clause
// nobody_is_overtaken_again_and_again: when all ranks want the exclusive lock of one
// part, it goes from one to another, and not back to who has just had it.
#include "window_test.h"

#include <time.h>

enum { TURNS = 100, NANOSECONDS = 20000 }; // of work under the lock

// What the lock protects.
struct contest {
    int contenders; // ranks that have had the lock
    int holder;     // the last one
};

static long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

// Long enough for all others to come and wait.
static void work(void)
{
    for (long begin = now(); now() - begin < NANOSECONDS;)
        ;
}

// How many of TURNS turns came after that of another rank, once all want the lock.
static int turns_after_another(MPI_Win win)
{
    struct contest contest = {0, -1};
    int turns = 0, changes = 0;
    for (bool is_new = true; turns < TURNS; is_new = false) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Get(&contest, 2, MPI_INT, 0, 0, 2, MPI_INT, win);
        MPI_Win_flush(0, win);
        contest.contenders += is_new;
        turns += contest.contenders == size;
        changes += contest.contenders == size && contest.holder != rank;
        contest.holder = rank;
        MPI_Put(&contest, 2, MPI_INT, 0, 0, 2, MPI_INT, win);
        work();
        MPI_Win_unlock(0, win);
    }
    return changes;
}

// The system may stop a rank just before it asks, so that not every turn can be judged.
static void the_lock_goes_round(const struct source *source)
{
    struct opened opened = source->open(sizeof(struct contest), sizeof(int));
    memset(opened.base, 0, sizeof(struct contest));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(turns_after_another(opened.win) >= TURNS / 2);
    source->close(&opened);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for_each_source(the_lock_goes_round);
    return finish();
}
