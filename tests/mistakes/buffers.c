// SPDX-License-Identifier: BSD-3-Clause
// Buffers of operations under way that other calls access (ORIEL_CHECK=races), and data of
// different types.
#include "mistakes.h"

enum { CELLS = 16 };

static double values[CELLS];
static int rank, other;

static MPI_Win pair_window_open(void)
{
    double *memory;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Win_allocate(CELLS * sizeof(double), sizeof(double), MPI_INFO_NULL,
                     MPI_COMM_WORLD, &memory, &win);
    MPI_Win_set_name(win, "cells");
    return win;
}

static void pair_window_close(MPI_Win win)
{
    MPI_Win_free(&win);
    MPI_Finalize();
}

// ---- of one-sided operations ----------------------------------------------------------
// run: -n 2 -env ORIEL_CHECK races
void origin_that_is_received_into(bool wrong)
{
    MPI_Win win = pair_window_open();
    MPI_Win_lock_all(0, win);
    // mistake: buffer-in-use "window cells"
    MPI_Put(values, 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, win);
    if (!wrong)
        MPI_Win_flush_local(other, win);
    MPI_Request request;
    // mistake: buffer-in-use "writes to 8 bytes"
    MPI_Irecv(values, 2, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &request);
    MPI_Win_unlock_all(win);
    MPI_Send(values + 4, 2, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    pair_window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void result_that_is_put(bool wrong)
{
    MPI_Win win = pair_window_open();
    MPI_Win_lock_all(0, win);
    // mistake: buffer-in-use
    MPI_Get(values, 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, win);
    if (!wrong)
        MPI_Win_flush(other, win);
    // mistake: buffer-in-use "MPI_Win_flush_local between them"
    MPI_Put(values, 1, MPI_DOUBLE, other, 1 + rank, 1, MPI_DOUBLE, win);
    MPI_Win_unlock_all(win);
    pair_window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void result_that_is_sent(bool wrong)
{
    MPI_Win win = pair_window_open();
    MPI_Win_fence(0, win);
    // mistake: buffer-in-use
    MPI_Get(values, 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, win);
    if (!wrong)
        MPI_Win_fence(0, win);
    // mistake: buffer-in-use "MPI_Win_fence between them"
    MPI_Send(values, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
    MPI_Recv(values + 1, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_fence(0, win);
    pair_window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void two_gets_into_one_buffer(bool wrong)
{
    MPI_Win win = pair_window_open();
    MPI_Win_lock_all(0, win);
    // mistake: buffer-in-use
    MPI_Get(values, 4, MPI_DOUBLE, other, 0, 4, MPI_DOUBLE, win);
    // mistake: buffer-in-use "writes to 8 bytes"
    MPI_Get(values + (wrong ? 3 : 4), 4, MPI_DOUBLE, rank, 0, 4, MPI_DOUBLE, win);
    MPI_Win_unlock_all(win);
    pair_window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void columns_that_share_a_buffer(bool wrong)
{
    MPI_Datatype column;
    MPI_Win win = pair_window_open();
    MPI_Type_vector(4, 1, 4, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Win_fence(0, win);
    // mistake: buffer-in-use
    MPI_Get(values, 1, column, other, 0, 1, column, win);
    // mistake: buffer-in-use
    MPI_Get(values + (wrong ? 0 : 1), 1, column, rank, 0, 1, column, win);
    MPI_Win_fence(0, win);
    MPI_Type_free(&column);
    pair_window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void result_in_the_place_of_the_origin(bool wrong)
{
    MPI_Win win = pair_window_open();
    MPI_Win_lock_all(0, win);
    // mistake: buffer-in-use
    MPI_Fetch_and_op(values, values + (wrong ? 0 : 1), MPI_DOUBLE, other, 0, MPI_SUM,
                     win);
    MPI_Win_unlock_all(win);
    pair_window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void compared_value_that_is_a_result(bool wrong)
{
    long numbers[3] = {0, 1, 2};
    MPI_Win win = pair_window_open();
    MPI_Win_lock_all(0, win);
    // mistake: buffer-in-use
    MPI_Compare_and_swap(numbers, numbers + 1, numbers + (wrong ? 1 : 2), MPI_LONG,
                         other, 0, win);
    MPI_Win_unlock_all(win);
    pair_window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void flush_of_another_target(bool wrong)
{
    MPI_Win win = pair_window_open();
    MPI_Win_lock_all(0, win);
    // mistake: buffer-in-use
    MPI_Get(values, 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, win);
    MPI_Win_flush(wrong ? rank : other, win);
    // mistake: buffer-in-use
    MPI_Accumulate(values, 1, MPI_DOUBLE, other, 1, 1, MPI_DOUBLE, MPI_SUM, win);
    MPI_Win_unlock_all(win);
    pair_window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void result_before_its_epoch_ends(bool wrong)
{
    MPI_Group all, partner;
    MPI_Win win = pair_window_open();
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &other, &partner);
    MPI_Win_post(partner, 0, win);
    MPI_Win_start(partner, 0, win);
    // mistake: buffer-in-use
    MPI_Get(values, 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, win);
    if (!wrong)
        MPI_Win_complete(win);
    // mistake: buffer-in-use "MPI_Win_complete between them"
    MPI_Sendrecv(values, 1, MPI_DOUBLE, other, 0, values + 1, 1, MPI_DOUBLE, other, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (wrong)
        MPI_Win_complete(win);
    MPI_Win_wait(win);
    MPI_Group_free(&partner);
    MPI_Group_free(&all);
    pair_window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void request_that_is_not_awaited(bool wrong)
{
    MPI_Request request;
    MPI_Win win = pair_window_open();
    MPI_Win_lock_all(0, win);
    // mistake: buffer-in-use
    MPI_Rget(values, 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, win, &request);
    if (!wrong)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    // mistake: buffer-in-use "a call that completes its request"
    MPI_Put(values, 1, MPI_DOUBLE, other, 1 + rank, 1, MPI_DOUBLE, win);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
    pair_window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void origin_of_a_request(bool wrong)
{
    MPI_Request request;
    MPI_Win win = pair_window_open();
    MPI_Win_lock_all(0, win);
    // mistake: buffer-in-use
    MPI_Rput(values, 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, win, &request);
    for (int done = wrong; !done;)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    // mistake: buffer-in-use
    MPI_Get(values, 1, MPI_DOUBLE, other, 8, 1, MPI_DOUBLE, win);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
    pair_window_close(win);
}

// ---- of messages ----------------------------------------------------------------------
static void message_start(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
}

// run: -n 2 -env ORIEL_CHECK races
void message_that_is_received_into(bool wrong)
{
    MPI_Request request;
    message_start();
    // mistake: buffer-in-use
    MPI_Isend(values, 4, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &request);
    // mistake: buffer-in-use
    MPI_Recv(values + (wrong ? 2 : 4), 4, MPI_DOUBLE, other, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
}

// run: -n 2 -env ORIEL_CHECK races
void two_receives_into_one_buffer(bool wrong)
{
    MPI_Request requests[2];
    message_start();
    for (int i = 0; i < 2; i++)
        // mistake: buffer-in-use "a call that completes its request"
        MPI_Irecv(values + (wrong ? i : 2 * i), 2, MPI_DOUBLE, other, i, MPI_COMM_WORLD,
                  &requests[i]);
    for (int i = 0; i < 2; i++)
        MPI_Send(values + 8, 2, MPI_DOUBLE, other, i, MPI_COMM_WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Finalize();
}

// run: -n 2 -env ORIEL_CHECK races
void send_of_what_is_received(bool wrong)
{
    MPI_Request request;
    message_start();
    // mistake: buffer-in-use
    MPI_Irecv(values, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &request);
    // mistake: buffer-in-use
    MPI_Send(values + (wrong ? 0 : 1), 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
}

// run: -n 2 -env ORIEL_CHECK races
void sendrecv_with_one_buffer(bool wrong)
{
    message_start();
    // mistake: buffer-in-use
    MPI_Sendrecv(values, 4, MPI_DOUBLE, other, 0, values + (wrong ? 3 : 4), 4,
                 MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
}

// run: -n 2 -env ORIEL_CHECK races
void persistent_receive_that_is_read(bool wrong)
{
    MPI_Request request;
    message_start();
    MPI_Recv_init(values, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &request);
    for (int turn = 0; turn < 2; turn++) {
        MPI_Start(&request); // mistake: buffer-in-use
        // mistake: buffer-in-use
        MPI_Send(values + (wrong ? 0 : 1), 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    MPI_Finalize();
}

// ---- types ----------------------------------------------------------------------------
// run: -n 2 -env ORIEL_CHECK races
void characters_put_as_integers(bool wrong)
{
    MPI_Win win = pair_window_open();
    MPI_Win_fence(0, win);
    // mistake: type-mismatch "characters of 1 byte at the origin"
    MPI_Put(values, 8, wrong ? MPI_CHAR : MPI_BYTE, other, 0, 2, MPI_INT, win);
    MPI_Win_fence(0, win);
    pair_window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void doubles_read_as_floats(bool wrong)
{
    MPI_Win win = pair_window_open();
    MPI_Win_fence(0, win);
    // mistake: type-mismatch
    MPI_Get(values, 2, wrong ? MPI_FLOAT : MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    pair_window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void characters_received_as_integers(bool wrong)
{
    char text[8] = "halo";
    int numbers[2];
    message_start();
    if (rank == 0)
        // mistake: type-mismatch
        MPI_Send(text, 8, wrong ? MPI_CHAR : MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    else
        // mistake: type-mismatch "receives characters of 1 byte as integers of 4 bytes"
        MPI_Recv(numbers, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
}

// run: -n 2 -env ORIEL_CHECK races
void integers_received_as_floats(bool wrong)
{
    int sent = 1, integer;
    float number;
    MPI_Request request;
    message_start();
    if (wrong)
        // mistake: type-mismatch
        MPI_Irecv(&number, 1, MPI_FLOAT, other, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Irecv(&integer, 1, MPI_INTEGER, other, 0, MPI_COMM_WORLD, &request);
    // mistake: type-mismatch
    MPI_Send(&sent, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
}
