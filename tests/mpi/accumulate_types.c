// SPDX-License-Identifier: BSD-3-Clause
// accumulates_walk_element_by_element: whatever the layouts of origin, result and
// target, element n of the origin's data is combined with element n of the target's,
// what was there becomes element n of the result, and the gaps stay as they were.
#include "window_test.h"

#include <stddef.h>

enum { DATA = 420, ROOM = 1 << 15, START = 12000, UNTOUCHED = 0x5a };

// ---- elements: an int, or a pair with a gap inside or behind -----------------------
struct short_int {
    short value;
    int index;
};
struct double_int {
    double value;
    int index;
};

static const struct kind {
    MPI_Datatype type;
    MPI_Op op;
    size_t bytes;
} kinds[] = {
    {MPI_INT, MPI_SUM, sizeof(int)},
    {MPI_SHORT_INT, MPI_MAXLOC, sizeof(struct short_int)},
    {MPI_DOUBLE_INT, MPI_MAXLOC, sizeof(struct double_int)},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void write_element(const struct kind *kind, unsigned char *at, int number)
{
    short narrow = (short)number;
    double wide = number;
    int index = -number;
    if (kind->type == MPI_INT) {
        memcpy(at, &number, sizeof number);
    } else if (kind->type == MPI_SHORT_INT) {
        memcpy(at, &narrow, sizeof narrow);
        memcpy(at + offsetof(struct short_int, index), &index, sizeof index);
    } else {
        memcpy(at, &wide, sizeof wide);
        memcpy(at + offsetof(struct double_int, index), &index, sizeof index);
    }
}

// ---- layouts ----------------------------------------------------------------------
// `count` elements of `blocks` blocks of `length`, `stride` basic elements apart.
static const struct shape {
    int count, blocks, length, stride;
} shapes[] = {
    {420, 1, 1, 1}, {1, 420, 1, 2}, {3, 35, 4, 5}, {7, 20, 3, 3}, {2, 70, 3, -4},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static MPI_Datatype shape_type(const struct shape *shape, MPI_Datatype element)
{
    MPI_Datatype type;
    MPI_Type_vector(shape->blocks, shape->length, shape->stride, element, &type);
    MPI_Type_commit(&type);
    return type;
}

// Offset of element n of the data, in basic elements. The extent of a shape ends with
// its last block.
static int place_of(const struct shape *shape, int n)
{
    int in_one = shape->blocks * shape->length;
    int span = (shape->blocks - 1) * abs(shape->stride) + shape->length;
    return n / in_one * span + n % in_one / shape->length * shape->stride +
           n % shape->length;
}

static unsigned char *element_at(unsigned char *room, const struct kind *kind,
                                 const struct shape *shape, int n)
{
    return room + START + place_of(shape, n) * (MPI_Aint)kind->bytes;
}

// ---- what is combined ---------------------------------------------------------------
static int brought(int owner, int n)
{
    return (owner * 31 + n * 7) % 1009;
}

static int present(int owner, int n)
{
    return (owner * 17 + n * 13) % 997;
}

static int combined(const struct kind *kind, int one, int other)
{
    return kind->op == MPI_SUM ? one + other : one > other ? one : other;
}

static void write_all(unsigned char *room, const struct kind *kind,
                      const struct shape *shape, int owner, int (*number)(int, int))
{
    memset(room, UNTOUCHED, ROOM);
    for (int n = 0; n < DATA; n++)
        write_element(kind, element_at(room, kind, shape, n), number(owner, n));
}

static const struct kind *kind; // of the current test

static int expected(int owner, int n)
{
    return combined(kind, brought((owner + size - 1) % size, n), present(owner, n));
}

static void check_all(const unsigned char *room, const struct shape *shape, int owner,
                      int (*number)(int, int))
{
    static unsigned char wanted[ROOM];
    write_all(wanted, kind, shape, owner, number);
    CHECK(memcmp(room, wanted, ROOM) == 0);
}

static void accumulate(const struct opened *opened, const struct shape *from,
                       const struct shape *to, const struct shape *back)
{
    static unsigned char origin[ROOM], result[ROOM];
    MPI_Datatype from_type = shape_type(from, kind->type),
                 to_type = shape_type(to, kind->type),
                 back_type = shape_type(back ? back : to, kind->type);
    write_all(origin, kind, from, rank, brought);
    write_all(opened->base, kind, to, rank, present);
    memset(result, UNTOUCHED, ROOM);
    MPI_Win_fence(0, opened->win);
    if (back != NULL)
        MPI_Get_accumulate(origin + START, from->count, from_type, result + START,
                           back->count, back_type, right(), START, to->count, to_type,
                           kind->op, opened->win);
    else
        MPI_Accumulate(origin + START, from->count, from_type, right(), START,
                       to->count, to_type, kind->op, opened->win);
    MPI_Win_fence(0, opened->win);
    check_all(opened->base, to, rank, expected);
    check_all(origin, from, rank, brought);
    if (back != NULL)
        check_all(result, back, right(), present);
    MPI_Win_fence(0, opened->win);
    MPI_Type_free(&from_type);
    MPI_Type_free(&to_type);
    MPI_Type_free(&back_type);
}

static void all_shapes(const struct source *source)
{
    struct opened opened = source->open(ROOM, 1);
    for (int k = 0; k < KINDS; k++) {
        kind = &kinds[k];
        for (int from = 0; from < SHAPES; from++)
            for (int to = 0; to < SHAPES; to++) {
                accumulate(&opened, &shapes[from], &shapes[to], NULL);
                accumulate(&opened, &shapes[from], &shapes[to],
                           &shapes[(from + to) % SHAPES]);
            }
    }
    source->close(&opened);
}

// Long ones take many messages.
static void long_buffers(const struct source *source)
{
    enum { COUNT = 100003 };
    struct opened opened = source->open(COUNT * sizeof(double), sizeof(double));
    double *memory = opened.base, *mine = malloc(COUNT * sizeof *mine),
           *before = malloc(COUNT * sizeof *before);
    CHECK(mine != NULL && before != NULL);
    for (int i = 0; i < COUNT; i++) {
        memory[i] = i + rank;
        mine[i] = 2 * i;
    }
    MPI_Win_fence(0, opened.win);
    MPI_Get_accumulate(mine, COUNT, MPI_DOUBLE, before, COUNT, MPI_DOUBLE, right(), 0,
                       COUNT, MPI_DOUBLE, MPI_SUM, opened.win);
    MPI_Win_fence(0, opened.win);
    for (int i = 0; i < COUNT; i++)
        CHECK(memory[i] == 3 * i + rank && before[i] == i + right());
    MPI_Win_fence(0, opened.win);
    MPI_Accumulate(mine, COUNT, MPI_DOUBLE, left(), 0, COUNT, MPI_DOUBLE, MPI_MIN,
                   opened.win);
    MPI_Win_fence(0, opened.win);
    for (int i = 0; i < COUNT; i++)
        CHECK(memory[i] == 2 * i);
    source->close(&opened);
    free(mine);
    free(before);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for_each_source(all_shapes);
    for_each_source(long_buffers);
    return finish();
}
