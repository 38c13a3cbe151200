// SPDX-License-Identifier: BSD-3-Clause
// Building layouts and finding their runs by number.
#include "datatype/layout.h"

#include <stdlib.h>
#include <string.h>

static void *no_memory(void)
{
    fail(MPI_ERR_NO_MEM, "no memory for the layout of a datatype");
    return NULL;
}

static struct layout *layout_new(int depth)
{
    size_t bytes = sizeof(struct layout) + (size_t)depth * sizeof(struct dimension);
    struct layout *layout = malloc(bytes);
    if (layout == NULL)
        return no_memory();
    *layout =
        (struct layout){.references = 1, .depth = depth, .pass_runs = 1, .runs = 1};
    return layout;
}

// The innermost dimension of a block is one run.
static void count_runs(struct layout *layout)
{
    int counted = layout->depth;
    if (!layout_has_list(layout) && counted > 0)
        counted--;
    layout->runs = layout->pass_runs;
    for (int i = 0; i < counted; i++)
        layout->runs *= layout->dimensions[i].count;
}

struct layout *layout_of_block(MPI_Aint displacement, size_t bytes)
{
    struct layout *layout = layout_new(0);
    if (layout != NULL) {
        layout->displacement = displacement;
        layout->block = bytes;
    }
    return layout;
}

// ---- lists ----------------------------------------------------------------------
static bool are_regular_blocks(const struct block *blocks, MPI_Count count)
{
    MPI_Aint stride = count > 1 ? blocks[1].displacement - blocks[0].displacement : 0;
    for (MPI_Count i = 1; i < count; i++)
        if (blocks[i].bytes != blocks[0].bytes ||
            blocks[i].displacement - blocks[i - 1].displacement != stride)
            return false;
    return true;
}

struct layout *layout_of_blocks(struct block *blocks, MPI_Count block_count)
{
    struct layout *layout;
    if (are_regular_blocks(blocks, block_count)) {
        MPI_Aint first = blocks[0].displacement;
        MPI_Aint stride = block_count > 1 ? blocks[1].displacement - first : 0;
        layout = layout_repeat(layout_of_block(0, blocks[0].bytes), first, block_count,
                               stride);
        free(blocks);
        return layout;
    }
    layout = layout_new(0);
    if (layout == NULL) {
        free(blocks);
        return NULL;
    }
    layout->blocks = blocks;
    layout->block_count = layout->pass_runs = layout->runs = block_count;
    return layout;
}

void parts_free(struct part *parts, MPI_Count part_count)
{
    for (MPI_Count i = 0; i < part_count; i++)
        layout_release(parts[i].layout);
    free(parts);
}

static bool are_regular_parts(const struct part *parts, MPI_Count count)
{
    MPI_Aint stride = count > 1 ? parts[1].displacement - parts[0].displacement : 0;
    for (MPI_Count i = 1; i < count; i++)
        if (parts[i].layout != parts[0].layout ||
            parts[i].displacement - parts[i - 1].displacement != stride)
            return false;
    return true;
}

struct layout *layout_of_parts(struct part *parts, MPI_Count part_count)
{
    struct layout *layout;
    if (are_regular_parts(parts, part_count)) {
        MPI_Aint first = parts[0].displacement;
        MPI_Aint stride = part_count > 1 ? parts[1].displacement - first : 0;
        layout_retain(parts[0].layout);
        layout = layout_repeat(parts[0].layout, first, part_count, stride);
        parts_free(parts, part_count);
        return layout;
    }
    layout = layout_new(0);
    if (layout == NULL) {
        parts_free(parts, part_count);
        return NULL;
    }
    layout->parts = parts;
    layout->part_count = part_count;
    layout->pass_runs = 0;
    for (MPI_Count i = 0; i < part_count; i++) {
        parts[i].first_run = layout->pass_runs;
        layout->pass_runs += parts[i].layout->runs;
    }
    count_runs(layout);
    return layout;
}

