// SPDX-License-Identifier: BSD-3-Clause
// Raises the errors that records name after `fails`, and prints procedure and class of each
// call; recorded_errors.py compares these with the records. Two processes, each a node of
// its own.
#include "recorded_errors.h"
#include "window_test.h"

static int values[4], memory[4];
static MPI_Win own, wide, dynamic; // of this process alone; of both; without memory
static const int here = 0;         // the rank in windows of this process

// All operations that have counts, with the same fault.
#define OPERATIONS_RAISE(win, to, from, disp, count, target_count)                     \
    do {                                                                               \
        MPI_Request request;                                                           \
        RAISE(MPI_Put, from, count, MPI_INT, to, disp, target_count, MPI_INT, win);    \
        RAISE(MPI_Get, from, target_count, MPI_INT, to, disp, count, MPI_INT, win);    \
        RAISE(MPI_Accumulate, from, count, MPI_INT, to, disp, target_count, MPI_INT,   \
              MPI_SUM, win);                                                           \
        RAISE(MPI_Get_accumulate, from, count, MPI_INT, from, target_count, MPI_INT,   \
              to, disp, target_count, MPI_INT, MPI_SUM, win);                          \
        RAISE(MPI_Rput, from, count, MPI_INT, to, disp, target_count, MPI_INT, win,    \
              &request);                                                               \
        RAISE(MPI_Rget, from, target_count, MPI_INT, to, disp, count, MPI_INT, win,    \
              &request);                                                               \
        RAISE(MPI_Raccumulate, from, count, MPI_INT, to, disp, target_count, MPI_INT,  \
              MPI_SUM, win, &request);                                                 \
        RAISE(MPI_Rget_accumulate, from, count, MPI_INT, from, target_count, MPI_INT,  \
              to, disp, target_count, MPI_INT, MPI_SUM, win, &request);                \
    } while (0)

#define FETCHES_RAISE(from, disp)                                                      \
    do {                                                                               \
        RAISE(MPI_Fetch_and_op, from, values, MPI_INT, here, disp, MPI_SUM, own);      \
        RAISE(MPI_Compare_and_swap, from, values, values, MPI_INT, here, disp, own);   \
    } while (0)

static void operations(void)
{
    OPERATIONS_RAISE(own, here, values, 0, 1, 1);
    FETCHES_RAISE(values, 0);
    MPI_Win_lock(MPI_LOCK_SHARED, here, 0, own);
    OPERATIONS_RAISE(own, here, values, 4, 1, 1);
    FETCHES_RAISE(values, 4);
    OPERATIONS_RAISE(own, here, NULL, 0, 1, 1);
    FETCHES_RAISE(NULL, 0);
    OPERATIONS_RAISE(own, here, values, 0, 2, 1);
    MPI_Request request;
    RAISE(MPI_Accumulate, values, 1, MPI_INT, here, 0, 1, MPI_INT, MPI_MAXLOC, own);
    RAISE(MPI_Get_accumulate, values, 1, MPI_INT, values, 1, MPI_INT, here, 0, 1,
          MPI_INT, MPI_MAXLOC, own);
    RAISE(MPI_Fetch_and_op, values, values, MPI_INT, here, 0, MPI_MAXLOC, own);
    RAISE(MPI_Raccumulate, values, 1, MPI_INT, here, 0, 1, MPI_INT, MPI_MAXLOC, own,
          &request);
    RAISE(MPI_Rget_accumulate, values, 1, MPI_INT, values, 1, MPI_INT, here, 0, 1,
          MPI_INT, MPI_MAXLOC, own, &request);
    MPI_Win_unlock(here, own);
}

