// SPDX-License-Identifier: BSD-3-Clause
// what_is_complete_is_seen_by_all: litmus tests of the order in which processes see what
// is written to windows. Each is a round that is played very often by processes that
// begin together: store buffering (of two writers that look at each other at least one
// sees the other), message passing (who sees the flag sees the data) and independent
// reads of independent writes (all see two writes in the same order).
//   memory_order [threads]
// With `threads` the library is told that threads may call it at once.
#include "window_test.h"

#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
    LINE = 128,  // bytes; processors may fetch two cache lines together
    BULK = 4096, // of a location: so many can be written there
    LOCATIONS = 2,
    GAP = 16,                  // between two elements of the vector
    MISALIGNED = LINE / 2 + 1, // behind a location
    PART = LOCATIONS * (BULK + LINE),
    PLAYERS = 4,
    ROUNDS = 20000
};
static const double SECONDS = 0.03; // at most, of one way to play

// ---- rounds ----------------------------------------------------------------------
// What the players share besides windows.
struct table {
    _Alignas(LINE) _Atomic(long) arrived;
    _Alignas(LINE) _Atomic(long) end; // number of rounds, or -1 while it is not known
    _Alignas(LINE) int64_t seen[PLAYERS][ROUNDS][LOCATIONS];
};
static struct table *table;

// Ranks of one machine, on whatever nodes Oriel puts them.
static void table_open(void)
{
    char name[] = "/tmp/oriel-order-XXXXXX";
    int file = rank == 0 ? mkstemp(name) : -1;
    if (rank == 0)
        CHECK(file >= 0 && ftruncate(file, sizeof *table) == 0);
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank != 0)
        file = open(name, O_RDWR);
    CHECK(file >= 0);
    table = mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(table != MAP_FAILED);
    close(file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        unlink(name);
}

