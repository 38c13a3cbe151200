// SPDX-License-Identifier: BSD-3-Clause
// Walking over typed buffers, and copying between them and packed ones (MPI-4.1 5.2).
#include "datatype/layout.h"

#include <oriel_core.h>
#include <string.h>

// ---- the cursor -----------------------------------------------------------------
// `count` elements of one block each are one run.
static bool only_run(struct blocks *blocks, MPI_Aint displacement, size_t bytes,
                     MPI_Count count)
{
    if (blocks->run > 0 || count == 0 || bytes == 0)
        return false;
    blocks->run = 1;
    blocks->left = count;
    blocks->offset = displacement;
    blocks->stride = (MPI_Aint)blocks->type->extent;
    blocks->bytes = bytes;
    return true;
}

bool blocks_next_run(struct blocks *blocks)
{
    const struct datatype *type = blocks->type;
    const struct layout *layout = type->layout;
    if (layout == NULL)
        return only_run(blocks, 0, (size_t)(blocks->count * type->size), 1);
    if (layout_is_block(layout))
        return only_run(blocks, layout->displacement, layout->block, blocks->count);
    MPI_Count element = 0, index = blocks->run;
    if (index >= layout->runs) { // the usual case needs no division
        element = index / layout->runs;
        index %= layout->runs;
    }
    if (element >= blocks->count)
        return false;
    struct run run = layout_run(layout, index);
    blocks->run++;
    blocks->left = run.count;
    blocks->offset = run.offset + (MPI_Aint)(element * type->extent);
    blocks->stride = run.stride;
    blocks->bytes = run.block;
    return true;
}

// ---- copies -----------------------------------------------------------------------
void blocks_copy(struct blocks sources, const char *from, struct blocks targets,
                 char *to, size_t bytes)
{
    MPI_Aint source = 0, target = 0;
    for (size_t length, in = 0, out = 0; bytes > 0; bytes -= length) {
        if (in == 0)
            in = blocks_next(&sources, bytes, &source);
        if (out == 0)
            out = blocks_next(&targets, bytes, &target);
        length = in < out ? in : out;
        memmove(to + target, from + source, length);
        source += (MPI_Aint)length;
        target += (MPI_Aint)length;
        in -= length;
        out -= length;
    }
}

// Between a typed buffer and packed bytes; where this is inlined, the compiler knows
// the direction and the size of usual blocks.
static inline void pack_run(char *typed, MPI_Aint stride, char *packed, MPI_Count count,
                            size_t bytes, bool packing)
{
    for (; count > 0; count--, typed += stride, packed += bytes)
        copy_bytes(packing ? packed : typed, packing ? typed : packed, bytes);
}

// Returns where the packed bytes go on.
static inline char *pack_blocks(char *typed, MPI_Aint stride, char *packed,
                                MPI_Count count, size_t bytes, bool packing)
{
    switch (bytes) {
    case 4:
        pack_run(typed, stride, packed, count, 4, packing);
        break;
    case 8:
        pack_run(typed, stride, packed, count, 8, packing);
        break;
    case 16:
        pack_run(typed, stride, packed, count, 16, packing);
        break;
    default:
        pack_run(typed, stride, packed, count, bytes, packing);
    }
    return packed + (size_t)count * bytes;
}

static inline char *copy_list(const struct layout *layout, char *typed, char *packed,
                              bool packing)
{
    const struct block *end = layout->blocks + layout->block_count;
    for (const struct block *block = layout->blocks; block < end; block++)
        packed = pack_blocks(typed + block->displacement, 0, packed, 1, block->bytes,
                             packing);
    return packed;
}

// The dimensions from number `level` on, and what is inside them.
static char *copy_layout(const struct layout *layout, int level, char *typed,
                         char *packed, bool packing)
{
    static const struct dimension once = {1, 0};
    bool is_inside = level == layout->depth;
    struct dimension outer = is_inside ? once : layout->dimensions[level];
    if (level + 1 >= layout->depth && !layout_has_list(layout))
        return packing ? pack_blocks(typed, outer.stride, packed, outer.count,
                                     layout->block, true)
                       : pack_blocks(typed, outer.stride, packed, outer.count,
                                     layout->block, false);
    if (!is_inside) {
        for (; outer.count > 0; outer.count--, typed += outer.stride)
            packed = copy_layout(layout, level + 1, typed, packed, packing);
        return packed;
    }
    for (MPI_Count i = 0; i < layout->part_count; i++) {
        const struct part *part = &layout->parts[i];
        char *at = typed + part->displacement + part->layout->displacement;
        packed = copy_layout(part->layout, 0, at, packed, packing);
    }
    return packing ? copy_list(layout, typed, packed, true)
                   : copy_list(layout, typed, packed, false);
}

static void copy_typed(const struct datatype *type, MPI_Count count, char *typed,
                       char *packed, bool packing)
{
    const struct layout *layout = type->layout;
    if (count == 0 || type->size == 0)
        return;
    if (layout == NULL) {
        pack_run(typed, 0, packed, 1, (size_t)(count * type->size), packing);
        return;
    }
    if (layout_is_block(layout)) {
        pack_blocks(typed + layout->displacement, (MPI_Aint)type->extent, packed, count,
                    layout->block, packing);
        return;
    }
    for (; count > 0; count--, typed += type->extent)
        packed = copy_layout(layout, 0, typed + layout->displacement, packed, packing);
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

// ---- the procedures ---------------------------------------------------------------
int packed_check(MPI_Count size, MPI_Count position, MPI_Count bytes)
{
    if (position <= size && bytes <= size - position)
        return 0;
    return fail(MPI_ERR_TRUNCATE,
                "position = %jd: %jd bytes from there must be within the %jd of the "
                "packed buffer",
                (intmax_t)position, (intmax_t)bytes, (intmax_t)size);
}

int oriel_pack_size(MPI_Count incount, struct datatype *datatype,
                    struct communicator *comm, MPI_Count *size)
{
    (void)comm; // all processes have the same representation
    if (!__builtin_mul_overflow(incount, datatype->size, size))
        return 0;
    return fail(MPI_ERR_COUNT, "%jd elements of %jd bytes are too many",
                (intmax_t)incount, (intmax_t)datatype->size);
}

int oriel_pack(const void *inbuf, MPI_Count incount, struct datatype *datatype,
               void *outbuf, MPI_Count outsize, MPI_Count *position,
               struct communicator *comm)
{
    MPI_Count bytes;
    int err = oriel_pack_size(incount, datatype, comm, &bytes);
    if (!err)
        err = packed_check(outsize, *position, bytes);
    if (err)
        return err;
    datatype_pack(datatype, incount, inbuf, (char *)outbuf + *position);
    *position += bytes;
    return 0;
}

int oriel_unpack(const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf,
                 MPI_Count outcount, struct datatype *datatype,
                 struct communicator *comm)
{
    MPI_Count bytes;
    int err = oriel_pack_size(outcount, datatype, comm, &bytes);
    if (!err)
        err = packed_check(insize, *position, bytes);
    if (err)
        return err;
    datatype_unpack(datatype, outcount, outbuf, (const char *)inbuf + *position);
    *position += bytes;
    return 0;
}
