// SPDX-License-Identifier: BSD-3-Clause
// What MPI calls send over a network. Each line that is written has the name of a call,
// the messages and remote accesses of all processes, and the trips between processes
// that follow each other until the last process has returned from the call. Run over
// the libfabric of this folder with some latency, each process on a node of its own.
//
// usage: calls [collective]
//
// Without `collective` rank 0 does something to rank 1, which computes; with it all
// ranks make the call. Processes begin a call together, by memory that they share
// beside the network; of several runs the least counts, since a process that comes late
// sends late.
#include "fabric.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RANKS = 64, RUNS = 5, MEMORY = 1 << 20, LONG = 1 << 20, SETTLE = 20000 };

struct tally {
    uint64_t messages, accesses;
    unsigned trips;
};

static struct shared {
    atomic_int arrived, rounds;
    struct tally tallies[RANKS];
} * shared;

static int rank, size;
static char *memory, *buffer, *other_buffer; // MEMORY bytes each
static MPI_Win win;
static MPI_Group partners; // of PSCW

// ---- meeting beside the network ---------------------------------------------------

static void share(void)
{
    int place[2] = {(int)getpid(), -1};
    char path[64];
    if (rank == 0) {
        place[1] = memfd_create("calls", 0);
        if (place[1] < 0 || ftruncate(place[1], sizeof *shared) != 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Bcast(place, 2, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", place[0], place[1]);
    int file = open(path, O_RDWR | O_CLOEXEC);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file < 0 || shared == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void meet(void)
{
    int round = atomic_load(&shared->rounds);
    if (atomic_fetch_add(&shared->arrived, 1) + 1 == size) {
        atomic_store(&shared->arrived, 0);
        atomic_fetch_add(&shared->rounds, 1);
    }
    while (atomic_load(&shared->rounds) == round)
        usleep(10);
}

// ---- the calls --------------------------------------------------------------------

static void put_short(void)
{
    MPI_Put(buffer, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, win);
    MPI_Win_flush(1, win);
}

static void put_middle(void)
{
    MPI_Put(buffer, 8192, MPI_BYTE, 1, 0, 8192, MPI_BYTE, win);
    MPI_Win_flush(1, win);
}

static void put_long(void)
{
    MPI_Put(buffer, LONG, MPI_BYTE, 1, 0, LONG, MPI_BYTE, win);
    MPI_Win_flush(1, win);
}

static void puts_flush(void)
{
    for (int i = 0; i < 16; i++)
        MPI_Put(buffer, 8, MPI_BYTE, 1, 64 * i, 8, MPI_BYTE, win);
    MPI_Win_flush(1, win);
}

static void get_short(void)
{
    MPI_Get(buffer, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, win);
    MPI_Win_flush(1, win);
}

static void get_long(void)
{
    MPI_Get(buffer, LONG, MPI_BYTE, 1, 0, LONG, MPI_BYTE, win);
    MPI_Win_flush(1, win);
}

static void rput_wait(void)
{
    MPI_Request request;
    MPI_Rput(buffer, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void accumulate_short(void)
{
    MPI_Accumulate(buffer, 1, MPI_INT64_T, 1, 0, 1, MPI_INT64_T, MPI_SUM, win);
    MPI_Win_flush(1, win);
}

static void accumulate_long(void)
{
    MPI_Accumulate(buffer, 8192, MPI_INT64_T, 1, 0, 8192, MPI_INT64_T, MPI_SUM, win);
    MPI_Win_flush(1, win);
}

static void get_accumulate_long(void)
{
    MPI_Get_accumulate(buffer, 8192, MPI_INT64_T, other_buffer, 8192, MPI_INT64_T, 1, 0,
                       8192, MPI_INT64_T, MPI_SUM, win);
    MPI_Win_flush(1, win);
}

static void fetch_add(void)
{
    MPI_Fetch_and_op(buffer, other_buffer, MPI_INT64_T, 1, 0, MPI_SUM, win);
    MPI_Win_flush(1, win);
}

static void compare_swap(void)
{
    MPI_Compare_and_swap(buffer, buffer, other_buffer, MPI_INT64_T, 1, 0, win);
    MPI_Win_flush(1, win);
}

static void flush_idle(void)
{
    MPI_Win_flush(1, win);
}

static void lock_only(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    MPI_Win_unlock(1, win);
}

static void lock_put(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    MPI_Put(buffer, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, win);
    MPI_Win_unlock(1, win);
}

static void lock_get(void)
{
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Get(buffer, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, win);
    MPI_Win_unlock(1, win);
}

static void lock_accumulate(void)
{
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Accumulate(buffer, 1, MPI_INT64_T, 1, 0, 1, MPI_INT64_T, MPI_SUM, win);
    MPI_Win_unlock(1, win);
}

static void lock_all_only(void)
{
    MPI_Win_lock_all(0, win);
    MPI_Win_unlock_all(win);
}

static void lock_all_put(void)
{
    MPI_Win_lock_all(0, win);
    MPI_Put(buffer, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, win);
    MPI_Win_unlock_all(win);
}

static void message_short(void)
{
    if (rank == 0)
        MPI_Send(buffer, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    else if (rank == 1)
        MPI_Recv(buffer, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void message_long(void)
{
    if (rank == 0)
        MPI_Send(buffer, LONG, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    else if (rank == 1)
        MPI_Recv(buffer, LONG, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void fence_only(void)
{
    MPI_Win_fence(0, win);
}

static void fence_put(void)
{
    MPI_Put(buffer, 8, MPI_BYTE, (rank + 1) % size, 0, 8, MPI_BYTE, win);
    MPI_Win_fence(0, win);
}

static void fence_accumulate(void)
{
    MPI_Accumulate(buffer, 1, MPI_INT64_T, (rank + 1) % size, 0, 1, MPI_INT64_T,
                   MPI_SUM, win);
    MPI_Win_fence(0, win);
}

static void pscw_only(void)
{
    MPI_Win_post(partners, 0, win);
    MPI_Win_start(partners, 0, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
}

static void pscw_put(void)
{
    MPI_Win_post(partners, 0, win);
    MPI_Win_start(partners, 0, win);
    MPI_Put(buffer, 8, MPI_BYTE, (rank + 1) % size, 0, 8, MPI_BYTE, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
}

static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static void broadcast(void)
{
    MPI_Bcast(buffer, 8, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void allreduce(void)
{
    MPI_Allreduce(buffer, other_buffer, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}

static void alltoall(void)
{
    MPI_Alltoall(buffer, 8, MPI_BYTE, other_buffer, 8, MPI_BYTE, MPI_COMM_WORLD);
}

static void window_make(void)
{
    MPI_Win made;
    void *made_memory;
    MPI_Win_allocate(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &made_memory, &made);
    MPI_Win_free(&made);
}

// ---- epochs around them -----------------------------------------------------------

static void begin_lock_all(void)
{
    MPI_Win_lock_all(0, win);
}

static void end_lock_all(void)
{
    MPI_Win_unlock_all(win);
}

static void begin_fence(void)
{
    MPI_Win_fence(0, win);
}

static void end_fence(void)
{
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

struct epoch {
    void (*begin)(void), (*end)(void); // NULL: nothing
};
static const struct epoch none = {NULL, NULL}, locked = {begin_lock_all, end_lock_all},
                          fenced = {begin_fence, end_fence};

static const struct call {
    const char *name;
    void (*make)(void);
    const struct epoch *epoch;
    int is_collective;
    int warm; // once before, in the same epoch
} calls[] = {
    {"put of 8 B, flush", put_short, &locked, 0, 1},
    {"put of 8 KiB, flush", put_middle, &locked, 0, 1},
    {"put of 1 MiB, flush", put_long, &locked, 0, 1},
    {"16 puts of 8 B, flush", puts_flush, &locked, 0, 1},
    {"get of 8 B, flush", get_short, &locked, 0, 1},
    {"get of 1 MiB, flush", get_long, &locked, 0, 1},
    {"rput of 8 B, wait", rput_wait, &locked, 0, 1},
    {"accumulate of 8 B, flush", accumulate_short, &locked, 0, 1},
    {"accumulate of 64 KiB, flush", accumulate_long, &locked, 0, 1},
    {"get_accumulate of 64 KiB, flush", get_accumulate_long, &locked, 0, 1},
    {"fetch_and_op, flush", fetch_add, &locked, 0, 1},
    {"compare_and_swap, flush", compare_swap, &locked, 0, 1},
    {"flush, nothing under way", flush_idle, &locked, 0, 1},
    {"lock, unlock", lock_only, &none, 0, 0},
    {"lock, put of 8 B, unlock", lock_put, &none, 0, 0},
    {"lock, get of 8 B, unlock", lock_get, &none, 0, 0},
    {"lock, accumulate of 8 B, unlock", lock_accumulate, &none, 0, 0},
    {"lock_all, unlock_all", lock_all_only, &none, 0, 0},
    {"lock_all, put of 8 B, unlock_all", lock_all_put, &none, 0, 0},
    {"send of 8 B, recv", message_short, &none, 1, 1},
    {"send of 1 MiB, recv", message_long, &none, 1, 1},
    {"fence", fence_only, &fenced, 1, 1},
    {"put of 8 B to the next rank, fence", fence_put, &fenced, 1, 1},
    {"accumulate of 8 B to the next rank, fence", fence_accumulate, &fenced, 1, 1},
    {"post, start, complete, wait", pscw_only, &none, 1, 1},
    {"post, start, put of 8 B, complete, wait", pscw_put, &none, 1, 1},
    {"barrier", barrier, &none, 1, 1},
    {"bcast of 8 B", broadcast, &none, 1, 1},
    {"allreduce of 8 B", allreduce, &none, 1, 1},
    {"alltoall of 8 B", alltoall, &none, 1, 1},
    {"win_allocate, win_free", window_make, &none, 1, 1},
};

// ---- counting ---------------------------------------------------------------------

static void make(const struct call *call)
{
    if (call->is_collective || rank == 0)
        call->make();
}

// Of one run, of all processes. What follows the return of the last process counts
// among the messages.
static struct tally run(const struct call *call)
{
    struct tally sum = {0, 0, 0};
    if (call->epoch->begin != NULL)
        call->epoch->begin();
    if (call->warm)
        make(call);
    meet();
    usleep(SETTLE);
    fabric_restart();
    meet();
    make(call);
    unsigned trips = fabric_counts().trips;
    meet();
    usleep(SETTLE);
    struct fabric_counts counts = fabric_counts();
    shared->tallies[rank] = (struct tally){counts.messages, counts.accesses, trips};
    meet();
    for (int i = 0; i < size; i++) {
        sum.messages += shared->tallies[i].messages;
        sum.accesses += shared->tallies[i].accesses;
        if (sum.trips < shared->tallies[i].trips)
            sum.trips = shared->tallies[i].trips;
    }
    if (call->epoch->end != NULL)
        call->epoch->end();
    return sum;
}

static struct tally least(struct tally a, struct tally b)
{
    return (struct tally){a.messages < b.messages ? a.messages : b.messages,
                          a.accesses < b.accesses ? a.accesses : b.accesses,
                          a.trips < b.trips ? a.trips : b.trips};
}

static void measure(const struct call *call)
{
    struct tally tally = run(call);
    for (int i = 1; i < RUNS; i++)
        tally = least(tally, run(call));
    if (rank == 0)
        printf("%s; %llu %llu %u\n", call->name, (unsigned long long)tally.messages,
               (unsigned long long)tally.accesses, tally.trips);
}

static void choose_partners(void)
{
    MPI_Group world;
    int ranks[2] = {(rank + 1) % size, (rank + size - 1) % size};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, size > 2 ? 2 : 1, ranks, &partners);
    MPI_Group_free(&world);
}

int main(int argc, char **argv)
{
    int is_collective = argc > 1 && strcmp(argv[1], "collective") == 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    buffer = calloc(2, MEMORY);
    if (!fabric_is_fake() || buffer == NULL || size < 2 || size > RANKS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    other_buffer = buffer + MEMORY;
    MPI_Win_allocate(MEMORY, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    share();
    choose_partners();
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].is_collective == is_collective)
            measure(&calls[i]);
    MPI_Group_free(&partners);
    MPI_Win_free(&win);
    free(buffer);
    MPI_Finalize();
    return 0;
}