// Hesitates a little, ever differently, as who comes last would always be ahead.
static void begin_together(long round, int players)
{
    atomic_fetch_add(&table->arrived, 1);
    for (int tries = 1; atomic_load(&table->arrived) < round * players; tries++)
        if (tries % 1000 == 0)
            sched_yield(); // a core may have several players
    for (volatile long i = round * (7 + 4 * rank) % 41; i > 0; i--)
        ;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// The writers have cores of their own if there are two: on one nobody is ever between the
// store and the load of the other.
static void part_cores(void)
{
    cpu_set_t all, own;
    CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
    if (CPU_COUNT(&all) < 2)
        return;
    int skipped = rank % CPU_COUNT(&all), core = 0;
    while (!CPU_ISSET(core, &all) || skipped-- > 0)
        core++;
    CPU_ZERO(&own);
    CPU_SET(core, &own);
    CHECK(sched_setaffinity(0, sizeof own, &own) == 0);
}

// ---- windows ---------------------------------------------------------------------
enum { FIRST, WRITER, READER, PLACES }; // whose memory a location is in

static struct opened opened;
static void *bases[2]; // of the writers' parts, where the program may use them
static int place;
static MPI_Datatype single, vector; // one element that is not predefined

static int home(int location)
{
    return place == FIRST ? 0 : place == WRITER ? location : 1 - location;
}

// The last element of what may be written at once.
static MPI_Aint at(int location)
{
    return location * (BULK + LINE) + BULK - (MPI_Aint)sizeof(int64_t);
}

// In memory that this process can load from.
static volatile int64_t *address(int location)
{
    return (int64_t *)((char *)bases[home(location)] + at(location));
}

// ---- how one writes ----------------------------------------------------------------
static void put(int location, int64_t value)
{
    MPI_Put(&value, 1, MPI_INT64_T, home(location), at(location), 1, MPI_INT64_T,
            opened.win);
    MPI_Win_flush(home(location), opened.win);
}

static void put_vector(int location, int64_t value)
{
    int64_t values[] = {value, 0, value};
    MPI_Put(values, 1, vector, home(location), at(location) - GAP, 1, vector,
            opened.win);
    MPI_Win_flush(home(location), opened.win);
}

static void put_much(int location, int64_t value)
{
    enum { COUNT = 32 };
    int64_t values[COUNT];
    for (int i = 0; i < COUNT; i++)
        values[i] = value;
    MPI_Put(values, COUNT, MPI_INT64_T, home(location),
            at(location) - (COUNT - 1) * (MPI_Aint)sizeof value, COUNT, MPI_INT64_T,
            opened.win);
    MPI_Win_flush(home(location), opened.win);
}

static void accumulate(int location, int64_t value, MPI_Datatype type, MPI_Op op)
{
    MPI_Accumulate(&value, 1, type, home(location), at(location), 1, type, op,
                   opened.win);
    MPI_Win_flush(home(location), opened.win);
}

static void replace(int location, int64_t value)
{
    accumulate(location, value, MPI_INT64_T, MPI_REPLACE);
}

static void replace_single(int location, int64_t value)
{
    accumulate(location, value, single, MPI_REPLACE);
}

static void exchange(int location, int64_t value)
{
    int64_t old;
    MPI_Fetch_and_op(&value, &old, MPI_INT64_T, home(location), at(location),
                     MPI_REPLACE, opened.win);
    MPI_Win_flush(home(location), opened.win);
}

static void swap(int location, int64_t value)
{
    int64_t old = value - 1, found;
    MPI_Compare_and_swap(&value, &old, &found, MPI_INT64_T, home(location),
                         at(location), opened.win);
    MPI_Win_flush(home(location), opened.win);
}

// More than a line, so that loops over vectors do it.
static void replace_much(int location, int64_t value)
{
    enum { COUNT = BULK / sizeof(int64_t) };
    static int64_t values[COUNT];
    for (int i = 0; i < COUNT; i++)
        values[i] = value;
    MPI_Accumulate(values, COUNT, MPI_INT64_T, home(location),
                   at(location) - (COUNT - 1) * (MPI_Aint)sizeof value, COUNT,
                   MPI_INT64_T, MPI_REPLACE, opened.win);
    MPI_Win_flush(home(location), opened.win);
}

// Under a lock of the library.
static void replace_misaligned(int location, int64_t value)
{
    MPI_Accumulate(&value, 1, MPI_INT64_T, home(location), at(location) + MISALIGNED, 1,
                   MPI_INT64_T, MPI_REPLACE, opened.win);
    MPI_Win_flush(home(location), opened.win);
}

static void put_under_lock(int type, int location, int64_t value)
{
    MPI_Win_lock(type, home(location), 0, opened.win);
    MPI_Put(&value, 1, MPI_INT64_T, home(location), at(location), 1, MPI_INT64_T,
            opened.win);
    MPI_Win_unlock(home(location), opened.win);
}

static void put_exclusively(int location, int64_t value)
{
    put_under_lock(MPI_LOCK_EXCLUSIVE, location, value);
}

static void put_with_others(int location, int64_t value)
{
    put_under_lock(MPI_LOCK_SHARED, location, value);
}

static void put_in_epoch_of_all(int location, int64_t value)
{
    MPI_Win_lock_all(0, opened.win);
    MPI_Put(&value, 1, MPI_INT64_T, home(location), at(location), 1, MPI_INT64_T,
            opened.win);
    MPI_Win_unlock_all(opened.win);
}

static void store(int location, int64_t value)
{
    *address(location) = value;
    MPI_Win_sync(opened.win);
}

// ---- how one reads -----------------------------------------------------------------
static int64_t get(int location)
{
    int64_t value = -1;
    MPI_Get(&value, 1, MPI_INT64_T, home(location), at(location), 1, MPI_INT64_T,
            opened.win);
    MPI_Win_flush(home(location), opened.win);
    return value;
}

static int64_t get_vector(int location)
{
    int64_t values[] = {-1, -1, -1};
    MPI_Get(values, 1, vector, home(location), at(location) - GAP, 1, vector,
            opened.win);
    MPI_Win_flush_local(home(location), opened.win);
    return values[2];
}

static int64_t fetch_as(int location, MPI_Aint offset, MPI_Datatype type)
{
    int64_t value = -1;
    MPI_Get_accumulate(NULL, 0, type, &value, 1, type, home(location),
                       at(location) + offset, 1, type, MPI_NO_OP, opened.win);
    MPI_Win_flush(home(location), opened.win);
    return value;
}

static int64_t fetch(int location)
{
    int64_t value = -1;
    MPI_Fetch_and_op(NULL, &value, MPI_INT64_T, home(location), at(location), MPI_NO_OP,
                     opened.win);
    MPI_Win_flush(home(location), opened.win);
    return value;
}

static int64_t fetch_single(int location)
{
    return fetch_as(location, 0, single);
}

static int64_t fetch_misaligned(int location)
{
    return fetch_as(location, MISALIGNED, MPI_INT64_T);
}

static int64_t load(int location)
{
    return *address(location);
}

// ---- litmus tests --------------------------------------------------------------------
struct way {
    const char *name;
    void (*write)(int location, int64_t value);
    int64_t (*read)(int location);
};

// One round; what has been read goes to `seen`.
struct litmus {
    const char *name;
    int players, rounds;
    void (*play)(const struct way *way, int64_t value, int64_t *seen);
    bool (*is_wrong)(long round); // round + 1 is the value written in it
};

// Each of two writers looks at the other one.
static void play_store_buffering(const struct way *way, int64_t value, int64_t *seen)
{
    way->write(rank, value);
    seen[0] = way->read(1 - rank);
}

static bool nobody_saw_the_other(long round)
{
    return table->seen[0][round][0] <= round && table->seen[1][round][0] <= round;
}

// The flag is written after the data, and read before it.
static void play_message_passing(const struct way *way, int64_t value, int64_t *seen)
{
    enum { DATA, FLAG };
    if (rank == 0) {
        way->write(DATA, value);
        way->write(FLAG, value);
        return;
    }
    seen[FLAG] = way->read(FLAG);
    seen[DATA] = way->read(DATA);
}

static bool flag_came_without_data(long round)
{
    const int64_t *seen = table->seen[1][round];
    return seen[0] < seen[1];
}

// Two write, two others look at both, in opposite order.
static void play_independent(const struct way *way, int64_t value, int64_t *seen)
{
    if (rank < 2) {
        way->write(rank, value);
        return;
    }
    int first = rank - 2;
    seen[first] = way->read(first);
    seen[1 - first] = way->read(1 - first);
}

static bool orders_differ(long round)
{
    const int64_t *one = table->seen[2][round], *other = table->seen[3][round];
    return one[0] > round && one[1] <= round && other[1] > round && other[0] <= round;
}

static const struct litmus store_buffering = {
    "store buffering", 2, ROUNDS, play_store_buffering, nobody_saw_the_other};
static const struct litmus message_passing = {
    "message passing", 2, ROUNDS / 10, play_message_passing, flag_came_without_data};
static const struct litmus independent = {"independent reads", 4, ROUNDS / 10,
                                          play_independent, orders_differ};

// Rank 0 decides before a round, so that all know it in the round.
static long play_rounds(const struct litmus *litmus, const struct way *way)
{
    double end = now() + SECONDS;
    for (long round = 0; round < litmus->rounds; round++) {
        if (rank == 0 && now() > end)
            atomic_store(&table->end, round);
        begin_together(round + 1, litmus->players);
        if (atomic_load(&table->end) == round)
            return round;
        litmus->play(way, round + 1, table->seen[rank][round]);
    }
    return litmus->rounds;
}

static void check_rounds(const struct litmus *litmus, const struct way *way,
                         const struct source *source, long rounds)
{
    long wrong = 0;
    for (long round = 0; round < rounds; round++)
        wrong += litmus->is_wrong(round);
    if (wrong > 0)
        fprintf(stderr, "%s, %s, %s: wrong in %ld of %ld rounds\n", litmus->name,
                way->name, source->name, wrong, rounds);
    CHECK(wrong == 0);
}

static void play(const struct litmus *litmus, const struct way *way,
                 const struct source *source)
{
    if (size < litmus->players)
        return;
    memset(opened.base, 0, PART);
    if (rank == 0) {
        atomic_store(&table->arrived, 0);
        atomic_store(&table->end, -1);
    }
    MPI_Win_sync(opened.win);
    MPI_Barrier(MPI_COMM_WORLD);
    long rounds = rank < litmus->players ? play_rounds(litmus, way) : 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        check_rounds(litmus, way, source, rounds);
    MPI_Barrier(MPI_COMM_WORLD);
}

static const struct way ways[] = {
    {"put, get", put, get},
    {"put, fetch", put, fetch},
    {"put of a vector, get of one", put_vector, get_vector},
    {"put of much, get", put_much, get},
    {"replace, fetch", replace, fetch},
    {"replace, get", replace, get},
    {"replace of a single, fetch", replace_single, fetch},
    {"replace, fetch of a single", replace, fetch_single},
    {"exchange, fetch", exchange, fetch},
    {"swap, fetch", swap, fetch},
    {"replace of much, fetch", replace_much, fetch},
    {"misaligned replace, fetch", replace_misaligned, fetch_misaligned},
};
// Their readers are the owners of the memory.
static const struct way loading_ways[5] = {
    {"put, load", put, load},
    {"put of a vector, load", put_vector, load},
    {"put of much, load", put_much, load},
    {"replace, load", replace, load},
    {"replace of much, load", replace_much, load},
};
// Without an epoch around them.
static const struct way locking_ways[3] = {
    {"put under an exclusive lock, load", put_exclusively, load},
    {"put under a shared lock, load", put_with_others, load},
    {"put under lock_all, load", put_in_epoch_of_all, load},
};
static const struct way storing_way = {"store and sync, load", store, load};

static void play_ways(const struct source *source)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        place = (int)i % PLACES;
        play(&store_buffering, &ways[i], source);
        place = (int)(i + 1) % PLACES;
        play(&message_passing, &ways[i], source);
        play(&independent, &ways[i], source);
    }
}

