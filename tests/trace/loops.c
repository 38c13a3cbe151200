// SPDX-License-Identifier: BSD-3-Clause
// Puts and flushes: as fast as they go, so far apart that each is a record, or by threads.
// usage: loops [calls [apart|threads]]
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static MPI_Win win;
static int rank, size, calls;

static void *put_and_flush(void *argument)
{
    long value = rank;
    for (int i = 0; i < calls; i++) {
        MPI_Put(&value, 1, MPI_LONG, (rank + 1) % size, i % 64, 1, MPI_LONG, win);
        MPI_Win_flush((rank + 1) % size, win);
    }
    return argument;
}

// Calls on more communicators than runs may alternate.
static void call_apart(void)
{
    enum { COMMUNICATORS = 16 };
    MPI_Comm comms[COMMUNICATORS];
    int members;
    for (int i = 0; i < COMMUNICATORS; i++)
        MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
    for (int i = 0; i < calls; i++)
        MPI_Comm_size(comms[i % COMMUNICATORS], &members);
    for (int i = 0; i < COMMUNICATORS; i++)
        MPI_Comm_free(&comms[i]);
}

enum { THREADS = 4 };
static pthread_barrier_t all_run;

static void *put_together(void *argument)
{
    pthread_barrier_wait(&all_run);
    put_and_flush(argument);
    pthread_barrier_wait(&all_run);
    return argument;
}

static void put_by_threads(void)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&all_run, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, put_together, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&all_run);
}

int main(int argc, char **argv)
{
    const char *way = argc > 2 ? argv[2] : "";
    int level;
    long *memory;
    calls = argc > 1 ? atoi(argv[1]) : 10;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(64 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &win);
    MPI_Win_lock_all(0, win);
    if (strcmp(way, "apart") == 0)
        call_apart();
    else if (strcmp(way, "threads") == 0)
        put_by_threads();
    else
        put_and_flush(NULL);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
}
