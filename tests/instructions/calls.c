// SPDX-License-Identifier: BSD-3-Clause
// Makes one call a thousand times, so that callgrind can count what it costs:
//   calls NAME
// The target is the process itself; another one on the node costs the same. In a job of
// two processes it is the other one, and what a call has started ends before the next.
#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    TIMES = 1000,
    FAR_TIMES = 100,
    WARM_UP = 10,
    LONG = 4096,
    DEPTH = 64,
    CELLS = 1024
};

static MPI_Win win, dynamic;
static MPI_Aint place, unmapped_place; // of the attached memory
static MPI_Datatype every_other;
static int target;
static int64_t source[CELLS], result[CELLS]; // LONG bytes and more
static int64_t unmapped[DEPTH];              // not by other processes
static volatile size_t bytes = 1024;         // so that it is a call of memcpy

static void nothing(void)
{
}

static void copy_1k(void)
{
    memcpy(result, source, bytes);
}

static void put_8(void)
{
    MPI_Put(source, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, win);
}

static void put_1k(void)
{
    MPI_Put(source, 1024, MPI_BYTE, target, 0, 1024, MPI_BYTE, win);
}

static void put_vector(void)
{
    MPI_Put(source, 1, every_other, target, 0, 8, MPI_INT64_T, win);
}

static void get_8(void)
{
    MPI_Get(result, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, win);
}

// To one cell after the other, none of which is next to the one before.
static void put_cells(void)
{
    static MPI_Aint calls;
    MPI_Aint cell = calls++ * 5 % CELLS;
    MPI_Put(source, 1, MPI_INT64_T, target, cell * 8, 1, MPI_INT64_T, win);
}

static void put_attached(void)
{
    MPI_Put(source, 1, MPI_INT64_T, target, place, 1, MPI_INT64_T, dynamic);
}

static void fetch_attached(void)
{
    MPI_Fetch_and_op(source, result, MPI_INT64_T, target, place, MPI_SUM, dynamic);
}

static void rput_wait(void)
{
    MPI_Request request;
    MPI_Rput(source, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void rget_wait(void)
{
    MPI_Request request;
    MPI_Rget(result, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void accumulate_8(void)
{
    MPI_Accumulate(source, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, MPI_SUM, win);
}

// DEPTH of them on memory that the target attaches and that is not mapped here.
static void accumulate_unmapped(void)
{
    for (int i = 0; i < DEPTH; i++)
        MPI_Accumulate(source, 1, MPI_INT64_T, target, unmapped_place + 8 * i, 1,
                       MPI_INT64_T, MPI_SUM, dynamic);
}

static void accumulate_256(void)
{
    MPI_Accumulate(source, 32, MPI_INT64_T, target, 0, 32, MPI_INT64_T, MPI_SUM, win);
}

static void fetch_and_op(void)
{
    MPI_Fetch_and_op(source, result, MPI_INT64_T, target, 0, MPI_SUM, win);
}

static void compare_and_swap(void)
{
    MPI_Compare_and_swap(source, source + 1, result, MPI_INT64_T, target, 0, win);
}

static void flush(void)
{
    MPI_Win_flush(target, win);
}

static void flush_all(void)
{
    MPI_Win_flush_all(win);
}

static void win_sync(void)
{
    MPI_Win_sync(win);
}

static void lock(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    MPI_Win_unlock(target, win);
}

static void lock_shared(void)
{
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    MPI_Win_unlock(target, win);
}

static void lock_all(void)
{
    MPI_Win_lock_all(0, win);
    MPI_Win_unlock_all(win);
}

// Long enough for an access of its own.
static void put_far(void)
{
    MPI_Put(source, LONG, MPI_BYTE, target, 0, LONG, MPI_BYTE, win);
}

static void message_8(void)
{
    MPI_Request request;
    MPI_Isend(source, 1, MPI_INT64_T, target, 0, MPI_COMM_WORLD, &request);
    MPI_Recv(result, 1, MPI_INT64_T, target, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// A message of 8 bytes in a stream; the last of DEPTH completes all.
static void stream_8(void)
{
    static MPI_Request requests[2 * DEPTH];
    static int begun;
    MPI_Irecv(result, 1, MPI_INT64_T, target, 0, MPI_COMM_WORLD, &requests[begun++]);
    if (begun < DEPTH)
        return;
    for (int i = 0; i < DEPTH; i++)
        MPI_Isend(source, 1, MPI_INT64_T, target, 0, MPI_COMM_WORLD,
                  &requests[begun++]);
    MPI_Waitall(begun, requests, MPI_STATUSES_IGNORE);
    begun = 0;
}

static const struct measured {
    const char *name;
    void (*call)(void);
    int needs_epoch;
} all[] = {
    {"nothing", nothing, 0},
    {"copy_1k", copy_1k, 0},
    {"put_8", put_8, 1},
    {"put_1k", put_1k, 1},
    {"put_cells", put_cells, 1},
    {"put_vector", put_vector, 1},
    {"get_8", get_8, 1},
    {"put_attached", put_attached, 1},
    {"fetch_attached", fetch_attached, 1},
    {"rput_wait", rput_wait, 1},
    {"rget_wait", rget_wait, 1},
    {"accumulate_8", accumulate_8, 1},
    {"accumulate_256", accumulate_256, 1},
    {"fetch_and_op", fetch_and_op, 1},
    {"compare_and_swap", compare_and_swap, 1},
    {"flush", flush, 1},
    {"flush_all", flush_all, 1},
    {"win_sync", win_sync, 1},
    {"lock", lock, 0},
    {"lock_shared", lock_shared, 0},
    {"lock_all", lock_all, 0},
    {"message_8", message_8, 0},
    {"stream_8", stream_8, 0},
    {"put_far", put_far, 1},
    {"accumulate_unmapped", accumulate_unmapped, 1},
};

// What callgrind counts.
__attribute__((noinline)) void counted_loop(void (*call)(void), int times);
void counted_loop(void (*call)(void), int times)
{
    for (int i = 0; i < times; i++)
        call();
}

static void measure(const struct measured *measured)
{
    if (measured->needs_epoch) {
        MPI_Win_lock_all(0, win);
        MPI_Win_lock_all(0, dynamic);
    }
    for (int i = 0; i < WARM_UP; i++)
        measured->call();
    if (target == 0)
        counted_loop(measured->call, TIMES);
    for (int i = 0; target != 0 && i < FAR_TIMES; i++) {
        MPI_Win_flush(target, win);
        MPI_Win_flush(target, dynamic);
        counted_loop(measured->call, 1);
    }
    if (measured->needs_epoch) {
        MPI_Win_unlock_all(dynamic);
        MPI_Win_unlock_all(win);
    }
}

int main(int argc, char **argv)
{
    int found = 0, rank, size;
    void *base;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    target = size - 1;
    MPI_Win_allocate(sizeof source, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
    MPI_Win_attach(dynamic, base, sizeof source);
    MPI_Get_address(base, &place);
    MPI_Win_attach(dynamic, unmapped, sizeof unmapped);
    MPI_Get_address(unmapped, &unmapped_place);
    MPI_Bcast(&unmapped_place, 1, MPI_AINT, target, MPI_COMM_WORLD);
    MPI_Type_vector(8, 1, 2, MPI_INT64_T, &every_other);
    MPI_Type_commit(&every_other);
    for (size_t i = 0; argc == 2 && i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, argv[1]) == 0) {
            if (rank == 0)
                measure(&all[i]);
            found = 1;
        }
    MPI_Type_free(&every_other);
    MPI_Win_free(&dynamic);
    MPI_Win_free(&win);
    MPI_Finalize();
    return !found;
}
