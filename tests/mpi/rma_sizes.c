// SPDX-License-Identifier: BSD-3-Clause
// put_and_get_move_exactly_their_bytes, of every size and alignment, in windows of
// every kind, to every rank, and nothing beside them.
#include "window_test.h"

static const size_t sizes[] = {0,    1,    2,    3,    4,    5,     7,     8,
                               9,    15,   16,   31,   64,   100,   255,   1000,
                               2047, 2048, 2049, 4096, 7951, 7952,  8191,  8192,
                               8193, 8264, 8280, 8320, 8321, 16384, 65537, 1 << 20};
enum { SIZES = sizeof sizes / sizeof *sizes, LARGEST = 1 << 20, MARGIN = 16 };

static unsigned char *local;

// The part of each rank has one area for each origin, with margins.
static size_t area_bytes(size_t bytes)
{
    return bytes + 2 * MARGIN;
}

static void put_to_all(const struct opened *opened, size_t bytes, size_t shift)
{
    unsigned char *memory = opened->base;
    size_t area = area_bytes(bytes);
    memset(memory, 0, area * (size_t)size);
    fill(local, bytes, rank, 1);
    MPI_Win_fence(0, opened->win);
    for (int target = 0; target < size; target++)
        MPI_Put(local, (int)bytes, MPI_BYTE, target,
                (MPI_Aint)(area * (size_t)rank + shift), (int)bytes, MPI_BYTE,
                opened->win);
    MPI_Win_fence(0, opened->win);
    for (int origin = 0; origin < size; origin++) {
        const unsigned char *at = memory + area * (size_t)origin;
        CHECK(is_filled(at + shift, bytes, origin, 1));
        CHECK(is_all(at, shift, 0));
        CHECK(is_all(at + shift + bytes, area - shift - bytes, 0));
    }
    MPI_Win_fence(0, opened->win);
}

static void get_from_all(const struct opened *opened, size_t bytes, size_t shift)
{
    fill(opened->base, area_bytes(bytes), rank, 2);
    MPI_Win_fence(0, opened->win);
    for (int target = 0; target < size; target++) {
        memset(local, 0, area_bytes(bytes));
        MPI_Win_fence(0, opened->win);
        MPI_Get(local + MARGIN, (int)bytes, MPI_BYTE, target, (MPI_Aint)shift,
                (int)bytes, MPI_BYTE, opened->win);
        MPI_Win_fence(0, opened->win);
        for (size_t i = 0; i < bytes; i++)
            CHECK(local[MARGIN + i] == pattern(target, shift + i, 2));
        CHECK(is_all(local, MARGIN, 0) && is_all(local + MARGIN + bytes, MARGIN, 0));
    }
}

static void all_sizes_arrive(const struct source *source)
{
    struct opened opened = source->open((MPI_Aint)area_bytes(LARGEST) * size, 1);
    for (int i = 0; i < SIZES; i++)
        for (size_t shift = 0; shift <= 9; shift += 3) {
            put_to_all(&opened, sizes[i], shift);
            get_from_all(&opened, sizes[i], shift);
            if (sizes[i] > 1 << 16)
                break;
        }
    source->close(&opened);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    local = malloc(area_bytes(LARGEST));
    CHECK(local != NULL);
    for_each_source(all_sizes_arrive);
    free(local);
    return finish();
}
