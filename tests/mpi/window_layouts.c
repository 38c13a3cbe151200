// SPDX-License-Identifier: BSD-3-Clause
// parts_may_differ: sizes and units of each rank are its own, parts may be empty,
// windows may share memory, and their groups may be parts of the job in another order.
#include "window_test.h"

// Rank r has r elements of r + 1 bytes; displacements count in the target's unit.
static void sizes_and_units_differ(const struct source *source)
{
    int unit = rank + 1;
    struct opened opened = source->open((MPI_Aint)rank * unit, unit);
    unsigned char *memory = opened.base;
    MPI_Win_fence(0, opened.win);
    if (rank == 0)
        for (int target = 1; target < size; target++)
            for (int element = 0; element < target; element++) {
                unsigned char data[64];
                fill(data, (size_t)target + 1, target, element);
                MPI_Put(data, target + 1, MPI_BYTE, target, element, target + 1,
                        MPI_BYTE, opened.win);
                MPI_Win_fence(0, opened.win);
            }
    else
        for (int fence = 0; fence < size * (size - 1) / 2; fence++)
            MPI_Win_fence(0, opened.win);
    for (int element = 0; element < rank; element++)
        CHECK(is_filled(memory + element * unit, (size_t)unit, rank, element));
    unsigned char byte = 1;
    CHECK_CLASS(MPI_Put(&byte, 1, MPI_BYTE, 0, 0, 1, MPI_BYTE, opened.win),
                MPI_ERR_RMA_RANGE);
    MPI_Win_fence(0, opened.win);
    source->close(&opened);
}

static void windows_may_share_memory(void)
{
    int *memory;
    MPI_Win whole, half;
    MPI_Alloc_mem(8 * sizeof(int), MPI_INFO_NULL, &memory);
    MPI_Win_create(memory, 8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &whole);
    MPI_Win_create(memory + 4, 4 * sizeof(int), sizeof(int), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &half);
    int value = 100 + rank, seen = -1;
    MPI_Win_fence(0, whole);
    MPI_Put(&value, 1, MPI_INT, right(), 5, 1, MPI_INT, whole);
    MPI_Win_fence(0, whole);
    MPI_Win_fence(0, half);
    MPI_Get(&seen, 1, MPI_INT, right(), 1, 1, MPI_INT, half);
    MPI_Win_fence(0, half);
    CHECK(seen == 100 + rank && memory[5] == 100 + left());
    MPI_Win_free(&half);
    MPI_Win_free(&whole);
    MPI_Free_mem(memory);
}

// Two windows at once, each of half of the job, with ranks in falling order.
static void groups_may_be_parts(void)
{
    MPI_Comm half;
    MPI_Win win;
    int *base, half_rank, half_size, seen = -1;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_rank(half, &half_rank);
    MPI_Comm_size(half, &half_size);
    MPI_Win_allocate(sizeof(int), 1, MPI_INFO_NULL, half, &base, &win);
    MPI_Comm_free(&half);
    *base = rank;
    for (int target = 0; target < half_size; target++) {
        MPI_Win_fence(0, win);
        MPI_Get(&seen, 1, MPI_INT, target, 0, 1, MPI_INT, win);
        MPI_Win_fence(0, win);
        CHECK(seen == rank + 2 * (half_rank - target));
    }
    MPI_Win_free(&win);
}

static void a_window_of_one(void)
{
    int memory = 5, seen = -1;
    MPI_Win win;
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Get(&seen, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
    CHECK(seen == 5);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (size < 60) // the buffer of an element
        for_each_source(sizes_and_units_differ);
    windows_may_share_memory();
    groups_may_be_parts();
    a_window_of_one();
    return finish();
}
