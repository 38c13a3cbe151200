// SPDX-License-Identifier: BSD-3-Clause
// operations_reach_targets_that_come_and_go: each process computes and waits inside MPI
// by turns, at random, while its left neighbour puts, gets and accumulates. Each
// operation is there after its flush, whatever carried it, and no update is lost.
#include "window_test.h"

#include <stdint.h>
#include <time.h>

enum { ROUNDS = 400, STREAM = 300, LONGEST = 100, TAG = 1 };
enum {
    COUNTER,
    SINGLE,
    LINE,
    LINES = LINE + 2 * STREAM,
    BLOCK = 3000,
    LONG = 150000, // more than a batch
    ALL = LINES + LONG
};

static struct opened opened;
static int64_t mine[ALL], back[ALL];
static uint32_t state;

static uint32_t draw(uint32_t limit)
{
    state = state * 1664525 + 1013904223;
    return (state >> 8) % limit;
}

static void compute(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    int64_t now = time.tv_nsec + 1000000000 * (int64_t)time.tv_sec;
    int64_t end = now + draw(LONGEST) * 1000;
    while (now < end) {
        clock_gettime(CLOCK_MONOTONIC, &time);
        now = time.tv_nsec + 1000000000 * (int64_t)time.tv_sec;
    }
}

static void put_at(int at, int count)
{
    MPI_Put(&mine[at], count, MPI_INT64_T, right(), at, count, MPI_INT64_T, opened.win);
}

static void get_at(int at, int count)
{
    MPI_Get(&back[at], count, MPI_INT64_T, right(), at, count, MPI_INT64_T, opened.win);
}

static void one_is_there(int64_t value)
{
    mine[SINGLE] = value;
    put_at(SINGLE, 1);
    MPI_Win_flush(right(), opened.win);
    get_at(SINGLE, 1);
    MPI_Win_flush_local(right(), opened.win);
    CHECK(back[SINGLE] == value);
}

// Of elements with gaps and without, in batches of all sizes.
static void streams_are_there(int64_t value)
{
    int count = 1 + (int)draw(STREAM), step = 1 + (int)draw(2);
    for (int i = 0; i < count; i++) {
        mine[LINE + i * step] = value + i;
        put_at(LINE + i * step, 1);
    }
    MPI_Win_flush(right(), opened.win);
    for (int i = 0; i < count; i++)
        get_at(LINE + i * step, 1);
    MPI_Win_flush(right(), opened.win);
    for (int i = 0; i < count; i++)
        CHECK(back[LINE + i * step] == value + i);
}

static void blocks_are_there(int64_t value)
{
    int count = 1 + (int)draw(draw(4) > 0 ? BLOCK : LONG), half = count / 2;
    for (int i = 0; i < count; i++)
        mine[LINES + i] = value + i;
    put_at(LINES, half);
    put_at(LINES + half, count - half);
    MPI_Win_flush_all(opened.win);
    get_at(LINES, count);
    MPI_Win_flush(right(), opened.win);
    for (int i = 0; i < count; i++)
        CHECK(back[LINES + i] == value + i);
}

static void a_request_is_there(int64_t value)
{
    MPI_Request request;
    int64_t given = value, seen = -1;
    MPI_Rput(&given, 1, MPI_INT64_T, right(), SINGLE, 1, MPI_INT64_T, opened.win,
             &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    given = -2;
    MPI_Win_flush(right(), opened.win);
    MPI_Rget(&seen, 1, MPI_INT64_T, right(), SINGLE, 1, MPI_INT64_T, opened.win,
             &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(seen == value);
}

// Only the left neighbour counts.
static void the_counter_goes_on(int64_t value)
{
    const int64_t one = 1;
    int64_t before = -1;
    MPI_Fetch_and_op(&one, &before, MPI_INT64_T, right(), COUNTER, MPI_SUM, opened.win);
    MPI_Win_flush(right(), opened.win);
    CHECK(before == value);
}

static void wait_for_left(int turn)
{
    if (draw(2))
        compute();
    MPI_Sendrecv(NULL, 0, MPI_INT, right(), TAG, NULL, 0, MPI_INT,
                 (rank + size - 1) % size, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (turn % 4 == 0)
        MPI_Barrier(MPI_COMM_WORLD);
}

static void (*const turns[])(int64_t) = {one_is_there, streams_are_there,
                                         blocks_are_there, a_request_is_there};

static void all_take_turns(const struct source *source)
{
    opened = source->open((MPI_Aint)(ALL * sizeof(int64_t)), sizeof(int64_t));
    memset(opened.base, 0, ALL * sizeof(int64_t));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, opened.win);
    for (int64_t round = 0; round < ROUNDS; round++) {
        turns[draw(sizeof turns / sizeof *turns)](round << 20);
        the_counter_goes_on(round);
        if (draw(3) == 0)
            compute();
    }
    for (int i = 0; i < ROUNDS / 4; i++) {
        one_is_there(i);
        wait_for_left(i);
    }
    MPI_Win_unlock_all(opened.win);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(((const int64_t *)opened.base)[COUNTER] == ROUNDS);
    source->close(&opened);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    state = (uint32_t)rank + 1;
    for_each_source(all_take_turns);
    return finish();
}