static void synchronization(void)
{
    int flag;
    MPI_Group self;
    MPI_Comm_group(MPI_COMM_SELF, &self);
    RAISE(MPI_Win_complete, own);
    RAISE(MPI_Win_wait, own);
    RAISE(MPI_Win_test, own, &flag);
    RAISE(MPI_Win_unlock, here, own);
    RAISE(MPI_Win_unlock_all, own);
    RAISE(MPI_Win_flush, here, own);
    RAISE(MPI_Win_flush_all, own);
    RAISE(MPI_Win_flush_local, here, own);
    RAISE(MPI_Win_flush_local_all, own);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, here, 0, own);
    RAISE(MPI_Win_fence, 0, own);
    RAISE(MPI_Win_start, self, 0, own);
    RAISE(MPI_Win_lock, MPI_LOCK_SHARED, here, 0, own);
    RAISE(MPI_Win_lock_all, 0, own);
    RAISE(MPI_Win_free, &own);
    RAISE(MPI_Win_post, self, 0, own);
    MPI_Win_unlock(here, own);
    MPI_Win_post(self, 0, own);
    RAISE(MPI_Win_post, self, 0, own);
    RAISE(MPI_Win_lock, MPI_LOCK_SHARED, here, 0, own);
    RAISE(MPI_Win_lock_all, 0, own);
    MPI_Win_start(self, 0, own);
    MPI_Win_complete(own);
    MPI_Win_wait(own);
    MPI_Group_free(&self);
}

// The other process alone.
static MPI_Group world_but(int left_out)
{
    MPI_Group world, other;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_excl(world, 1, &left_out, &other);
    MPI_Group_free(&world);
    return other;
}

// What the target on another node alone can find comes with the end of the epoch.
static void ends_of_epochs(void)
{
    int to = 1 - rank;
    MPI_Aint nowhere = 64;
#define RAISE_LOST(procedure, ...)                                                     \
    do {                                                                               \
        MPI_Put(values, 1, MPI_INT, to, nowhere, 1, MPI_INT, dynamic);                 \
        RAISE(procedure, __VA_ARGS__);                                                 \
    } while (0)
    MPI_Win_lock(MPI_LOCK_SHARED, to, 0, dynamic);
    RAISE_LOST(MPI_Win_flush, to, dynamic);
    RAISE_LOST(MPI_Win_flush_local, to, dynamic);
    RAISE_LOST(MPI_Win_flush_local_all, dynamic);
    RAISE_LOST(MPI_Win_flush_all, dynamic);
    RAISE_LOST(MPI_Win_unlock, to, dynamic);
    MPI_Win_lock_all(0, dynamic);
    RAISE_LOST(MPI_Win_unlock_all, dynamic);
    if (rank == 0)
        MPI_Win_post(world_but(0), 0, wide);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, wide);
        MPI_Put(values, 1, MPI_INT, 0, 0, 1, MPI_INT, wide);
        RAISE(MPI_Win_unlock, 0, wide);
        MPI_Win_lock_all(0, wide);
        MPI_Put(values, 1, MPI_INT, 0, 0, 1, MPI_INT, wide);
        RAISE(MPI_Win_unlock_all, wide);
        MPI_Win_start(world_but(1), 0, wide);
        MPI_Win_complete(wide);
    } else {
        MPI_Win_wait(wide);
    }
}

static void memory_of_windows(void)
{
    int *part, unit;
    MPI_Aint bytes;
    MPI_Win win;
    RAISE(MPI_Win_attach, own, memory, sizeof memory);
    RAISE(MPI_Win_detach, own, memory);
    RAISE(MPI_Win_shared_query, dynamic, rank, &bytes, &unit, &part);
    RAISE(MPI_Win_attach, dynamic, memory, -1);
    MPI_Win_attach(dynamic, memory, sizeof memory);
    RAISE(MPI_Win_attach, dynamic, memory, 4);
    MPI_Win_detach(dynamic, memory);
    RAISE(MPI_Win_detach, dynamic, memory);
    RAISE(MPI_Win_allocate_shared, 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &win);
    RAISE(MPI_Free_mem, memory);
}

