// SPDX-License-Identifier: BSD-3-Clause
// every_mode_brings_the_message: standard, synchronous, ready and buffered sends,
// blocking, nonblocking and persistent, of lengths that travel in different ways, by small
// and by large calls, around the ring of ranks; a rank is its own neighbour when it is alone.
#include "window_test.h"

#include <stdint.h>

enum { LONGEST = 300001, ROUNDS = 3, MODES = 4 };

static const int lengths[] = {0, 1, 8, 4096, 7952, 7953, 65536, LONGEST};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static unsigned char out[LONGEST + 1], in[LONGEST + 1];

static bool is_large; // the `_c` procedures are called

typedef int send_call(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int start_call(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                       MPI_Request *);
typedef int large_send_call(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm);
typedef int large_start_call(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm,
                             MPI_Request *);

static const struct mode {
    send_call *send;
    start_call *start, *init;
    large_send_call *large_send;
    large_start_call *large_start, *large_init;
} modes[MODES] = {
    {MPI_Send, MPI_Isend, MPI_Send_init, MPI_Send_c, MPI_Isend_c, MPI_Send_init_c},
    {MPI_Ssend, MPI_Issend, MPI_Ssend_init, MPI_Ssend_c, MPI_Issend_c,
     MPI_Ssend_init_c},
    {MPI_Rsend, MPI_Irsend, MPI_Rsend_init, MPI_Rsend_c, MPI_Irsend_c,
     MPI_Rsend_init_c},
    {MPI_Bsend, MPI_Ibsend, MPI_Bsend_init, MPI_Bsend_c, MPI_Ibsend_c,
     MPI_Bsend_init_c},
};

static void begin(start_call *small, large_start_call *large, int length, int tag,
                  MPI_Request *request)
{
    int code =
        is_large ? large(out, length, MPI_BYTE, right(), tag, MPI_COMM_WORLD, request)
                 : small(out, length, MPI_BYTE, right(), tag, MPI_COMM_WORLD, request);
    CHECK(code == MPI_SUCCESS);
}

static void check_arrival(const MPI_Status *status, int length, int tag)
{
    int count = -1, source = -1, found = -1, is_cancelled = -1;
    MPI_Get_count(status, MPI_BYTE, &count);
    CHECK(status->MPI_SOURCE == left() && status->MPI_TAG == tag && count == length);
    MPI_Status_get_source((MPI_Status *)status, &source);
    MPI_Status_get_tag((MPI_Status *)status, &found);
    MPI_Count large_count = -1;
    MPI_Get_count_c(status, MPI_BYTE, &large_count);
    CHECK(large_count == length);
    MPI_Test_cancelled(status, &is_cancelled);
    CHECK(source == left() && found == tag && !is_cancelled);
    CHECK(is_filled(in, (size_t)length, left(), tag) && in[length] == 0);
}

static void prepare(int length, int tag)
{
    memset(in, 0, sizeof in);
    fill(out, (size_t)length, rank, tag);
}

// The receive is posted first, as MPI_Rsend needs it.
static void sends_that_wait(const struct mode *mode, int length, int tag)
{
    MPI_Request receive;
    MPI_Status status;
    prepare(length, tag);
    MPI_Irecv(in, LONGEST, MPI_BYTE, left(), tag, MPI_COMM_WORLD, &receive);
    MPI_Barrier(MPI_COMM_WORLD);
    int code =
        is_large ? mode->large_send(out, length, MPI_BYTE, right(), tag, MPI_COMM_WORLD)
                 : mode->send(out, length, MPI_BYTE, right(), tag, MPI_COMM_WORLD);
    CHECK(code == MPI_SUCCESS);
    MPI_Wait(&receive, &status);
    CHECK(receive == MPI_REQUEST_NULL);
    check_arrival(&status, length, tag);
}

static void sends_that_do_not(const struct mode *mode, int length, int tag)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    prepare(length, tag);
    if (is_large)
        MPI_Irecv_c(in, LONGEST, MPI_BYTE, left(), tag, MPI_COMM_WORLD, &requests[0]);
    else
        MPI_Irecv(in, LONGEST, MPI_BYTE, left(), tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    begin(mode->start, mode->large_start, length, tag, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
    check_arrival(&statuses[0], length, tag);
}

static void sends_that_persist(const struct mode *mode, int length, int tag)
{
    MPI_Request requests[2];
    begin(mode->init, mode->large_init, length, tag, &requests[1]);
    if (is_large)
        MPI_Recv_init_c(in, LONGEST, MPI_BYTE, left(), tag, MPI_COMM_WORLD,
                        &requests[0]);
    else
        MPI_Recv_init(in, LONGEST, MPI_BYTE, left(), tag, MPI_COMM_WORLD, &requests[0]);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Status statuses[2];
        prepare(length, tag);
        MPI_Start(&requests[0]);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Start(&requests[1]);
        MPI_Waitall(2, requests, statuses);
        check_arrival(&statuses[0], length, tag);
        CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
}

// Without a posted receive, and received by a wildcard.
static void receives_come_later(int length, int tag)
{
    MPI_Request send;
    MPI_Status status;
    prepare(length, tag);
    MPI_Isend(out, length, MPI_BYTE, right(), tag, MPI_COMM_WORLD, &send);
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_large)
        MPI_Recv_c(in, LONGEST, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                   &status);
    else
        MPI_Recv(in, LONGEST, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                 &status);
    check_arrival(&status, length, tag);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

// A synchronous send is not complete before its receive has begun.
static void synchronous_sends_wait_for_the_receive(int length)
{
    MPI_Request send;
    int flag = 1, go = 0;
    prepare(length, 9);
    MPI_Issend(out, length, MPI_BYTE, right(), 9, MPI_COMM_WORLD, &send);
    for (int i = 0; i < 100; i++) {
        MPI_Test(&send, &flag, MPI_STATUS_IGNORE);
        CHECK(!flag && send != MPI_REQUEST_NULL);
    }
    MPI_Sendrecv(&rank, 1, MPI_INT, right(), 10, &go, 1, MPI_INT, left(), 10,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(in, LONGEST, MPI_BYTE, left(), 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(is_filled(in, (size_t)length, left(), 9));
    MPI_Wait(&send, MPI_STATUS_IGNORE);
}

static void nobody_gets_and_sends_nothing(void)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int count = -1;
    for (int i = 0; i < MODES; i++)
        CHECK(modes[i].send(out, 5, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD) == 0);
    in[0] = 7;
    MPI_Irecv(in, 5, MPI_BYTE, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Issend(out, 5, MPI_BYTE, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    MPI_Get_count(&statuses[0], MPI_BYTE, &count);
    CHECK(statuses[0].MPI_SOURCE == MPI_PROC_NULL && count == 0 && in[0] == 7);
    CHECK(statuses[0].MPI_TAG == MPI_ANY_TAG);
}

int main(int argc, char **argv)
{
    static char buffer[4 * (LONGEST + MPI_BSEND_OVERHEAD)];
    start(&argc, &argv);
    MPI_Buffer_attach_c(buffer, sizeof buffer);
    for (int i = 0; i < LENGTHS; i++) {
        is_large = i % 2 == 1;
        for (int mode = 0; mode < MODES; mode++) {
            sends_that_wait(&modes[mode == 1 && size == 1 ? 0 : mode], lengths[i], i);
            sends_that_do_not(&modes[mode], lengths[i], i);
            sends_that_persist(&modes[mode], lengths[i], i);
        }
        receives_come_later(lengths[i], i);
        synchronous_sends_wait_for_the_receive(lengths[i]);
    }
    nobody_gets_and_sends_nothing();
    void *detached;
    MPI_Count bytes;
    MPI_Buffer_detach_c(&detached, &bytes);
    CHECK(detached == buffer && bytes == sizeof buffer);
    return finish();
}
