// SPDX-License-Identifier: BSD-3-Clause
// Operations on windows that give a request. Any number of processes.
#include <mpi.h>
#include <stdio.h>

enum { CELLS = 8 };

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

// What all processes have done is complete, and all know.
static void meet(void)
{
    MPI_Win_flush_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(win);
}

static void transfers(void)
{
    // example: MPI_Rput
    // Two buffers take turns: one is filled while the other is sent.
    int buffers[2];
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    for (int i = 0; i < 4; i++) {
        int turn = i % 2;
        MPI_Wait(&requests[turn], MPI_STATUS_IGNORE);
        buffers[turn] = 10 * rank + i;
        MPI_Rput(&buffers[turn], 1, MPI_INT, next, i, 1, MPI_INT, win, &requests[turn]);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Win_flush(next, win); // the requests say nothing of the target
    // end of example
    meet();
    for (int i = 0; i < 4; i++)
        require(cells[i] == 10 * before + i, "what was put");

    // example: MPI_Rget
    int found[2];
    MPI_Request request;
    MPI_Rget(found, 2, MPI_INT, next, 1, 2, MPI_INT, win, &request);
    // ... work that does not need found ...
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    // end of example
    require(found[0] == 10 * rank + 1 && found[1] == 10 * rank + 2, "what was got");
}

static void accumulates(void)
{
    meet();
    cells[6] = cells[7] = 0;
    meet();
    // example: MPI_Raccumulate
    int amount = rank + 1;
    MPI_Request request;
    MPI_Raccumulate(&amount, 1, MPI_INT, 0, 6, 1, MPI_INT, MPI_SUM, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE); // amount may be changed
    MPI_Win_flush(0, win);                 // process 0 has the sum
    // end of example
    meet();
    require(rank != 0 || cells[6] == size * (size + 1) / 2, "the sum");

    // example: MPI_Rget_accumulate
    int step = 1, value;
    MPI_Rget_accumulate(&step, 1, MPI_INT, &value, 1, MPI_INT, next, 7, 1, MPI_INT,
                        MPI_SUM, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE); // value is what the cell was before
    // end of example
    meet();
    require(value == 0 && cells[7] == 1, "the cell before and after");
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
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return MPI_Finalize();
}
