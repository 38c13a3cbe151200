// SPDX-License-Identifier: BSD-3-Clause
// Makes calls that need a process that has died, and prints procedure and class of each;
// recorded_errors.py compares these with the records. The last process dies; each of the
// others has communicators and windows with it alone, and makes some of the calls.
#include "recorded_errors.h"

#include <signal.h>
#include <stdlib.h>

enum { LONG = 1 << 20, ROOM = 3 * LONG, PATIENCE = 5 }; // bytes; seconds
enum { FENCED, POSTED, WAITED, STARTED, LOCKED, FREED, WINDOWS };

static char data[LONG], room[ROOM], comm_room[ROOM];
static int values[4], memory[8], rank, size, turn, calls;
static const int dead = 0; // its rank in each pair
static MPI_Comm pair, grid, inter, made;
static MPI_Group both, other;
static MPI_Win windows[WINDOWS];
static MPI_Message message;
static MPI_Status status;
static MPI_Info none = MPI_INFO_NULL;

// Whether it is this process that makes the next call.
static int is_own_call(void)
{
    return turn++ % calls == rank;
}

#define MEET(procedure, ...)                                                           \
    do {                                                                               \
        if (is_own_call())                                                             \
            note(#procedure, procedure(__VA_ARGS__));                                  \
    } while (0)
// A call that does not wait is made again, until it fails.
#define MEET_AT_LAST(procedure, ...)                                                   \
    do {                                                                               \
        double begin = MPI_Wtime();                                                    \
        int error = MPI_SUCCESS;                                                       \
        if (!is_own_call())                                                            \
            break;                                                                     \
        while (error == MPI_SUCCESS && MPI_Wtime() < begin + PATIENCE)                 \
            error = procedure(__VA_ARGS__);                                            \
        note(#procedure, error);                                                       \
    } while (0)

static void make_window(MPI_Win *win)
{
    int *part;
    MPI_Win_allocate(64, 4, none, pair, &part, win);
    MPI_Win_set_errhandler(*win, MPI_ERRORS_RETURN);
}

// What the one that dies does not receive.
static void send_buffered(void)
{
    MPI_Buffer_attach(room, ROOM);
    MPI_Bsend(data, LONG, MPI_BYTE, dead, 0, pair);
    MPI_Comm_attach_buffer(pair, comm_room, ROOM);
    MPI_Bsend(data, LONG, MPI_BYTE, dead, 0, pair);
}

// Of a process and the one that dies, which both make it.
static void make_pair(int caller)
{
    const int last = size - 1, ranks[] = {last, caller}, dims[] = {2}, periods[] = {1};
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, ranks, &both);
    MPI_Group_incl(world, 1, ranks, &other);
    MPI_Comm_create_group(MPI_COMM_WORLD, both, caller, &pair);
    MPI_Comm_set_errhandler(pair, MPI_ERRORS_RETURN);
    MPI_Cart_create(pair, 1, dims, periods, 0, &grid);
    MPI_Intercomm_create(MPI_COMM_SELF, 0, pair, rank == last, caller, &inter);
    for (int i = 0; i < WINDOWS; i++)
        make_window(&windows[i]);
    if (rank != last) {
        MPI_Mprobe(dead, 9, pair, &message, &status);
        send_buffered();
        MPI_Barrier(pair);
        return;
    }
    MPI_Request request;
    MPI_Isend(data, LONG, MPI_BYTE, 1, 9, pair, &request);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, dead, 0, windows[LOCKED]);
    MPI_Barrier(pair);
}

