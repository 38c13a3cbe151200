// SPDX-License-Identifier: BSD-3-Clause
// Random datatypes. What a constructor means is computed here from one description for
// all of them: blocks of inner elements at displacements.
#include "random.h"

enum { MOST_BLOCKS = 6 };

struct block {
    MPI_Aint displacement; // bytes
    int length;            // inner elements
};

struct shape shape_of_cell(const struct cell *cell)
{
    struct shape shape = {
        .type = cell->type, .cells = 1, .extent = (MPI_Aint)cell->bytes};
    shape.offsets = allocate(sizeof *shape.offsets);
    return shape;
}

void shape_free(struct shape *shape)
{
    free(shape->offsets);
    if (shape->is_derived)
        MPI_Type_free(&shape->type);
    *shape = (struct shape){0};
}

// All but the type.
static struct shape combine(const struct shape *inner, const struct block *blocks,
                            int count)
{
    struct shape outer = {.is_derived = true, .lower = PTRDIFF_MAX};
    MPI_Aint upper = -PTRDIFF_MAX;
    for (int b = 0; b < count; b++)
        outer.cells += blocks[b].length * inner->cells;
    outer.offsets = allocate((size_t)outer.cells * sizeof *outer.offsets);
    int next = 0;
    for (int b = 0; b < count; b++) {
        for (int i = 0; i < blocks[b].length; i++) {
            MPI_Aint at = blocks[b].displacement + i * inner->extent;
            for (int c = 0; c < inner->cells; c++)
                outer.offsets[next++] = at + inner->offsets[c];
            if (at + inner->lower < outer.lower)
                outer.lower = at + inner->lower;
            if (at + inner->lower + inner->extent > upper)
                upper = at + inner->lower + inner->extent;
        }
    }
    outer.extent = upper - outer.lower;
    return outer;
}

// What the constructors below are given; counts in inner elements unless said.
struct draw {
    struct random *random;
    const struct shape *inner;
    int count;                        // of blocks
    int lengths[MOST_BLOCKS];         // of each; all the same if is_regular
    int places[MOST_BLOCKS];          // where each block begins
    int stride;                       // between the blocks of regular ones
    struct block blocks[MOST_BLOCKS]; // to be filled in
    bool is_resized;
    MPI_Aint lower, extent; // then
};

// Blocks in random order, with gaps, before or behind the address.
static void draw_places(struct draw *draw)
{
    int at = random_between(draw->random, -4, 4);
    for (int b = 0; b < draw->count; b++) {
        draw->places[b] = at;
        at += draw->lengths[b] + random_below(draw->random, 3);
    }
    for (int b = draw->count - 1; b > 0; b--) {
        int other = random_below(draw->random, b + 1);
        int place = draw->places[b], length = draw->lengths[b];
        draw->places[b] = draw->places[other];
        draw->places[other] = place;
        draw->lengths[b] = draw->lengths[other];
        draw->lengths[other] = length;
    }
}

static void draw_blocks(struct draw *draw, int most)
{
    draw->count =
        random_between(draw->random, 1, most < MOST_BLOCKS ? most : MOST_BLOCKS);
    int longest = most / draw->count;
    int length = random_between(draw->random, 1, longest);
    for (int b = 0; b < draw->count; b++)
        draw->lengths[b] = length;
    draw->stride = length + random_below(draw->random, 3);
    if (random_chance(draw->random, 25))
        draw->stride = -draw->stride;
}

static void draw_lengths(struct draw *draw)
{
    for (int b = 0; b < draw->count; b++)
        draw->lengths[b] = random_between(draw->random, 0, draw->lengths[b]);
    draw->lengths[0] += draw->lengths[0] == 0; // a shape has a cell
}

static void place_regularly(struct draw *draw, MPI_Aint stride)
{
    for (int b = 0; b < draw->count; b++)
        draw->blocks[b] = (struct block){b * stride, draw->lengths[b]};
}

static void place_irregularly(struct draw *draw)
{
    for (int b = 0; b < draw->count; b++)
        draw->blocks[b] =
            (struct block){draw->places[b] * draw->inner->extent, draw->lengths[b]};
}

static MPI_Datatype make_contiguous(struct draw *draw)
{
    MPI_Datatype type;
    place_regularly(draw, draw->lengths[0] * draw->inner->extent);
    MPI_Type_contiguous(draw->count * draw->lengths[0], draw->inner->type, &type);
    return type;
}

static MPI_Datatype make_vector(struct draw *draw)
{
    MPI_Datatype type;
    place_regularly(draw, draw->stride * draw->inner->extent);
    MPI_Type_vector(draw->count, draw->lengths[0], draw->stride, draw->inner->type,
                    &type);
    return type;
}

static MPI_Datatype make_hvector(struct draw *draw)
{
    MPI_Datatype type;
    MPI_Aint stride = draw->stride * draw->inner->extent;
    place_regularly(draw, stride);
    MPI_Type_create_hvector(draw->count, draw->lengths[0], stride, draw->inner->type,
                            &type);
    return type;
}

static MPI_Datatype make_indexed(struct draw *draw)
{
    MPI_Datatype type;
    draw_lengths(draw);
    draw_places(draw);
    place_irregularly(draw);
    MPI_Type_indexed(draw->count, draw->lengths, draw->places, draw->inner->type,
                     &type);
    return type;
}

