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
    if (layout == NULL) {
        size_t bytes = (size_t)(blocks->count * type->size);
        return only_run(blocks, bytes, 1);
    }
    if (layout_is_block(layout))
        return only_run(blocks, layout->block, blocks->count);
    MPI_Count element = blocks->run / layout->runs;
    if (element >= blocks->count)
        return false;
    struct run run = layout_run(layout, blocks->run % layout->runs);
    blocks->run++;
    blocks->left = run.count;
    blocks->offset = run.offset + (MPI_Aint)(element * type->extent);
    blocks->stride = run.stride;
    blocks->bytes = run.block;
    return true;
}

// Copies blocks of a size that the compiler knows.
static inline void copy_fixed(char *to, MPI_Aint to_stride, const char *from,
                              MPI_Aint from_stride, MPI_Count count, size_t bytes)
{
    for (; count > 0; count--, to += to_stride, from += from_stride)
        memcpy(to, from, bytes);
}

static void copy_blocks(char *to, MPI_Aint to_stride, const char *from,
                        MPI_Aint from_stride, MPI_Count count, size_t bytes)
{
    switch (bytes) {
    case 4:
        copy_fixed(to, to_stride, from, from_stride, count, 4);
        break;
    case 8:
        copy_fixed(to, to_stride, from, from_stride, count, 8);
        break;
    case 16:
        copy_fixed(to, to_stride, from, from_stride, count, 16);
        break;
    default:
        copy_fixed(to, to_stride, from, from_stride, count, bytes);
    }
}

void datatype_pack(const struct datatype *type, MPI_Count count, const void *buffer,
                   void *packed)
{
    const char *from = buffer;
    char *to = packed;
    struct blocks blocks = blocks_of(type, count);
    while (blocks_next_run(&blocks)) {
        copy_blocks(to, (MPI_Aint)blocks.bytes, from + blocks.offset, blocks.stride,
                    blocks.left, blocks.bytes);
        to += (size_t)blocks.left * blocks.bytes;
    }
}

void datatype_unpack(const struct datatype *type, MPI_Count count, void *buffer,
                     const void *packed)
{
    char *to = buffer;
    const char *from = packed;
    struct blocks blocks = blocks_of(type, count);
    while (blocks_next_run(&blocks)) {
        copy_blocks(to + blocks.offset, blocks.stride, from, (MPI_Aint)blocks.bytes,
                    blocks.left, blocks.bytes);
        from += (size_t)blocks.left * blocks.bytes;
    }
}
