// SPDX-License-Identifier: BSD-3-Clause
// accumulates_lose_no_update: all ranks, two threads each, update the same elements of
// rank 0 by a mix of all operations, from near and far, with every mechanism that there
// is. What they added must be there in the end; what they swapped in must come out
// exactly once, and whole.
#include "window_test.h"

#include <complex.h>
#include <pthread.h>

enum { THREADS = 2, ROUNDS = 40, ELEMENTS = 6, ROOM = 4096 };

// ---- adding ---------------------------------------------------------------------
// Types that count ones; `shift` makes the elements misaligned.
static const struct counter {
    const char *name;
    MPI_Datatype type;
    size_t bytes;
    int shift;
    bool is_integer; // can be compared and swapped
} counters[] = {
    {"int8", MPI_INT8_T, 1, 0, true},
    {"int16", MPI_INT16_T, 2, 0, true},
    {"misaligned int16", MPI_INT16_T, 2, 1, true},
    {"int32", MPI_INT32_T, 4, 0, true},
    {"misaligned int32", MPI_INT32_T, 4, 2, true},
    {"int64", MPI_INT64_T, 8, 0, true},
    {"misaligned int64", MPI_INT64_T, 8, 4, true},
    {"float", MPI_FLOAT, 4, 0, false},
    {"double", MPI_DOUBLE, 8, 0, false},
    {"misaligned double", MPI_DOUBLE, 8, 3, false},
    {"float complex", MPI_C_FLOAT_COMPLEX, 8, 0, false},
    {"double complex", MPI_C_DOUBLE_COMPLEX, 16, 0, false},
    {"half aligned double complex", MPI_C_DOUBLE_COMPLEX, 16, 8, false},
    {"long double", MPI_LONG_DOUBLE, 16, 0, false},
    {"long double complex", MPI_C_LONG_DOUBLE_COMPLEX, 32, 0, false},
};
enum { COUNTERS = sizeof counters / sizeof *counters };

// The number `value` as an element; complex ones have it in both parts.
static void write_number(const struct counter *counter, char *at, int value)
{
    int64_t integer = value;
    float single[] = {(float)value, (float)value};
    double twice[] = {value, value};
    long double longest[] = {value, value};
    MPI_Datatype type = counter->type;
    if (counter->is_integer)
        memcpy(at, &integer, counter->bytes);
    else if (type == MPI_FLOAT || type == MPI_C_FLOAT_COMPLEX)
        memcpy(at, single, counter->bytes);
    else if (type == MPI_DOUBLE || type == MPI_C_DOUBLE_COMPLEX)
        memcpy(at, twice, counter->bytes);
    else
        memcpy(at, longest, counter->bytes);
}

// The data of a long double is 10 of its 16 bytes.
static bool is_number(const struct counter *counter, const char *at, int value)
{
    char expected[32] = {0};
    write_number(counter, expected, value);
    bool is_long = counter->bytes == 32 || counter->type == MPI_LONG_DOUBLE;
    size_t step = is_long ? 16 : counter->bytes, data = is_long ? 10 : counter->bytes;
    for (size_t i = 0; i < counter->bytes; i += step)
        if (memcmp(at + i, expected + i, data) != 0)
            return false;
    return true;
}

struct job {
    const struct counter *counter;
    MPI_Win win;
    int thread;
    MPI_Datatype gapped; // every second element
};

static MPI_Aint place(const struct job *job, int element)
{
    return job->counter->shift + element * (MPI_Aint)job->counter->bytes;
}

// Adds 1 to one element by compare and swap.
static void add_by_swap(const struct job *job, int element)
{
    const struct counter *counter = job->counter;
    char expected[32] = {0}, wanted[32] = {0}, found[32] = {0};
    for (int64_t guess = 0;; memcpy(&guess, found, counter->bytes)) {
        int64_t next = guess + 1;
        memcpy(expected, &guess, counter->bytes);
        memcpy(wanted, &next, counter->bytes);
        MPI_Compare_and_swap(wanted, expected, found, counter->type, 0,
                             place(job, element), job->win);
        MPI_Win_flush(0, job->win);
        if (memcmp(found, expected, counter->bytes) == 0)
            return;
    }
}

