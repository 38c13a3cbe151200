// SPDX-License-Identifier: BSD-3-Clause
// Layouts: where the bytes of one element of a datatype lie. A layout is a loop nest
// over one block, a list of blocks, or a list of parts, each a layout at a displacement.
// Layouts do not change once they are made, so that datatypes share them.
#pragma once

#include "datatype/datatype.h"

struct dimension {
    MPI_Count count;
    MPI_Aint stride; // bytes
};

struct block {
    MPI_Aint displacement;
    size_t bytes;
};

struct part {
    MPI_Aint displacement;
    struct layout *layout;
    MPI_Count first_run; // its number in one pass over the parts
};

struct layout {
    _Atomic(uint32_t) references;
    int depth;             // number of dimensions
    MPI_Aint displacement; // of the first pass
    size_t block;          // bytes, where there is no list
    // In type-map order; at most one of the lists is not empty.
    MPI_Count block_count, part_count;
    struct block *blocks;
    struct part *parts;
    MPI_Count pass_runs;           // of one pass over the block or list
    MPI_Count runs;                // of the whole element
    struct dimension dimensions[]; // outermost first
};

// Makers return NULL after fail(MPI_ERR_NO_MEM).
struct layout *layout_of_block(MPI_Aint displacement, size_t bytes);
// Take over the list, also on failure, and the references in it; first_run is set here.
// A list of equal steps becomes a dimension.
struct layout *layout_of_blocks(struct block *blocks, MPI_Count block_count);
struct layout *layout_of_parts(struct part *parts, MPI_Count part_count);
void parts_free(struct part *parts, MPI_Count part_count);
// The layout of a type, with a reference for the caller.
struct layout *layout_of_type(const struct datatype *type);
// The layout `count` times at distances of `stride`, the first at `displacement`;
// `count` is at least 1. Takes over the reference, also on failure; NULL gives NULL.
// Adjacent blocks and dimensions are merged.
struct layout *layout_repeat(struct layout *layout, MPI_Aint displacement,
                             MPI_Count count, MPI_Aint stride);
void layout_retain(struct layout *layout);
void layout_release(struct layout *layout); // NULL is allowed

// Whether counts of runs and numbers of first runs follow from the lists and dimensions,
// in all parts; and the bytes of data.
bool layout_is_valid(const struct layout *layout, MPI_Count *bytes);

struct run layout_run(const struct layout *layout, MPI_Count index);

static inline bool layout_has_list(const struct layout *layout)
{
    return layout->block_count + layout->part_count > 0;
}

static inline bool layout_is_block(const struct layout *layout)
{
    return layout->depth == 0 && !layout_has_list(layout);
}
