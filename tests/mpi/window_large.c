// SPDX-License-Identifier: BSD-3-Clause
// large_windows_and_counts_work: parts beyond 4 GiB, displacements beyond 2^32 bytes,
// and a count beyond 2^31. Only what is written becomes resident. Label: large.
#include "window_test.h"

static const MPI_Aint part_bytes = (MPI_Aint)5 << 30;

static void far_displacements(const struct opened *opened)
{
    const MPI_Aint two_gib = (MPI_Aint)1 << 31;
    const MPI_Aint places[] = {
        0, two_gib - 4, two_gib + 8, 2 * two_gib - 4, 2 * two_gib + 8, part_bytes - 8};
    enum { PLACES = sizeof places / sizeof *places };
    long values[PLACES], seen[PLACES];
    MPI_Win_lock_all(0, opened->win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < PLACES; i++) {
        values[i] = 100L * rank + i;
        MPI_Put(&values[i], 1, MPI_LONG, right(), places[i], 1, MPI_LONG, opened->win);
    }
    MPI_Win_flush_all(opened->win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < PLACES; i++)
        MPI_Get(&seen[i], 1, MPI_LONG, rank, places[i], 1, MPI_LONG, opened->win);
    MPI_Win_flush_all(opened->win);
    for (int i = 0; i < PLACES; i++)
        CHECK(seen[i] == 100L * left() + i);
    CHECK_CLASS(
        MPI_Put(values, 1, MPI_LONG, right(), part_bytes - 7, 1, MPI_LONG, opened->win),
        MPI_ERR_RMA_RANGE);
    MPI_Win_unlock_all(opened->win);
}

// One element in every 64 KiB of 4 GiB: the data is small, the span is not.
static void wide_types(const struct opened *opened)
{
    enum { BLOCKS = 1 << 16 };
    static int values[BLOCKS];
    MPI_Datatype wide;
    MPI_Type_vector(BLOCKS, 1, 1 << 14, MPI_INT, &wide);
    MPI_Type_commit(&wide);
    for (int i = 0; i < BLOCKS; i++)
        values[i] = i ^ rank;
    MPI_Win_fence(0, opened->win);
    if (rank == 0)
        MPI_Put(values, BLOCKS, MPI_INT, right(), 8, 1, wide, opened->win);
    MPI_Win_fence(0, opened->win);
    if (rank == 1 % size)
        for (MPI_Aint i = 0; i < BLOCKS; i++)
            CHECK(*(int *)((char *)opened->base + 8 + (i << 16)) == i);
    MPI_Type_free(&wide);
}

// 2 GiB and 16 bytes in one call, from memory that is mostly the zero page.
static void a_count_beyond_an_int(const struct opened *opened)
{
    MPI_Count count = ((MPI_Count)1 << 31) + 16;
    unsigned char *local = calloc((size_t)count, 1);
    CHECK(local != NULL);
    local[0] = 1;
    local[count - 1] = 2;
    MPI_Win_fence(0, opened->win);
    if (rank == 0)
        MPI_Put_c(local, count, MPI_BYTE, right(), 64, count, MPI_BYTE, opened->win);
    MPI_Win_fence(0, opened->win);
    if (rank == 1 % size) {
        const unsigned char *memory = opened->base;
        CHECK(memory[64] == 1 && memory[64 + count - 1] == 2 && memory[64 + 1] == 0);
    }
    free(local);
}

static void all(const struct opened *opened)
{
    far_displacements(opened);
    wide_types(opened);
    a_count_beyond_an_int(opened);
}

// Memory of its own, which local peers do not map.
static bool on_private_memory(void)
{
    struct opened opened = {.win = MPI_WIN_NULL, .base = malloc((size_t)part_bytes)};
    if (any(opened.base == NULL)) {
        free(opened.base);
        return false;
    }
    MPI_Win_create(opened.base, part_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                   &opened.win);
    return_errors(opened.win);
    all(&opened);
    close_malloc(&opened);
    return true;
}

static bool on_allocated_memory(void)
{
    struct opened opened = {.win = MPI_WIN_NULL};
    if (MPI_Win_allocate(part_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &opened.base,
                         &opened.win) != MPI_SUCCESS)
        return false;
    return_errors(opened.win);
    all(&opened);
    close_allocated(&opened);
    return true;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    bool has_memory = on_allocated_memory() && on_private_memory();
    finish();
    return has_memory ? 0 : SKIPPED;
}
