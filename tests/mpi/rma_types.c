// SPDX-License-Identifier: BSD-3-Clause
// derived_types_walk_together: whatever the layouts of origin and target, byte n of the
// origin's data becomes byte n of the target's, and the gaps stay as they were.
#include "window_test.h"

enum { ROOM = 1 << 16 };

// A layout and what it says: `count` elements of `blocks` blocks of `length` bytes.
struct shape {
    const char *name;
    int count, blocks, length, stride; // stride in bytes, within an element
    MPI_Datatype type;
    MPI_Aint extent;
};

static void shape_make(struct shape *shape)
{
    MPI_Aint lower;
    MPI_Type_create_hvector(shape->blocks, shape->length, shape->stride, MPI_BYTE,
                            &shape->type);
    MPI_Type_commit(&shape->type);
    MPI_Type_get_extent(shape->type, &lower, &shape->extent);
}

// All have 12600 bytes of data, more than a message holds.
static struct shape shapes[] = {
    {"contiguous", 1, 1, 12600, 12600, 0, 0},
    {"bytes apart", 1, 4200, 3, 9, 0, 0},
    {"words", 3, 525, 8, 16, 0, 0},
    {"odd blocks", 2, 900, 7, 11, 0, 0},
    {"touching blocks", 7, 60, 30, 30, 0, 0},
    {"middling blocks", 1, 9, 1400, 1500, 0, 0},
    {"long blocks", 1, 2, 6300, 9000, 0, 0},
    {"backwards", 1, 1800, 7, -9, 0, 0},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, DATA = 12600 };

// Offset of byte n of the data.
static MPI_Aint place_of(const struct shape *shape, int n)
{
    int in_element = n % (shape->blocks * shape->length);
    int element = n / (shape->blocks * shape->length);
    return element * shape->extent +
           (MPI_Aint)(in_element / shape->length) * shape->stride +
           in_element % shape->length;
}

// Where the buffer starts in a room of ROOM bytes, so that it also fits backwards.
static MPI_Aint start_of(const struct shape *shape)
{
    return shape->stride < 0 ? 20000 : 1000;
}

static void write_data(unsigned char *room, const struct shape *shape, int owner)
{
    memset(room, 0, ROOM);
    for (int n = 0; n < DATA; n++)
        room[start_of(shape) + place_of(shape, n)] = pattern(owner, (size_t)n, 0);
}

static void check_data(const unsigned char *room, const struct shape *shape, int owner)
{
    static unsigned char expected[ROOM];
    write_data(expected, shape, owner);
    CHECK(memcmp(room, expected, ROOM) == 0);
}

static void put_then_get(const struct opened *opened, const struct shape *origin,
                         const struct shape *target)
{
    static unsigned char local[ROOM];
    unsigned char *memory = opened->base;
    write_data(local, origin, rank);
    memset(memory, 0, ROOM);
    MPI_Win_fence(0, opened->win);
    MPI_Put(local + start_of(origin), origin->count, origin->type, right(),
            start_of(target), target->count, target->type, opened->win);
    MPI_Win_fence(0, opened->win);
    check_data(memory, target, left());
    memset(local, 0, ROOM);
    MPI_Win_fence(0, opened->win);
    MPI_Get(local + start_of(origin), origin->count, origin->type, left(),
            start_of(target), target->count, target->type, opened->win);
    MPI_Win_fence(0, opened->win);
    check_data(local, origin, (rank + 2 * size - 2) % size);
    MPI_Win_fence(0, opened->win);
}

static void all_pairs_of_shapes(const struct source *source)
{
    struct opened opened = source->open(ROOM, 1);
    for (int origin = 0; origin < SHAPES; origin++)
        for (int target = 0; target < SHAPES; target++)
            put_then_get(&opened, &shapes[origin], &shapes[target]);
    source->close(&opened);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int i = 0; i < SHAPES; i++)
        shape_make(&shapes[i]);
    for_each_source(all_pairs_of_shapes);
    for (int i = 0; i < SHAPES; i++)
        MPI_Type_free(&shapes[i].type);
    return finish();
}