// Adds 1 to every element, in one of six ways.
static void add_ones(const struct job *job, int way)
{
    const struct counter *counter = job->counter;
    MPI_Datatype type = counter->type;
    _Alignas(16) char ones[ELEMENTS * 32], fetched[ELEMENTS * 32];
    for (int i = 0; i < ELEMENTS; i++)
        write_number(counter, ones + (size_t)i * counter->bytes, 1);
    if (way == 0)
        MPI_Accumulate(ones, ELEMENTS, type, 0, place(job, 0), ELEMENTS, type, MPI_SUM,
                       job->win);
    for (int i = 0; i < 2 && way == 1; i++)
        MPI_Accumulate(ones, ELEMENTS / 2, type, 0, place(job, i), 1, job->gapped,
                       MPI_SUM, job->win);
    if (way == 2)
        MPI_Get_accumulate(ones, ELEMENTS, type, fetched, ELEMENTS, type, 0,
                           place(job, 0), ELEMENTS, type, MPI_SUM, job->win);
    for (int i = 0; i < ELEMENTS; i++) {
        if (way == 3)
            MPI_Accumulate(ones, 1, type, 0, place(job, i), 1, type, MPI_SUM, job->win);
        else if (way == 4 || (way == 5 && !counter->is_integer))
            MPI_Fetch_and_op(ones, fetched, type, 0, place(job, i), MPI_SUM, job->win);
        else if (way == 5)
            add_by_swap(job, i);
        if (way > 3)
            MPI_Win_flush_local(0, job->win);
    }
    MPI_Win_flush_local(0, job->win);
}

static void *add(void *argument)
{
    const struct job *job = argument;
    for (int round = 0; round < ROUNDS; round++)
        add_ones(job, (round + rank + job->thread) % 6);
    return NULL;
}

// ---- swapping -------------------------------------------------------------------
// Every token is put in once and must come out once: by another, or at the end.
static const struct swapped {
    MPI_Datatype type;
    size_t bytes, index_at; // of the index, which repeats the value
    bool is_real;
    int shift;
} swaps[] = {
    {MPI_2INT, 8, 4, false, 0},
    {MPI_2INT, 8, 4, false, 4},
    {MPI_SHORT_INT, 8, 4, false, 0},
    {MPI_LONG_INT, 16, 8, false, 0},
    {MPI_DOUBLE_INT, 16, 8, true, 0},
    {MPI_DOUBLE_INT, 16, 8, true, 4},
    {MPI_LONG_DOUBLE_INT, 32, 16, true, 0},
};
enum { SWAPS = sizeof swaps / sizeof *swaps, TOKENS = 8 * THREADS * ROUNDS + 1 };

static void write_token(const struct swapped *swapped, char *at, int token)
{
    double twice = token;
    long double longest = token;
    int64_t integer = token;
    if (swapped->type == MPI_LONG_DOUBLE_INT)
        memcpy(at, &longest, 10);
    else if (swapped->is_real)
        memcpy(at, &twice, sizeof twice);
    else
        memcpy(at, &integer, swapped->type == MPI_SHORT_INT ? 2 : swapped->index_at);
    memcpy(at + swapped->index_at, &token, sizeof token);
}

static int read_token(const struct swapped *swapped, const char *at)
{
    char expected[32] = {0};
    int token;
    memcpy(&token, at + swapped->index_at, sizeof token);
    write_token(swapped, expected, token);
    size_t bytes = swapped->type == MPI_LONG_DOUBLE_INT ? 10
                   : swapped->type == MPI_SHORT_INT     ? 2
                                                        : swapped->index_at;
    CHECK(memcmp(at, expected, bytes) == 0); // whole
    return token;
}

struct exchange {
    const struct swapped *swapped;
    MPI_Win win;
    int thread;
    int seen[TOKENS]; // how often a token came out
};

