// SPDX-License-Identifier: BSD-3-Clause
// stuck_not: calls that wait for a process that comes late are not taken for a deadlock,
// although all the others ask, again and again, whether their waits can end.
#include "window_test.h"

#include <time.h>

enum { ROUNDS = 2, LONG_MESSAGE = 100000, TAG = 7 };

static int next, previous;
static char *sent, *received;

// The one rank that is late differs from step to step, on all ranks alike.
static void come_late(int step)
{
    if ((step * 7 + 3) % size == rank)
        nanosleep(&(struct timespec){.tv_nsec = 170000000}, NULL);
}

static void exchange(MPI_Request requests[2], int tag)
{
    MPI_Irecv(received, LONG_MESSAGE, MPI_CHAR, previous, tag, MPI_COMM_WORLD,
              &requests[0]);
    MPI_Isend(sent, LONG_MESSAGE, MPI_CHAR, next, tag, MPI_COMM_WORLD, &requests[1]);
}

// A message goes round while another one is under way, and a barrier.
static void messages(int step)
{
    MPI_Request requests[3];
    char token = 0;
    exchange(requests, TAG);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[2]);
    come_late(step);
    if (rank == 0)
        MPI_Send(&token, 1, MPI_CHAR, next, 0, MPI_COMM_WORLD);
    MPI_Recv(&token, 1, MPI_CHAR, step % 2 ? MPI_ANY_SOURCE : previous, 0,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 0)
        MPI_Send(&token, 1, MPI_CHAR, next, 0, MPI_COMM_WORLD);
    int first;
    MPI_Waitany(3, requests, &first, MPI_STATUS_IGNORE);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
}

static void sends_in_turn(int step)
{
    come_late(step);
    if (rank % 2 == 0)
        MPI_Ssend(sent, LONG_MESSAGE, MPI_CHAR, next, TAG, MPI_COMM_WORLD);
    MPI_Recv(received, LONG_MESSAGE, MPI_CHAR, previous, TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    if (rank % 2 != 0)
        MPI_Ssend(sent, LONG_MESSAGE, MPI_CHAR, next, TAG, MPI_COMM_WORLD);
}

static void collectives(int step)
{
    int value = rank;
    come_late(step);
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    come_late(step + 1);
    MPI_Bcast(&value, 1, MPI_INT, step % size, MPI_COMM_WORLD);
    MPI_Gather(&value, 1, MPI_INT, received, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void add_at(int target, MPI_Win win)
{
    int one = 1;
    MPI_Accumulate(&one, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_flush(target, win);
}

// All want the same two locks in the same order, and who has them is late.
static void locks(int step, MPI_Win win)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    add_at(0, win);
    MPI_Win_lock(step % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, size - 1, 0, win);
    add_at(size - 1, win);
    come_late(step);
    MPI_Win_unlock(size - 1, win);
    MPI_Win_unlock(0, win);
}

static void epochs(int step, MPI_Win win)
{
    MPI_Group world, origin, target;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &previous, &origin);
    MPI_Group_incl(world, 1, &next, &target);
    come_late(step);
    MPI_Win_post(origin, 0, win);
    MPI_Win_start(target, 0, win);
    MPI_Put(&rank, 1, MPI_INT, next, 1, 1, MPI_INT, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    come_late(step + 1);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Group_free(&world);
    MPI_Group_free(&origin);
    MPI_Group_free(&target);
}

int main(int argc, char **argv)
{
    int *memory;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    sent = calloc(1, LONG_MESSAGE);
    received = calloc(1, LONG_MESSAGE);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &win);
    for (int round = 0; round < ROUNDS; round++) {
        messages(round);
        sends_in_turn(round + 1);
        collectives(round + 2);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
        if (round % 2 == 0)
            locks(round / 2, win);
        MPI_Barrier(MPI_COMM_WORLD);
        epochs(round, win);
    }
    MPI_Win_free(&win);
    free(sent);
    free(received);
    MPI_Finalize();
}
