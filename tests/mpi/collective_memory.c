// SPDX-License-Identifier: BSD-3-Clause
// members_without_memory_hold_up_nobody: in each collective call the first, the second,
// ... allocation of one member fails. The call ends on all members, well or with an
// error, and the communicator works as before. Calls in a row take no memory but for
// messages that come before they are received.
#include "window_test.h"

#include <dlfcn.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
int main(void)
{
    return SKIPPED; // the allocator is the sanitizer's
}
#else

// ---- the allocator

static _Thread_local int
    countdown; // allocations of Oriel's until one fails; 0: none will

void *__libc_malloc(size_t length);
void *__libc_calloc(size_t count, size_t length);
void *__libc_realloc(void *memory, size_t length);

static bool fails(const void *caller)
{
    Dl_info info;
    if (countdown == 0 || !dladdr(caller, &info) ||
        !strstr(info.dli_fname, "libmpi_abi"))
        return false;
    return --countdown == 0;
}

void *malloc(size_t length)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(length);
}

void *calloc(size_t count, size_t length)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, length);
}

void *realloc(void *memory, size_t length)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, length);
}

// ---- calls

enum { MOST = 8, SHORT_INTS = 12, LONG_INTS = 12000 };

static MPI_Comm comm; // in which calls are made
static MPI_Datatype gaps;
static MPI_Op composition;
static int ints; // of a block
static int *out, *in;
static int counts[MOST], places[MOST], bytes[MOST];
static MPI_Datatype types[MOST];

static void add(void *left_side, void *right, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        ((int *)right)[i] += ((int *)left_side)[i];
}

static int finish_request(int err, MPI_Request *request)
{
    return err ? err : MPI_Wait(request, MPI_STATUS_IGNORE);
}

static int finish_persistent(int err, MPI_Request *request)
{
    if (err)
        return err;
    err = MPI_Start(request);
    if (!err)
        err = MPI_Wait(request, MPI_STATUS_IGNORE);
    MPI_Request_free(request);
    return err;
}

static int finish_comm(int err, MPI_Comm *made)
{
    if (!err && *made != MPI_COMM_NULL)
        MPI_Comm_free(made);
    return err;
}

#define BLOCKING_CALL(name, ...)                                                       \
    static int name##_call(void)                                                       \
    {                                                                                  \
        return MPI_##name(__VA_ARGS__);                                                \
    }