static MPI_Datatype make_indexed_block(struct draw *draw)
{
    MPI_Datatype type;
    draw_places(draw);
    place_irregularly(draw);
    MPI_Type_create_indexed_block(draw->count, draw->lengths[0], draw->places,
                                  draw->inner->type, &type);
    return type;
}

static MPI_Datatype make_hindexed(struct draw *draw)
{
    MPI_Datatype type;
    MPI_Count lengths[MOST_BLOCKS], displacements[MOST_BLOCKS];
    draw_lengths(draw);
    draw_places(draw);
    place_irregularly(draw);
    for (int b = 0; b < draw->count; b++) {
        lengths[b] = draw->lengths[b];
        displacements[b] = draw->blocks[b].displacement;
    }
    MPI_Type_create_hindexed_c(draw->count, lengths, displacements, draw->inner->type,
                               &type);
    return type;
}

static MPI_Datatype make_struct(struct draw *draw)
{
    MPI_Datatype type, types[MOST_BLOCKS];
    MPI_Aint displacements[MOST_BLOCKS];
    draw_lengths(draw);
    draw_places(draw);
    place_irregularly(draw);
    for (int b = 0; b < draw->count; b++) {
        types[b] = draw->inner->type;
        displacements[b] = draw->blocks[b].displacement;
    }
    MPI_Type_create_struct(draw->count, draw->lengths, displacements, types, &type);
    return type;
}

// Columns of a matrix: as many rows as there are blocks.
static MPI_Datatype make_subarray(struct draw *draw)
{
    MPI_Datatype type;
    int before = random_below(draw->random, 3), behind = random_below(draw->random, 3);
    int rows[2] = {draw->count, before + draw->lengths[0] + behind};
    int part[2] = {draw->count, draw->lengths[0]}, start[2] = {0, before};
    MPI_Aint step = draw->inner->extent;
    place_regularly(draw, rows[1] * step);
    for (int b = 0; b < draw->count; b++)
        draw->blocks[b].displacement += before * step;
    draw->is_resized = true;
    draw->extent = rows[0] * rows[1] * step;
    MPI_Type_create_subarray(2, rows, part, start, MPI_ORDER_C, draw->inner->type,
                             &type);
    return type;
}

// More room before and behind.
static MPI_Datatype make_resized(struct draw *draw)
{
    MPI_Datatype type;
    MPI_Aint step = draw->inner->extent;
    int before = random_below(draw->random, 3), behind = random_below(draw->random, 3);
    draw->count = draw->lengths[0] = 1;
    place_regularly(draw, 0);
    draw->is_resized = true;
    draw->lower = draw->inner->lower - before * step;
    draw->extent = (before + 1 + behind) * step;
    MPI_Type_create_resized(draw->inner->type, draw->lower, draw->extent, &type);
    return type;
}

typedef MPI_Datatype maker(struct draw *draw);
static maker *const makers[] = {make_contiguous, make_vector,        make_hvector,
                                make_indexed,    make_indexed_block, make_hindexed,
                                make_struct,     make_subarray,      make_resized};

static struct shape shape_around(struct shape *inner, struct random *random, int most)
{
    struct draw draw = {.random = random, .inner = inner};
    draw_blocks(&draw, most);
    MPI_Datatype type =
        makers[random_below(random, sizeof makers / sizeof *makers)](&draw);
    struct shape outer = combine(inner, draw.blocks, draw.count);
    if (draw.is_resized) {
        outer.lower = draw.lower;
        outer.extent = draw.extent;
    }
    outer.type = type;
    shape_free(inner);
    return outer;
}

struct shape shape_any(const struct cell *cell, struct random *random, int most)
{
    struct shape shape = shape_of_cell(cell);
    int depth = random_chance(random, 40) ? 0 : random_between(random, 1, 3);
    for (int i = 0; i < depth; i++)
        shape = shape_around(&shape, random, most / shape.cells);
    if (shape.is_derived)
        MPI_Type_commit(&shape.type);
    return shape;
}

void shape_span(const struct shape *shape, size_t cell_bytes, int cells,
                MPI_Aint *first, MPI_Aint *last)
{
    *first = *last = 0;
    for (int i = 0; i < cells; i++) {
        MPI_Aint at = shape_at(shape, i);
        if (i == 0 || at < *first)
            *first = at;
        if (i == 0 || at + (MPI_Aint)cell_bytes > *last)
            *last = at + (MPI_Aint)cell_bytes;
    }
}

struct buffer buffer_make(const struct cell *cell, struct shape shape, int count,
                          uint64_t seed, bool is_here)
{
    enum { MARGIN = 16 };
    MPI_Aint first, last;
    int cells = count * shape.cells;
    shape_span(&shape, cell->bytes, cells, &first, &last);
    struct buffer buffer = {.shape = shape, .count = count};
    buffer.bytes = (size_t)(last - first) + 2 * MARGIN;
    buffer.zero = MARGIN - first;
    buffer.expected = allocate(buffer.bytes);
    memset(buffer.expected, (int)(seed % 251), buffer.bytes);
    for (int i = 0; i < cells; i++)
        cell_fill(cell, buffer_cell(&buffer, i), 1, seed + (uint64_t)i);
    if (is_here) {
        buffer.real = allocate(buffer.bytes);
        memcpy(buffer.real, buffer.expected, buffer.bytes);
    }
    return buffer;
}

void buffer_free(struct buffer *buffer)
{
    shape_free(&buffer->shape);
    free(buffer->real);
    free(buffer->expected);
    *buffer = (struct buffer){0};
}
