// SPDX-License-Identifier: BSD-3-Clause
// An MPI program that goes on with accesses and messages of all kinds until a call
// fails because a process has died; then it looks at what the others have left in its
// memory. See test_deaths.py.
//
// usage: endure SEED
//
// Every part has a record of each rank, which that rank alone writes: WORDS words, each
// of which tells its rank, its place and how often the record has been written. So
// whatever is not from the one writer, or from two writes that did not follow each
// other, is seen.
#include <mpi.h>

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS = 8, RANKS_MAX = 16 };

struct record {
    uint64_t words[WORDS];
    int64_t count; // of additions
};

static int rank, size;
static MPI_Win win;
static struct record *part;
static uint64_t written[RANKS_MAX]; // times that this rank has written, by target
static int64_t counted[RANKS_MAX];
static MPI_Group world, next, previous; // neighbours in a ring

static _Noreturn void report(const char *what, long long got, long long wanted)
{
    fprintf(stderr, "rank %d: %s: %#llx, not %#llx\n", rank, what, got, wanted);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

static uint32_t chance(uint64_t *state, uint32_t limit)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % limit;
}

static uint64_t word(int owner, int place, uint64_t time)
{
    return time == 0 ? 0 : time << 16 | (uint64_t)owner << 8 | (uint64_t)place;
}

static MPI_Aint place_of_record(void)
{
    return (MPI_Aint)(rank * (int)sizeof(struct record));
}

// ---- what a rank does alone

static int put(int target)
{
    uint64_t words[WORDS];
    for (int i = 0; i < WORDS; i++)
        words[i] = word(rank, i, written[target] + 1);
    int err = MPI_Put(words, WORDS, MPI_UINT64_T, target, place_of_record(), WORDS,
                      MPI_UINT64_T, win);
    if (!err)
        err = MPI_Win_flush(target, win);
    written[target] += !err;
    return err;
}

static int get(int target)
{
    uint64_t words[WORDS];
    MPI_Request request;
    int err = MPI_Rget(words, WORDS, MPI_UINT64_T, target, place_of_record(), WORDS,
                       MPI_UINT64_T, win, &request);
    if (!err)
        err = MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < WORDS && !err; i++)
        if (words[i] != word(rank, i, written[target]))
            report("a word comes back changed", (long long)words[i],
                   (long long)word(rank, i, written[target]));
    return err;
}

static int add(int target)
{
    static const int64_t one = 1;
    int64_t before;
    MPI_Aint at = place_of_record() + (MPI_Aint)offsetof(struct record, count);
    int err = MPI_Fetch_and_op(&one, &before, MPI_INT64_T, target, at, MPI_SUM, win);
    if (!err)
        err = MPI_Win_flush(target, win);
    if (!err && before != counted[target]++)
        report("additions", before, counted[target] - 1);
    return err;
}

static int access_alone(uint64_t *state)
{
    static int (*const accesses[])(int) = {put, get, add};
    int target = (int)chance(state, (uint32_t)size);
    bool is_exclusive = chance(state, 2);
    int err = MPI_Win_lock(is_exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target,
                           0, win);
    if (err)
        return err;
    for (uint32_t i = chance(state, 4); i > 0 && !err; i--)
        err = accesses[chance(state, 3)](target);
    int end = MPI_Win_unlock(target, win);
    return err ? err : end;
}

// ---- what all ranks do together

static int add_up(void)
{
    int one = 1, sum;
    int err = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (!err && sum != size)
        report("sum", sum, size);
    return err;
}

static int fence(void)
{
    int err = MPI_Win_fence(0, win);
    return err ? err : MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

static int post_and_start(void)
{
    int err = MPI_Win_post(previous, 0, win);
    if (!err)
        err = MPI_Win_start(next, 0, win);
    if (!err)
        err = MPI_Win_complete(win);
    return err ? err : MPI_Win_wait(win);
}

static int test_ring(void)
{
    MPI_Request request;
    int from, is_done = false;
    int err = MPI_Irecv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
    if (!err)
        err = MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
    while (!err && !is_done)
        err = MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    if (!err && from != (rank + size - 1) % size)
        report("message", from, (rank + size - 1) % size);
    return err;
}

// Nobody may be locked and exposed at once.
static int apart(int (*call)(void))
{
    int err = MPI_Barrier(MPI_COMM_WORLD);
    if (!err)
        err = call();
    return err ? err : MPI_Barrier(MPI_COMM_WORLD);
}

static int go_on(uint64_t alone, uint64_t together)
{
    static int (*const calls[])(void) = {add_up, fence, post_and_start, test_ring};
    int err = 0;
    while (!err) {
        for (uint32_t i = chance(&together, 8); i > 0 && !err; i--)
            err = access_alone(&alone);
        uint32_t call = chance(&together, 4);
        if (!err)
            err = apart(calls[call]);
    }
    return err;
}

// ---- afterwards

// How often the writer of a word had written.
static uint64_t time_of(uint64_t found, int owner, int place)
{
    uint64_t time = found >> 16;
    if (found != word(owner, place, time))
        report("no word of the record's owner", (long long)found,
               (long long)word(owner, place, time));
    return time;
}

static void check_own_part(void)
{
    for (int owner = 0; owner < size; owner++) {
        uint64_t first = time_of(part[owner].words[0], owner, 0);
        for (int i = 1; i < WORDS; i++) {
            uint64_t time = time_of(part[owner].words[i], owner, i);
            if (time + 1 < first || time > first + 1)
                report("times in a record", (long long)time, (long long)first);
        }
        if (owner == rank && first != written[rank])
            report("own record", (long long)first, (long long)written[rank]);
    }
}

static void vanish(int number)
{
    (void)number;
    _exit(3);
}

static int make_window(bool is_own_memory)
{
    MPI_Aint bytes = (MPI_Aint)((size_t)size * sizeof *part);
    void *memory = is_own_memory ? calloc(1, (size_t)bytes) : NULL;
    int err =
        is_own_memory
            ? MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win)
            : MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    if (err)
        return err;
    memset(memory, 0, (size_t)bytes);
    part = memory;
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    return MPI_Barrier(MPI_COMM_WORLD);
}

static void make_groups(void)
{
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &(int){(rank + 1) % size}, &next);
    MPI_Group_incl(world, 1, &(int){(rank + size - 1) % size}, &previous);
}

int main(int argc, char **argv)
{
    char text[MPI_MAX_ERROR_STRING];
    int length, class;
    uint64_t seed = strtoull(argv[1], NULL, 10);
    signal(SIGUSR1, vanish);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    make_groups();
    int err = make_window(seed % 2 == 0);
    if (!err)
        err = go_on(seed + 1 + (uint64_t)rank, seed);
    if (part)
        check_own_part();
    MPI_Error_class(err, &class);
    MPI_Error_string(err, text, &length);
    if (class != MPI_ERR_PROC_ABORTED)
        report(text, class, MPI_ERR_PROC_ABORTED);
    printf("rank %d has survived: %s\n", rank, text);
    fflush(stdout);
    return MPI_Finalize() == MPI_SUCCESS; // that needs the dead, too
}
