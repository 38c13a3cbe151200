// SPDX-License-Identifier: BSD-3-Clause
// Epochs: fences, post and start, locks. Any number of processes.
#include <mpi.h>
#include <stdio.h>

static int rank, size, next, before;
static MPI_Win win;
static int *inbox; // of this process, in the window

static void require(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "rank %d: %s\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void fences(void)
{
    // example: MPI_Win_fence
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win); // opens the first epoch
    MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win); // completes it everywhere, and opens none
    // end of example
    require(*inbox == before, "the rank of the process before");
}

static void neighbours(void)
{
    // example: MPI_Win_post, MPI_Win_start, MPI_Win_complete, MPI_Win_wait
    // Only neighbours wait for each other.
    MPI_Group world, origins, targets;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &before, &origins);
    MPI_Group_incl(world, 1, &next, &targets);

    int value = 100 + rank;
    MPI_Win_post(origins, 0, win);  // the process before may access my memory
    MPI_Win_start(targets, 0, win); // I access that of the next
    MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win); // now my memory has what was put there
    // end of example
    require(*inbox == 100 + before, "the value of the process before");

    // example: MPI_Win_test
    int has_come = 0;
    MPI_Win_post(origins, 0, win);
    MPI_Win_start(targets, 0, win);
    MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, win);
    MPI_Win_complete(win);
    while (!has_come) {
        // ... work ...
        MPI_Win_test(win, &has_come);
    }
    // end of example
    require(*inbox == before, "the rank of the process before");
    MPI_Group_free(&targets);
    MPI_Group_free(&origins);
    MPI_Group_free(&world);
}

static void locks(void)
{
    *inbox = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    // example: MPI_Win_lock, MPI_Win_unlock
    // Reads a number of process 0 and writes another that depends on it: nobody may come between.
    int number;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Get(&number, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    number = 2 * number + 1;
    MPI_Put(&number, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
    // end of example
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        require(*inbox == (1 << size) - 1,
                "a number that each process has changed once");
        MPI_Win_unlock(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);

    // example: MPI_Win_lock_all, MPI_Win_unlock_all
    // One epoch for the whole program; MPI_Win_flush completes what has to be complete.
    MPI_Win_lock_all(0, win);
    for (int step = 0; step < 3; step++) {
        MPI_Accumulate(&step, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_REPLACE, win);
        MPI_Win_flush(next, win);
    }
    MPI_Win_unlock_all(win);
    // end of example
    MPI_Barrier(MPI_COMM_WORLD);
    require(*inbox == 2, "the last step");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &inbox,
                     &win);
    fences();
    neighbours();
    locks();
    MPI_Win_free(&win);
    return MPI_Finalize();
}
