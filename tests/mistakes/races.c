// SPDX-License-Identifier: BSD-3-Clause
// Accesses to memory of windows that conflict (ORIEL_CHECK=races). Rank 1 has the memory.
#include "mistakes.h"

enum { CELLS = 16, OWNER = 1 };

static double values[CELLS];
static int rank;

static MPI_Win window_open(void)
{
    double *memory;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(CELLS * sizeof(double), sizeof(double), MPI_INFO_NULL,
                     MPI_COMM_WORLD, &memory, &win);
    MPI_Win_set_name(win, "cells");
    return win;
}

static void window_close(MPI_Win win)
{
    MPI_Win_free(&win);
    MPI_Finalize();
}

// ---- fences ---------------------------------------------------------------------------
// run: -n 3 -env ORIEL_CHECK races
void two_puts_in_a_fence_epoch(bool wrong)
{
    MPI_Win win = window_open();
    MPI_Win_fence(0, win);
    if (rank == 0)
        // mistake: conflicting-accesses "window cells"
        MPI_Put(values, 4, MPI_DOUBLE, OWNER, 0, 4, MPI_DOUBLE, win);
    if (!wrong)
        MPI_Win_fence(0, win);
    if (rank == 2)
        // mistake: conflicting-accesses "bytes 16 to 31"
        MPI_Put(values, 4, MPI_DOUBLE, OWNER, 2, 4, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void put_and_get_in_a_fence_epoch(bool wrong)
{
    MPI_Win win = window_open();
    MPI_Win_fence(0, win);
    if (rank == 0)
        // mistake: conflicting-accesses "MPI_Win_fence"
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 5, 1, MPI_DOUBLE, win);
    if (!wrong)
        MPI_Win_fence(0, win);
    if (rank == 2)
        // mistake: conflicting-accesses "element 5"
        MPI_Get(values, CELLS, MPI_DOUBLE, OWNER, 0, CELLS, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void two_puts_of_one_process_in_a_fence_epoch(bool wrong)
{
    MPI_Win win = window_open();
    MPI_Win_fence(0, win);
    if (rank == 0) {
        // mistake: conflicting-accesses
        MPI_Put(values, 2, MPI_DOUBLE, OWNER, 0, 2, MPI_DOUBLE, win);
        // mistake: conflicting-accesses
        MPI_Put(values + 2, 2, MPI_DOUBLE, OWNER, wrong ? 1 : 2, 2, MPI_DOUBLE, win);
    }
    MPI_Win_fence(0, win);
    window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void columns_that_share_cells(bool wrong)
{
    MPI_Datatype column;
    MPI_Win win = window_open();
    MPI_Type_vector(4, 1, 4, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Win_fence(0, win);
    if (rank == 0)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, column, OWNER, 0, 1, column, win);
    if (rank == 2)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, column, OWNER, wrong ? 0 : 1, 1, column, win);
    MPI_Win_fence(0, win);
    MPI_Type_free(&column);
    window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void column_beside_a_row(bool wrong)
{
    MPI_Datatype column;
    MPI_Win win = window_open();
    MPI_Type_vector(4, 1, 4, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Win_fence(0, win);
    if (rank == 0)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, column, OWNER, 0, 1, column, win);
    if (rank == 2)
        // mistake: conflicting-accesses "bytes 64 to 71"
        MPI_Put(values, wrong ? 4 : 3, MPI_DOUBLE, OWNER, 5, wrong ? 4 : 3, MPI_DOUBLE,
                win);
    MPI_Win_fence(0, win);
    MPI_Type_free(&column);
    window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void two_windows_on_one_memory(bool wrong)
{
    static double memory[CELLS];
    MPI_Win win, other;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &win);
    MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &other);
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, other);
    if (rank == 0)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    if (rank == 2)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, wrong ? 3 : 4, 1, MPI_DOUBLE, other);
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, other);
    MPI_Win_free(&other);
    window_close(win);
}

// ---- post and start -------------------------------------------------------------------
// run: -n 3 -env ORIEL_CHECK races
void two_origins_of_one_exposure(bool wrong)
{
    MPI_Group all, origins, target;
    MPI_Win win = window_open();
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 2, (int[]){0, 2}, &origins);
    MPI_Group_incl(all, 1, (int[]){OWNER}, &target);
    if (rank == OWNER) {
        MPI_Win_post(origins, 0, win);
        MPI_Win_wait(win);
    } else {
        MPI_Win_start(target, 0, win);
        // mistake: conflicting-accesses "exposure epoch"
        MPI_Put(values, 4, MPI_DOUBLE, OWNER, wrong ? rank : 2 * rank, 4, MPI_DOUBLE,
                win);
        MPI_Win_complete(win);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&origins);
    MPI_Group_free(&target);
    window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void one_exposure_for_two_puts(bool wrong)
{
    MPI_Group all, group;
    MPI_Win win = window_open();
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, rank == OWNER ? (int[]){0} : (int[]){OWNER}, &group);
    for (int turn = 0; turn < 2; turn++) {
        bool ends = turn == 1 || !wrong, begins = turn == 0 || !wrong;
        if (rank == OWNER) {
            if (begins)
                MPI_Win_post(group, 0, win);
            if (ends)
                MPI_Win_wait(win);
        } else if (rank == 0) {
            if (begins)
                MPI_Win_start(group, 0, win);
            // mistake: conflicting-accesses "MPI_Win_complete"
            MPI_Put(values, 1, MPI_DOUBLE, OWNER, 0, 1, MPI_DOUBLE, win);
            if (ends)
                MPI_Win_complete(win);
        }
    }
    MPI_Group_free(&all);
    MPI_Group_free(&group);
    window_close(win);
}

