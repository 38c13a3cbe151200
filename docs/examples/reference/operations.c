// SPDX-License-Identifier: BSD-3-Clause
// Operations on windows, in one epoch of MPI_Win_lock_all. Any number of processes.
#include <mpi.h>
#include <stdio.h>

enum { CELLS = 16 };

static int rank, size, next, before;
static MPI_Win win;
static int *cells; // of this process, in the window

static void require(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "rank %d: %s\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

// All cells are `value`, and all processes know.
static void fill(int value)
{
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < CELLS; i++)
        cells[i] = value;
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void transfers(void)
{
    fill(0);
    // example: MPI_Put, MPI_Win_flush
    int values[4] = {rank, rank + 1, rank + 2, rank + 3};
    MPI_Put(values, 4, MPI_INT, next, 2, 4, MPI_INT,
            win);             // to cells 2 to 5 of the next process
    MPI_Win_flush(next, win); // they are there now
    // end of example
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(win);
    require(cells[2] == before && cells[5] == before + 3, "what was put");

    // example: MPI_Get
    int found[4];
    MPI_Get(found, 4, MPI_INT, next, 2, 4, MPI_INT, win);
    MPI_Win_flush(next, win); // not before this is found valid
    // end of example
    require(found[0] == rank && found[3] == rank + 3, "what was got");
}

static void accumulates(void)
{
    fill(1);
    // example: MPI_Accumulate, MPI_Win_flush_all
    // Every process adds to the same two cells of process 0.
    int steps[2] = {1, 10};
    MPI_Accumulate(steps, 2, MPI_INT, 0, 0, 2, MPI_INT, MPI_SUM, win);
    MPI_Win_flush_all(win);
    // end of example
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(win);
    require(rank != 0 || (cells[0] == 1 + size && cells[1] == 1 + 10 * size),
            "the sums");

    // example: MPI_Get_accumulate
    // Swaps two cells of the next process for new values.
    int values[2] = {-1, -2}, were[2];
    MPI_Get_accumulate(values, 2, MPI_INT, were, 2, MPI_INT, next, 4, 2, MPI_INT,
                       MPI_REPLACE, win);
    MPI_Win_flush(next, win);
    // end of example
    require(were[0] == 1 && were[1] == 1, "what was in the cells");
}

static void atomics(void)
{
    fill(0);
    // example: MPI_Fetch_and_op
    // A counter of process 0 gives every process a ticket of its own.
    const int one = 1;
    int ticket;
    MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, 0, MPI_SUM, win);
    MPI_Win_flush(0, win);
    // end of example
    require(ticket >= 0 && ticket < size, "the ticket");
    int sum;
    MPI_Allreduce(&ticket, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    require(sum == size * (size - 1) / 2, "tickets that are all different");

    // example: MPI_Compare_and_swap
    // The first process that finds the cell empty, 0, writes its name there.
    const int empty = 0, name = rank + 1;
    int owner;
    MPI_Compare_and_swap(&name, &empty, &owner, MPI_INT, 0, 1, win);
    MPI_Win_flush(0, win);
    int is_mine = owner == empty;
    // end of example
    MPI_Allreduce(&is_mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    require(sum == 1, "one owner of the cell");
}

static void locally(void)
{
    fill(0);
    // example: MPI_Win_flush_local, MPI_Win_flush_local_all
    int value = 1;
    MPI_Put(&value, 1, MPI_INT, next, 7, 1, MPI_INT, win);
    MPI_Win_flush_local(next,
                        win); // value may be changed; the target may not have it yet
    value = 2;
    MPI_Put(&value, 1, MPI_INT, before, 8, 1, MPI_INT, win);
    MPI_Win_flush_local_all(win);
    value = 3;
    MPI_Win_flush_all(win); // now both targets have theirs
    // end of example
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(win);
    require(cells[7] == 1 && cells[8] == 2, "values of the time of the puts");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    MPI_Win_allocate(CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &cells, &win);
    MPI_Win_lock_all(0, win);
    transfers();
    accumulates();
    atomics();
    locally();
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return MPI_Finalize();
}
