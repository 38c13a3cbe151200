// SPDX-License-Identifier: BSD-3-Clause
// threads_share_a_window: threads of every rank put to all targets in one lock_all
// epoch, and lock different targets of one window at the same time; nothing is lost.
#include "window_test.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 100 };

static MPI_Win win;

struct worker {
    pthread_t thread;
    int number;
};

// Slot of this thread in every part.
static MPI_Aint slot_of(int owner, int thread)
{
    return (MPI_Aint)owner * THREADS + thread;
}

static void *put_to_all(void *argument)
{
    const struct worker *worker = argument;
    for (int round = 1; round <= ROUNDS; round++)
        for (int i = 0; i < size; i++) {
            int target = (i + worker->number) % size, seen = -1;
            MPI_Put(&round, 1, MPI_INT, target, slot_of(rank, worker->number), 1,
                    MPI_INT, win);
            MPI_Win_flush(target, win);
            MPI_Get(&seen, 1, MPI_INT, target, slot_of(rank, worker->number), 1,
                    MPI_INT, win);
            MPI_Win_flush(target, win);
            CHECK(seen == round);
        }
    return NULL;
}

// Thread t locks the targets t, t + THREADS, ... so that no two lock the same.
static void *lock_and_raise(void *argument)
{
    const struct worker *worker = argument;
    for (int round = 0; round < ROUNDS; round++)
        for (int target = worker->number; target < size; target += THREADS) {
            int value = -1;
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
            MPI_Get(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win);
            MPI_Win_flush(target, win);
            value++;
            MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win);
            MPI_Win_unlock(target, win);
        }
    return NULL;
}

static void run_threads(void *(*work)(void *argument))
{
    struct worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i].number = i;
        CHECK(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
}

static void nothing_is_lost(const struct source *source)
{
    int slots = size * THREADS;
    struct opened opened =
        source->open((MPI_Aint)(slots * (int)sizeof(int)), sizeof(int));
    int *memory = opened.base;
    win = opened.win;
    memset(memory, 0, (size_t)slots * sizeof *memory);
    MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    run_threads(put_to_all);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < slots; i++)
        CHECK(memory[i] == ROUNDS);
    MPI_Win_unlock_all(win);
    memory[0] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    run_threads(lock_and_raise);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(memory[0] == size * ROUNDS);
    source->close(&opened);
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (provided != MPI_THREAD_MULTIPLE)
        return finish(), SKIPPED;
    for_each_source(nothing_is_lost);
    return finish();
}
