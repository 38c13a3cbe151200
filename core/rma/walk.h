// SPDX-License-Identifier: BSD-3-Clause
// The pieces of an operation in the order of the type maps.
#pragma once

#include "rma/operation.h"

// One buffer of a walk. A contiguous one has no need of a cursor.
struct side {
    bool is_contiguous;
    MPI_Aint at;
    struct blocks blocks;
};
struct walk {
    struct side origin, target;
    MPI_Aint origin_at; // of what is left of the origin's current block
    size_t origin_left;
    size_t left; // of the operation
};
// Bytes that are contiguous at the origin and at the target.
struct piece {
    MPI_Aint origin, target; // offsets from the two buffers' addresses
    size_t bytes;
};

static inline void side_begin(struct side *side, const struct datatype *type,
                              MPI_Count count)
{
    side->is_contiguous = type->is_contiguous;
    side->at = 0;
    if (!side->is_contiguous)
        side->blocks = blocks_of(type, count);
}

static inline void walk_begin(struct walk *walk, const struct operation *operation)
{
    side_begin(&walk->origin, operation->origin.type, operation->origin.count);
    side_begin(&walk->target, operation->target.type, operation->target.count);
    walk->origin_left = 0;
    walk->left = operation->bytes;
}

static inline size_t side_next(struct side *side, size_t limit, MPI_Aint *offset)
{
    if (!side->is_contiguous)
        return blocks_next(&side->blocks, limit, offset);
    *offset = side->at;
    side->at += (MPI_Aint)limit;
    return limit;
}

// The next piece; false when there are no more.
static inline bool walk_next(struct walk *walk, struct piece *piece)
{
    *piece = (struct piece){0};
    if (walk->left == 0)
        return false;
    if (walk->origin_left == 0)
        walk->origin_left = side_next(&walk->origin, walk->left, &walk->origin_at);
    piece->origin = walk->origin_at;
    piece->bytes = side_next(&walk->target, walk->origin_left, &piece->target);
    walk->origin_at += (MPI_Aint)piece->bytes;
    walk->origin_left -= piece->bytes;
    walk->left -= piece->bytes;
    return true;
}
