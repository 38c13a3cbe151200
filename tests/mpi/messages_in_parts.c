// SPDX-License-Identifier: BSD-3-Clause
// messages_that_come_in_parts_are_whole: those of up to 64 KiB inside a node, of which the
// first parts are there while the others are written; so are those that come at once, or are
// read, from another node. Rank 0 probes for them, receives them into buffers that are too short, and cancels receives,
// while they come from all others.
#include "window_test.h"

enum { LONGEST = 65536, ROUNDS = 60, SHORT_OF = 3, UNTOUCHED = 0xa5 };

static const int lengths[] = {8281, 16385, 32768, LONGEST};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static unsigned char out[LONGEST];
static unsigned char *in; // [size][LONGEST + 1]

static unsigned char *buffer_of(int source)
{
    return in + (size_t)source * (LONGEST + 1);
}

// What rank 0 does with a message of a length in a round: before the senders begin, and
// while they send.
struct way {
    void (*begin)(int source, int length, MPI_Request *request);
    void (*end)(int source, int length, int round, MPI_Request *request);
};

static void begin_nothing(int source, int length, MPI_Request *request)
{
    (void)source, (void)length;
    *request = MPI_REQUEST_NULL;
}

static void check_status(const MPI_Status *status, int source, int length)
{
    int count = -1;
    MPI_Get_count(status, MPI_BYTE, &count);
    CHECK(status->MPI_SOURCE == source && status->MPI_TAG == length && count == length);
}

static void check_received(int source, int length, int received)
{
    const unsigned char *buffer = buffer_of(source);
    CHECK(is_filled(buffer, (size_t)received, source, length));
    CHECK(buffer[received] == UNTOUCHED);
}

static void probe(int source, int length, MPI_Status *status)
{
    int flag = 0;
    while (!flag)
        MPI_Iprobe(source, length, MPI_COMM_WORLD, &flag, status);
    check_status(status, source, length);
}

static void end_probed(int source, int length, int round, MPI_Request *request)
{
    MPI_Status status;
    (void)round, (void)request;
    probe(source, length, &status);
    MPI_Recv(buffer_of(source), length, MPI_BYTE, source, length, MPI_COMM_WORLD,
             &status);
    check_status(&status, source, length);
    check_received(source, length, length);
}

static void end_taken(int source, int length, int round, MPI_Request *request)
{
    MPI_Message message;
    MPI_Status status;
    int flag = 0;
    (void)round, (void)request;
    while (!flag)
        MPI_Improbe(source, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status);
    check_status(&status, source, length);
    MPI_Mrecv(buffer_of(source), length, MPI_BYTE, &message, &status);
    check_status(&status, source, length);
    check_received(source, length, length);
}

static void begin_too_short(int source, int length, MPI_Request *request)
{
    MPI_Irecv(buffer_of(source), length / SHORT_OF, MPI_BYTE, source, length,
              MPI_COMM_WORLD, request);
}

static void end_too_short(int source, int length, int round, MPI_Request *request)
{
    (void)round;
    CHECK_CLASS(MPI_Wait(request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    check_received(source, length, length / SHORT_OF);
}

static void end_probed_too_short(int source, int length, int round,
                                 MPI_Request *request)
{
    MPI_Status status;
    (void)round, (void)request;
    probe(source, length, &status);
    CHECK_CLASS(MPI_Recv(buffer_of(source), length / SHORT_OF, MPI_BYTE, source, length,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                MPI_ERR_TRUNCATE);
    check_received(source, length, length / SHORT_OF);
}

static void begin_receive(int source, int length, MPI_Request *request)
{
    MPI_Irecv(buffer_of(source), length, MPI_BYTE, source, length, MPI_COMM_WORLD,
              request);
}

// The receive is cancelled before its message, or it gets the whole message; another
// receive gets a message whose receive was cancelled.
static void end_cancelled(int source, int length, int round, MPI_Request *request)
{
    MPI_Status status;
    int flag = 0, is_cancelled = 0;
    for (int test = 0; !flag && test < round % 8; test++)
        MPI_Test(request, &flag, &status);
    if (!flag) {
        MPI_Cancel(request);
        MPI_Wait(request, &status);
        MPI_Test_cancelled(&status, &is_cancelled);
    }
    if (is_cancelled)
        MPI_Recv(buffer_of(source), length, MPI_BYTE, source, length, MPI_COMM_WORLD,
                 &status);
    check_status(&status, source, length);
    check_received(source, length, length);
}

static const struct way ways[] = {
    {begin_nothing, end_probed},      {begin_nothing, end_taken},
    {begin_too_short, end_too_short}, {begin_nothing, end_probed_too_short},
    {begin_receive, end_cancelled},
};
enum { WAYS = sizeof ways / sizeof *ways };

static void receive_from_all(const struct way *way, int length, int round,
                             MPI_Request requests[])
{
    memset(in, UNTOUCHED, (size_t)size * (LONGEST + 1));
    for (int source = 1; source < size; source++)
        way->begin(source, length, &requests[source]);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < size - 1; i++) {
        int source = 1 + (i + round) % (size - 1), last = -1;
        way->end(source, length, round, &requests[source]);
        MPI_Recv(&last, 1, MPI_INT, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(last == source + round);
    }
}

static void send_to_first(int length, int round)
{
    int last = rank + round;
    fill(out, (size_t)length, rank, length);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(out, length, MPI_BYTE, 0, length, MPI_COMM_WORLD);
    MPI_Send(&last, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Request *requests = calloc((size_t)size, sizeof *requests);
    in = malloc((size_t)size * (LONGEST + 1));
    CHECK(requests != NULL && in != NULL);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < WAYS * LENGTHS; i++)
            if (rank == 0)
                receive_from_all(&ways[i % WAYS], lengths[i / WAYS], round, requests);
            else
                send_to_first(lengths[i / WAYS], round);
    free(in);
    free(requests);
    return finish();
}
