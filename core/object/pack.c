// SPDX-License-Identifier: BSD-3-Clause
// Walking over typed buffers, and copying between them and packed ones.
#include "object/layout.h"

#include <string.h>

// `count` elements of one block each are one run.
static bool only_run(struct blocks *blocks, size_t bytes, MPI_Count count)
{
    if (blocks->run > 0 || count == 0 || bytes == 0)
        return false;
    blocks->run = 1;
    blocks->left = count;
    blocks->offset = 0;
    blocks->stride = (MPI_Aint)blocks->type->extent;
    blocks->bytes = bytes;
    return true;
}

bool blocks_next_run(struct blocks *blocks)
{
    const struct datatype *type = blocks->type;
    const struct layout *layout = type->layout;
    if (layout == NULL)
        return only_run(blocks, (size_t)(blocks->count * type->size), 1);
    if (layout_is_block(layout))
        return only_run(blocks, layout->block, blocks->count);
    bool is_one_run = layout->runs == 1; // the usual case needs no division
    MPI_Count element = is_one_run ? blocks->run : blocks->run / layout->runs;
    if (element >= blocks->count)
        return false;
    struct run run = layout_run(layout, is_one_run ? 0 : blocks->run % layout->runs);
    blocks->run++;
    blocks->left = run.count;
    blocks->offset = run.offset + (MPI_Aint)(element * type->extent);
    blocks->stride = run.stride;
    blocks->bytes = run.block;
    return true;
}

// Between a typed buffer and packed bytes; where this is inlined, the compiler knows
// the direction and the size of usual blocks.
static inline void copy_run(char *typed, MPI_Aint stride, char *packed, MPI_Count count,
                            size_t bytes, bool packing)
{
    for (; count > 0; count--, typed += stride, packed += bytes)
        memcpy(packing ? packed : typed, packing ? typed : packed, bytes);
}

// Returns where the packed bytes go on.
static inline char *copy_blocks(char *typed, MPI_Aint stride, char *packed,
                                MPI_Count count, size_t bytes, bool packing)
{
    switch (bytes) {
    case 4:
        copy_run(typed, stride, packed, count, 4, packing);
        break;
    case 8:
        copy_run(typed, stride, packed, count, 8, packing);
        break;
    case 16:
        copy_run(typed, stride, packed, count, 16, packing);
        break;
    default:
        copy_run(typed, stride, packed, count, bytes, packing);
    }
    return packed + (size_t)count * bytes;
}

static inline void copy_typed(const struct datatype *type, MPI_Count count, char *typed,
                              char *packed, bool packing)
{
    const struct layout *layout = type->layout;
    if (layout != NULL && layout->depth == 1 && layout->part_count == 0) {
        // A plain vector needs no cursor.
        const struct dimension *only = layout->dimensions;
        for (; count > 0; count--, typed += type->extent)
            packed = copy_blocks(typed, only->stride, packed, only->count,
                                 layout->block, packing);
        return;
    }
    struct blocks blocks = blocks_of(type, count);
    while (blocks_next_run(&blocks))
        packed = copy_blocks(typed + blocks.offset, blocks.stride, packed, blocks.left,
                             blocks.bytes, packing);
}

void datatype_pack(const struct datatype *type, MPI_Count count, const void *buffer,
                   void *packed)
{
    copy_typed(type, count, (char *)buffer, packed, true);
}

void datatype_unpack(const struct datatype *type, MPI_Count count, void *buffer,
                     const void *packed)
{
    copy_typed(type, count, buffer, (char *)packed, false);
}
