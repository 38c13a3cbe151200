// SPDX-License-Identifier: BSD-3-Clause
// Loads and stores of the owner of memory that conflict with operations of others
// (ORIEL_CHECK=races, compiled with -fsanitize=thread). Rank 1 has the memory.
#include "mistakes.h"

#include <stdatomic.h>
#include <stdint.h>

enum { CELLS = 16, OWNER = 1 };

static double values[CELLS], *memory;
static int rank;

static MPI_Win window_open(void)
{
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

// ---- assertions -----------------------------------------------------------------------
// run: -n 2 -env ORIEL_CHECK races
void store_before_a_fence_without_stores(bool wrong)
{
    MPI_Win win = window_open();
    MPI_Win_fence(0, win);
    if (rank == OWNER)
        memory[0] = 1; // mistake: false-assertion "store"
    // mistake: false-assertion "asserts MPI_MODE_NOSTORE"
    MPI_Win_fence(wrong ? MPI_MODE_NOSTORE : 0, win);
    MPI_Win_fence(MPI_MODE_NOSTORE, win);
    window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void store_before_a_post_without_stores(bool wrong)
{
    MPI_Group all, group;
    MPI_Win win = window_open();
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, rank == OWNER ? (int[]){0} : (int[]){OWNER}, &group);
    if (rank == OWNER) {
        memory[0] = 1; // mistake: false-assertion "store"
        // mistake: false-assertion "asserts MPI_MODE_NOSTORE"
        MPI_Win_post(group, wrong ? MPI_MODE_NOSTORE : 0, win);
        MPI_Win_wait(win);
    } else if (rank == 0) {
        MPI_Win_start(group, 0, win);
        MPI_Win_complete(win);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&group);
    window_close(win);
}

// ---- fences ---------------------------------------------------------------------------
// run: -n 2 -env ORIEL_CHECK races
void store_beside_a_put(bool wrong)
{
    MPI_Win win = window_open();
    MPI_Win_fence(0, win);
    if (rank == 0)
        // mistake: conflicting-accesses "MPI_Win_fence between them"
        MPI_Put(values, 4, MPI_DOUBLE, OWNER, 0, 4, MPI_DOUBLE, win);
    if (!wrong)
        MPI_Win_fence(0, win);
    if (rank == OWNER)
        memory[3] = 1; // mistake: conflicting-accesses "bytes 24 to 31"
    MPI_Win_fence(0, win);
    window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void loads_beside_a_put(bool wrong)
{
    double sum = 0;
    MPI_Win win = window_open();
    MPI_Win_fence(0, win);
    if (rank == 0)
        // mistake: conflicting-accesses "a load of the program"
        MPI_Put(values, 4, MPI_DOUBLE, OWNER, 2, 4, MPI_DOUBLE, win);
    for (int i = 0; rank == OWNER && i < CELLS; i++)
        if (!wrong ? i < 2 || i >= 6 : i < CELLS)
            sum += memory[i]; // mistake: conflicting-accesses "window cells"
    MPI_Win_fence(0, win);
    values[0] = sum;
    window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void fill_beside_a_put(bool wrong)
{
    MPI_Win win = window_open();
    MPI_Win_fence(0, win);
    if (rank == 0)
        // mistake: conflicting-accesses "a store of the program"
        MPI_Put(values, 4, MPI_DOUBLE, OWNER, 0, 4, MPI_DOUBLE, win);
    if (!wrong)
        MPI_Win_fence(0, win);
    if (rank == OWNER)
        memset(memory + 3, 0, 64); // mistake: conflicting-accesses "bytes 24 to 31"
    MPI_Win_fence(0, win);
    window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void copy_beside_a_put(bool wrong)
{
    MPI_Win win = window_open();
    MPI_Win_fence(0, win);
    if (rank == 0)
        // mistake: conflicting-accesses "a load of the program"
        MPI_Put(values, 4, MPI_DOUBLE, OWNER, 0, 4, MPI_DOUBLE, win);
    if (!wrong)
        MPI_Win_fence(0, win);
    if (rank == OWNER)
        memcpy(values, memory, sizeof values); // mistake: conflicting-accesses
    MPI_Win_fence(0, win);
    window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void store_to_attached_memory(bool wrong)
{
    static double attached[CELLS];
    MPI_Aint address;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, attached, sizeof attached);
    MPI_Get_address(attached, &address);
    MPI_Bcast(&address, 1, MPI_AINT, OWNER, MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
    if (rank == 0)
        // mistake: conflicting-accesses
        MPI_Put(values, 4, MPI_DOUBLE, OWNER, address, 4, MPI_DOUBLE, win);
    if (rank == OWNER)
        attached[wrong ? 3 : 4] = 1; // mistake: conflicting-accesses
    MPI_Win_fence(0, win);
    MPI_Win_detach(win, attached);
    attached[0] = 2;
    window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void store_beside_a_get(bool wrong)
{
    MPI_Win win = window_open();
    MPI_Win_fence(0, win);
    if (rank == 0)
        // mistake: conflicting-accesses "a store of the program"
        MPI_Get(values, CELLS, MPI_DOUBLE, OWNER, 0, CELLS, MPI_DOUBLE, win);
    if (rank == OWNER && wrong)
        memory[15] = 1; // mistake: conflicting-accesses
    MPI_Win_fence(0, win);
    if (rank == OWNER)
        memory[15] = 1;
    window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void loads_beside_a_get(bool wrong)
{
    MPI_Win win = window_open();
    MPI_Win_fence(0, win);
    if (rank == 0)
        // mistake: conflicting-accesses
        MPI_Get(values, CELLS, MPI_DOUBLE, OWNER, 0, CELLS, MPI_DOUBLE, win);
    if (rank == OWNER) {
        double seen = memory[1];
        if (wrong)
            memory[2] = seen; // mistake: conflicting-accesses
    }
    MPI_Win_fence(0, win);
    window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void store_beside_an_accumulate(bool wrong)
{
    MPI_Win win = window_open();
    MPI_Win_fence(0, win);
    if (rank == 0)
        // mistake: conflicting-accesses
        MPI_Accumulate(values, 2, MPI_DOUBLE, OWNER, 0, 2, MPI_DOUBLE, MPI_SUM, win);
    if (!wrong)
        MPI_Win_fence(0, win);
    if (rank == OWNER)
        memory[0] += 1; // mistake: conflicting-accesses
    MPI_Win_fence(0, win);
    window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void store_before_the_own_put_is_complete(bool wrong)
{
    MPI_Win win = window_open();
    MPI_Win_lock_all(0, win);
    if (rank == OWNER) {
        memory[1] = 1;
        // mistake: conflicting-accesses "MPI_Win_flush"
        MPI_Put(values, 2, MPI_DOUBLE, OWNER, 0, 2, MPI_DOUBLE, win);
        if (!wrong)
            MPI_Win_flush(OWNER, win);
        memory[1] = 2; // mistake: conflicting-accesses
    }
    MPI_Win_unlock_all(win);
    window_close(win);
}

// ---- post and start -------------------------------------------------------------------
static MPI_Win window_open_for(MPI_Group *partner)
{
    MPI_Group all;
    MPI_Win win = window_open();
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, (int[]){1 - rank}, partner);
    MPI_Group_free(&all);
    return win;
}

// run: -n 2 -env ORIEL_CHECK races
void load_before_the_wait(bool wrong)
{
    MPI_Group partner;
    MPI_Win win = window_open_for(&partner);
    if (rank == OWNER) {
        MPI_Win_post(partner, 0, win);
        if (!wrong)
            MPI_Win_wait(win);
        values[1] = memory[0]; // mistake: conflicting-accesses
        if (wrong)
            MPI_Win_wait(win);
    } else {
        MPI_Win_start(partner, 0, win);
        // mistake: conflicting-accesses "MPI_Win_wait"
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 0, 1, MPI_DOUBLE, win);
        MPI_Win_complete(win);
    }
    MPI_Group_free(&partner);
    window_close(win);
}

// ---- locks ----------------------------------------------------------------------------
// run: -n 2 -env ORIEL_CHECK races
void load_without_a_lock(bool wrong)
{
    MPI_Win win = window_open();
    if (rank == OWNER && !wrong)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, OWNER, 0, win);
    if (rank == OWNER)
        values[1] = memory[0]; // mistake: conflicting-accesses
    if (rank == OWNER && !wrong)
        MPI_Win_unlock(OWNER, win);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, OWNER, 0, win);
        // mistake: conflicting-accesses "MPI_LOCK_EXCLUSIVE for both"
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 0, 1, MPI_DOUBLE, win);
        MPI_Win_unlock(OWNER, win);
    }
    window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void load_before_the_barrier(bool wrong)
{
    MPI_Win win = window_open();
    MPI_Win_lock_all(0, win);
    if (rank == 0) {
        // mistake: conflicting-accesses "a barrier"
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 7, 1, MPI_DOUBLE, win);
        MPI_Win_flush(OWNER, win);
    }
    if (rank == OWNER && wrong)
        values[1] = memory[7]; // mistake: conflicting-accesses
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == OWNER)
        values[1] = memory[7];
    MPI_Win_unlock_all(win);
    window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void store_after_the_message(bool wrong)
{
    MPI_Win win = window_open();
    MPI_Win_lock_all(0, win);
    if (rank == OWNER) {
        if (!wrong)
            memory[4] = 1;
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
        if (wrong)
            memory[4] = 1; // mistake: conflicting-accesses
    } else {
        MPI_Recv(NULL, 0, MPI_INT, OWNER, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        // mistake: conflicting-accesses
        MPI_Get(values, 8, MPI_DOUBLE, OWNER, 0, 8, MPI_DOUBLE, win);
    }
    MPI_Win_unlock_all(win);
    window_close(win);
}

// run: -n 2 -env ORIEL_CHECK races
void load_before_the_flag(bool wrong)
{
    MPI_Win win = window_open();
    const int64_t one = 1;
    MPI_Win_lock_all(0, win);
    if (rank == 0) {
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 2, 1, MPI_DOUBLE, win);
        MPI_Win_flush(OWNER, win);
        MPI_Accumulate(&one, 1, MPI_INT64_T, OWNER, 0, 1, MPI_INT64_T, MPI_REPLACE,
                       win);
        MPI_Win_flush(OWNER, win);
    } else {
        while (!wrong && atomic_load((_Atomic(int64_t) *)memory) == 0)
            MPI_Win_sync(win);
        values[1] = memory[2]; // mistake: conflicting-accesses
    }
    MPI_Win_unlock_all(win);
    window_close(win);
}

// ---- windows --------------------------------------------------------------------------
// run: -n 2 -env ORIEL_CHECK races
void store_to_a_created_window(bool wrong)
{
    static int own[CELLS], other[CELLS];
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(own, sizeof own, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank == 0)
        // mistake: conflicting-accesses "from element 5 of 4 bytes on"
        MPI_Put(other, CELLS, MPI_INT, OWNER, 0, CELLS, MPI_INT, win);
    if (rank == OWNER)
        (wrong ? own : other)[5] = 1; // mistake: conflicting-accesses
    MPI_Win_fence(0, win);
    window_close(win);
}
