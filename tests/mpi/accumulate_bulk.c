// SPDX-License-Identifier: BSD-3-Clause
// many_elements_at_once_lose_no_update: one process adds to many elements of a part by
// single calls, so that the library need not update each atomically; meanwhile others
// begin to add to the same elements, by one and by many. All that was added is there in
// the end, in fresh windows each time, because what the others change is for good.
#include "window_test.h"

#include <stdint.h>

enum { ELEMENTS = 512, WINDOWS = 16, CALLS = 300, FEW = 4 };

// ---- types ----------------------------------------------------------------------------
static const struct counter {
    MPI_Datatype type;
    size_t bytes;
} counters[] = {
    {MPI_INT64_T, sizeof(int64_t)},
    {MPI_DOUBLE, sizeof(double)},
    {MPI_FLOAT, sizeof(float)},
    {MPI_LONG_DOUBLE, sizeof(long double)},
};
enum { COUNTERS = sizeof counters / sizeof *counters };

static void write_number(const struct counter *counter, void *at, int value)
{
    int64_t integer = value;
    double twice = value;
    float single = (float)value;
    long double longest = value;
    const void *from = &longest;
    if (counter->type == MPI_INT64_T)
        from = &integer;
    else if (counter->type == MPI_DOUBLE)
        from = &twice;
    else if (counter->type == MPI_FLOAT)
        from = &single;
    memcpy(at, from, counter->bytes);
}

static long read_number(const struct counter *counter, const void *at)
{
    int64_t integer;
    double twice;
    float single;
    long double longest;
    if (counter->type == MPI_INT64_T)
        return memcpy(&integer, at, sizeof integer), (long)integer;
    if (counter->type == MPI_DOUBLE)
        return memcpy(&twice, at, sizeof twice), (long)twice;
    if (counter->type == MPI_FLOAT)
        return memcpy(&single, at, sizeof single), (long)single;
    return memcpy(&longest, at, sizeof longest), (long)longest;
}

// ---- adding ---------------------------------------------------------------------------
static _Alignas(64) char ones[ELEMENTS * sizeof(long double)],
    fetched[ELEMENTS * sizeof(long double)];

static long before[ELEMENTS]; // what was fetched last

// Adds 1 to all elements; what is fetched never becomes less.
static void add_to_all(const struct counter *counter, MPI_Win win, int call, int target)
{
    if (call % 3 != 0) {
        MPI_Accumulate(ones, ELEMENTS, counter->type, target, 0, ELEMENTS,
                       counter->type, MPI_SUM, win);
        return;
    }
    MPI_Get_accumulate(ones, ELEMENTS, counter->type, fetched, ELEMENTS, counter->type,
                       target, 0, ELEMENTS, counter->type, MPI_SUM, win);
    MPI_Win_flush(target, win);
    for (int i = 0; i < ELEMENTS; i++) {
        long now = read_number(counter, fetched + (size_t)i * counter->bytes);
        CHECK(now >= before[i]);
        before[i] = now;
    }
}

// Adds 1 to a few elements, one by one.
static void add_to_few(const struct counter *counter, MPI_Win win, int target)
{
    for (int i = 0; i < FEW; i++)
        MPI_Fetch_and_op(ones, fetched, counter->type, target,
                         i * (MPI_Aint)counter->bytes, MPI_SUM, win);
}

// Rank 0 adds to all; the others wait a little, then add in both ways.
static void add(const struct counter *counter, MPI_Win win, int pause, int target)
{
    memset(before, 0, sizeof before);
    for (volatile int i = 0; i < pause * rank; i++)
        ;
    for (int call = 0; call < CALLS; call++) {
        if (rank == 0 || call % 4 == 1)
            add_to_all(counter, win, call, target);
        else
            add_to_few(counter, win, target);
    }
}

static void check_sums(const struct counter *counter, const char *memory)
{
    long calls_to_all = 0, calls_to_few = 0;
    for (int call = 0; call < CALLS; call++)
        if (call % 4 == 1)
            calls_to_all++;
        else
            calls_to_few++;
    for (int i = 0; i < ELEMENTS; i++) {
        long wanted =
            CALLS + (size - 1) * (calls_to_all + (i < FEW ? calls_to_few : 0));
        CHECK(read_number(counter, memory + (size_t)i * counter->bytes) == wanted);
    }
}

static void rounds(const struct source *source, const struct counter *counter,
                   int lock_type)
{
    for (int i = 0; i < ELEMENTS; i++)
        write_number(counter, ones + (size_t)i * counter->bytes, 1);
    for (int round = 0; round < WINDOWS / COUNTERS; round++) {
        struct opened opened = source->open((MPI_Aint)sizeof ones, 1);
        int target = round % 2 == 0 ? 0 : size - 1;
        for (int i = 0; i < ELEMENTS; i++)
            write_number(counter, (char *)opened.base + (size_t)i * counter->bytes, 0);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_lock(lock_type, target, 0, opened.win);
        add(counter, opened.win, round * 997, target);
        MPI_Win_unlock(target, opened.win);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == target)
            check_sums(counter, opened.base);
        source->close(&opened);
    }
}

static void all_counters(const struct source *source)
{
    for (int i = 0; i < COUNTERS; i++) {
        rounds(source, &counters[i], MPI_LOCK_SHARED);
        rounds(source, &counters[i], MPI_LOCK_EXCLUSIVE);
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for_each_source(all_counters);
    return finish();
}
