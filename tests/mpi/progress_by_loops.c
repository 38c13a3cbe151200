// SPDX-License-Identifier: BSD-3-Clause
// loops_make_progress: a program that waits for its own memory to change, in a loop of
// calls that are done without messages, drives what its peers need meanwhile: a
// nonblocking collective operation, a long send, a lock for another node.
#include "window_test.h"

enum { LONG = 1 << 20 };

static MPI_Win win;
static int *flag; // of this process
static char *data;

// ---- looks at the flag ----------------------------------------------------------------
static int look_by_get(void)
{
    int value;
    MPI_Get(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
    MPI_Win_flush(rank, win);
    return value;
}

static int look_by_fetch(void)
{
    int value;
    MPI_Fetch_and_op(NULL, &value, MPI_INT, rank, 0, MPI_NO_OP, win);
    MPI_Win_flush(rank, win);
    return value;
}

// The value is there when the call returns, since the memory is mapped.
static int look_by_fetch_alone(void)
{
    int value;
    MPI_Fetch_and_op(NULL, &value, MPI_INT, rank, 0, MPI_NO_OP, win);
    return value;
}

static int look_by_swap_alone(void)
{
    int value, minus_one = -1;
    MPI_Compare_and_swap(&minus_one, &minus_one, &value, MPI_INT, rank, 0, win);
    return value;
}

static int look_by_request(void)
{
    MPI_Request request;
    int value;
    MPI_Rget(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return value;
}

static int look_by_swap(void)
{
    int value, minus_one = -1;
    MPI_Compare_and_swap(&minus_one, &minus_one, &value, MPI_INT, rank, 0, win);
    MPI_Win_flush(rank, win);
    return value;
}

// Each flush has a put to complete.
static int look_after_put(void)
{
    int one = 1, value;
    MPI_Put(&one, 1, MPI_INT, rank, 1, 1, MPI_INT, win);
    MPI_Get(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
    MPI_Win_flush(rank, win);
    return value;
}

static int look_by_sync(void)
{
    MPI_Win_sync(win);
    return *(volatile int *)flag;
}

static int look_under_lock(void)
{
    int value;
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    MPI_Get(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
    MPI_Win_unlock(rank, win);
    return value;
}

static int look_under_lock_all(void)
{
    int value;
    MPI_Win_lock_all(0, win);
    MPI_Get(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
    MPI_Win_unlock_all(win);
    return value;
}

static const struct loop {
    int (*look)(void);
    bool has_epoch; // around it
} loops[] = {
    {look_by_get, true},          {look_by_fetch, true},      {look_by_swap, true},
    {look_by_fetch_alone, true},  {look_by_swap_alone, true}, {look_after_put, true},
    {look_by_request, true},      {look_by_sync, true},       {look_under_lock, false},
    {look_under_lock_all, false},
};

// ---- what is under way ----------------------------------------------------------------
// Rank 0 begins it; all others return when it is done for them.
static void begin_nothing(MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
}

static void begin_barrier(MPI_Request *request)
{
    MPI_Ibarrier(MPI_COMM_WORLD, request);
    if (rank != 0)
        MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void begin_long_send(MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    if (rank == 0)
        MPI_Isend(data, LONG, MPI_BYTE, size - 1, 0, MPI_COMM_WORLD, request);
    else if (rank == size - 1)
        MPI_Recv(data, LONG, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void (*const operations[])(MPI_Request *request) = {begin_nothing, begin_barrier,
                                                           begin_long_send};

// The last rank raises the flag when the operation is done for it.
static void wait_in_loop(const struct loop *loop, void (*begin)(MPI_Request *request))
{
    MPI_Request request;
    int one = 1;
    MPI_Win_allocate(2 * sizeof *flag, sizeof *flag, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &flag, &win);
    flag[0] = flag[1] = 0;
    if (rank == 0 && loop->has_epoch)
        MPI_Win_lock_all(0, win);
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    begin(&request);
    if (rank == size - 1) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win);
        MPI_Win_unlock(0, win);
    }
    while (rank == 0 && loop->look() == 0)
        ;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0 && loop->has_epoch)
        MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    data = calloc(1, LONG);
    CHECK(data != NULL);
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        for (size_t k = 0; k < sizeof operations / sizeof *operations; k++)
            wait_in_loop(&loops[i], operations[k]);
    free(data);
    return finish();
}
