// SPDX-License-Identifier: BSD-3-Clause
// members_run_ahead: who only gives data in a collective call waits for nobody, as long as
// the others are not too far behind; then late_members_are_awaited.
// long_data_run_ahead_too: four pieces of 8 KiB.
// data_stay_until_they_are_read, however far apart the members are.
#include "window_test.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

enum {
    AHEAD = 60,     // rounds that a member may be ahead
    AHEAD_LONG = 4, // those with data of LONG bytes
    LONG = 8192,
    STREAM = 2000, // calls of one kind
    CALLS = 3000,  // that are drawn
    LONGEST = 20000,
    PAUSE = 4000 // steps at most
};

static _Atomic(int) *flags; // shared by all
static uint64_t common = 1, own;

static int draw(uint64_t *state, int below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int)((*state >> 33) % (uint64_t)below);
}

static void await_flag(int flag)
{
    while (atomic_load(&flags[flag]) == 0)
        sched_yield();
}

static void broadcast_value(int expected)
{
    int value = rank == 0 ? expected : -1;
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    CHECK(value == expected);
}

static void scatter_value(int expected)
{
    int values[64], value = -1;
    for (int i = 0; i < size; i++)
        values[i] = expected + i;
    MPI_Scatter(values, 1, MPI_INT, &value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    CHECK(value == expected + rank);
}

static void gather_value(int expected)
{
    int values[64], value = expected + rank;
    MPI_Gather(&value, 1, MPI_INT, values, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < size && rank == 0; i++)
        CHECK(values[i] == expected + i);
}

static void reduce_value(int expected)
{
    int value = expected, sum = -1;
    MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    CHECK(rank != 0 || sum == size * expected);
}

static const struct {
    void (*call)(int expected);
    bool root_gives;
} calls[] = {{broadcast_value, true},
             {scatter_value, true},
             {gather_value, false},
             {reduce_value, false}};
enum { KINDS = sizeof calls / sizeof *calls };

// Those that take data begin when the others have returned.
static void members_run_ahead(int kind)
{
    bool gives = (rank == 0) == calls[kind].root_gives;
    MPI_Barrier(MPI_COMM_WORLD);
    if (!gives)
        for (int i = 0; i < size; i++)
            if ((i == 0) == calls[kind].root_gives)
                await_flag(kind * size + i);
    for (int i = 0; i < AHEAD; i++)
        calls[kind].call(1000 * kind + i);
    atomic_store(&flags[kind * size + rank], 1);
}

// Nothing has passed through the new communicator's buffer before.
static void long_data_run_ahead_too(void)
{
    static unsigned char data[LONG];
    int flag = KINDS * size;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (rank != 0)
        await_flag(flag);
    for (int i = 0; i < AHEAD_LONG; i++) {
        memset(data, rank == 0 ? 1 + i : 0, LONG);
        MPI_Bcast(data, LONG, MPI_BYTE, 0, comm);
        CHECK(data[0] == 1 + i && data[LONG - 1] == 1 + i);
    }
    if (rank == 0)
        atomic_store(&flags[flag], 1);
    MPI_Comm_free(&comm);
}

static void pause_now_and_then(void)
{
    bool pauses = draw(&own, 20) == 0;
    for (int step = pauses ? draw(&own, PAUSE) : 0; step > 0; step--)
        atomic_load(&flags[0]);
}

// Nobody is so far ahead that others miss a call.
static void late_members_are_awaited(int kind)
{
    for (int i = 0; i < STREAM; i++) {
        if (i % 500 == 0 && (rank == 0) != calls[kind].root_gives)
            usleep(1000);
        pause_now_and_then();
        calls[kind].call(i);
    }
}

static unsigned char byte_of(int member, int call, size_t index)
{
    return (unsigned char)(member * 31 + call * 7 + (int)(index % 251));
}

static void fill_bytes(unsigned char *bytes, int member, int call, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = byte_of(member, call, i);
}

static void check_bytes(const unsigned char *bytes, int member, int call, size_t start,
                        size_t count)
{
    for (size_t i = 0; i < count; i++)
        CHECK(bytes[i] == byte_of(member, call, start + i));
}

static void check_sums(const unsigned char *bytes, int call, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned char sum = 0;
        for (int member = 0; member < size; member++)
            sum = (unsigned char)(sum + byte_of(member, call, i));
        CHECK(bytes[i] == sum);
    }
}

// One of many calls, of which all ranks draw the same.
static void call_drawn(int call, unsigned char *out, unsigned char *in)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    int kind = draw(&common, 7), root = draw(&common, size), length = draw(&common, 3);
    int bytes = draw(&common, length == 0 ? 16 : length == 1 ? 2000 : LONGEST);
    size_t count = (size_t)bytes;
    fill_bytes(out, rank, call, kind == 2 ? count * (size_t)size : count);
    if (kind == 0) {
        MPI_Bcast(out, bytes, MPI_BYTE, root, comm);
        check_bytes(out, root, call, 0, count);
    } else if (kind == 1) {
        MPI_Gather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, root, comm);
        for (int i = 0; i < size && rank == root; i++)
            check_bytes(in + (size_t)i * count, i, call, 0, count);
    } else if (kind == 2) {
        MPI_Scatter(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, root, comm);
        check_bytes(in, root, call, (size_t)rank * count, count);
    } else if (kind == 3) {
        MPI_Reduce(out, in, bytes, MPI_UINT8_T, MPI_SUM, root, comm);
        if (rank == root)
            check_sums(in, call, count);
    } else if (kind == 4) {
        MPI_Allreduce(out, in, bytes, MPI_UINT8_T, MPI_SUM, comm);
        check_sums(in, call, count);
    } else if (kind == 5) {
        MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, comm);
        for (int i = 0; i < size; i++)
            check_bytes(in + (size_t)i * count, i, call, 0, count);
    } else if (call % 10 == 0) {
        MPI_Barrier(comm);
    }
}

static void data_stay_until_they_are_read(void)
{
    unsigned char *out = malloc((size_t)size * LONGEST);
    unsigned char *in = malloc((size_t)size * LONGEST);
    CHECK(out != NULL && in != NULL);
    for (int call = 0; call < CALLS; call++) {
        pause_now_and_then();
        call_drawn(call, out, in);
    }
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Win win;
    int disp_unit;
    MPI_Aint bytes;
    int count = KINDS * size + 1;
    MPI_Win_allocate_shared(rank == 0 ? (MPI_Aint)sizeof(int) * count : 0, 1,
                            MPI_INFO_NULL, MPI_COMM_WORLD, &flags, &win);
    MPI_Win_shared_query(win, 0, &bytes, &disp_unit, &flags);
    if (rank == 0)
        for (int i = 0; i < count; i++)
            atomic_init(&flags[i], 0);
    own = (uint64_t)rank + 1;
    MPI_Barrier(MPI_COMM_WORLD);
    long_data_run_ahead_too();
    for (int kind = 0; kind < KINDS; kind++) {
        members_run_ahead(kind);
        late_members_are_awaited(kind);
    }
    data_stay_until_they_are_read();
    MPI_Win_free(&win);
    return finish();
}
