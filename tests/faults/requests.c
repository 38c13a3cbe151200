// SPDX-License-Identifier: BSD-3-Clause
// failed_requests_leave_nothing: an operation with a request moves short pieces and long
// ones, and the network refuses a long one. The call fails, and what it has left under
// way ends without the request, which is gone; the window goes on.
#include "../mpi/window_test.h"

#include <dlfcn.h>
#include <rdma/fi_errno.h>

enum { SHORT = 1, GAP = 1, LONG = 2048, AT = SHORT + GAP, ALL = AT + LONG };

static int mine[ALL], got[ALL];
static MPI_Datatype pieces; // a short one, then a long one

static void make_pieces(void)
{
    MPI_Type_indexed(2, (const int[]){SHORT, LONG}, (const int[]){0, AT}, MPI_INT,
                     &pieces);
    MPI_Type_commit(&pieces);
}

static void get(int target, MPI_Win win, int expected)
{
    MPI_Request request = MPI_REQUEST_NULL;
    memset(got, -1, sizeof got);
    CHECK_CLASS(MPI_Rget(got, 1, pieces, target, 0, 1, pieces, win, &request),
                expected);
    if (expected == MPI_SUCCESS)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(request == MPI_REQUEST_NULL);
}

static void put(int target, MPI_Win win, int expected)
{
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_CLASS(MPI_Rput(mine, 1, pieces, target, 0, 1, pieces, win, &request),
                expected);
    if (expected == MPI_SUCCESS)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(request == MPI_REQUEST_NULL);
}

// The refused operation, and once more when nothing is refused.
static void fail_and_go_on(int target, MPI_Win win,
                           void (*operate)(int target, MPI_Win win, int expected),
                           void (*fault_next)(const char *name, int code))
{
    fault_next("post", FI_EINVAL);
    operate(target, win, MPI_ERR_OTHER);
    CHECK(MPI_Win_flush(target, win) == MPI_SUCCESS);
    operate(target, win, MPI_SUCCESS);
    CHECK(MPI_Win_flush(target, win) == MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    void (*fault_next)(const char *, int) =
        (void (*)(const char *, int))dlsym(RTLD_DEFAULT, "fault_next");
    CHECK(fault_next != NULL && size > 1);
    MPI_Win win;
    MPI_Win_create(mine, sizeof mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD,
                   &win);
    return_errors(win);
    make_pieces();
    for (int i = 0; i < ALL; i++)
        mine[i] = 1 + rank + i;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, size - 1, 0, win);
        get(size - 1, win, MPI_SUCCESS);
        fail_and_go_on(size - 1, win, get, fault_next);
        for (int i = 0; i < ALL; i++)
            CHECK(got[i] == (i < SHORT || i >= AT ? size + i : -1));
        fail_and_go_on(size - 1, win, put, fault_next);
        MPI_Win_unlock(size - 1, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1)
        for (int i = 0; i < ALL; i++)
            CHECK(mine[i] == (i < SHORT || i >= AT ? 1 + i : size + i));
    MPI_Type_free(&pieces);
    MPI_Win_free(&win);
    return finish();
}
