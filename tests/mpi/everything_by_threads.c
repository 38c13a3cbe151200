// SPDX-License-Identifier: BSD-3-Clause
// everything_by_threads [SECONDS]: four threads of each rank mix messages, collective
// calls on a communicator of each thread, and one-sided calls on windows that all share,
// for so long (2 s). Nothing is lost, nothing waits for ever. The threads of one number
// draw the same steps on all ranks.
#include "window_test.h"

#include <pthread.h>

enum { THREADS = 4, BATCH = 20, MOST = 3000, SLOT = 64 };

// What the window of each rank has, in longs: a counter that all raise, another that is
// raised under an exclusive lock, and a slot for each thread of each rank.
enum { SHARED_COUNTER, LOCKED_COUNTER, SLOTS };

struct worker {
    pthread_t thread;
    int number;
    unsigned random;
    MPI_Comm comm;
    long raised, steps;
    long out[MOST], in[MOST];
};

static struct worker workers[THREADS];
static MPI_Win all_locked, locked; // one in a lock_all epoch, one for single locks
static double seconds = 2;

static int draw(struct worker *worker, int below)
{
    return rand_r(&worker->random) % below;
}

static void fill_numbers(long *numbers, int count, long first)
{
    for (int i = 0; i < count; i++)
        numbers[i] = first + i;
}

static bool are_numbers(const long *numbers, int count, long first)
{
    for (int i = 0; i < count; i++)
        if (numbers[i] != first + i)
            return false;
    return true;
}

// To all others in a ring, on the communicator that all threads share.
static void exchange_messages(struct worker *worker)
{
    int count = draw(worker, MOST), shift = draw(worker, size);
    int to = (rank + shift) % size, from = (rank - shift + size) % size;
    bool is_synchronous = draw(worker, 4) == 0;
    MPI_Request requests[2];
    fill_numbers(worker->out, count, rank + 1000L * worker->number);
    MPI_Irecv(worker->in, MOST, MPI_LONG, from, worker->number, MPI_COMM_WORLD,
              &requests[0]);
    (is_synchronous ? MPI_Issend : MPI_Isend)(
        worker->out, count, MPI_LONG, to, worker->number, MPI_COMM_WORLD, &requests[1]);
    MPI_Status statuses[2];
    MPI_Waitall(2, requests, statuses);
    int received = -1;
    MPI_Get_count(&statuses[0], MPI_LONG, &received);
    CHECK(received == count);
    CHECK(are_numbers(worker->in, count, from + 1000L * worker->number));
}

static void reduce_and_spread(struct worker *worker)
{
    int count = draw(worker, MOST), root = draw(worker, size);
    fill_numbers(worker->out, count, 0);
    MPI_Allreduce(worker->out, worker->in, count, MPI_LONG, MPI_SUM, worker->comm);
    for (int i = 0; i < count; i++)
        CHECK(worker->in[i] == (long)size * i);
    MPI_Request request;
    if (rank == root)
        fill_numbers(worker->in, count, root);
    MPI_Ibcast(worker->in, count, MPI_LONG, root, worker->comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(are_numbers(worker->in, count, root));
}

static void exchange_all(struct worker *worker)
{
    int count = draw(worker, MOST / size);
    for (int i = 0; i < size; i++)
        fill_numbers(worker->out + i * count, count, 100L * rank + i);
    MPI_Alltoall(worker->out, count, MPI_LONG, worker->in, count, MPI_LONG,
                 worker->comm);
    for (int i = 0; i < size; i++)
        CHECK(are_numbers(worker->in + i * count, count, 100L * i + rank));
}

static MPI_Aint slot_of(const struct worker *worker)
{
    return SLOTS + ((MPI_Aint)rank * THREADS + worker->number) * SLOT;
}

static void put_and_get(struct worker *worker)
{
    int target = draw(worker, size), count = 1 + draw(worker, SLOT);
    fill_numbers(worker->out, count, worker->steps);
    MPI_Put(worker->out, count, MPI_LONG, target, slot_of(worker), count, MPI_LONG,
            all_locked);
    MPI_Win_flush(target, all_locked);
    MPI_Request request;
    MPI_Rget(worker->in, count, MPI_LONG, target, slot_of(worker), count, MPI_LONG,
             all_locked, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(are_numbers(worker->in, count, worker->steps));
}

static void raise_counter(struct worker *worker)
{
    const long one = 1;
    long before = -1;
    MPI_Fetch_and_op(&one, &before, MPI_LONG, 0, SHARED_COUNTER, MPI_SUM, all_locked);
    MPI_Win_flush(0, all_locked);
    CHECK(before >= worker->raised);
    worker->raised++;
}

// Of one rank one thread at a time may hold a lock (MPI-4.1 12.5.3).
static void raise_under_lock(struct worker *worker)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    long value = -1;
    pthread_mutex_lock(&mutex);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, locked);
    MPI_Get(&value, 1, MPI_LONG, 0, LOCKED_COUNTER, 1, MPI_LONG, locked);
    MPI_Win_flush(0, locked);
    value++;
    MPI_Put(&value, 1, MPI_LONG, 0, LOCKED_COUNTER, 1, MPI_LONG, locked);
    MPI_Win_unlock(0, locked);
    pthread_mutex_unlock(&mutex);
    CHECK(value >= worker->raised);
}

static void *mix(void *argument)
{
    static void (*const steps[])(struct worker *) = {
        exchange_messages, reduce_and_spread, exchange_all, put_and_get};
    struct worker *worker = argument;
    double end = MPI_Wtime() + seconds;
    int goes_on = 1;
    while (goes_on) {
        for (int i = 0; i < BATCH; i++, worker->steps++) {
            steps[draw(worker, 4)](worker);
            raise_counter(worker);
            raise_under_lock(worker);
        }
        goes_on = MPI_Wtime() < end;
        MPI_Allreduce(MPI_IN_PLACE, &goes_on, 1, MPI_INT, MPI_LAND, worker->comm);
    }
    return NULL;
}

static MPI_Win window(long **base)
{
    MPI_Win win;
    MPI_Aint bytes =
        (SLOTS + (MPI_Aint)size * THREADS * SLOT) * (MPI_Aint)sizeof **base;
    MPI_Win_allocate(bytes, sizeof **base, MPI_INFO_NULL, MPI_COMM_WORLD, base, &win);
    memset(*base, 0, (size_t)bytes);
    return win;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK(provided == MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1)
        seconds = atof(argv[1]);
    long *base, *locked_base, raised = 0, raised_by_all = 0, steps = 0;
    all_locked = window(&base);
    locked = window(&locked_base);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, all_locked);
    for (int i = 0; i < THREADS; i++) {
        workers[i].number = i;
        workers[i].random = 1u + (unsigned)i;
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&workers[i].thread, NULL, mix, &workers[i]) == 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        MPI_Comm_free(&workers[i].comm);
        raised += workers[i].raised;
        steps += workers[i].steps;
    }
    MPI_Win_unlock_all(all_locked);
    MPI_Reduce(&raised, &raised_by_all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, locked);
    if (rank == 0) {
        printf("%ld steps of each rank\n", steps);
        CHECK(base[SHARED_COUNTER] == raised_by_all);
        CHECK(locked_base[LOCKED_COUNTER] == raised_by_all);
    }
    MPI_Win_unlock(rank, locked);
    MPI_Win_free(&all_locked);
    MPI_Win_free(&locked);
    return finish();
}
