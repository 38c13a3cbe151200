// SPDX-License-Identifier: BSD-3-Clause
// threads_post_and_start_at_once: in each rank one thread exposes a window and another
// accesses that of the right neighbour, on two windows at the same time; every epoch
// shows what was put in it.
#include "window_test.h"

#include <pthread.h>

enum { WINDOWS = 2, ROUNDS = 50 };

static struct opened windows[WINDOWS];
static MPI_Group lefts, rights;

static void *expose(void *argument)
{
    const struct opened *opened = argument;
    const volatile int *memory = opened->base;
    for (int round = 1; round <= ROUNDS; round++) {
        MPI_Win_post(lefts, 0, opened->win);
        if (round % 2 == 0)
            MPI_Win_wait(opened->win);
        else
            for (int flag = 0; !flag;)
                MPI_Win_test(opened->win, &flag);
        CHECK(memory[0] == 100 * left() + round && memory[1] == round);
    }
    return NULL;
}

static void *access_right(void *argument)
{
    const struct opened *opened = argument;
    const int one = 1;
    for (int round = 1; round <= ROUNDS; round++) {
        int value = 100 * rank + round;
        MPI_Win_start(rights, 0, opened->win);
        MPI_Put(&value, 1, MPI_INT, right(), 0, 1, MPI_INT, opened->win);
        MPI_Accumulate(&one, 1, MPI_INT, right(), 1, 1, MPI_INT, MPI_SUM, opened->win);
        MPI_Win_complete(opened->win);
    }
    return NULL;
}

static void every_epoch_shows_its_data(const struct source *source)
{
    pthread_t threads[2 * WINDOWS];
    for (int i = 0; i < WINDOWS; i++) {
        windows[i] = source->open(2 * sizeof(int), sizeof(int));
        ((int *)windows[i].base)[1] = 0;
    }
    for (int i = 0; i < WINDOWS; i++) {
        CHECK(pthread_create(&threads[2 * i], NULL, expose, &windows[i]) == 0);
        CHECK(pthread_create(&threads[2 * i + 1], NULL, access_right, &windows[i]) ==
              0);
    }
    for (int i = 0; i < 2 * WINDOWS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < WINDOWS; i++)
        source->close(&windows[i]);
}

int main(int argc, char **argv)
{
    MPI_Group world;
    int provided;
    forbid_copies_if_asked();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (provided != MPI_THREAD_MULTIPLE)
        return finish(), SKIPPED;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, (int[]){left()}, &lefts);
    MPI_Group_incl(world, 1, (int[]){right()}, &rights);
    MPI_Group_free(&world);
    for_each_source(every_epoch_shows_its_data);
    MPI_Group_free(&lefts);
    MPI_Group_free(&rights);
    return finish();
}
