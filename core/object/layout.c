// SPDX-License-Identifier: BSD-3-Clause
// Building layouts and finding their runs by number.
#include "object/layout.h"

#include <stdlib.h>
#include <string.h>

enum { USUAL_DEPTH = 4 };

static size_t layout_bytes(int room)
{
    return sizeof(struct layout) + (size_t)room * sizeof(struct dimension);
}

static void *no_memory(void)
{
    fail(MPI_ERR_NO_MEM, "no memory for the layout of a datatype");
    return NULL;
}

// The innermost dimension of a block is one run.
static void count_runs(struct layout *layout)
{
    bool has_parts = layout->part_count > 0;
    layout->runs = has_parts ? layout->part_runs : 1;
    for (int i = 0; i < layout->depth - !has_parts; i++)
        layout->runs *= layout->dimensions[i].count;
}

struct layout *layout_of_block(size_t bytes)
{
    struct layout *layout = malloc(layout_bytes(USUAL_DEPTH));
    if (layout == NULL)
        return no_memory();
    *layout = (struct layout){
        .references = 1, .room = USUAL_DEPTH, .block = bytes, .runs = 1};
    return layout;
}

static void free_parts(struct part *parts, MPI_Count part_count)
{
    for (MPI_Count i = 0; i < part_count; i++)
        layout_release(parts[i].layout);
    free(parts);
}

struct layout *layout_of_parts(struct part *parts, MPI_Count part_count)
{
    struct layout *layout = layout_of_block(0);
    if (layout == NULL) {
        free_parts(parts, part_count);
        return NULL;
    }
    layout->part_count = part_count;
    layout->parts = parts;
    for (MPI_Count i = 0; i < part_count; i++) {
        parts[i].first_run = layout->part_runs;
        layout->part_runs += parts[i].layout->runs;
    }
    count_runs(layout);
    return layout;
}

static struct part *copy_parts(const struct part *parts, MPI_Count part_count)
{
    size_t bytes = (size_t)part_count * sizeof *parts;
    struct part *copy = malloc(bytes);
    if (copy == NULL)
        return no_memory();
    memcpy(copy, parts, bytes);
    for (MPI_Count i = 0; i < part_count; i++)
        layout_retain(copy[i].layout);
    return copy;
}

struct layout *layout_copy(const struct datatype *type)
{
    const struct layout *from = type->layout;
    if (from == NULL)
        return layout_of_block((size_t)type->size);
    struct layout *copy = malloc(layout_bytes(from->room));
    if (copy == NULL)
        return no_memory();
    memcpy(copy, from, layout_bytes(from->depth));
    atomic_init(&copy->references, 1);
    if (from->part_count > 0) {
        copy->parts = copy_parts(from->parts, from->part_count);
        if (copy->parts == NULL) {
            free(copy);
            return NULL;
        }
    }
    return copy;
}

// Makes `outer` the outermost dimension.
static struct layout *add_dimension(struct layout *layout, struct dimension outer)
{
    if (layout->depth == layout->room) {
        int room = layout->room + USUAL_DEPTH;
        struct layout *grown = realloc(layout, layout_bytes(room));
        if (grown == NULL) {
            layout_release(layout);
            return no_memory();
        }
        layout = grown;
        layout->room = room;
    }
    struct dimension *dimensions = layout->dimensions;
    memmove(dimensions + 1, dimensions, (size_t)layout->depth * sizeof *dimensions);
    dimensions[0] = outer;
    layout->depth++;
    count_runs(layout);
    return layout;
}

struct layout *layout_repeat(struct layout *layout, MPI_Count count, MPI_Aint stride)
{
    struct dimension *outer = layout->dimensions;
    MPI_Aint reach;
    if (count == 1)
        return layout;
    if (layout_is_block(layout) && stride == (MPI_Aint)layout->block) {
        layout->block *= (size_t)count;
        return layout;
    }
    if (layout->depth > 0 && stride != 0 &&
        !__builtin_mul_overflow(outer->count, outer->stride, &reach) &&
        stride == reach) {
        outer->count *= count;
        count_runs(layout);
        return layout;
    }
    return add_dimension(layout, (struct dimension){count, stride});
}

void layout_retain(struct layout *layout)
{
    atomic_fetch_add_explicit(&layout->references, 1, memory_order_relaxed);
}

void layout_release(struct layout *layout)
{
    if (layout == NULL ||
        atomic_fetch_sub_explicit(&layout->references, 1, memory_order_acq_rel) != 1)
        return;
    free_parts(layout->parts, layout->part_count);
    free(layout);
}

// The displacement of pass number `index` through the outer `depth` dimensions.
static MPI_Aint pass_offset(const struct layout *layout, int depth, MPI_Count index)
{
    MPI_Aint offset = 0;
    while (depth-- > 0 && index > 0) {
        const struct dimension *dimension = &layout->dimensions[depth];
        offset += index % dimension->count * dimension->stride;
        index /= dimension->count;
    }
    return offset;
}

// The part that has run number `index` of a pass.
static const struct part *part_find(const struct layout *layout, MPI_Count index)
{
    MPI_Count low = 0, high = layout->part_count;
    while (high - low > 1) {
        MPI_Count middle = low + (high - low) / 2;
        if (layout->parts[middle].first_run <= index)
            low = middle;
        else
            high = middle;
    }
    return &layout->parts[low];
}

struct run layout_run(const struct layout *layout, MPI_Count index)
{
    MPI_Aint offset = 0;
    while (layout->part_count > 0) {
        offset += pass_offset(layout, layout->depth, index / layout->part_runs);
        index %= layout->part_runs;
        const struct part *part = part_find(layout, index);
        offset += part->displacement;
        index -= part->first_run;
        layout = part->layout;
    }
    if (layout->depth == 0)
        return (struct run){offset, 1, 0, layout->block};
    const struct dimension *inner = &layout->dimensions[layout->depth - 1];
    offset += pass_offset(layout, layout->depth - 1, index);
    return (struct run){offset, inner->count, inner->stride, layout->block};
}
