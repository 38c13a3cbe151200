// SPDX-License-Identifier: BSD-3-Clause
// collectives_of_different_lengths_fail: when one process has another count than the
// others, nobody hangs, somebody gets MPI_ERR_TRUNCATE, and the communicators go on.
#include "window_test.h"

enum { LONGEST = 50000 };
static const int counts[] = {0, 10, 3000, LONGEST};
enum { COUNTS = sizeof counts / sizeof *counts };

static int *out, *in;

typedef int collective(int count, int root, MPI_Comm comm);

static int wait_for(MPI_Request request)
{
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int bcast(int count, int root, MPI_Comm comm)
{
    return MPI_Bcast(in, count, MPI_INT, root, comm);
}
static int ibcast(int count, int root, MPI_Comm comm)
{
    MPI_Request request;
    MPI_Ibcast(in, count, MPI_INT, root, comm, &request);
    return wait_for(request);
}
static int gather(int count, int root, MPI_Comm comm)
{
    return MPI_Gather(out, count, MPI_INT, in, count, MPI_INT, root, comm);
}
static int scatter(int count, int root, MPI_Comm comm)
{
    return MPI_Scatter(in, count, MPI_INT, out, count, MPI_INT, root, comm);
}
static int allgather(int count, int root, MPI_Comm comm)
{
    (void)root;
    return MPI_Allgather(out, count, MPI_INT, in, count, MPI_INT, comm);
}
static int iallgather(int count, int root, MPI_Comm comm)
{
    (void)root;
    MPI_Request request;
    MPI_Iallgather(out, count, MPI_INT, in, count, MPI_INT, comm, &request);
    return wait_for(request);
}
static int alltoall(int count, int root, MPI_Comm comm)
{
    (void)root;
    return MPI_Alltoall(out, count, MPI_INT, in, count, MPI_INT, comm);
}
static int allreduce(int count, int root, MPI_Comm comm)
{
    (void)root;
    return MPI_Allreduce(out, in, count, MPI_INT, MPI_SUM, comm);
}
static int iallreduce(int count, int root, MPI_Comm comm)
{
    (void)root;
    MPI_Request request;
    MPI_Iallreduce(out, in, count, MPI_INT, MPI_SUM, comm, &request);
    return wait_for(request);
}
static int reduce_scatter_block(int count, int root, MPI_Comm comm)
{
    (void)root;
    return MPI_Reduce_scatter_block(out, in, count, MPI_INT, MPI_SUM, comm);
}
static int reduce_scatter(int count, int root, MPI_Comm comm)
{
    int given[8];
    for (int i = 0; i < size; i++)
        given[i] = i == root ? count : 10;
    return MPI_Reduce_scatter(out, in, given, MPI_INT, MPI_SUM, comm);
}
static int scan(int count, int root, MPI_Comm comm)
{
    (void)root;
    return MPI_Scan(out, in, count, MPI_INT, MPI_SUM, comm);
}

static const struct {
    const char *name;
    collective *call;
} calls[] = {
    {"bcast", bcast},
    {"ibcast", ibcast},
    {"gather", gather},
    {"scatter", scatter},
    {"allgather", allgather},
    {"iallgather", iallgather},
    {"alltoall", alltoall},
    {"allreduce", allreduce},
    {"iallreduce", iallreduce},
    {"reduce_scatter_block", reduce_scatter_block},
    {"reduce_scatter", reduce_scatter},
    {"scan", scan},
};
enum { CALLS = sizeof calls / sizeof *calls };

static void somebody_is_told(int call, int count, int other, int odd, MPI_Comm comm)
{
    int err = calls[call].call(rank == odd ? other : count, size / 2, comm);
    int failed = 0, any = 0;
    if (err != MPI_SUCCESS)
        MPI_Error_class(err, &failed);
    failed = failed == MPI_ERR_TRUNCATE;
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (!any)
        fprintf(stderr, "%s: %d on one, %d on others\n", calls[call].name, other,
                count);
    CHECK(any);
}

// The others are all right afterwards, in every way of the call.
static void it_goes_on(int call, MPI_Comm comm)
{
    CHECK(calls[call].call(10, 0, comm) == MPI_SUCCESS);
    CHECK(calls[call].call(LONGEST, size - 1, comm) == MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    out = calloc((size_t)LONGEST * (size_t)size, sizeof *out);
    in = calloc((size_t)LONGEST * (size_t)size, sizeof *in);
    CHECK(out != NULL && in != NULL);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int call = 0; call < CALLS; call++) {
        for (int i = 0; i < COUNTS * COUNTS; i++)
            if (i / COUNTS != i % COUNTS)
                somebody_is_told(call, counts[i / COUNTS], counts[i % COUNTS],
                                 i % 2 ? 0 : size - 1, comm);
        it_goes_on(call, comm);
    }
    MPI_Comm_free(&comm);
    free(out);
    free(in);
    return finish();
}