static void messages(void)
{
    int flag;
    MPI_Message found;
    MPI_Request request;
    MEET(MPI_Send, data, LONG, MPI_BYTE, dead, 0, pair);
    MEET(MPI_Ssend, values, 1, MPI_INT, dead, 0, pair);
    MEET(MPI_Rsend, data, LONG, MPI_BYTE, dead, 0, pair);
    MEET(MPI_Recv, memory, 1, MPI_INT, dead, 0, pair, &status);
    MEET(MPI_Sendrecv, values, 1, MPI_INT, dead, 0, memory, 1, MPI_INT, dead, 0, pair,
         &status);
    MEET(MPI_Sendrecv_replace, memory, 1, MPI_INT, dead, 0, dead, 0, pair, &status);
    MEET(MPI_Probe, dead, 0, pair, &status);
    MEET(MPI_Mprobe, dead, 0, pair, &found, &status);
    MEET_AT_LAST(MPI_Iprobe, dead, 0, pair, &flag, &status);
    MEET_AT_LAST(MPI_Improbe, dead, 0, pair, &flag, &found, &status);
    MEET(MPI_Mrecv, data, LONG, MPI_BYTE, &message, &status);
    MEET_AT_LAST(MPI_Isend, data, LONG, MPI_BYTE, dead, 0, pair, &request);
    MEET_AT_LAST(MPI_Issend, data, LONG, MPI_BYTE, dead, 0, pair, &request);
    MEET_AT_LAST(MPI_Irsend, data, LONG, MPI_BYTE, dead, 0, pair, &request);
}

static void requests(void)
{
    int flag, index;
    MPI_Request request;
    MPI_Irecv(memory, 1, MPI_INT, dead, 0, pair, &request);
    MEET(MPI_Wait, &request, &status);
    MEET(MPI_Waitany, 1, &request, &index, &status);
    MEET(MPI_Waitall, 1, &request, &status);
    MEET(MPI_Waitsome, 1, &request, &flag, &index, &status);
    MEET_AT_LAST(MPI_Test, &request, &flag, &status);
    MEET_AT_LAST(MPI_Testany, 1, &request, &index, &flag, &status);
    MEET_AT_LAST(MPI_Testall, 1, &request, &flag, &status);
    MEET_AT_LAST(MPI_Testsome, 1, &request, &flag, &index, &status);
    MEET_AT_LAST(MPI_Request_get_status, request, &flag, &status);
    MEET_AT_LAST(MPI_Request_get_status_any, 1, &request, &index, &flag, &status);
    MEET_AT_LAST(MPI_Request_get_status_all, 1, &request, &flag, &status);
    MEET_AT_LAST(MPI_Request_get_status_some, 1, &request, &flag, &index, &status);
}

static void buffers(void)
{
    void *old;
    int bytes;
    MEET(MPI_Buffer_flush);
    MEET(MPI_Buffer_detach, &old, &bytes);
    MEET(MPI_Comm_flush_buffer, pair);
    MEET(MPI_Comm_detach_buffer, pair, &old, &bytes);
}

static void collective_calls(void)
{
    const int one[] = {1, 1}, zero[] = {0, 0};
    const MPI_Datatype ints[] = {MPI_INT, MPI_INT};
    MEET(MPI_Barrier, pair);
    MEET(MPI_Bcast, memory, 1, MPI_INT, dead, pair);
    MEET(MPI_Gather, values, 1, MPI_INT, memory, 1, MPI_INT, 1, pair);
    MEET(MPI_Gatherv, values, 1, MPI_INT, memory, one, zero, MPI_INT, 1, pair);
    MEET(MPI_Scatter, values, 1, MPI_INT, memory, 1, MPI_INT, dead, pair);
    MEET(MPI_Scatterv, values, one, zero, MPI_INT, memory, 1, MPI_INT, dead, pair);
    MEET(MPI_Allgather, values, 1, MPI_INT, memory, 1, MPI_INT, pair);
    MEET(MPI_Allgatherv, values, 1, MPI_INT, memory, one, zero, MPI_INT, pair);
    MEET(MPI_Alltoall, values, 1, MPI_INT, memory, 1, MPI_INT, pair);
    MEET(MPI_Alltoallv, values, one, zero, MPI_INT, memory, one, zero, MPI_INT, pair);
    MEET(MPI_Alltoallw, values, one, zero, ints, memory, one, zero, ints, pair);
    MEET(MPI_Reduce, values, memory, 1, MPI_INT, MPI_SUM, 1, pair);
    MEET(MPI_Allreduce, values, memory, 1, MPI_INT, MPI_SUM, pair);
    MEET(MPI_Reduce_scatter_block, values, memory, 1, MPI_INT, MPI_SUM, pair);
    MEET(MPI_Reduce_scatter, values, memory, one, MPI_INT, MPI_SUM, pair);
    MEET(MPI_Scan, values, memory, 1, MPI_INT, MPI_SUM, pair);
    MEET(MPI_Exscan, values, memory, 1, MPI_INT, MPI_SUM, pair);
}

