// SPDX-License-Identifier: BSD-3-Clause
// Buffers that are not there any more, and windows whose memory is gone. Where an access
// finds that is left to the library: all of it is in one line of the program.
#include "mistakes.h"

#include <sys/mman.h>

enum { LONG = 1 << 20 };

#define FLUSHED(call, win) ((call), MPI_Win_flush(1, (win)))

static char *memory_make(void)
{
    return mmap(NULL, LONG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static MPI_Win window_on(char *base)
{
    MPI_Win win;
    MPI_Win_create(base, LONG, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    return win;
}

static void window_end(MPI_Win *win)
{
    MPI_Win_unlock_all(*win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(win);
    MPI_Finalize();
}

// may end by a signal
void put_of_memory_that_was_freed(bool wrong)
{
    MPI_Init(NULL, NULL);
    char *memory = memory_make(), *sent = memory_make();
    MPI_Win win = window_on(memory);
    if (wrong)
        munmap(sent, LONG);
    // mistake: MPI_ERR_BUFFER "MPI_Put"
    MPI_Put(sent, 8, MPI_CHAR, 1, 0, 8, MPI_CHAR, win);
    window_end(&win);
}

// may end by a signal
void put_of_more_memory_than_there_is(bool wrong)
{
    int rank;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *memory = memory_make(), *sent = memory_make();
    MPI_Win win = window_on(memory);
    munmap(sent + LONG / 2, LONG / 2);
    int n = wrong ? LONG : LONG / 2;
    if (rank == 0)
        // mistake: MPI_ERR_BUFFER
        FLUSHED(MPI_Put(sent, n, MPI_CHAR, 1, 0, n, MPI_CHAR, win), win);
    window_end(&win);
}

// may end by a signal
void accumulate_of_memory_that_was_freed(bool wrong)
{
    MPI_Init(NULL, NULL);
    char *memory = memory_make(), *sent = memory_make();
    MPI_Win win = window_on(memory);
    int n = LONG / sizeof(int);
    if (wrong)
        munmap(sent, LONG);
    // mistake: MPI_ERR_BUFFER
    FLUSHED(MPI_Accumulate(sent, n, MPI_INT, 1, 0, n, MPI_INT, MPI_SUM, win), win);
    window_end(&win);
}

// The receiver is told that the data have not come.
void send_of_memory_that_was_freed(bool wrong)
{
    int rank;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *memory = memory_make();
    if (wrong && rank == 0)
        munmap(memory, LONG);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        // mistake: MPI_ERR_BUFFER
        MPI_Send(memory, LONG, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Recv(memory, LONG, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
}

// Between nodes the network holds on to the memory, or ends the connection.
// run: -n 2 -env ORIEL_FAKE_NODES 1
void window_memory_that_goes(bool wrong)
{
    int rank;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *memory = memory_make(), *sent = memory_make();
    MPI_Win win = window_on(memory);
    if (wrong && rank == 1)
        munmap(memory, LONG);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        // mistake: MPI_ERR_RMA_RANGE
        FLUSHED(MPI_Put(sent, LONG, MPI_CHAR, 1, 0, LONG, MPI_CHAR, win), win);
    window_end(&win);
}

// The target tells, wherever it is when the network accesses its memory.
static void access_from_another_node(bool wrong, bool is_put, int n)
{
    int rank;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *memory = memory_make(), *other = memory_make();
    MPI_Win win = window_on(memory);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (wrong && rank == 1)
        munmap(memory, LONG);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && is_put)
        FLUSHED(MPI_Put(other, n, MPI_CHAR, 1, 0, n, MPI_CHAR, win), win);
    else if (rank == 0)
        FLUSHED(MPI_Get(other, n, MPI_CHAR, 1, 0, n, MPI_CHAR, win), win);
    window_end(&win);
}

// run: -n 2 -env ORIEL_FAKE_NODES 2
// may end by a signal
void window_memory_that_another_node_puts_to(bool wrong)
{
    // mistake: MPI_ERR_RMA_RANGE "this process exposes"
    access_from_another_node(wrong, true, 8);
}

// run: -n 2 -env ORIEL_FAKE_NODES 2
// may end by a signal
void window_memory_that_another_node_gets(bool wrong)
{
    // mistake: MPI_ERR_RMA_RANGE "this process exposes"
    access_from_another_node(wrong, false, 8);
}

// Only the kernel sees that, and libfabric, not the tests' own, tells nobody.
// run: -n 2 -env ORIEL_FAKE_NODES 2 -env LD_LIBRARY_PATH / --timeout 20
// may end by a signal
void window_memory_that_another_node_gets_much_of(bool wrong)
{
    // mistake: MPI_ERR_RMA_RANGE "this process exposes"
    access_from_another_node(wrong, false, LONG);
}
