// SPDX-License-Identifier: BSD-3-Clause
// buffered_sends_need_no_receiver: they return although nobody receives, as long as the
// attached buffer has room; flush and detach wait for the messages in it; a
// communicator's own buffer comes before the process's (MPI-4.1 3.6); the room of
// messages that have been received is taken back without a flush (3.6.1).
#include "window_test.h"

enum { LONG = 300000, AT_ONCE = 4 };

static unsigned char out[LONG], in[LONG];

static void send_all(MPI_Comm comm)
{
    for (int i = 0; i < AT_ONCE; i++) {
        fill(out, LONG, rank, i);
        CHECK(MPI_Bsend(out, LONG, MPI_BYTE, right(), i, comm) == MPI_SUCCESS);
        memset(out, 0, LONG);
    }
}

static void receive_all(MPI_Comm comm)
{
    for (int i = AT_ONCE - 1; i >= 0; i--) {
        MPI_Recv(in, LONG, MPI_BYTE, left(), i, comm, MPI_STATUS_IGNORE);
        CHECK(is_filled(in, LONG, left(), i));
    }
}

static void room_is_used_again(void)
{
    int bytes = AT_ONCE * (LONG + MPI_BSEND_OVERHEAD), length = -1;
    char *buffer = malloc((size_t)bytes + 3);
    void *detached;
    MPI_Buffer_attach(buffer + 3, bytes); // not aligned
    for (int round = 0; round < 5; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        send_all(MPI_COMM_WORLD);
        CHECK_CLASS(MPI_Bsend(out, LONG, MPI_BYTE, right(), 9, MPI_COMM_WORLD),
                    MPI_ERR_BUFFER);
        MPI_Barrier(MPI_COMM_WORLD);
        receive_all(MPI_COMM_WORLD);
        MPI_Buffer_flush();
    }
    send_all(MPI_COMM_WORLD);
    receive_all(MPI_COMM_WORLD);
    MPI_Buffer_detach(&detached, &length);
    CHECK(detached == buffer + 3 && length == bytes);
    free(buffer);
}

static void flushes_wait_for_what_is_there(void)
{
    MPI_Request flush;
    int flag = 1, length = -1;
    void *detached;
    MPI_Buffer_iflush(&flush);
    MPI_Wait(&flush, MPI_STATUS_IGNORE); // no buffer, nothing to wait for
    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    send_all(MPI_COMM_WORLD);
    MPI_Buffer_iflush(&flush);
    MPI_Test(&flush, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
    MPI_Barrier(MPI_COMM_WORLD);
    receive_all(MPI_COMM_WORLD);
    MPI_Wait(&flush, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&detached, &length);
    CHECK(detached == MPI_BUFFER_AUTOMATIC && length == 0);
}

static void communicators_have_their_own(void)
{
    static char buffer[AT_ONCE * (LONG + MPI_BSEND_OVERHEAD)];
    MPI_Comm own;
    MPI_Request flush;
    MPI_Count length = -1;
    int bytes = -1;
    void *detached;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    MPI_Comm_attach_buffer_c(own, buffer, sizeof buffer);
    send_all(own);
    CHECK_CLASS(MPI_Bsend(out, LONG, MPI_BYTE, right(), 9, own), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Bsend(out, 1, MPI_BYTE, right(), 9, MPI_COMM_WORLD),
                MPI_ERR_BUFFER);
    MPI_Comm_iflush_buffer(own, &flush);
    MPI_Barrier(MPI_COMM_WORLD); // until all have seen their buffers full
    receive_all(own);
    MPI_Wait(&flush, MPI_STATUS_IGNORE);
    MPI_Comm_flush_buffer(own);
    MPI_Comm_detach_buffer_c(own, &detached, &length);
    CHECK(detached == buffer && length == (MPI_Count)sizeof buffer);
    MPI_Comm_attach_buffer(own, MPI_BUFFER_AUTOMATIC, 0);
    send_all(own);
    receive_all(own);
    MPI_Comm_detach_buffer(own, &detached, &bytes);
    CHECK(detached == MPI_BUFFER_AUTOMATIC && bytes == 0);
    MPI_Comm_attach_buffer(own, MPI_BUFFER_AUTOMATIC, 0);
    MPI_Comm_free(&own); // with its buffer
}

// The barrier tells that all is received, but need not bring the news of each message.
static void fill_and_empty(MPI_Comm comm)
{
    for (int round = 0; round < 4; round++) {
        send_all(comm);
        receive_all(comm);
        MPI_Barrier(comm);
    }
}

static void room_comes_back_by_itself(void)
{
    static char buffer[AT_ONCE * (LONG + MPI_BSEND_OVERHEAD)];
    void *detached;
    int bytes;
    MPI_Comm own;
    MPI_Buffer_attach(buffer, sizeof buffer);
    fill_and_empty(MPI_COMM_WORLD);
    MPI_Buffer_detach(&detached, &bytes);
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    MPI_Comm_attach_buffer(own, buffer, sizeof buffer);
    fill_and_empty(own);
    MPI_Comm_free(&own);
}

static void room_of_a_session_comes_back(void)
{
    static char buffer[AT_ONCE * (LONG + MPI_BSEND_OVERHEAD)];
    void *detached;
    int bytes;
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "buffers", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                               &comm);
    MPI_Session_attach_buffer(session, buffer, sizeof buffer);
    fill_and_empty(comm);
    MPI_Session_detach_buffer(session, &detached, &bytes);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    room_is_used_again();
    flushes_wait_for_what_is_there();
    communicators_have_their_own();
    room_comes_back_by_itself();
    room_of_a_session_comes_back();
    return finish();
}
