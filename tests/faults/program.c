// SPDX-License-Identifier: BSD-3-Clause
// What test_faults.py runs while allocations, sends and receives fail: a bit of each
// that MPI does between processes, some of it by messages that nobody expects yet.
// Results are checked; an error of MPI ends the job by the handler that is there.
#include "../mpi/window_test.h"

enum { SHORT = 64, MIDDLE = 3000, LONG = 100000, MANY = 24 };

static unsigned char out[LONG], in[MANY][LONG];

// Many come before they are received, more than a ring holds.
static void messages(void)
{
    MPI_Request requests[MANY];
    for (int i = 0; i < MANY; i++) {
        fill(out, MIDDLE, rank, i);
        MPI_Isend(out, MIDDLE, MPI_BYTE, right(), i, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = MANY - 1; i >= 0; i--) {
        MPI_Recv(in[i], LONG, MPI_BYTE, left(), i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(is_filled(in[i], MIDDLE, left(), i));
    }
}

static void long_messages(void)
{
    MPI_Request requests[2 * 4];
    fill(out, LONG, rank, 0);
    for (int i = 0; i < 4; i++)
        MPI_Isend(out, LONG, MPI_BYTE, right(), i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < 4; i++)
        MPI_Irecv(in[i], LONG, MPI_BYTE, left(), i, MPI_COMM_WORLD, &requests[4 + i]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 4; i++)
        CHECK(is_filled(in[i], LONG, left(), 0));
    MPI_Sendrecv(out, LONG, MPI_BYTE, left(), 0, in[0], LONG, MPI_BYTE, right(), 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(is_filled(in[0], LONG, right(), 0));
}

static void messages_with_gaps(void)
{
    MPI_Datatype column;
    MPI_Request request;
    MPI_Type_vector(LONG / 4, 1, 2, MPI_BYTE, &column);
    MPI_Type_commit(&column);
    fill(out, LONG, rank, 1);
    MPI_Issend(out, 1, column, right(), 0, MPI_COMM_WORLD, &request);
    MPI_Recv(in[0], 1, column, left(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(in[0][2] == pattern(left(), 2, 1));
    MPI_Type_free(&column);
}

static void collectives(void)
{
    static int numbers[LONG / sizeof(int)], sums[LONG / sizeof(int)];
    MPI_Comm half, copy;
    MPI_Request requests[2];
    int count = LONG / sizeof(int);
    for (int i = 0; i < count; i++)
        numbers[i] = rank + i;
    MPI_Allreduce(numbers, sums, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sums[5] == size * (size - 1) / 2 + 5 * size);
    MPI_Iallreduce(numbers, sums, 7, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(sums[6] == size * (size - 1) / 2 + 6 * size);
    MPI_Alltoall(numbers, 9, MPI_INT, sums, 9, MPI_INT, MPI_COMM_WORLD);
    CHECK(sums[9 * left()] == left() + 9 * rank);
    MPI_Bcast(numbers, count, MPI_INT, size - 1, MPI_COMM_WORLD);
    CHECK(numbers[3] == size - 1 + 3);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Gather(&rank, 1, MPI_INT, sums, 1, MPI_INT, 0, half);
    MPI_Comm_dup(half, &copy);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&half);
}

// ---- windows

static MPI_Win window;
static unsigned char *own;

static void open_window(void)
{
    MPI_Win_allocate(MANY * LONG / 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window);
    memset(own, 0, MANY * LONG / 8);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void fences(void)
{
    int ones[SHORT], sum[SHORT] = {0};
    for (int i = 0; i < SHORT; i++)
        ones[i] = 1;
    open_window();
    fill(out, LONG, rank, 2);
    MPI_Win_fence(0, window);
    MPI_Put(out, SHORT, MPI_BYTE, right(), 0, SHORT, MPI_BYTE, window);
    MPI_Put(out, LONG, MPI_BYTE, right(), SHORT, LONG, MPI_BYTE, window);
    for (int i = 0; i < MANY; i++)
        MPI_Accumulate(ones, SHORT, MPI_INT, right(), 2 * LONG, SHORT, MPI_INT, MPI_SUM,
                       window);
    MPI_Win_fence(0, window);
    CHECK(is_filled(own, SHORT, left(), 2) && is_filled(own + SHORT, LONG, left(), 2));
    MPI_Get(in[0], LONG, MPI_BYTE, right(), SHORT, LONG, MPI_BYTE, window);
    MPI_Get(sum, SHORT, MPI_INT, right(), 2 * LONG, SHORT, MPI_INT, window);
    MPI_Win_fence(0, window);
    CHECK(is_filled(in[0], LONG, rank, 2) && sum[SHORT - 1] == MANY);
    MPI_Win_free(&window);
}

static void locks(void)
{
    int one = 1, before = -1, total = 0;
    MPI_Request request;
    open_window();
    for (int target = 0; target < size; target++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
        MPI_Fetch_and_op(&one, &before, MPI_INT, target, 0, MPI_SUM, window);
        MPI_Win_unlock(target, window);
        CHECK(before >= 0 && before <= size);
    }
    MPI_Win_lock_all(0, window);
    MPI_Rget_accumulate(&one, 1, MPI_INT, &before, 1, MPI_INT, right(), 0, 1, MPI_INT,
                        MPI_SUM, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    fill(out, LONG, rank, 3);
    MPI_Put(out, LONG, MPI_BYTE, right(), SHORT, LONG, MPI_BYTE, window);
    MPI_Win_flush(right(), window);
    MPI_Rget(in[0], LONG, MPI_BYTE, right(), SHORT, LONG, MPI_BYTE, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(is_filled(in[0], LONG, rank, 3));
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    MPI_Get(&total, 1, MPI_INT, rank, 0, 1, MPI_INT, window);
    MPI_Win_unlock(rank, window);
    CHECK(total == size + 1);
    MPI_Win_free(&window);
}

// Each to all others, so that some post to origins that know nothing of them yet.
static void post_and_start(void)
{
    MPI_Group world;
    open_window();
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    fill(out, SHORT, rank, 4);
    MPI_Win_post(world, 0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_start(world, 0, window);
    for (int target = 0; target < size; target++)
        MPI_Put(out, SHORT, MPI_BYTE, target, rank * SHORT, SHORT, MPI_BYTE, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    for (int origin = 0; origin < size; origin++)
        CHECK(is_filled(own + origin * SHORT, SHORT, origin, 4));
    MPI_Group_free(&world);
    MPI_Win_free(&window);
}

static void attached_memory(void)
{
    MPI_Aint places[64];
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, in, sizeof in);
    MPI_Get_address(in, &places[rank]);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, places, 1, MPI_AINT,
                  MPI_COMM_WORLD);
    fill(out, MIDDLE, rank, 5);
    MPI_Win_lock_all(0, window);
    MPI_Put(out, MIDDLE, MPI_BYTE, right(), places[right()], MIDDLE, MPI_BYTE, window);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(is_filled(in[0], MIDDLE, left(), 5));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(window, in);
    MPI_Win_free(&window);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    messages();
    long_messages();
    messages_with_gaps();
    collectives();
    fences();
    locks();
    post_and_start();
    attached_memory();
    return finish();
}
