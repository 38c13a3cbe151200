// SPDX-License-Identifier: BSD-3-Clause
// random_mixes_of_updates_lose_none: all ranks, two threads each, add to elements of rank
// 0 by updates of one to thousands of elements, in turns of many and of few, so that the
// library changes between locks and instructions; fetch and op and compare and swap are
// among them. All that was added is there in the end.
//
// accumulate_mixes [UPDATES]: of elements by all ranks together, on each kind of window.
#include "window_test.h"

#include <pthread.h>
#include <stdint.h>

enum { THREADS = 2, ELEMENTS = 12000, MANY = 4000, TURN_MANY = 20, TURN_FEW = 1500 };

static long updates = 1000000;
static int threads;

struct adder {
    MPI_Win win;
    unsigned seed;
    int64_t share, added; // to be added, and what has been
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

static void *add(void *argument)
{
    struct adder *adder = argument;
    while (adder->added < adder->share) {
        for (unsigned i = draw(adder) % TURN_MANY; i > 0; i--)
            add_many(adder);
        for (unsigned i = draw(adder) % TURN_FEW; i > 0; i--)
            add_one(adder);
    }
    return NULL;
}

// ---- all ------------------------------------------------------------------------
static int64_t add_by_threads(MPI_Win win)
{
    struct adder adders[THREADS];
    pthread_t others[THREADS];
    int64_t added = 0;
    for (int i = 0; i < threads; i++)
        adders[i] = (struct adder){.win = win,
                                   .seed = (unsigned)(rank * THREADS + i + 1),
                                   .share = updates / size / threads};
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
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, opened.win);
    int64_t added = add_by_threads(opened.win);
    MPI_Win_unlock_all(opened.win);
    MPI_Reduce(&added, &total, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int i = 0; i < ELEMENTS; i++)
        sum += elements[i];
    CHECK(rank != 0 || sum == total);
    MPI_Barrier(MPI_COMM_WORLD);
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
    for_each_source(mix);
    return finish();
}
