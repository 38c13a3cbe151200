// SPDX-License-Identifier: BSD-3-Clause
// Calls that wait for each other. The right ones end while others still ask.
#include "mistakes.h"

enum { LONG_MESSAGE = 1 << 20 };

// Between nodes the flush waits for the lock: all is in one line of the program.
#define TAKE_LOCK(target, win)                                                         \
    (MPI_Win_lock(MPI_LOCK_EXCLUSIVE, (target), 0, (win)),                             \
     MPI_Put(&rank, 1, MPI_INT, (target), 0, 1, MPI_INT, (win)),                       \
     MPI_Win_flush((target), (win)))

static int rank, size, next, previous;
static char sent[LONG_MESSAGE], received[LONG_MESSAGE];

static void begin(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
}

static MPI_Win window_named(const char *name)
{
    int *memory;
    MPI_Win win;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &win);
    MPI_Win_set_name(win, name);
    return win;
}

// run: -n 4 -env ORIEL_STUCK 0.2,abort
void sends_in_a_ring(bool wrong)
{
    begin();
    if (!wrong && rank == 0)
        MPI_Recv(received, LONG_MESSAGE, MPI_CHAR, previous, 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    // mistake: deadlock "to receive a message with tag 5 on MPI_COMM_WORLD"
    MPI_Send(sent, LONG_MESSAGE, MPI_CHAR, next, 5, MPI_COMM_WORLD);
    if (wrong || rank != 0)
        MPI_Recv(received, LONG_MESSAGE, MPI_CHAR, previous, 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Finalize();
}

// run: -n 8 -env ORIEL_STUCK 0.2,abort
void receives_from_anybody(bool wrong)
{
    begin();
    if (!wrong)
        MPI_Send(sent, 1, MPI_CHAR, next, 5, MPI_COMM_WORLD);
    // mistake: deadlock "ranks 0, 1, 2, 3, 4, 5, 6 to send a message with any tag"
    MPI_Recv(received, 1, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    MPI_Finalize();
}

// run: -n 2 -env ORIEL_STUCK 0.2,abort
void receive_from_a_rank_that_has_ended(bool wrong)
{
    begin();
    if (rank == 1 && !wrong)
        MPI_Send(sent, 1, MPI_CHAR, 0, 5, MPI_COMM_WORLD);
    if (rank == 0)
        // mistake: deadlock "rank 1 to send a message with tag 5"
        MPI_Recv(received, 1, MPI_CHAR, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    // mistake: deadlock "rank 0 to take part in a collective call"
    MPI_Finalize();
}

// run: -n 2 -env ORIEL_STUCK 0.2,abort
void one_of_two_requests(bool wrong)
{
    MPI_Request requests[2];
    int first;
    begin();
    for (int i = 0; i < 2; i++)
        MPI_Irecv(&received[i], 1, MPI_CHAR, next, 5 + i, MPI_COMM_WORLD, &requests[i]);
    if (!wrong)
        MPI_Send(sent, 1, MPI_CHAR, next, 6, MPI_COMM_WORLD);
    // mistake: deadlock "to send a message with tag 5"
    MPI_Waitany(2, requests, &first, MPI_STATUS_IGNORE);
    MPI_Send(sent, 1, MPI_CHAR, next, 5, MPI_COMM_WORLD);
    MPI_Wait(&requests[1 - first], MPI_STATUS_IGNORE);
    MPI_Finalize();
}

// run: -n 2 -env ORIEL_STUCK 0.2,abort
void probe_before_the_send(bool wrong)
{
    begin();
    if (!wrong || rank == 0)
        MPI_Send(sent, 1, MPI_CHAR, next, 5, MPI_COMM_WORLD);
    if (wrong && rank == 0)
        // mistake: deadlock "rank 1 to send a message with tag 6"
        MPI_Probe(1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(received, 1, MPI_CHAR, next, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    // mistake: deadlock "rank 0 to take part in a collective call"
    MPI_Finalize();
}

// run: -n 2 -env ORIEL_STUCK 0.2,abort
void barriers_in_another_order(bool wrong)
{
    MPI_Comm comm;
    begin();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "workers");
    if (wrong && rank == 0)
        // mistake: deadlock "rank 1 to take part in a collective call on workers"
        MPI_Barrier(comm);
    // mistake: deadlock "rank 0 to take part in a collective call on MPI_COMM_WORLD"
    MPI_Barrier(MPI_COMM_WORLD);
    if (!wrong || rank == 1)
        MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    MPI_Finalize();
}

// run: -n 4 -env ORIEL_STUCK 0.2,abort
void locks_in_a_ring(bool wrong)
{
    begin();
    MPI_Win win = window_named("halo");
    for (int i = 0; i < 2; i++) {
        int target = wrong ? (rank + i) % size : i;
        // mistake: deadlock "holds the exclusive lock of rank 3"
        TAKE_LOCK(target, win);
        if (wrong)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_unlock(0, win);
    MPI_Win_unlock(1, win);
    MPI_Win_free(&win);
    MPI_Finalize();
}

// run: -n 2 -env ORIEL_STUCK 0.2,abort
void lock_of_a_rank_that_receives(bool wrong)
{
    begin();
    MPI_Win win = window_named("queue");
    TAKE_LOCK(0, win); // mistake: deadlock "release its lock of the memory of rank 0"
    if (wrong)
        // mistake: deadlock "exclusive lock of rank 0 on window"
        MPI_Sendrecv(sent, 1, MPI_CHAR, next, 5, received, 1, MPI_CHAR, next, 5,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_unlock(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
}

// run: -n 4 -env ORIEL_STUCK 0.2,abort
void start_before_post(bool wrong)
{
    MPI_Group world, origin, target;
    begin();
    MPI_Win win = window_named("halo");
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &previous, &origin);
    MPI_Group_incl(world, 1, &next, &target);
    if (!wrong)
        MPI_Win_post(origin, 0, win);
    MPI_Win_start(target, 0, win);
    // mistake: deadlock "to call MPI_Win_post with this process in its group"
    MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, win);
    MPI_Win_complete(win);
    if (wrong)
        MPI_Win_post(origin, 0, win);
    MPI_Win_wait(win);
    MPI_Group_free(&world);
    MPI_Group_free(&origin);
    MPI_Group_free(&target);
    MPI_Win_free(&win);
    MPI_Finalize();
}

// run: -n 2 -env ORIEL_STUCK 0.2,abort
void wait_without_a_start(bool wrong)
{
    MPI_Group world;
    begin();
    MPI_Win win = window_named("halo");
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    if (rank == 0) {
        MPI_Win_post(world, 0, win);
        MPI_Win_start(world, 0, win);
        MPI_Win_complete(win);
        MPI_Win_wait(win); // mistake: deadlock "rank 1 to call MPI_Win_complete"
    } else if (!wrong) {
        MPI_Win_post(world, 0, win);
        MPI_Win_start(world, 0, win);
        MPI_Win_complete(win);
        MPI_Win_wait(win);
    }
    MPI_Group_free(&world);
    MPI_Win_free(&win); // mistake: deadlock "rank 0 to take part in a collective call"
    MPI_Finalize();
}

// run: -n 2 -env ORIEL_STUCK 0.2,abort
void one_fence_too_many(bool wrong)
{
    begin();
    MPI_Win win = window_named("halo");
    MPI_Win_fence(0, win);
    if (wrong && rank == 0)
        MPI_Win_fence(0, win);   // mistake: deadlock "rank 1 to take part"
    MPI_Barrier(MPI_COMM_WORLD); // mistake: deadlock "rank 0 to take part"
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
    MPI_Finalize();
}

// run: -n 8 -env ORIEL_STUCK 0.2,abort
void window_freed_by_some(bool wrong)
{
    begin();
    MPI_Win win = window_named("halo");
    if (wrong && rank == 0)
        MPI_Win_free(&win);      // mistake: deadlock "take part"
    MPI_Barrier(MPI_COMM_WORLD); // mistake: deadlock "rank 0 to take part"
    if (win != MPI_WIN_NULL)
        MPI_Win_free(&win);
    MPI_Finalize();
}
