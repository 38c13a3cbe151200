// SPDX-License-Identifier: BSD-3-Clause
// probes_show_the_message_that_a_receive_would_get, matched probes keep it for one
// receive, and cancelled operations communicate nothing (MPI-4.1 3.8).
#include "window_test.h"

enum { LONG = 200000 };

static unsigned char out[LONG], in[LONG];

static bool tells_of(const MPI_Status *status, int length, int tag)
{
    int count = -1;
    MPI_Get_count(status, MPI_BYTE, &count);
    return status->MPI_SOURCE == left() && status->MPI_TAG == tag && count == length;
}

static void nothing_is_there(void)
{
    int flag = 1;
    MPI_Message message;
    for (int i = 0; i < 50; i++) {
        MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        CHECK(!flag);
        MPI_Improbe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, &message,
                    MPI_STATUS_IGNORE);
        CHECK(!flag);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void probed_messages_are_received(int length)
{
    MPI_Request send;
    MPI_Status status;
    int flag = 0;
    fill(out, (size_t)length, rank, length);
    MPI_Isend(out, length, MPI_BYTE, right(), 5, MPI_COMM_WORLD, &send);
    while (!flag)
        MPI_Iprobe(left(), MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
    CHECK(tells_of(&status, length, 5));
    MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
    CHECK(tells_of(&status, length, 5));
    MPI_Recv(in, length, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
             &status);
    CHECK(tells_of(&status, length, 5) &&
          is_filled(in, (size_t)length, left(), length));
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

// Two messages of one tag: the first is taken, and receives get the second meanwhile.
static void taken_messages_wait_for_their_receive(int length)
{
    MPI_Request sends[2], receive;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    int flag = 0, second = rank + 1000, got = -1;
    fill(out, (size_t)length, rank, 3);
    MPI_Isend(out, length, MPI_BYTE, right(), 6, MPI_COMM_WORLD, &sends[0]);
    MPI_Isend(&second, sizeof second, MPI_BYTE, right(), 6, MPI_COMM_WORLD, &sends[1]);
    if (length % 2)
        MPI_Mprobe(left(), 6, MPI_COMM_WORLD, &message, &status);
    while (message == MPI_MESSAGE_NULL)
        MPI_Improbe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &flag, &message, &status);
    CHECK(tells_of(&status, length, 6));
    MPI_Recv(&got, sizeof got, MPI_BYTE, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &status);
    CHECK(got == left() + 1000 && tells_of(&status, sizeof got, 6));
    memset(in, 0, sizeof in);
    switch (length % 4) {
    case 0:
        MPI_Mrecv(in, length, MPI_BYTE, &message, &status);
        break;
    case 1:
        MPI_Mrecv_c(in, length, MPI_BYTE, &message, &status);
        break;
    case 2:
        MPI_Imrecv(in, length, MPI_BYTE, &message, &receive);
        break;
    default:
        MPI_Imrecv_c(in, length, MPI_BYTE, &message, &receive);
    }
    if (length % 4 > 1)
        MPI_Wait(&receive, &status);
    CHECK(message == MPI_MESSAGE_NULL && tells_of(&status, length, 6));
    CHECK(is_filled(in, (size_t)length, left(), 3));
    MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

static bool is_from_nobody(const MPI_Status *status)
{
    int count = -1;
    MPI_Get_count(status, MPI_BYTE, &count);
    return status->MPI_SOURCE == MPI_PROC_NULL && status->MPI_TAG == MPI_ANY_TAG &&
           count == 0;
}

static void nobody_has_always_sent_nothing(void)
{
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    int flag = 0;
    MPI_Probe(MPI_PROC_NULL, 4, MPI_COMM_WORLD, &status);
    CHECK(is_from_nobody(&status));
    MPI_Iprobe(MPI_PROC_NULL, 4, MPI_COMM_WORLD, &flag, &status);
    CHECK(flag && is_from_nobody(&status));
    MPI_Mprobe(MPI_PROC_NULL, 4, MPI_COMM_WORLD, &message, &status);
    CHECK(message == MPI_MESSAGE_NO_PROC && is_from_nobody(&status));
    MPI_Mrecv(in, 5, MPI_BYTE, &message, &status);
    CHECK(message == MPI_MESSAGE_NULL && is_from_nobody(&status));
    flag = 0;
    MPI_Improbe(MPI_PROC_NULL, 4, MPI_COMM_WORLD, &flag, &message, &status);
    CHECK(flag && message == MPI_MESSAGE_NO_PROC);
    MPI_Imrecv(in, 5, MPI_BYTE, &message, &request);
    MPI_Wait(&request, &status);
    CHECK(message == MPI_MESSAGE_NULL && is_from_nobody(&status));
}

static bool cancel(MPI_Request *request)
{
    MPI_Status status;
    int is_cancelled = -1;
    MPI_Cancel(request);
    MPI_Wait(request, &status);
    MPI_Test_cancelled(&status, &is_cancelled);
    return is_cancelled;
}

// The receive that is cancelled takes no message from the one posted after it.
static void cancelled_receives_get_nothing(void)
{
    MPI_Request first, second;
    int value = rank, got = -1, none = -1;
    MPI_Irecv(&none, 1, MPI_INT, left(), 8, MPI_COMM_WORLD, &first);
    MPI_Irecv(&got, 1, MPI_INT, left(), 8, MPI_COMM_WORLD, &second);
    CHECK(cancel(&first));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&value, 1, MPI_INT, right(), 8, MPI_COMM_WORLD);
    MPI_Wait(&second, MPI_STATUS_IGNORE);
    CHECK(got == left() && none == -1);
    CHECK(second == MPI_REQUEST_NULL && first == MPI_REQUEST_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void what_is_complete_is_not_cancelled(void)
{
    MPI_Request receive;
    int value = rank, got = -1, flag = 0;
    MPI_Irecv(&got, 1, MPI_INT, left(), 8, MPI_COMM_WORLD, &receive);
    MPI_Send(&value, 1, MPI_INT, right(), 8, MPI_COMM_WORLD);
    while (!flag)
        MPI_Request_get_status(receive, &flag, MPI_STATUS_IGNORE);
    CHECK(!cancel(&receive) && got == left());
}

// A long message that nobody has matched can be taken back; then it has never been.
static void cancelled_sends_send_nothing(void)
{
    MPI_Request send;
    int value = rank, got = -1, flag = 1;
    MPI_Issend(out, LONG, MPI_BYTE, right(), 9, MPI_COMM_WORLD, &send);
    CHECK(cancel(&send));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Issend(&value, 1, MPI_INT, right(), 9, MPI_COMM_WORLD, &send);
    MPI_Recv(&got, 1, MPI_INT, left(), 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(got == left());
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(!cancel(&send));
    MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
}

int main(int argc, char **argv)
{
    static const int lengths[] = {0, 1, 2, 3, 7952, 7953, 100002, LONG - 1, LONG};
    start(&argc, &argv);
    nothing_is_there();
    for (int i = 0; i < 9; i++) {
        probed_messages_are_received(lengths[i]);
        taken_messages_wait_for_their_receive(lengths[i]);
    }
    nobody_has_always_sent_nothing();
    cancelled_receives_get_nothing();
    what_is_complete_is_not_cancelled();
    cancelled_sends_send_nothing();
    return finish();
}
