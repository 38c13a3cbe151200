// SPDX-License-Identifier: BSD-3-Clause
// threads_of_all_ranks_exchange_messages at once, short and long, under wildcards and
// matched probes; every message comes once and in order, and no thread waits in vain.
#include "window_test.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 150, LONG = 20000 };

struct worker {
    pthread_t thread;
    int number;
    unsigned char out[LONG], in[LONG];
};

static void run_threads(void *(*work)(void *))
{
    static struct worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i].number = i;
        CHECK(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
}

// Each thread has a tag of its own.
static void *exchange(void *argument)
{
    struct worker *worker = argument;
    for (int round = 0; round < ROUNDS; round++) {
        size_t length = round % 7 == 0 ? LONG : (size_t)round;
        MPI_Request requests[2];
        MPI_Status statuses[2];
        int count = -1;
        fill(worker->out, length, rank + worker->number, round);
        MPI_Irecv(worker->in, LONG, MPI_BYTE, left(), worker->number, MPI_COMM_WORLD,
                  &requests[0]);
        MPI_Isend(worker->out, (int)length, MPI_BYTE, right(), worker->number,
                  MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, statuses);
        MPI_Get_count(&statuses[0], MPI_BYTE, &count);
        CHECK(count == (int)length &&
              is_filled(worker->in, length, left() + worker->number, round));
    }
    return NULL;
}

static int taken[THREADS * ROUNDS];

// Half of the threads send numbers, all others take whatever comes.
static void *send_or_take(void *argument)
{
    const struct worker *worker = argument;
    int first = worker->number / 2 * ROUNDS;
    for (int i = 0; i < ROUNDS; i++) {
        int number = first + i, got = -1;
        MPI_Message message;
        if (worker->number % 2 == 0) {
            MPI_Ssend(&number, 1, MPI_INT, right(), 50, MPI_COMM_WORLD);
            continue;
        }
        MPI_Mprobe(MPI_ANY_SOURCE, 50, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        CHECK(got >= 0 && got < THREADS * ROUNDS);
        __atomic_fetch_add(&taken[got], 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

// One thread waits for what another one of its process sends.
static void *talk_to_self(void *argument)
{
    const struct worker *worker = argument;
    int other = worker->number ^ 1;
    for (int i = 0; i < ROUNDS; i++) {
        int got = -1;
        if (worker->number % 2 == 0)
            MPI_Send(&i, 1, MPI_INT, rank, 60 + other, MPI_COMM_WORLD);
        MPI_Recv(&got, 1, MPI_INT, rank, 60 + worker->number, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (worker->number % 2 == 1)
            MPI_Send(&i, 1, MPI_INT, rank, 60 + other, MPI_COMM_WORLD);
        CHECK(got == i);
    }
    return NULL;
}

// A thread waits for a request that another one completes.
static MPI_Request generalized;
static int query(void *state, MPI_Status *status)
{
    (void)state;
    (void)status;
    return MPI_SUCCESS;
}
static int release(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}
static int cancel(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}
static void *complete_it(void *argument)
{
    struct worker *worker = argument;
    if (worker->number == 0)
        MPI_Wait(&generalized, MPI_STATUS_IGNORE);
    else if (worker->number == 1)
        MPI_Grequest_complete(generalized);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK(provided == MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    run_threads(exchange);
    MPI_Barrier(MPI_COMM_WORLD);
    run_threads(send_or_take);
    for (int i = 0; i < THREADS * ROUNDS; i++)
        CHECK(taken[i] == (i < THREADS / 2 * ROUNDS));
    MPI_Barrier(MPI_COMM_WORLD);
    run_threads(talk_to_self);
    MPI_Grequest_start(query, release, cancel, NULL, &generalized);
    run_threads(complete_it);
    CHECK(generalized == MPI_REQUEST_NULL);
    return finish();
}