#define NONBLOCKING_CALL(name, ...)                                                    \
    static int name##_call(void)                                                       \
    {                                                                                  \
        MPI_Request request;                                                           \
        return finish_request(MPI_##name(__VA_ARGS__, &request), &request);            \
    }
#define PERSISTENT_CALL(name, ...)                                                     \
    static int name##_call(void)                                                       \
    {                                                                                  \
        MPI_Request request;                                                           \
        return finish_persistent(MPI_##name(__VA_ARGS__, MPI_INFO_NULL, &request),     \
                                 &request);                                            \
    }
#define MAKING_CALL(name, ...)                                                         \
    static int name##_call(void)                                                       \
    {                                                                                  \
        MPI_Comm made = MPI_COMM_NULL;                                                 \
        return finish_comm(MPI_##name(__VA_ARGS__, &made), &made);                     \
    }

BLOCKING_CALL(Barrier, comm)
NONBLOCKING_CALL(Ibarrier, comm)
PERSISTENT_CALL(Barrier_init, comm)
BLOCKING_CALL(Bcast, out, ints / 2, gaps, 0, comm)
NONBLOCKING_CALL(Ibcast, out, ints / 2, gaps, size - 1, comm)
BLOCKING_CALL(Gather, out, ints, MPI_INT, in, ints, MPI_INT, 0, comm)
BLOCKING_CALL(Gatherv, out, ints, MPI_INT, in, counts, places, MPI_INT, 0, comm)
BLOCKING_CALL(Scatter, out, ints, MPI_INT, in, ints, MPI_INT, size - 1, comm)
BLOCKING_CALL(Scatterv, out, counts, places, MPI_INT, in, ints, MPI_INT, 0, comm)
BLOCKING_CALL(Allgather, out, ints / 2, gaps, in, ints, MPI_INT, comm)
NONBLOCKING_CALL(Iallgather, out, ints, MPI_INT, in, ints, MPI_INT, comm)
BLOCKING_CALL(Allgatherv, out, ints, MPI_INT, in, counts, places, MPI_INT, comm)
BLOCKING_CALL(Alltoall, out, ints, MPI_INT, in, ints, MPI_INT, comm)
NONBLOCKING_CALL(Ialltoallw, out, counts, bytes, types, in, counts, bytes, types, comm)
PERSISTENT_CALL(Alltoallv_init, out, counts, places, MPI_INT, in, counts, places,
                MPI_INT, comm)
BLOCKING_CALL(Reduce, out, in, ints, MPI_INT, MPI_SUM, 0, comm)
BLOCKING_CALL(Allreduce, out, in, ints, MPI_INT, composition, comm)
NONBLOCKING_CALL(Iallreduce, out, in, ints, MPI_INT, MPI_SUM, comm)
BLOCKING_CALL(Reduce_scatter, out, in, counts, MPI_INT, MPI_SUM, comm)
BLOCKING_CALL(Reduce_scatter_block, out, in, ints, MPI_INT, MPI_SUM, comm)
BLOCKING_CALL(Scan, out, in, ints, MPI_INT, MPI_SUM, comm)
PERSISTENT_CALL(Exscan_init, out, in, ints, MPI_INT, MPI_SUM, comm)
MAKING_CALL(Comm_dup, comm)
MAKING_CALL(Comm_split, comm, rank % 2, -rank)
MAKING_CALL(Comm_split_type, comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL)

static int Comm_idup_call(void)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Request request;
    return finish_comm(finish_request(MPI_Comm_idup(comm, &made, &request), &request),
                       &made);
}

static MPI_Group all;

MAKING_CALL(Comm_create, comm, all)
MAKING_CALL(Comm_create_group, comm, all, 5)
MAKING_CALL(Comm_create_from_group, all, "memory", MPI_INFO_NULL, MPI_ERRORS_RETURN)

static int dims[1], none[1];

MAKING_CALL(Cart_create, comm, 1, dims, none, 0)

static int Dist_graph_create_call(void)
{
    int next = (rank + 1) % size, one = 1, *volatile unweighted = MPI_UNWEIGHTED;
    MPI_Comm made = MPI_COMM_NULL;
    return finish_comm(MPI_Dist_graph_create(comm, 1, &rank, &one, &next, unweighted,
                                             MPI_INFO_NULL, 0, &made),
                       &made);
}

#define ENTRY(name)                                                                    \
    {                                                                                  \
#name, name##_call                                                             \
    }

static const struct {
    const char *name;
    int (*call)(void);
} calls[] = {
    ENTRY(Barrier),
    ENTRY(Ibarrier),
    ENTRY(Barrier_init),
    ENTRY(Bcast),
    ENTRY(Ibcast),
    ENTRY(Gather),
    ENTRY(Gatherv),
    ENTRY(Scatter),
    ENTRY(Scatterv),
    ENTRY(Allgather),
    ENTRY(Iallgather),
    ENTRY(Allgatherv),
    ENTRY(Alltoall),
    ENTRY(Ialltoallw),
    ENTRY(Alltoallv_init),
    ENTRY(Reduce),
    ENTRY(Allreduce),
    ENTRY(Iallreduce),
    ENTRY(Reduce_scatter),
    ENTRY(Reduce_scatter_block),
    ENTRY(Scan),
    ENTRY(Exscan_init),
    ENTRY(Comm_dup),
    ENTRY(Comm_split),
    ENTRY(Comm_split_type),
    ENTRY(Comm_idup),
    ENTRY(Comm_create),
    ENTRY(Comm_create_group),
    ENTRY(Comm_create_from_group),
    ENTRY(Cart_create),
    ENTRY(Dist_graph_create),
};

// ---- what happens

static void check_works(void)
{
    int sum = 0, all_ranks = size * (size - 1) / 2;
    CHECK_CLASS(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    CHECK(sum == all_ranks);
    CHECK_CLASS(MPI_Barrier(comm), MPI_SUCCESS);
}

// Fails allocation 1, 2, ... of the victim until it makes no more.
static void fail_each(size_t call, int victim)
{
    for (int number = 1, goes_on = 1; goes_on; number++) {
        if (getenv("TEST_TALKS") && rank == victim)
            fprintf(stderr, "%s, allocation %d of rank %d\n", calls[call].name, number,
                    victim);
        countdown = rank == victim ? number : 0;
        int err = calls[call].call();
        goes_on = rank == victim && countdown == 0;
        if (getenv("TEST_TALKS") && err) {
            char text[MPI_MAX_ERROR_STRING];
            int length;
            MPI_Error_string(err, text, &length);
            fprintf(stderr, "    rank %d: %s\n", rank, text);
        }
        countdown = 0;
        CHECK(rank != victim || goes_on || err == MPI_SUCCESS);
        MPI_Bcast(&goes_on, 1, MPI_INT, victim, MPI_COMM_WORLD);
        check_works();
    }
}

static void make_arguments(void)
{
    MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    MPI_Op_create(add, 1, &composition);
    MPI_Comm_group(comm, &all);
    dims[0] = size;
    out = calloc((size_t)size * 2 * LONG_INTS, sizeof *out);
    in = calloc((size_t)size * 2 * LONG_INTS, sizeof *in);
    for (int i = 0; i < size; i++)
        types[i] = MPI_INT;
}

static void set_length(int length)
{
    ints = length;
    for (int i = 0; i < size; i++) {
        counts[i] = ints;
        places[i] = i * ints;
        bytes[i] = places[i] * (int)sizeof(int);
    }
}

// Of the two messages that a leader receives in each round, both may come early.
static void check_calls_in_a_row(void)
{
    enum { ROUNDS = 100, MANY = 1 << 20 };
    int value = 0;
    MPI_Barrier(comm);
    countdown = MANY;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Barrier(comm);
        MPI_Bcast(&value, 1, MPI_INT, 0, comm);
    }
    int taken = MANY - countdown;
    countdown = 0;
    CHECK(taken <= 3 * ROUNDS);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    make_arguments();
    check_calls_in_a_row();
    for (int length = SHORT_INTS; length <= LONG_INTS; length += LONG_INTS - SHORT_INTS)
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
            set_length(length);
            fail_each(i, 0);
            if (size > 1)
                fail_each(i, size - 1);
        }
    MPI_Comm_free(&comm);
    return finish();
}
#endif
