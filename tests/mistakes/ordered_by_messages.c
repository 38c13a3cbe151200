// SPDX-License-Identifier: BSD-3-Clause
// Accesses that messages order, and those that messages fail to order.
#include "ordered.h"

// ---- messages from rank 0 to rank 2 ---------------------------------------------------
// run: -n 3 -env ORIEL_CHECK races
void message_between_accesses(bool wrong)
{
    MPI_Win win = locked_window_open();
    if (rank == 0) {
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
        MPI_Win_flush(OWNER, win);
        MPI_Send(NULL, 0, MPI_BYTE, wrong ? 1 : 2, 0, MPI_COMM_WORLD);
    }
    if (rank == (wrong ? 1 : 2))
        MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (rank == 2)
        // mistake: conflicting-accesses
        MPI_Get(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    locked_window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void messages_through_another_rank(bool wrong)
{
    MPI_Win win = locked_window_open();
    if (rank == 0)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    MPI_Win_flush_all(win);
    if (rank > 0 && !(wrong && rank == 1))
        MPI_Recv(NULL, 0, MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank < 2)
        MPI_Send(NULL, 0, MPI_BYTE, rank + 1, 0, MPI_COMM_WORLD);
    if (rank == 1 && wrong)
        MPI_Recv(NULL, 0, MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    locked_window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void sendrecv_between_accesses(bool wrong)
{
    int sent = 1, received;
    MPI_Win win = locked_window_open();
    if (rank == 0)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    MPI_Win_flush_all(win);
    int other = wrong || rank == 1 ? rank : 2 - rank;
    MPI_Sendrecv(&sent, 1, MPI_INT, other, 0, &received, 1, MPI_INT, other, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    locked_window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void sendrecv_replace_between_accesses(bool wrong)
{
    int value = 1;
    MPI_Win win = locked_window_open();
    if (rank == 0)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    MPI_Win_flush_all(win);
    int other = wrong || rank == 1 ? rank : 2 - rank;
    MPI_Sendrecv_replace(&value, 1, MPI_INT, other, 0, other, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    if (rank == 2)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    locked_window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void message_that_is_probed(bool wrong)
{
    MPI_Win win = locked_window_open();
    if (rank == 0) {
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
        MPI_Win_flush(OWNER, win);
        MPI_Send(NULL, 0, MPI_BYTE, 2, 5, MPI_COMM_WORLD);
    }
    if (rank == 2) {
        if (!wrong)
            MPI_Probe(0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        // mistake: conflicting-accesses
        MPI_Get(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    locked_window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void message_that_is_looked_for(bool wrong)
{
    int flag = wrong;
    MPI_Win win = locked_window_open();
    if (rank == 0) {
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
        MPI_Win_flush(OWNER, win);
        MPI_Send(NULL, 0, MPI_BYTE, 2, 5, MPI_COMM_WORLD);
    }
    if (rank == 2) {
        while (!flag)
            MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        // mistake: conflicting-accesses
        MPI_Get(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    locked_window_close(win);
}

// The second message is received before the first one, which MPI_Mprobe has taken.
// run: -n 3 -env ORIEL_CHECK races
void message_behind_one_that_is_taken(bool wrong)
{
    MPI_Message message;
    MPI_Win win = locked_window_open();
    if (rank == 0) {
        MPI_Send(NULL, 0, MPI_BYTE, 2, 5, MPI_COMM_WORLD);
        if (wrong)
            MPI_Send(NULL, 0, MPI_BYTE, 2, 5, MPI_COMM_WORLD);
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
        MPI_Win_flush(OWNER, win);
        if (!wrong)
            MPI_Send(NULL, 0, MPI_BYTE, 2, 5, MPI_COMM_WORLD);
    }
    if (rank == 2) {
        MPI_Mprobe(0, 5, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        // mistake: conflicting-accesses
        MPI_Get(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
        MPI_Mrecv(NULL, 0, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    }
    locked_window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void request_of_a_message(bool wrong)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Win win = locked_window_open();
    if (rank == 2)
        MPI_Irecv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && wrong)
        MPI_Isend(NULL, 0, MPI_BYTE, 2, 0, MPI_COMM_WORLD, &request);
    if (rank == 0)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    MPI_Win_flush_all(win);
    if (rank == 0 && !wrong)
        MPI_Isend(NULL, 0, MPI_BYTE, 2, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 2)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    locked_window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void persistent_messages(bool wrong)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Win win = locked_window_open();
    if (rank == 0)
        MPI_Send_init(NULL, 0, MPI_BYTE, 2, 0, MPI_COMM_WORLD, &request);
    if (rank == 2)
        MPI_Recv_init(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
    for (int turn = 0; turn < 3; turn++) {
        if (rank == turn % 2 * 2)
            // mistake: conflicting-accesses
            MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
        MPI_Win_flush_all(win);
        if (rank != OWNER && !wrong) {
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Request back = MPI_REQUEST_NULL;
        if (rank == 2)
            MPI_Isend(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &back);
        if (rank == 0 && !wrong)
            MPI_Recv(NULL, 0, MPI_BYTE, 2, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 2)
            MPI_Wait(&back, MPI_STATUS_IGNORE);
    }
    for (int turn = 0; rank == 0 && wrong && turn < 3; turn++)
        MPI_Recv(NULL, 0, MPI_BYTE, 2, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != OWNER)
        MPI_Request_free(&request);
    locked_window_close(win);
}

// A synchronous send ends after its receive has begun.
// run: -n 3 -env ORIEL_CHECK races
void synchronous_send_after_its_receive(bool wrong)
{
    MPI_Win win = locked_window_open();
    if (rank == 2) {
        // mistake: conflicting-accesses
        MPI_Get(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
        MPI_Win_flush(OWNER, win);
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 0) {
        if (wrong)
            MPI_Send(NULL, 0, MPI_BYTE, 2, 0, MPI_COMM_WORLD);
        else
            MPI_Ssend(NULL, 0, MPI_BYTE, 2, 0, MPI_COMM_WORLD);
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    }
    locked_window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void message_behind_a_cancelled_one(bool wrong)
{
    MPI_Request request;
    MPI_Win win = locked_window_open();
    if (rank == 0) {
        MPI_Issend(values, CELLS, MPI_DOUBLE, 2, 0, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        if (wrong)
            MPI_Send(NULL, 0, MPI_BYTE, 2, 0, MPI_COMM_WORLD);
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
        MPI_Win_flush(OWNER, win);
        if (!wrong)
            MPI_Send(NULL, 0, MPI_BYTE, 2, 0, MPI_COMM_WORLD);
    }
    if (rank == 2) {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        // mistake: conflicting-accesses
        MPI_Get(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    }
    locked_window_close(win);
}
