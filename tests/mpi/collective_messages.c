// SPDX-License-Identifier: BSD-3-Clause
// collectives_send_few_messages: no process sends or receives more messages than a
// logarithm of their number allows, and none sends long data more often than it must.
#include "window_test.h"

enum { CALLS = 20, SHORT = 2, LONG = 1 << 17, SIZE_MAX_TESTED = 16 };

static int *out, *in;
static int counts[SIZE_MAX_TESTED], places[SIZE_MAX_TESTED];
static int length; // of the whole, in ints
static MPI_Op noncommutative;

// ---- what is counted

enum { SENT_TO_NODE, SENT_TO_NETWORK, HANDLED, NODE_BYTES, NETWORK_BYTES, COUNTED };
static const struct {
    const char *name;
    int class;
} counted[COUNTED] = {
    [SENT_TO_NODE] = {"node_messages", MPI_T_PVAR_CLASS_COUNTER},
    [SENT_TO_NETWORK] = {"network_messages", MPI_T_PVAR_CLASS_COUNTER},
    [HANDLED] = {"messages_handled", MPI_T_PVAR_CLASS_COUNTER},
    [NODE_BYTES] = {"node_message_bytes", MPI_T_PVAR_CLASS_AGGREGATE},
    [NETWORK_BYTES] = {"network_message_bytes", MPI_T_PVAR_CLASS_AGGREGATE},
};
static MPI_T_pvar_session session;
static MPI_T_pvar_handle handles[COUNTED];

static void start_counting(void)
{
    int provided, index, count;
    CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_session_create(&session) == MPI_SUCCESS);
    for (int i = 0; i < COUNTED; i++) {
        CHECK(MPI_T_pvar_get_index(counted[i].name, counted[i].class, &index) ==
              MPI_SUCCESS);
        CHECK(MPI_T_pvar_handle_alloc(session, index, NULL, &handles[i], &count) ==
              MPI_SUCCESS);
    }
    CHECK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS);
}

static long long value_of(int which)
{
    unsigned long long value;
    CHECK(MPI_T_pvar_read(session, handles[which], &value) == MPI_SUCCESS);
    return (long long)value;
}

// ---- the calls