static void play_store_buffering_ways(const struct way list[], size_t count,
                                      const struct source *source)
{
    place = READER;
    for (size_t i = 0; i < count; i++)
        play(&store_buffering, &list[i], source);
}

// All memory of such a window is mapped everywhere.
static void play_storing_way(const struct source *source)
{
    for (int writer = 0; writer < 2; writer++)
        MPI_Win_shared_query(opened.win, writer, &(MPI_Aint){0}, &(int){0},
                             &bases[writer]);
    place = FIRST;
    play(&store_buffering, &storing_way, source);
    play(&message_passing, &storing_way, source);
    play(&independent, &storing_way, source);
}

static void play_window(const struct source *source)
{
    int *flavor, is_given;
    opened = source->open(PART, 1);
    bases[rank & 1] = opened.base;
    play_store_buffering_ways(locking_ways, 3, source);
    MPI_Win_lock_all(0, opened.win);
    play_ways(source);
    play_store_buffering_ways(loading_ways, 5, source);
    MPI_Win_get_attr(opened.win, MPI_WIN_CREATE_FLAVOR, &flavor, &is_given);
    if (*flavor == MPI_WIN_FLAVOR_SHARED)
        play_storing_way(source);
    MPI_Win_unlock_all(opened.win);
    source->close(&opened);
}

int main(int argc, char **argv)
{
    bool has_threads = argc > 1 && strcmp(argv[1], "threads") == 0;
    MPI_Init_thread(&argc, &argv, has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &(int){0});
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    part_cores();
    table_open();
    MPI_Type_contiguous(1, MPI_INT64_T, &single);
    MPI_Type_commit(&single);
    MPI_Type_vector(2, 1, GAP / sizeof(int64_t), MPI_INT64_T, &vector);
    MPI_Type_commit(&vector);
    for_each_source(play_window);
    MPI_Type_free(&vector);
    MPI_Type_free(&single);
    return finish();
}
