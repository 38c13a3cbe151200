// SPDX-License-Identifier: BSD-3-Clause
// Mistakes in what single calls are given.
#include "mistakes.h"

void put_behind_the_window(bool wrong)
{
    int *memory, value = 1;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &win);
    MPI_Win_fence(0, win);
    MPI_Aint place = wrong ? 4 : 3;
    // mistake: MPI_ERR_RMA_RANGE
    MPI_Put(&value, 1, MPI_INT, 0, place, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
}

void put_without_an_epoch(bool wrong)
{
    int *memory, value = 1;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &win);
    if (!wrong)
        MPI_Win_lock_all(0, win);
    // mistake: MPI_ERR_RMA_SYNC
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    if (!wrong)
        MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
}

void put_to_a_rank_that_is_not_there(bool wrong)
{
    int *memory, value = 1, size;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &win);
    MPI_Win_lock_all(0, win);
    int target = wrong ? size : size - 1;
    // mistake: MPI_ERR_RANK
    MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
}

void put_with_a_type_that_is_not_committed(bool wrong)
{
    int *memory, values[2] = {1, 2};
    MPI_Win win;
    MPI_Datatype pair;
    MPI_Init(NULL, NULL);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &win);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    if (!wrong)
        MPI_Type_commit(&pair);
    MPI_Win_lock_all(0, win);
    // mistake: MPI_ERR_TYPE
    MPI_Put(values, 1, pair, 0, 0, 1, pair, win);
    MPI_Win_unlock_all(win);
    MPI_Type_free(&pair);
    MPI_Win_free(&win);
    MPI_Finalize();
}

void unlock_of_what_is_not_locked(bool wrong)
{
    int *memory;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &win);
    MPI_Win_lock(MPI_LOCK_SHARED, wrong ? 1 : 0, 0, win);
    // mistake: MPI_ERR_RMA_SYNC
    MPI_Win_unlock(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
}

void free_inside_an_epoch(bool wrong)
{
    int *memory;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &win);
    MPI_Win_lock_all(0, win);
    if (!wrong)
        MPI_Win_unlock_all(win);
    // mistake: MPI_ERR_RMA_SYNC
    MPI_Win_free(&win);
    MPI_Finalize();
}

void send_of_a_freed_type(bool wrong)
{
    int value = 1;
    MPI_Datatype type;
    MPI_Request request;
    MPI_Init(NULL, NULL);
    MPI_Type_contiguous(1, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Datatype freed = type;
    if (wrong)
        MPI_Type_free(&type);
    // mistake: MPI_ERR_TYPE
    MPI_Isend(&value, 1, freed, 0, 0, MPI_COMM_SELF, &request);
    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    MPI_Finalize();
}