static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}
static void bcast(void)
{
    MPI_Bcast(in, length, MPI_INT, size - 1, MPI_COMM_WORLD);
}
static void gather(void)
{
    MPI_Gather(out, length / size, MPI_INT, in, length / size, MPI_INT, size / 2,
               MPI_COMM_WORLD);
}
static void scatter(void)
{
    MPI_Scatter(in, length / size, MPI_INT, out, length / size, MPI_INT, size / 2,
                MPI_COMM_WORLD);
}
static void allgather(void)
{
    MPI_Allgather(out, length / size, MPI_INT, in, length / size, MPI_INT,
                  MPI_COMM_WORLD);
}
static void allgatherv(void)
{
    MPI_Allgatherv(out, counts[rank], MPI_INT, in, counts, places, MPI_INT,
                   MPI_COMM_WORLD);
}
static void alltoall(void)
{
    MPI_Alltoall(out, length / size, MPI_INT, in, length / size, MPI_INT,
                 MPI_COMM_WORLD);
}
static void reduce(void)
{
    MPI_Reduce(out, in, length, MPI_INT, MPI_SUM, size - 1, MPI_COMM_WORLD);
}
static void allreduce(void)
{
    MPI_Allreduce(out, in, length, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
static void allreduce_in_order(void)
{
    MPI_Allreduce(out, in, length, MPI_INT, noncommutative, MPI_COMM_WORLD);
}
static void reduce_scatter(void)
{
    MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
static void reduce_scatter_block(void)
{
    MPI_Reduce_scatter_block(out, in, length / size, MPI_INT, noncommutative,
                             MPI_COMM_WORLD);
}
static void scan(void)
{
    MPI_Scan(out, in, length, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
static void exscan(void)
{
    MPI_Exscan(out, in, length, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
static void wait_for(MPI_Request request)
{
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void ibarrier(void)
{
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    wait_for(request);
}
static void ibcast(void)
{
    MPI_Request request;
    MPI_Ibcast(in, length, MPI_INT, size - 1, MPI_COMM_WORLD, &request);
    wait_for(request);
}
static void iallgather(void)
{
    MPI_Request request;
    MPI_Iallgather(out, length / size, MPI_INT, in, length / size, MPI_INT,
                   MPI_COMM_WORLD, &request);
    wait_for(request);
}
static void iallreduce(void)
{
    MPI_Request request;
    MPI_Iallreduce(out, in, length, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    wait_for(request);
}

// For each: rounds * ceil(log2(size)) + more messages at most either way when data is
// short; when it is long, `sent_halves` / 2 times the data sent by any process.
static const struct claim {
    const char *name;
    void (*call)(void);
    int rounds, more, sent_halves;
} claims[] = {
    {"barrier", barrier, 1, 0, 0},
    {"bcast", bcast, 1, 0, 4},
    {"gather", gather, 1, 0, 2},
    {"scatter", scatter, 1, 0, 2},
    {"allgather", allgather, 2, 0, 2},
    {"allgatherv", allgatherv, 2, 0, 2},
    {"alltoall", alltoall, 1, 0, 2},
    {"reduce", reduce, 1, 1, 6},
    {"allreduce", allreduce, 1, 1, 6},
    {"allreduce in order", allreduce_in_order, 1, 1, 6},
    {"reduce_scatter", reduce_scatter, 1, 1, 4},
    {"reduce_scatter_block", reduce_scatter_block, 1, 1, 4},
    {"scan", scan, 1, 0, 0},
    {"exscan", exscan, 1, 1, 0},
    {"ibarrier", ibarrier, 1, 0, 0},
    {"ibcast", ibcast, 1, 0, 4},
    {"iallgather", iallgather, 2, 0, 2},
    {"iallreduce", iallreduce, 1, 1, 6},
};

static void check_at_most(const char *name, const char *what, long long number,
                          long long most)
{
    if (number > most)
        fprintf(stderr, "%s: %lld %s, not %lld at most\n", name, number, what, most);
    CHECK(number <= most);
}

static void prepare(int ints_of_each)
{
    length = ints_of_each * size;
    for (int i = 0; i < size; i++) {
        counts[i] = ints_of_each;
        places[i] = (size - 1 - i) * ints_of_each;
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

// What arrives is counted from before a barrier to behind another, since local peers
// may be calls ahead; `rounds` messages of each come on top.
static void messages_are_few(const struct claim *claim)
{
    int rounds = 0;
    while (1 << rounds < size)
        rounds++;
    int each = claim->rounds * rounds + claim->more;
    long long handled = value_of(HANDLED);
    prepare(SHORT);
    long long sent = value_of(SENT_TO_NODE) + value_of(SENT_TO_NETWORK);
    for (int i = 0; i < CALLS; i++)
        claim->call();
    sent = value_of(SENT_TO_NODE) + value_of(SENT_TO_NETWORK) - sent;
    MPI_Barrier(MPI_COMM_WORLD);
    handled = value_of(HANDLED) - handled;
    check_at_most(claim->name, "messages are sent", sent, CALLS * each);
    check_at_most(claim->name, "messages arrive", handled, CALLS * each + 3 * rounds);
}

static void bytes_are_few(const struct claim *claim)
{
    if (claim->sent_halves == 0)
        return;
    prepare(LONG / size);
    long long bytes = value_of(NODE_BYTES) + value_of(NETWORK_BYTES);
    claim->call();
    bytes = value_of(NODE_BYTES) + value_of(NETWORK_BYTES) - bytes;
    check_at_most(claim->name, "bytes are sent", bytes,
                  (long long)sizeof(int) * length * claim->sent_halves / 2 * 21 / 20);
}

// The first message between two processes of different nodes waits for a connection, and
// may leave when the barrier is over. All have left when the next one is.
static void connect_in_barriers(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void keep_right(void *left, void *right, int *count, MPI_Datatype *type)
{
    (void)left, (void)right, (void)count, (void)type;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    CHECK(size <= SIZE_MAX_TESTED);
    out = calloc(LONG, sizeof *out);
    in = calloc(LONG, sizeof *in);
    CHECK(out != NULL && in != NULL);
    MPI_Op_create(keep_right, 0, &noncommutative);
    start_counting();
    connect_in_barriers();
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        messages_are_few(&claims[i]);
        bytes_are_few(&claims[i]);
    }
    MPI_T_finalize();
    MPI_Op_free(&noncommutative);
    free(out);
    free(in);
    return finish();
}
