// SPDX-License-Identifier: BSD-3-Clause
// bad_messages_are_refused with the class that MPI-4.1 names, by the error handler of
// the communicator, and change nothing: later messages are not disturbed.
#include "window_test.h"

#include <limits.h>

enum { LONG = 50000 };

static char bytes[LONG];

static int send(int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    return MPI_Send(bytes, count, type, to, tag, comm);
}

static int receive(int count, MPI_Datatype type, int from, int tag, MPI_Comm comm)
{
    return MPI_Recv(bytes, count, type, from, tag, comm, MPI_STATUS_IGNORE);
}

static void bad_arguments(void)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Datatype pair;
    MPI_Request request;
    MPI_Status status;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    CHECK_CLASS(send(-1, MPI_BYTE, rank, 0, comm), MPI_ERR_COUNT);
    CHECK_CLASS(send(1, MPI_DATATYPE_NULL, rank, 0, comm), MPI_ERR_TYPE);
    CHECK_CLASS(send(1, pair, rank, 0, comm), MPI_ERR_TYPE);
    CHECK_CLASS(send(1, MPI_BYTE, size, 0, comm), MPI_ERR_RANK);
    CHECK_CLASS(send(1, MPI_BYTE, MPI_ANY_SOURCE, 0, comm), MPI_ERR_RANK);
    CHECK_CLASS(send(1, MPI_BYTE, rank, -5, comm), MPI_ERR_TAG);
    CHECK_CLASS(send(1, MPI_BYTE, rank, MPI_ANY_TAG, comm), MPI_ERR_TAG);
    CHECK_CLASS(send(1, MPI_BYTE, rank, 0, MPI_COMM_NULL), MPI_ERR_COMM);
    CHECK_CLASS(receive(-1, MPI_BYTE, rank, 0, comm), MPI_ERR_COUNT);
    CHECK_CLASS(receive(1, pair, rank, 0, comm), MPI_ERR_TYPE);
    CHECK_CLASS(receive(1, MPI_BYTE, size, 0, comm), MPI_ERR_RANK);
    CHECK_CLASS(receive(1, MPI_BYTE, -9, 0, comm), MPI_ERR_RANK);
    CHECK_CLASS(receive(1, MPI_BYTE, rank, -5, comm), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Probe(size, 0, comm, &status), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Isend(bytes, 1, MPI_BYTE, rank, 0, comm, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Get_count(&status, MPI_INT, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Send_init(bytes, 1, MPI_BYTE, size, 0, comm, &request),
                MPI_ERR_RANK);
    CHECK_CLASS(MPI_Send_c(bytes, LLONG_MAX / 2, MPI_INT64_T, rank, 0, comm),
                MPI_ERR_COUNT);
    MPI_Type_free(&pair);
}

// MPI-4.1 2.5.4: addresses that stand for something are for few buffers.
static void constants_are_no_buffers(void)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request request;
    int values[2] = {0}, position = 0;
    CHECK_CLASS(MPI_Send(MPI_IN_PLACE, 1, MPI_INT, rank, 0, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Irecv(MPI_IN_PLACE, 1, MPI_INT, rank, 0, comm, &request),
                MPI_ERR_BUFFER);
    CHECK_CLASS(
        MPI_Send_init_c(MPI_BUFFER_AUTOMATIC, 1, MPI_INT, rank, 0, comm, &request),
        MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Pack(values, 1, MPI_INT, MPI_IN_PLACE, 8, &position, comm),
                MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Allreduce(values, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm),
                MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Reduce_local(MPI_IN_PLACE, values, 1, MPI_INT, MPI_SUM),
                MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Comm_attach_buffer(comm, MPI_IN_PLACE, 8), MPI_ERR_BUFFER);
    MPI_Aint address = -1; // which all of them have
    CHECK_CLASS(MPI_Get_address(MPI_IN_PLACE, &address), MPI_SUCCESS);
    CHECK(address == (MPI_Aint)(intptr_t)MPI_IN_PLACE);
}

// Nothing is at address 0, unless the datatype tells where from there.
static void data_have_a_buffer(void)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request request;
    MPI_Datatype absolute;
    MPI_Aint address;
    int values[2] = {rank, -1};
    CHECK_CLASS(MPI_Send(NULL, 1, MPI_INT, rank, 0, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Irecv(NULL, LONG, MPI_BYTE, rank, 0, comm, &request),
                MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Sendrecv(values, 1, MPI_INT, rank, 0, NULL, 1, MPI_INT, rank, 0,
                             comm, MPI_STATUS_IGNORE),
                MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Bcast(NULL, 1, MPI_INT, 0, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Send(NULL, 1, MPI_INT, MPI_PROC_NULL, 0, comm), MPI_SUCCESS);
    MPI_Get_address(&values[1], &address);
    MPI_Type_create_hindexed_block(1, 1, &address, MPI_INT, &absolute);
    MPI_Type_commit(&absolute);
    CHECK_CLASS(MPI_Sendrecv(values, 1, MPI_INT, rank, 0, MPI_BOTTOM, 1, absolute, rank,
                             0, comm, MPI_STATUS_IGNORE),
                MPI_SUCCESS);
    CHECK(values[1] == rank);
    MPI_Type_free(&absolute);
}

static void bad_requests(void)
{
    MPI_Request request = MPI_REQUEST_NULL, stale, both[2];
    MPI_Message message = MPI_MESSAGE_NULL;
    int index;
    CHECK_CLASS(MPI_Start(&request), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Cancel(&request), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Request_free(&request), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Wait(NULL, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Waitall(-1, both, MPI_STATUSES_IGNORE), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Waitall(2, NULL, MPI_STATUSES_IGNORE), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Mrecv(bytes, 1, MPI_BYTE, &message, MPI_STATUS_IGNORE),
                MPI_ERR_REQUEST);
    MPI_Irecv(bytes, 1, MPI_BYTE, rank, 1, MPI_COMM_WORLD, &request);
    stale = both[1] = request;
    both[0] = MPI_REQUEST_NULL;
    CHECK_CLASS(MPI_Start(&request), MPI_ERR_REQUEST);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_CLASS(MPI_Wait(&stale, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Waitall(2, both, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Waitany(2, both, &index, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    MPI_Recv_init(bytes, 1, MPI_BYTE, rank, 1, MPI_COMM_WORLD, &request);
    CHECK_CLASS(MPI_Cancel(&request), MPI_ERR_REQUEST);
    MPI_Start(&request);
    CHECK_CLASS(MPI_Start(&request), MPI_ERR_REQUEST);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

// MPI-4.1 6.12 and 6.13: neither cancelled nor freed while they are active.
static void collective_requests_must_end(void)
{
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    CHECK_CLASS(MPI_Cancel(&request), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Request_free(&request), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    CHECK_CLASS(MPI_Cancel(&request), MPI_ERR_REQUEST);
    MPI_Start(&request);
    CHECK_CLASS(MPI_Cancel(&request), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Request_free(&request), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_CLASS(MPI_Request_free(&request), MPI_SUCCESS);
    CHECK(request == MPI_REQUEST_NULL);
}

static void await_status(MPI_Request request)
{
    for (int flag = 0; !flag;)
        MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
}

// MPI-4.1 3.7.6: who has been told that a request is complete may free it.
static void collective_requests_that_have_ended_are_freed(void)
{
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    await_status(request);
    CHECK_CLASS(MPI_Request_free(&request), MPI_SUCCESS);
    CHECK(request == MPI_REQUEST_NULL);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    await_status(request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Start(&request);
    CHECK_CLASS(MPI_Request_free(&request), MPI_ERR_REQUEST);
    await_status(request);
    CHECK_CLASS(MPI_Request_free(&request), MPI_SUCCESS);
}

// Whatever the way of the message: what follows the buffer stays, and the status tells.
static void too_long(int length)
{
    MPI_Request sends[2], request;
    MPI_Message message;
    MPI_Status status;
    int count = -1;
    for (int i = 0; i < 2; i++)
        MPI_Isend(bytes, length, MPI_BYTE, right(), 2, MPI_COMM_WORLD, &sends[i]);
    char *room = calloc((size_t)length, 1);
    memset(bytes, 1, sizeof bytes);
    CHECK_CLASS(
        MPI_Recv(room, length - 1, MPI_BYTE, left(), 2, MPI_COMM_WORLD, &status),
        MPI_ERR_TRUNCATE);
    MPI_Get_count(&status, MPI_BYTE, &count);
    CHECK(count == length - 1 && status.MPI_SOURCE == left() && status.MPI_TAG == 2);
    CHECK(room[length - 1] == 0);
    MPI_Mprobe(left(), 2, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(room, length - 1, MPI_BYTE, &message, &request);
    CHECK_CLASS(MPI_Wait(&request, &status), MPI_ERR_TRUNCATE);
    CHECK(request == MPI_REQUEST_NULL && room[length - 1] == 0);
    MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
    free(room);
    CHECK_CLASS(MPI_Sendrecv(bytes, 1, MPI_BYTE, right(), 3, bytes + 1, 1, MPI_BYTE,
                             left(), 3, MPI_COMM_WORLD, &status),
                MPI_SUCCESS);
}

static void no_buffer(void)
{
    static char room[LONG];
    void *detached;
    int length;
    MPI_Request request;
    CHECK_CLASS(MPI_Bsend(bytes, 1, MPI_BYTE, rank, 4, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Buffer_detach(&detached, &length), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Buffer_attach(room, -1), MPI_ERR_BUFFER);
    MPI_Buffer_attach(room, LONG);
    CHECK_CLASS(MPI_Buffer_attach(room, LONG), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Ibsend(bytes, LONG, MPI_BYTE, rank, 4, MPI_COMM_WORLD, &request),
                MPI_ERR_BUFFER);
    MPI_Buffer_detach(&detached, &length);
    CHECK(detached == room && length == LONG);
}

// Errors of requests are their communicator's, whatever call finds them.
static int seen;
static MPI_Comm seen_comm;
static void note(MPI_Comm *comm, int *code, ...)
{
    MPI_Error_class(*code, &seen);
    seen_comm = *comm;
}

static void handlers_of_communicators_are_called(void)
{
    MPI_Comm own;
    MPI_Errhandler handler;
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    MPI_Comm_create_errhandler(note, &handler);
    MPI_Comm_set_errhandler(own, handler);
    MPI_Irecv(bytes, 1, MPI_BYTE, left(), 6, own, &request);
    MPI_Send(bytes, 2, MPI_BYTE, right(), 6, own);
    CHECK_CLASS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    CHECK(seen == MPI_ERR_TRUNCATE && seen_comm == own);
    MPI_Irecv(bytes, 1, MPI_BYTE, left(), 6, own, &request);
    MPI_Send(bytes, 2, MPI_BYTE, right(), 6, own);
    seen_comm = MPI_COMM_NULL;
    CHECK_CLASS(MPI_Waitall(1, &request, MPI_STATUSES_IGNORE), MPI_ERR_IN_STATUS);
    CHECK(seen == MPI_ERR_IN_STATUS && seen_comm == own);
    CHECK_CLASS(send(1, MPI_BYTE, size, 0, own), MPI_ERR_RANK);
    CHECK(seen == MPI_ERR_RANK);
    CHECK(MPI_Comm_call_errhandler(own, MPI_ERR_OTHER) == MPI_SUCCESS);
    CHECK(seen == MPI_ERR_OTHER);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&own);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    bad_arguments();
    constants_are_no_buffers();
    data_have_a_buffer();
    bad_requests();
    collective_requests_must_end();
    collective_requests_that_have_ended_are_freed();
    too_long(2);
    too_long(7000);
    too_long(LONG);
    no_buffer();
    handlers_of_communicators_are_called();
    return finish();
}
