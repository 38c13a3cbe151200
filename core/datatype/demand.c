// SPDX-License-Identifier: BSD-3-Clause
// Checks how much calls use of buffers that another language has copied: a packed copy
// of an array section ends where the section does.
#include "datatype/construct.h"
#include "datatype/contents.h"
#include "datatype/section.h"

struct demanded {
    struct datatype *type;
    MPI_Count count;
    MPI_Count start, unit; // how many units of so many bytes behind the buffer's begin
};

// A block that has `before` elements in the blocks before it. False for one that the
// procedure itself refuses.
static bool demand_block(const struct demand *demand, int index, MPI_Count before,
                         struct demanded *block)
{
    MPI_Datatype type = demand->types ? demand->types[index] : demand->type;
    block->type = handle_object(KIND_DATATYPE, (uintptr_t)type);
    block->count = demand->counts.at ? number_at(demand->counts, index) : demand->count;
    block->start =
        demand->displacements.at ? number_at(demand->displacements, index) : before;
    if (block->type == NULL || block->count < 0)
        return false;
    block->unit = demand->types ? 1 : block->type->extent;
    return true;
}

// Its bytes are among the first `bytes` of the buffer.
static bool block_is_inside(const struct demanded *block, MPI_Count bytes)
{
    MPI_Aint first, last;
    MPI_Count start;
    datatype_span(block->type, block->count, &first, &last);
    if (first == last)
        return true;
    return !__builtin_mul_overflow(block->start, block->unit, &start) &&
           !__builtin_add_overflow(first, start, &first) &&
           !__builtin_add_overflow(last, start, &last) && first >= 0 && last <= bytes;
}

int oriel_demand_check(const struct demand *demand, const char *name, MPI_Count bytes)
{
    MPI_Count before = 0;
    struct demanded block;
    for (int i = 0; i < demand->blocks && demand_block(demand, i, before, &block); i++)
        if (!block_is_inside(&block, bytes) ||
            __builtin_add_overflow(before, block.count, &before))
            return fail(MPI_ERR_BUFFER,
                        "%s: array section of %jd bytes is too small for block %d, of "
                        "%jd elements at displacement %jd",
                        name, (intmax_t)bytes, i, (intmax_t)block.count,
                        (intmax_t)block.start);
    return 0;
}

static bool demand_has(const struct demand *demand, int index)
{
    return demand->part == DEMAND_ALL ||
           (index == demand->own) == (demand->part == DEMAND_OWN);
}

// Appends all blocks to contents with room for them; false if the procedure refuses
// one.
static bool demand_list(const struct demand *demand, struct contents *contents)
{
    MPI_Count before = 0, *counts = &contents->numbers[1];
    MPI_Count *displacements = counts + demand->blocks;
    struct demanded block;
    contents->number_count = 1 + 2 * demand->blocks;
    contents->numbers[0] = demand->blocks;
    for (int i = 0; i < demand->blocks; i++) {
        if (!demand_block(demand, i, before, &block))
            return false;
        bool has_data =
            block.count > 0 && block.type->size > 0 && demand_has(demand, i);
        counts[i] = has_data ? block.count : 0;
        displacements[i] = has_data ? block.start * block.unit : 0;
        contents_add_type(contents, block.type);
        before += block.count;
    }
    return true;
}

int demand_type(const struct demand *demand, struct datatype **type)
{
    MPI_Count blocks = demand->blocks;
    struct contents *contents =
        contents_new(MPI_COMBINER_STRUCT, true, 1 + 2 * blocks, blocks);
    *type = NULL;
    if (contents != NULL && !demand_list(demand, contents)) {
        contents_free(contents);
        return 0;
    }
    int err = datatype_make(contents, type);
    if (!err)
        datatype_commit(*type);
    return err;
}
