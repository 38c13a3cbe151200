// SPDX-License-Identifier: BSD-3-Clause
// bursts_arrive_in_order_however_their_requests_end: nonblocking sends to the next process
// whose requests are waited for, tested, looked at, cancelled or freed, one by one or
// together, with blocking and longer messages between them. a_burst_is_not_held_by_a_sender_
// that_computes: its receiver gets it while the sender makes no call of MPI.
#include "window_test.h"

#include <unistd.h>

enum { ROUNDS = 400, BURST = 32, LONGEST = 1500, ENDS = 8 };

static int messages[BURST][LONGEST], received[LONGEST];

static int length_of(int round, int i)
{
    return i % 11 == 10 ? LONGEST : 1 + (round * 37 + i * 101) % 300;
}

static void end_by_tests(MPI_Request requests[BURST])
{
    int flag = false;
    while (!flag)
        MPI_Testall(BURST, requests, &flag, MPI_STATUSES_IGNORE);
}

static void end_one_by_one(MPI_Request requests[BURST])
{
    int index;
    for (int i = 0; i < BURST; i++) {
        MPI_Waitany(BURST, requests, &index, MPI_STATUS_IGNORE);
        CHECK(index >= 0 && index < BURST && requests[index] == MPI_REQUEST_NULL);
    }
}

static void end_some(MPI_Request requests[BURST])
{
    int count, indices[BURST];
    for (int left = BURST; left > 0; left -= count)
        MPI_Waitsome(BURST, requests, &count, indices, MPI_STATUSES_IGNORE);
}

static void end_each(MPI_Request requests[BURST], int how)
{
    MPI_Status status;
    for (int i = 0, flag = false; i < BURST; i++, flag = false) {
        while (how == 3 && !flag)
            MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
        if (how == 4)
            MPI_Cancel(&requests[i]);
        if (how == 5) {
            MPI_Request_free(&requests[i]);
            continue;
        }
        MPI_Wait(&requests[i], &status);
        MPI_Test_cancelled(&status, &flag);
        CHECK(!flag);
    }
}

// How the requests end depends on the round.
static void end_all(MPI_Request requests[BURST], int round)
{
    switch (round / 8 % ENDS) {
    case 0:
        end_by_tests(requests);
        break;
    case 1:
        end_one_by_one(requests);
        break;
    case 2:
        end_some(requests);
        break;
    case 3:
    case 4:
    case 5:
        end_each(requests, round / 8 % ENDS);
        break;
    default:
        MPI_Waitall(BURST, requests, MPI_STATUSES_IGNORE);
    }
}

static void send_burst(int round)
{
    MPI_Request requests[BURST];
    for (int i = 0; i < BURST; i++) {
        int length = length_of(round, i);
        messages[i][0] = round;
        messages[i][length - 1] = length > 1 ? i : round;
        requests[i] = MPI_REQUEST_NULL;
        if (round % 3 == 0 && i == BURST / 2)
            MPI_Send(messages[i], length, MPI_INT, right(), i, MPI_COMM_WORLD);
        else
            MPI_Isend(messages[i], length, MPI_INT, right(), i, MPI_COMM_WORLD,
                      &requests[i]);
    }
    if (round % 3 == 0) // instead of the message that was sent
        MPI_Isend(messages[0], 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                  &requests[BURST / 2]);
    end_all(requests, round);
}

static void receive_burst(int round)
{
    for (int i = 0; i < BURST; i++) {
        MPI_Status status;
        int count, length = length_of(round, i);
        MPI_Recv(received, LONGEST, MPI_INT, left(), MPI_ANY_TAG, MPI_COMM_WORLD,
                 &status);
        MPI_Get_count(&status, MPI_INT, &count);
        CHECK(status.MPI_TAG == i && count == length && received[0] == round);
        CHECK(received[length - 1] == (length > 1 ? i : round));
    }
}

static void bursts_arrive_in_order(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        if (rank % 2 == 0)
            send_burst(round);
        receive_burst(round);
        if (rank % 2 == 1)
            send_burst(round);
    }
}

// Rank 0 learns by a word of memory that all has come.
static void a_burst_is_not_held(void)
{
    MPI_Win win;
    int *word;
    MPI_Win_allocate(sizeof *word, sizeof *word, MPI_INFO_NULL, MPI_COMM_WORLD, &word,
                     &win);
    *word = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Request requests[BURST];
    if (rank == 0)
        for (int i = 0; i < BURST; i++)
            MPI_Isend(messages[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
    if (rank == 1) {
        const int one = 1;
        for (int i = 0; i < BURST; i++)
            MPI_Recv(received, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_unlock(0, win);
    }
    while (rank == 0 && __atomic_load_n(word, __ATOMIC_ACQUIRE) == 0)
        usleep(100);
    if (rank == 0)
        MPI_Waitall(BURST, requests, MPI_STATUSES_IGNORE);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    bursts_arrive_in_order();
    if (size > 1)
        a_burst_is_not_held();
    return finish();
}
