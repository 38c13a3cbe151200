// SPDX-License-Identifier: BSD-3-Clause
// Buffers of collective calls that operations under way use, and the other way round
// (ORIEL_CHECK=races).
#include "mistakes.h"

enum { VALUES = 16 };

static double values[VALUES];
static int rank, other;

static MPI_Win collective_window_open(void)
{
    double *memory;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Win_allocate(VALUES * sizeof(double), sizeof(double), MPI_INFO_NULL,
                     MPI_COMM_WORLD, &memory, &win);
    MPI_Win_set_name(win, "cells");
    MPI_Win_lock_all(0, win);
    return win;
}

static void collective_window_close(MPI_Win win)
{
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
}

// ---- blocking -------------------------------------------------------------------------
// run: -n 2 -env ORIEL_CHECK races
void origin_that_is_broadcast_into(bool wrong)
{
    MPI_Win win = collective_window_open();
    // mistake: buffer-in-use "window cells"
    MPI_Put(values, 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, win);
    if (!wrong)
        MPI_Win_flush_local(other, win);
    // mistake: buffer-in-use "writes to 8 bytes"
    MPI_Bcast(values, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    collective_window_close(win);
}

// The root reads it, and so does the put.
// run: -n 2 -env ORIEL_CHECK races
void result_that_is_broadcast(bool wrong)
{
    MPI_Win win = collective_window_open();
    if (rank == 0)
        // mistake: buffer-in-use
        MPI_Get(values, 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, win);
    if (!wrong)
        MPI_Win_flush(other, win);
    if (rank == 0)
        MPI_Put(values + 1, 1, MPI_DOUBLE, other, 1, 1, MPI_DOUBLE, win);
    // mistake: buffer-in-use "reads 8 bytes"
    MPI_Bcast(values, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    collective_window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void result_that_is_reduced(bool wrong)
{
    MPI_Win win = collective_window_open();
    // mistake: buffer-in-use
    MPI_Get(values, 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, win);
    if (!wrong)
        MPI_Win_flush(other, win);
    // mistake: buffer-in-use "reads 8 bytes"
    MPI_Allreduce(values, values + 8, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    collective_window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void origin_that_is_reduced_in_place(bool wrong)
{
    MPI_Win win = collective_window_open();
    // mistake: buffer-in-use
    MPI_Put(values, 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, win);
    // mistake: buffer-in-use "writes to 8 bytes"
    MPI_Allreduce(MPI_IN_PLACE, values + (wrong ? 0 : 1), 4, MPI_DOUBLE, MPI_SUM,
                  MPI_COMM_WORLD);
    collective_window_close(win);
}

// All of the buffer is read where it is in place, and its first part is written to.
// run: -n 2 -env ORIEL_CHECK races
void part_of_a_reduction_in_place(bool wrong)
{
    static const int counts[] = {2, 2};
    MPI_Win win = collective_window_open();
    // mistake: buffer-in-use
    MPI_Get(values + 2, 2, MPI_DOUBLE, other, 0, 2, MPI_DOUBLE, win);
    // mistake: buffer-in-use "reads 16 bytes"
    MPI_Reduce_scatter(wrong ? MPI_IN_PLACE : values + 8, values, counts, MPI_DOUBLE,
                       MPI_SUM, MPI_COMM_WORLD);
    collective_window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void first_part_of_a_reduction(bool wrong)
{
    static const int counts[] = {1, 2};
    MPI_Win win = collective_window_open();
    if (rank == wrong)
        // mistake: buffer-in-use
        MPI_Put(values + 1, 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, win);
    // mistake: buffer-in-use "writes to 8 bytes"
    MPI_Reduce_scatter(values + 8, values, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    collective_window_close(win);
}

// The own part stays what it is.
// run: -n 2 -env ORIEL_CHECK races
void part_that_is_gathered_in_place(bool wrong)
{
    MPI_Win win = collective_window_open();
    // mistake: buffer-in-use
    MPI_Put(values + (wrong ? other : rank), 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE,
            win);
    // mistake: buffer-in-use "writes to 8 bytes"
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values, 1, MPI_DOUBLE,
                  MPI_COMM_WORLD);
    collective_window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void result_that_is_gathered_in_place(bool wrong)
{
    static const int counts[] = {1, 2}, places[] = {4, 1};
    MPI_Win win = collective_window_open();
    // mistake: buffer-in-use
    MPI_Get(values + places[rank], 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, win);
    if (!wrong)
        MPI_Win_flush(other, win);
    // mistake: buffer-in-use "reads 8 bytes"
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values, counts, places,
                   MPI_DOUBLE, MPI_COMM_WORLD);
    collective_window_close(win);
}

// The root neither sends its own part nor receives it.
// run: -n 2 -env ORIEL_CHECK races
void part_of_the_root_in_place(bool wrong)
{
    MPI_Win win = collective_window_open();
    if (rank == 0)
        // mistake: buffer-in-use
        MPI_Get(values + wrong, 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, win);
    // mistake: buffer-in-use "reads 8 bytes"
    MPI_Scatter(values, 1, MPI_DOUBLE, rank == 0 ? MPI_IN_PLACE : values + 8, 1,
                MPI_DOUBLE, 0, MPI_COMM_WORLD);
    collective_window_close(win);
}

// The first process has no result.
// run: -n 2 -env ORIEL_CHECK races
void result_of_the_first(bool wrong)
{
    MPI_Win win = collective_window_open();
    if (rank == wrong)
        // mistake: buffer-in-use
        MPI_Put(values, 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, win);
    // mistake: buffer-in-use "writes to 8 bytes"
    MPI_Exscan(values + 8, values, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    collective_window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void place_of_a_gathered_part(bool wrong)
{
    int counts[] = {1, 1}, places[] = {0, wrong ? 3 : 4};
    MPI_Win win = collective_window_open();
    // mistake: buffer-in-use
    MPI_Get(values + 3, 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, win);
    // mistake: buffer-in-use "writes to 8 bytes"
    MPI_Gatherv(values + 8, 1, MPI_DOUBLE, values, counts, places, MPI_DOUBLE, 0,
                MPI_COMM_WORLD);
    collective_window_close(win);
}

// Only the root has a send buffer.
// run: -n 2 -env ORIEL_CHECK races
void parts_that_are_scattered(bool wrong)
{
    MPI_Win win = collective_window_open();
    if (wrong || rank == 1)
        // mistake: buffer-in-use
        MPI_Get(values + 1, 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, win);
    // mistake: buffer-in-use "reads 8 bytes"
    MPI_Scatter(values, 1, MPI_DOUBLE, values + 8, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    collective_window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void places_in_bytes(bool wrong)
{
    int counts[] = {1, 1}, sent[] = {64, 72}, received[] = {0, wrong ? 16 : 24};
    MPI_Datatype types[] = {MPI_DOUBLE, MPI_DOUBLE};
    MPI_Win win = collective_window_open();
    // mistake: buffer-in-use
    MPI_Put(values + 2, 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, win);
    // mistake: buffer-in-use "writes to 8 bytes"
    MPI_Alltoallw(values, counts, sent, types, values, counts, received, types,
                  MPI_COMM_WORLD);
    collective_window_close(win);
}

// ---- nonblocking ----------------------------------------------------------------------
// run: -n 2 -env ORIEL_CHECK races
void put_of_what_is_broadcast(bool wrong)
{
    MPI_Request request;
    MPI_Win win = collective_window_open();
    // mistake: buffer-in-use
    MPI_Ibcast(values, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
    if (!wrong)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    // mistake: buffer-in-use "a call that completes its request"
    MPI_Put(values, 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, win);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    collective_window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void get_into_what_is_gathered(bool wrong)
{
    MPI_Request request;
    MPI_Win win = collective_window_open();
    // mistake: buffer-in-use
    MPI_Iallgather(values, 1, MPI_DOUBLE, values + 8, 1, MPI_DOUBLE, MPI_COMM_WORLD,
                   &request);
    for (int done = wrong; !done;)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    // mistake: buffer-in-use "writes to 8 bytes"
    MPI_Get(values, 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, win);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    collective_window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void two_collectives_with_one_result(bool wrong)
{
    MPI_Request requests[2];
    MPI_Init(NULL, NULL);
    // mistake: buffer-in-use
    MPI_Iallreduce(values + 8, values, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                   &requests[0]);
    // mistake: buffer-in-use "writes to 8 bytes"
    MPI_Iscan(values + 8, values + (wrong ? 1 : 2), 2, MPI_DOUBLE, MPI_SUM,
              MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Finalize();
}