static void neighborhoods(void)
{
    const int one[] = {1, 1}, zero[] = {0, 0};
    const MPI_Aint nowhere[] = {0, 0};
    const MPI_Datatype ints[] = {MPI_INT, MPI_INT};
    MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
    MEET(MPI_Neighbor_allgather, values, 1, MPI_INT, memory, 1, MPI_INT, grid);
    MEET(MPI_Neighbor_allgatherv, values, 1, MPI_INT, memory, one, zero, MPI_INT, grid);
    MEET(MPI_Neighbor_alltoall, values, 1, MPI_INT, memory, 1, MPI_INT, grid);
    MEET(MPI_Neighbor_alltoallv, values, one, zero, MPI_INT, memory, one, zero, MPI_INT,
         grid);
    MEET(MPI_Neighbor_alltoallw, values, one, nowhere, ints, memory, one, nowhere, ints,
         grid);
    MEET(MPI_Cart_sub, grid, one, &made);
}

static void communicators(void)
{
    const int one[] = {1, 2}, two[] = {2}, zero[] = {0, 1};
    MEET(MPI_Comm_dup, pair, &made);
    MEET(MPI_Comm_dup_with_info, pair, none, &made);
    MEET(MPI_Comm_create, pair, both, &made);
    MEET(MPI_Comm_create_group, pair, both, 0, &made);
    MEET(MPI_Comm_create_from_group, both, "tag", none, MPI_ERRORS_RETURN, &made);
    MEET(MPI_Comm_split, pair, 0, 0, &made);
    MEET(MPI_Comm_split_type, pair, MPI_COMM_TYPE_SHARED, 0, none, &made);
    MEET(MPI_Intercomm_create, MPI_COMM_SELF, 0, pair, dead, 0, &made);
    MEET(MPI_Intercomm_merge, inter, 0, &made);
    MEET(MPI_Cart_create, pair, 1, two, one, 0, &made);
    MEET(MPI_Graph_create, pair, 2, one, zero, 0, &made);
    MEET(MPI_Dist_graph_create_adjacent, pair, 1, zero, one, 1, zero, one, none, 0,
         &made);
    MEET(MPI_Dist_graph_create, pair, 1, zero, one, zero, one, none, 0, &made);
    MEET(MPI_Comm_disconnect, &pair);
}

static void memory_of_windows(void)
{
    void *part;
    MPI_Win win;
    MEET(MPI_Win_create, memory, sizeof memory, 1, none, pair, &win);
    MEET(MPI_Win_allocate, 8, 1, none, pair, &part, &win);
    MEET(MPI_Win_allocate_shared, 8, 1, none, pair, &part, &win);
    MEET(MPI_Win_create_dynamic, none, pair, &win);
    MEET(MPI_Win_free, &windows[FREED]);
}

static void synchronization(void)
{
    int flag;
    MEET(MPI_Win_fence, 0, windows[FENCED]);
    MPI_Win_post(other, 0, windows[POSTED]);
    MEET(MPI_Win_wait, windows[POSTED]);
    MPI_Win_post(other, 0, windows[WAITED]);
    MEET_AT_LAST(MPI_Win_test, windows[WAITED], &flag);
    MPI_Win_start(other, 0, windows[STARTED]);
    MEET(MPI_Win_complete, windows[STARTED]);
    MEET(MPI_Win_lock, MPI_LOCK_EXCLUSIVE, dead, 0, windows[LOCKED]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    calls = size - 1;
    for (int caller = 0; caller < calls; caller++)
        if (rank == caller || rank == calls)
            make_pair(caller);
    if (rank == calls)
        raise(SIGKILL);
    messages();
    requests();
    buffers();
    collective_calls();
    neighborhoods();
    memory_of_windows();
    synchronization();
    communicators();
    note("MPI_Finalize", MPI_Finalize());
    return 0;
}