// ---- repetition -----------------------------------------------------------------
// A layout that is only the given one, but may be changed: short ones are copied, lists
// become the only part.
static struct layout *layout_open(const struct layout *from, int more_dimensions)
{
    bool is_copied = from->block_count == 0 && from->part_count <= 1;
    int depth = is_copied ? from->depth : 0;
    struct layout *layout = layout_new(depth + more_dimensions);
    if (layout == NULL)
        return NULL;
    layout->depth = depth;
    struct part only = {0, (struct layout *)from, 0};
    if (is_copied) {
        layout->displacement = from->displacement;
        layout->block = from->block;
        memcpy(layout->dimensions, from->dimensions,
               (size_t)depth * sizeof *layout->dimensions);
        if (from->part_count == 0)
            return layout;
        only = from->parts[0];
    }
    layout->parts = malloc(sizeof only);
    if (layout->parts == NULL) {
        layout_release(layout);
        return no_memory();
    }
    layout_retain(only.layout);
    layout->parts[0] = only;
    layout->part_count = 1;
    layout->pass_runs = only.layout->runs;
    return layout;
}

// Do `count` repetitions continue the outermost dimension, or the block?
static bool layout_merges(struct layout *layout, MPI_Count count, MPI_Aint stride)
{
    struct dimension *outer = layout->dimensions;
    MPI_Aint reach;
    if (layout_is_block(layout) && stride == (MPI_Aint)layout->block) {
        layout->block *= (size_t)count;
        return true;
    }
    if (layout->depth > 0 && stride != 0 &&
        !__builtin_mul_overflow(outer->count, outer->stride, &reach) &&
        stride == reach) {
        outer->count *= count;
        return true;
    }
    return false;
}

struct layout *layout_repeat(struct layout *layout, MPI_Aint displacement,
                             MPI_Count count, MPI_Aint stride)
{
    if (layout == NULL || (count == 1 && displacement == 0))
        return layout;
    struct layout *made = layout_open(layout, 1);
    layout_release(layout);
    if (made == NULL)
        return NULL;
    made->displacement += displacement;
    if (count > 1 && !layout_merges(made, count, stride)) {
        struct dimension *dimensions = made->dimensions;
        memmove(dimensions + 1, dimensions, (size_t)made->depth * sizeof *dimensions);
        dimensions[0] = (struct dimension){count, stride};
        made->depth++;
    }
    count_runs(made);
    return made;
}

struct layout *layout_of_type(const struct datatype *type)
{
    if (type->layout == NULL)
        return layout_of_block(0, (size_t)type->size);
    layout_retain(type->layout);
    return type->layout;
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
    free(layout->blocks);
    parts_free(layout->parts, layout->part_count);
    free(layout);
}

// ---- runs -----------------------------------------------------------------------
// The displacement of pass number `index` through the outer `depth` dimensions.
static MPI_Aint pass_offset(const struct layout *layout, int depth, MPI_Count index)
{
    MPI_Aint offset = layout->displacement;
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
    if (layout->pass_runs == high)
        return &layout->parts[index]; // each has one
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
    while (layout_has_list(layout)) {
        MPI_Count pass = 0;
        if (index >= layout->pass_runs) {
            pass = index / layout->pass_runs;
            index %= layout->pass_runs;
        }
        offset += pass_offset(layout, layout->depth, pass);
        if (layout->block_count > 0) {
            const struct block *block = &layout->blocks[index];
            return (struct run){offset + block->displacement, 1, 0, block->bytes};
        }
        const struct part *part = part_find(layout, index);
        offset += part->displacement;
        index -= part->first_run;
        layout = part->layout;
    }
    if (layout->depth == 0)
        return (struct run){offset + layout->displacement, 1, 0, layout->block};
    const struct dimension *inner = &layout->dimensions[layout->depth - 1];
    offset += pass_offset(layout, layout->depth - 1, index);
    return (struct run){offset, inner->count, inner->stride, layout->block};
}