// ---- assertions -----------------------------------------------------------------------
// run: -n 3 -env ORIEL_CHECK races
void put_after_a_fence_without_puts(bool wrong)
{
    MPI_Win win = window_open();
    MPI_Win_fence(MPI_MODE_NOPUT, win);
    MPI_Get(values + rank, 1, MPI_DOUBLE, OWNER, 5, 1, MPI_DOUBLE, win);
    // mistake: false-assertion "asserts MPI_MODE_NOPUT"
    MPI_Win_fence(wrong ? MPI_MODE_NOPUT : 0, win);
    if (rank == 2)
        // mistake: false-assertion "bytes 0 to 31"
        MPI_Put(values, 4, MPI_DOUBLE, OWNER, 0, 4, MPI_DOUBLE, win);
    MPI_Win_fence(MPI_MODE_NOPUT, win);
    window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void sum_after_a_fence_without_puts(bool wrong)
{
    MPI_Win win = window_open();
    // mistake: false-assertion
    MPI_Win_fence(wrong && rank == OWNER ? MPI_MODE_NOPUT : 0, win);
    // mistake: false-assertion
    MPI_Accumulate(values, 1, MPI_DOUBLE, OWNER, 0, 1, MPI_DOUBLE, MPI_SUM, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void fences_that_differ(bool wrong)
{
    MPI_Win win = window_open();
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    // mistake: false-assertion "asserts MPI_MODE_NOSUCCEED"
    MPI_Win_fence(!wrong || rank == 2 ? MPI_MODE_NOSUCCEED : 0, win);
    window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void put_to_a_post_without_puts(bool wrong)
{
    MPI_Group all, group;
    MPI_Win win = window_open();
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, rank == OWNER ? (int[]){0} : (int[]){OWNER}, &group);
    for (int turn = 0; turn < 2; turn++) {
        int assert = turn == 0 || wrong ? MPI_MODE_NOPUT : 0;
        if (rank == OWNER) {
            // mistake: false-assertion "asserts MPI_MODE_NOPUT"
            MPI_Win_post(group, assert, win);
            MPI_Win_wait(win);
        } else if (rank == 0) {
            MPI_Win_start(group, 0, win);
            if (turn == 1)
                // mistake: false-assertion
                MPI_Put(values, 1, MPI_DOUBLE, OWNER, 0, 1, MPI_DOUBLE, win);
            MPI_Win_complete(win);
        }
    }
    MPI_Group_free(&all);
    MPI_Group_free(&group);
    window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void exclusive_locks_without_a_check(bool wrong)
{
    MPI_Win win = window_open();
    if (rank != OWNER) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, OWNER, wrong ? MPI_MODE_NOCHECK : 0, win);
        // mistake: conflicting-accesses "without MPI_MODE_NOCHECK"
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 0, 1, MPI_DOUBLE, win);
        MPI_Win_unlock(OWNER, win);
    }
    window_close(win);
}

// ---- locks and flushes ----------------------------------------------------------------
// run: -n 3 -env ORIEL_CHECK races
void puts_under_shared_locks(bool wrong)
{
    MPI_Win win = window_open();
    if (rank != OWNER) {
        MPI_Win_lock(wrong ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, OWNER, 0, win);
        // mistake: conflicting-accesses "MPI_LOCK_EXCLUSIVE"
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 0, 1, MPI_DOUBLE, win);
        MPI_Win_unlock(OWNER, win);
    }
    window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void barrier_before_the_flush(bool wrong)
{
    MPI_Win win = window_open();
    MPI_Win_lock_all(0, win);
    if (rank == 0) {
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 7, 1, MPI_DOUBLE, win);
        if (!wrong)
            MPI_Win_flush(OWNER, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2)
        // mistake: conflicting-accesses
        MPI_Get(values, 1, MPI_DOUBLE, OWNER, 7, 1, MPI_DOUBLE, win);
    MPI_Win_unlock_all(win);
    window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void flush_without_a_barrier(bool wrong)
{
    MPI_Win win = window_open();
    MPI_Win_lock_all(0, win);
    if (rank == 0)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 7, 1, MPI_DOUBLE, win);
    MPI_Win_flush_all(win);
    if (!wrong)
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 7, 1, MPI_DOUBLE, win);
    MPI_Win_unlock_all(win);
    window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void local_flush_for_a_flush(bool wrong)
{
    MPI_Win win = window_open();
    MPI_Win_lock_all(0, win);
    if (rank == 0)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 7, 1, MPI_DOUBLE, win);
    if (wrong)
        MPI_Win_flush_local(OWNER, win);
    else
        MPI_Win_flush(OWNER, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2)
        // mistake: conflicting-accesses
        MPI_Get(values, 1, MPI_DOUBLE, OWNER, 7, 1, MPI_DOUBLE, win);
    MPI_Win_unlock_all(win);
    window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void request_of_a_put_for_a_flush(bool wrong)
{
    MPI_Request request;
    MPI_Win win = window_open();
    MPI_Win_lock_all(0, win);
    if (rank == 0) {
        // mistake: conflicting-accesses
        MPI_Rput(values, 1, MPI_DOUBLE, OWNER, 7, 1, MPI_DOUBLE, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (!wrong)
            MPI_Win_flush(OWNER, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2)
        // mistake: conflicting-accesses
        MPI_Get(values, 1, MPI_DOUBLE, OWNER, 7, 1, MPI_DOUBLE, win);
    MPI_Win_unlock_all(win);
    window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void nonblocking_barrier(bool wrong)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Win win = window_open();
    MPI_Win_lock_all(0, win);
    if (rank == 0)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 7, 1, MPI_DOUBLE, win);
    MPI_Win_flush_all(win);
    if (!wrong)
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 2)
        // mistake: conflicting-accesses
        MPI_Get(values, 1, MPI_DOUBLE, OWNER, 7, 1, MPI_DOUBLE, win);
    MPI_Win_unlock_all(win);
    window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void overlapping_puts_without_a_flush(bool wrong)
{
    MPI_Win win = window_open();
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, OWNER, 0, win);
    // mistake: conflicting-accesses "MPI_Win_flush"
    MPI_Put(values, 2, MPI_DOUBLE, OWNER, 0, 2, MPI_DOUBLE, win);
    if (!wrong)
        MPI_Win_flush(OWNER, win);
    // mistake: conflicting-accesses
    MPI_Put(values, 2, MPI_DOUBLE, OWNER, 1, 2, MPI_DOUBLE, win);
    MPI_Win_unlock(OWNER, win);
    window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void attached_memory(bool wrong)
{
    MPI_Aint place;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, values, sizeof values);
    MPI_Get_address(values, &place);
    MPI_Bcast(&place, 1, MPI_AINT, OWNER, MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    double value = rank;
    if (rank != OWNER)
        // mistake: conflicting-accesses
        MPI_Put(&value, 1, MPI_DOUBLE, OWNER, place + (wrong ? 0 : 8 * rank), 1,
                MPI_DOUBLE, win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(win, values);
    window_close(win);
}

// ---- accumulates ----------------------------------------------------------------------
// run: -n 3 -env ORIEL_CHECK races
void accumulate_beside_a_put(bool wrong)
{
    MPI_Win win = window_open();
    MPI_Win_fence(0, win);
    if (rank == 0)
        // mistake: conflicting-accesses
        MPI_Accumulate(values, 1, MPI_DOUBLE, OWNER, 1, 1, MPI_DOUBLE, MPI_SUM, win);
    if (rank == 2 && wrong)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 1, 1, MPI_DOUBLE, win);
    if (rank == 2 && !wrong)
        MPI_Accumulate(values, 1, MPI_DOUBLE, OWNER, 1, 1, MPI_DOUBLE, MPI_SUM, win);
    MPI_Win_fence(0, win);
    window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void accumulates_of_two_types(bool wrong)
{
    MPI_Win win = window_open();
    MPI_Datatype type = wrong && rank == 2 ? MPI_INT64_T : MPI_DOUBLE;
    MPI_Win_fence(0, win);
    if (rank != OWNER)
        // mistake: accumulate-types
        MPI_Accumulate(values, 1, type, OWNER, 1, 1, type, MPI_SUM, win);
    MPI_Win_fence(0, win);
    window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void accumulates_of_two_operations(bool wrong)
{
    MPI_Win win = window_open();
    MPI_Op op = wrong && rank == 2 ? MPI_PROD : MPI_SUM;
    MPI_Win_fence(0, win);
    if (rank != OWNER)
        // mistake: accumulate-operations
        MPI_Accumulate(values, 1, MPI_DOUBLE, OWNER, 1, 1, MPI_DOUBLE, op, win);
    MPI_Win_fence(0, win);
    window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void counter_that_is_read_by_a_get(bool wrong)
{
    double result;
    MPI_Win win = window_open();
    MPI_Win_lock_all(0, win);
    if (rank == 0)
        // mistake: conflicting-accesses
        MPI_Fetch_and_op(values, &result, MPI_DOUBLE, OWNER, 0, MPI_SUM, win);
    if (rank == 2 && wrong)
        // mistake: conflicting-accesses
        MPI_Get(&result, 1, MPI_DOUBLE, OWNER, 0, 1, MPI_DOUBLE, win);
    if (rank == 2 && !wrong)
        MPI_Fetch_and_op(values, &result, MPI_DOUBLE, OWNER, 0, MPI_NO_OP, win);
    MPI_Win_unlock_all(win);
    window_close(win);
}