static void send_two(void)
{
    MPI_Request request;
    MPI_Isend(values, 2, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    MPI_Request_free(&request);
}

static void messages(void)
{
    int flag = 0;
    MPI_Request request;
    RAISE(MPI_Bsend, values, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
    send_two();
    RAISE(MPI_Recv, memory, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    RAISE(MPI_Sendrecv, values, 2, MPI_INT, 0, 0, memory, 1, MPI_INT, 0, 0,
          MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Irecv(memory, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    send_two();
    RAISE(MPI_Wait, &request, MPI_STATUS_IGNORE);
    MPI_Irecv(memory, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    send_two();
    RAISE(MPI_Test, &request, &flag, MPI_STATUS_IGNORE);
    MPI_Irecv(memory, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    send_two();
    RAISE(MPI_Waitall, 1, &request, MPI_STATUSES_IGNORE);
    send_two();
    RAISE(MPI_Irecv, memory, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
}

static void others(void)
{
    char text[MPI_MAX_INFO_VAL + 2];
    MPI_Info info;
    MPI_Info_create(&info);
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    RAISE(MPI_Info_set, info, "key", text);
    text[MPI_MAX_INFO_KEY + 1] = '\0';
    RAISE(MPI_Info_set, info, text, "value");
    RAISE(MPI_Info_set, MPI_INFO_ENV, "key", "value");
    MPI_Info_free(&info);
    int provided;
    RAISE(MPI_Init, NULL, NULL);
    RAISE(MPI_Init_thread, NULL, NULL, MPI_THREAD_SINGLE, &provided);
    RAISE(MPI_Reduce, values, memory, 1, MPI_INT, MPI_MAXLOC, 0, MPI_COMM_SELF);
    RAISE(MPI_Allreduce, values, memory, 1, MPI_INT, MPI_MAXLOC, MPI_COMM_SELF);
}

static void collective_calls(void)
{
    int in[4] = {0}, out[8], more = 2 - rank, less = 1 + rank;
    MPI_Comm comm = MPI_COMM_WORLD;
    if (rank == 0)
        note("MPI_Barrier", MPI_Barrier(comm));
    else
        note("MPI_Bcast", MPI_Bcast(in, 2, MPI_INT, 1, comm));
    note("MPI_Bcast", MPI_Bcast(in, more, MPI_INT, 0, comm));
    note("MPI_Gather", MPI_Gather(in, less, MPI_INT, out, 1, MPI_INT, 0, comm));
    note("MPI_Scatter", MPI_Scatter(in, 2, MPI_INT, out, more, MPI_INT, 0, comm));
    note("MPI_Allgather", MPI_Allgather(in, more, MPI_INT, out, more, MPI_INT, comm));
    note("MPI_Alltoall", MPI_Alltoall(in, more, MPI_INT, out, more, MPI_INT, comm));
    const int ones[2] = {1, 1}, mores[2] = {more, more}, places[2] = {0, 2};
    const int bytes[2] = {0, 8};
    const MPI_Datatype ints[2] = {MPI_INT, MPI_INT};
    note("MPI_Gatherv",
         MPI_Gatherv(in, less, MPI_INT, out, ones, places, MPI_INT, 0, comm));
    note("MPI_Scatterv",
         MPI_Scatterv(in, mores, places, MPI_INT, out, 1, MPI_INT, 0, comm));
    note("MPI_Allgatherv",
         MPI_Allgatherv(in, less, MPI_INT, out, ones, places, MPI_INT, comm));
    note("MPI_Alltoallv",
         MPI_Alltoallv(in, mores, places, MPI_INT, out, ones, places, MPI_INT, comm));
    note("MPI_Alltoallw",
         MPI_Alltoallw(in, mores, bytes, ints, out, ones, bytes, ints, comm));
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Info none = MPI_INFO_NULL;
    MPI_Win_create(memory, sizeof memory, sizeof *memory, none, MPI_COMM_SELF, &own);
    MPI_Win_create(memory, sizeof memory, sizeof *memory, none, MPI_COMM_WORLD, &wide);
    MPI_Win_create_dynamic(none, MPI_COMM_WORLD, &dynamic);
    MPI_Win *const windows[] = {&own, &wide, &dynamic};
    for (int i = 0; i < 3; i++)
        MPI_Win_set_errhandler(*windows[i], MPI_ERRORS_RETURN);
    operations();
    synchronization();
    ends_of_epochs();
    memory_of_windows();
    messages();
    others();
    collective_calls();
    raise_errors_of_objects();
    for (int i = 0; i < 3; i++)
        MPI_Win_free(windows[i]);
    MPI_Finalize();
    return 0;
}
