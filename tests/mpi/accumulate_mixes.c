// SPDX-License-Identifier: BSD-3-Clause
// random_mixes_of_updates_lose_none: all ranks, two threads each, add to elements of rank
// 0 by updates of one to thousands of elements; fetch and op and compare and swap are
// among them. All that was added is there in the end. Between mixes all add single elements
// for so long that the library turns to instructions, so that each mix changes to locks
// while others are at single elements.
//
// accumulate_mixes [UPDATES]: of elements by all ranks together, on each kind of window.
#include "window_test.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

enum { THREADS = 2, ELEMENTS = 12000, MANY = 4000, MIXED = 16, SINGLE = 9000 };

static long updates = 500000;
static int threads;
static pthread_barrier_t threads_meet;
static MPI_T_pvar_session session;
static MPI_T_pvar_handle changes;

struct adder {
    MPI_Win win;
    unsigned seed;
    bool is_main;
    long turns;
    int64_t added;
};

static unsigned draw(struct adder *adder)
{
    adder->seed = adder->seed * 1664525 + 1013904223;
    return adder->seed >> 8;
}

// ---- updates --------------------------------------------------------------------
static const int64_t *ones(void)
{
    static int64_t all[MANY];
    for (int i = 0; all[MANY - 1] == 0 && i < MANY; i++)
        all[i] = 1;
    return all;
}

static void add_many(struct adder *adder)
{
    static _Thread_local int64_t fetched[MANY];
    int count = 1 + (int)(draw(adder) % MANY);
    MPI_Aint first = draw(adder) % (unsigned)(ELEMENTS - count);
    if (count % 3 > 0)
        MPI_Accumulate(ones(), count, MPI_INT64_T, 0, first, count, MPI_INT64_T,
                       MPI_SUM, adder->win);
    else
        MPI_Get_accumulate(ones(), count, MPI_INT64_T, fetched, count, MPI_INT64_T, 0,
                           first, count, MPI_INT64_T, MPI_SUM, adder->win);
    MPI_Win_flush(0, adder->win);
    adder->added += count;
}

static void swap_one(struct adder *adder, MPI_Aint at)
{
    int64_t guess = 0, found = -1;
    for (;; guess = found) {
        int64_t next = guess + 1;
        MPI_Compare_and_swap(&next, &guess, &found, MPI_INT64_T, 0, at, adder->win);
        MPI_Win_flush(0, adder->win);
        if (found == guess)
            return;
    }
}

static void add_one(struct adder *adder)
{
    int64_t fetched;
    MPI_Aint at = draw(adder) % ELEMENTS;
    switch (draw(adder) % 4) {
    case 0:
        swap_one(adder, at);
        break;
    case 1:
        MPI_Fetch_and_op(ones(), &fetched, MPI_INT64_T, 0, at, MPI_SUM, adder->win);
        break;
    case 2:
        MPI_Get_accumulate(ones(), 1, MPI_INT64_T, &fetched, 1, MPI_INT64_T, 0, at, 1,
                           MPI_INT64_T, MPI_SUM, adder->win);
        break;
    default:
        MPI_Accumulate(ones(), 1, MPI_INT64_T, 0, at, 1, MPI_INT64_T, MPI_SUM,
                       adder->win);
    }
    MPI_Win_flush(0, adder->win);
    adder->added++;
}

static void meet(const struct adder *adder)
{
    pthread_barrier_wait(&threads_meet);
    if (adder->is_main)
        MPI_Barrier(MPI_COMM_WORLD);
    pthread_barrier_wait(&threads_meet);
}

static void *add(void *argument)
{
    struct adder *adder = argument;
    for (long turn = 0; turn < adder->turns; turn++) {
        meet(adder);
        for (int i = 0; i < SINGLE / size / threads + 1; i++)
            add_one(adder);
        meet(adder);
        for (unsigned i = draw(adder) % (2 * MIXED); i > 0; i--) {
            for (unsigned few = draw(adder) % MIXED; few > 0; few--)
                add_one(adder);
            add_many(adder);
        }
    }
    return NULL;
}

// ---- changes of the granularity ----------------------------------------------------
static void changes_open(void)
{
    int provided, index, count;
    MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
    CHECK(MPI_T_pvar_get_index("granularity_changes", MPI_T_PVAR_CLASS_COUNTER,
                               &index) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_session_create(&session) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_handle_alloc(session, index, NULL, &changes, &count) ==
          MPI_SUCCESS);
    CHECK(MPI_T_pvar_start(session, changes) == MPI_SUCCESS);
}

// By all processes since the last call.
static int64_t changes_made(void)
{
    unsigned long long own;
    int64_t made, all;
    CHECK(MPI_T_pvar_readreset(session, changes, &own) == MPI_SUCCESS);
    made = (int64_t)own;
    MPI_Allreduce(&made, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static bool has_membarrier(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0;
}

// ---- all ------------------------------------------------------------------------
// As many turns as bring about the wanted number of updates.
static int64_t add_by_threads(MPI_Win win)
{
    long of_turn = SINGLE + (long)size * threads * MIXED * (MANY + MIXED) / 2;
    long turns = updates / of_turn + 2;
    struct adder adders[THREADS];
    pthread_t others[THREADS];
    int64_t added = 0;
    for (int i = 0; i < threads; i++)
        adders[i] = (struct adder){.win = win,
                                   .seed = (unsigned)(rank * THREADS + i + 1),
                                   .is_main = i == 0,
                                   .turns = turns};
    for (int i = 1; i < threads; i++)
        CHECK(pthread_create(&others[i], NULL, add, &adders[i]) == 0);
    add(&adders[0]);
    for (int i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
    for (int i = 0; i < threads; i++)
        added += adders[i].added;
    return added;
}

static void mix(const struct source *source)
{
    struct opened opened = source->open(ELEMENTS * (MPI_Aint)sizeof(int64_t), 8);
    int64_t *elements = opened.base, total = 0, sum = 0;
    for (int i = 0; i < ELEMENTS; i++)
        elements[i] = 0;
    ones(); // before there are threads
    changes_made();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, opened.win);
    int64_t added = add_by_threads(opened.win);
    MPI_Win_unlock_all(opened.win);
    MPI_Reduce(&added, &total, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int i = 0; i < ELEMENTS; i++)
        sum += elements[i];
    CHECK(rank != 0 || sum == total);
    CHECK(changes_made() > 1 || !has_membarrier());
    source->close(&opened);
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    threads = provided == MPI_THREAD_MULTIPLE ? THREADS : 1;
    if (argc > 1)
        updates = strtol(argv[1], NULL, 10);
    pthread_barrier_init(&threads_meet, NULL, (unsigned)threads);
    changes_open();
    for_each_source(mix);
    MPI_T_finalize();
    return finish();
}