static void *exchange_tokens(void *argument)
{
    struct exchange *exchange = argument;
    const struct swapped *swapped = exchange->swapped;
    char mine[32] = {0}, fetched[32] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        int token = 1 + (rank * THREADS + exchange->thread) * ROUNDS + round;
        write_token(swapped, mine, token);
        if (round % 2 == 0)
            MPI_Fetch_and_op(mine, fetched, swapped->type, 0, swapped->shift,
                             MPI_REPLACE, exchange->win);
        else
            MPI_Get_accumulate(mine, 1, swapped->type, fetched, 1, swapped->type, 0,
                               swapped->shift, 1, swapped->type, MPI_REPLACE,
                               exchange->win);
        MPI_Win_flush(0, exchange->win);
        exchange->seen[read_token(swapped, fetched)]++;
        MPI_Fetch_and_op(NULL, fetched, swapped->type, 0, swapped->shift, MPI_NO_OP,
                         exchange->win);
        MPI_Win_flush(0, exchange->win);
        read_token(swapped, fetched);
    }
    return NULL;
}

// ---- both -----------------------------------------------------------------------
static int threads;

static void run(void *(*work)(void *), void *first, size_t bytes)
{
    pthread_t others[THREADS];
    for (int i = 1; i < threads; i++)
        CHECK(pthread_create(&others[i], NULL, work,
                             (char *)first + (size_t)i * bytes) == 0);
    work(first);
    for (int i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
}

static void check_sum(const struct counter *counter, const struct opened *opened)
{
    struct job jobs[THREADS];
    MPI_Datatype gapped;
    MPI_Type_vector(ELEMENTS / 2, 1, 2, counter->type, &gapped);
    MPI_Type_commit(&gapped);
    for (int i = 0; i < THREADS; i++)
        jobs[i] = (struct job){counter, opened->win, i, gapped};
    memset(opened->base, 0, ROOM);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, opened->win);
    run(add, jobs, sizeof *jobs);
    MPI_Win_unlock_all(opened->win);
    MPI_Barrier(MPI_COMM_WORLD);
    const char *memory = (const char *)opened->base + counter->shift;
    for (int i = 0; i < ELEMENTS && rank == 0; i++)
        if (!is_number(counter, memory + (size_t)i * counter->bytes,
                       size * threads * ROUNDS)) {
            fprintf(stderr, "%s: element %d has lost an update\n", counter->name, i);
            CHECK(!"all updates are there");
        }
    MPI_Type_free(&gapped);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_tokens(const struct swapped *swapped, const struct opened *opened)
{
    static struct exchange exchanges[THREADS];
    static int seen[TOKENS];
    for (int i = 0; i < THREADS; i++)
        exchanges[i] =
            (struct exchange){.swapped = swapped, .win = opened->win, .thread = i};
    memset(opened->base, 0, ROOM);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, opened->win);
    run(exchange_tokens, exchanges, sizeof *exchanges);
    MPI_Win_unlock_all(opened->win);
    MPI_Barrier(MPI_COMM_WORLD);
    int *mine = exchanges[0].seen;
    for (int token = 0; token < TOKENS; token++)
        mine[token] += exchanges[1].seen[token];
    if (rank == 0)
        mine[read_token(swapped, (const char *)opened->base + swapped->shift)]++;
    MPI_Allreduce(mine, seen, TOKENS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int token = 0; token < TOKENS; token++) {
        int thread = (token - 1) / ROUNDS % THREADS;
        bool was_put_in =
            token == 0 || (thread < threads && (token - 1) / ROUNDS / THREADS < size);
        CHECK(seen[token] == was_put_in);
    }
}

static void all_mechanisms(const struct source *source)
{
    struct opened opened = source->open(ROOM, 1);
    for (int i = 0; i < COUNTERS; i++)
        check_sum(&counters[i], &opened);
    for (int i = 0; i < SWAPS; i++)
        check_tokens(&swaps[i], &opened);
    source->close(&opened);
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    threads = provided == MPI_THREAD_MULTIPLE ? THREADS : 1;
    if (size > 8)
        return finish(), SKIPPED;
    for_each_source(all_mechanisms);
    return finish();
}
