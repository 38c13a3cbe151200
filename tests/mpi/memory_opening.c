// SPDX-License-Identifier: BSD-3-Clause
// memory_opening: a process lets others of its node copy from its memory when a message
// or a window is there that needs it, and no one but processes of the launcher. The
// kernel is asked through this program's own prctl().
#include "window_test.h"

#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LONG_BYTES = 1 << 20 };

static unsigned long tracer; // who may copy, as a kernel with Yama would have it

// The library calls this one.
int prctl(int option, ...)
{
    unsigned long values[4];
    va_list arguments;
    va_start(arguments, option);
    for (int i = 0; i < 4; i++)
        values[i] = va_arg(arguments, unsigned long);
    va_end(arguments);
    if (option != PR_SET_PTRACER)
        return (int)syscall(SYS_prctl, option, values[0], values[1], values[2],
                            values[3]);
    tracer = values[0];
    return 0;
}

static bool has_local_peer(void)
{
    MPI_Comm node;
    int members;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &members);
    MPI_Comm_free(&node);
    return members > 1;
}

static void what_lies_in_the_segment_opens_nothing(void)
{
    int number = rank, other;
    char *memory;
    MPI_Win win;
    CHECK(tracer == 0);
    MPI_Win_allocate(LONG_BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&number, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Sendrecv(memory, LONG_BYTES / 2, MPI_BYTE, 1 - rank, 0, memory + LONG_BYTES / 2,
                 LONG_BYTES / 2, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&number, 1, MPI_INT, 1 - rank, 0, &other, 1, MPI_INT, 1 - rank, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(other == 1 - rank);
    MPI_Win_free(&win);
}

static void short_collectives_open_nothing(void)
{
    char bytes[8192] = {0};
    MPI_Bcast(bytes, sizeof bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    CHECK(tracer == 0);
}

static void long_collectives_open_all_members(bool is_with_local_peer)
{
    char *memory = calloc(1, LONG_BYTES);
    MPI_Bcast(memory, LONG_BYTES, MPI_BYTE, 0, MPI_COMM_WORLD);
    CHECK(tracer == (is_with_local_peer ? (unsigned long)getppid() : 0));
    free(memory);
}

// The receiver copies from the sender, which helps it.
static void long_messages_open_both_ends_for_the_launcher(bool is_with_local_peer)
{
    char *memory = calloc(1, LONG_BYTES);
    if (rank == 0)
        MPI_Send(memory, LONG_BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    else if (rank == 1)
        MPI_Recv(memory, LONG_BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(tracer == (is_with_local_peer ? (unsigned long)getppid() : 0));
    free(memory);
}

static void windows_on_own_memory_open_it(bool is_with_local_peer)
{
    char *memory = calloc(1, LONG_BYTES);
    MPI_Win win;
    MPI_Win_create(memory, LONG_BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    CHECK(tracer == (is_with_local_peer ? (unsigned long)getppid() : 0));
    MPI_Win_free(&win);
    free(memory);
}

int main(void)
{
    start(NULL, NULL);
    bool is_with_local_peer = has_local_peer();
    what_lies_in_the_segment_opens_nothing();
    short_collectives_open_nothing();
    long_messages_open_both_ends_for_the_launcher(is_with_local_peer);
    windows_on_own_memory_open_it(is_with_local_peer);
    long_collectives_open_all_members(is_with_local_peer);
    MPI_Finalize();
    CHECK(tracer == 0);
    return 0;
}
