// SPDX-License-Identifier: BSD-3-Clause
// Mistakes in what single calls are given, or the members of a window together.
#include "mistakes.h"

#include <sys/mman.h>

enum { PAGES = 1 << 16 };

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

void constant_in_place_of_a_buffer(bool wrong)
{
    int *memory, value = 1;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &win);
    MPI_Win_fence(0, win);
    // mistake: MPI_ERR_BUFFER "MPI_IN_PLACE"
    MPI_Put(wrong ? MPI_IN_PLACE : &value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
}

void null_buffer_of_a_get(bool wrong)
{
    int *memory, value;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &win);
    MPI_Win_fence(0, win);
    // mistake: MPI_ERR_BUFFER
    MPI_Get(wrong ? NULL : &value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
}

void error_on_a_window_with_a_name(bool wrong)
{
    int *memory;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &win);
    MPI_Win_set_name(win, "halo");
    if (!wrong)
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    // mistake: MPI_ERR_RMA_SYNC "on window halo"
    MPI_Win_unlock(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
}

static char *memory_map(void)
{
    return mmap(NULL, PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                0);
}

void window_on_null(bool wrong)
{
    char memory[64];
    MPI_Win win;
    MPI_Init(NULL, NULL);
    char *base = wrong ? NULL : memory;
    // mistake: MPI_ERR_BUFFER "there is no memory of 64 bytes"
    MPI_Win_create(base, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_free(&win);
    MPI_Finalize();
}

void window_on_memory_that_was_freed(bool wrong)
{
    MPI_Win win;
    MPI_Init(NULL, NULL);
    char *base = memory_map();
    if (wrong)
        munmap(base, PAGES);
    // mistake: MPI_ERR_BUFFER "only the first 0"
    MPI_Win_create(base, PAGES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_free(&win);
    MPI_Finalize();
}

void window_larger_than_its_memory(bool wrong)
{
    MPI_Win win;
    MPI_Init(NULL, NULL);
    char *base = memory_map();
    munmap(base + PAGES / 2, PAGES / 2);
    MPI_Aint size = wrong ? PAGES : PAGES / 2;
    // mistake: MPI_ERR_BUFFER "only the first 32668"
    MPI_Win_create(base + 100, size - 100, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_free(&win);
    MPI_Finalize();
}

void attached_memory_that_was_freed(bool wrong)
{
    MPI_Win win;
    MPI_Init(NULL, NULL);
    char *base = memory_map();
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (wrong)
        munmap(base, PAGES);
    // mistake: MPI_ERR_BUFFER "only the first 0"
    MPI_Win_attach(win, base, PAGES);
    MPI_Win_detach(win, base);
    MPI_Win_free(&win);
    MPI_Finalize();
}

void constructors_that_differ(bool wrong)
{
    char memory[64], *base;
    int rank;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 || !wrong)
        MPI_Win_create(memory, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    else
        // mistake: window-mismatch "rank 0 of the window calls MPI_Win_create"
        MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_free(&win);
    MPI_Finalize();
}

// run: -n 3
void same_size_that_is_not(bool wrong)
{
    char *base;
    int rank;
    MPI_Win win;
    MPI_Info info;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&info);
    MPI_Info_set(info, "same_size", "true");
    MPI_Aint size = wrong ? 64 + rank : 64;
    // mistake: window-mismatch "and 64 on rank 0"
    MPI_Win_allocate(size, 1, info, MPI_COMM_WORLD, &base, &win);
    MPI_Info_free(&info);
    MPI_Win_free(&win);
    MPI_Finalize();
}

void same_unit_that_is_not(bool wrong)
{
    char *base;
    int rank;
    MPI_Win win;
    MPI_Info info;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&info);
    MPI_Info_set(info, "same_disp_unit", "true");
    int unit = wrong ? 4 + 4 * rank : 8;
    // mistake: window-mismatch "8, and 4 on rank 0"
    MPI_Win_allocate(64, unit, info, MPI_COMM_WORLD, &base, &win);
    MPI_Info_free(&info);
    MPI_Win_free(&win);
    MPI_Finalize();
}

void claim_that_is_not_made_by_all(bool wrong)
{
    char *base;
    int rank;
    MPI_Win win;
    MPI_Info info;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&info);
    MPI_Info_set(info, "same_size", wrong && rank > 0 ? "false" : "true");
    // mistake: window-mismatch "false here and true on rank 0"
    MPI_Win_allocate(64, 1, info, MPI_COMM_WORLD, &base, &win);
    MPI_Info_free(&info);
    MPI_Win_free(&win);
    MPI_Finalize();
}

void null_window(bool wrong)
{
    char *base;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win used = wrong ? MPI_WIN_NULL : win;
    // mistake: MPI_ERR_WIN "win = MPI_WIN_NULL"
    MPI_Win_fence(0, used);
    MPI_Win_free(&win);
    MPI_Finalize();
}

void window_that_was_freed(bool wrong)
{
    char *base;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win copy = win;
    if (wrong)
        MPI_Win_free(&win);
    // mistake: MPI_ERR_WIN "is a freed handle"
    MPI_Win_fence(0, copy);
    MPI_Win_free(&win);
    MPI_Finalize();
}

void type_in_place_of_a_window(bool wrong)
{
    char *base;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win used = wrong ? (MPI_Win)MPI_INT : win;
    // mistake: MPI_ERR_WIN "wrong kind"
    MPI_Win_fence(0, used);
    MPI_Win_free(&win);
    MPI_Finalize();
}

void call_before_init(bool wrong)
{
    int rank;
    if (wrong)
        // mistake: MPI_ERR_COMM "between MPI_Init and MPI_Finalize (MPI is not initialized)"
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Init(NULL, NULL);
    MPI_Finalize();
}

void call_after_finalize(bool wrong)
{
    int rank;
    MPI_Init(NULL, NULL);
    MPI_Finalize();
    if (wrong)
        // mistake: MPI_ERR_COMM "between MPI_Init and MPI_Finalize (MPI has been finalized)"
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}
