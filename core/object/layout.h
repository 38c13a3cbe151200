// SPDX-License-Identifier: BSD-3-Clause
// Layouts: where the bytes of one element of a datatype lie. A layout is a loop nest
// over either one block or a list of parts, each a layout at a displacement. Its size
// does not depend on the counts.
#pragma once

#include "object/object.h"

struct dimension {
    MPI_Count count;
    MPI_Aint stride; // bytes
};

struct part {
    MPI_Aint displacement;
    struct layout *layout;
    MPI_Count first_run; // its number in one pass over the parts
};

struct layout {
    _Atomic(uint32_t) references;
    int depth;    // number of dimensions
    int room;     // so many need no more memory
    size_t block; // bytes, when there are no parts
    MPI_Count part_count;
    MPI_Count part_runs;           // of one pass over the parts
    MPI_Count runs;                // of the whole element
    struct part *parts;            // in type-map order
    struct dimension dimensions[]; // outermost first
};

// Makers return NULL after fail(MPI_ERR_NO_MEM).
struct layout *layout_of_block(size_t bytes);
// Takes over `parts`, also on failure, and the references in it; first_run is set here.
struct layout *layout_of_parts(struct part *parts, MPI_Count part_count);
// A layout like that of the type, which the caller may change.
struct layout *layout_copy(const struct datatype *type);
// The layout `count` times at distances of `stride`; `count` is at least 1. Takes over
// the reference, also on failure. Merges adjacent blocks and dimensions.
struct layout *layout_repeat(struct layout *layout, MPI_Count count, MPI_Aint stride);
void layout_retain(struct layout *layout);
void layout_release(struct layout *layout); // NULL is allowed

// Blocks of equal length at equal distances.
struct run {
    MPI_Aint offset; // of the first block
    MPI_Count count;
    MPI_Aint stride;
    size_t block; // bytes
};
struct run layout_run(const struct layout *layout, MPI_Count index);

static inline bool layout_is_block(const struct layout *layout)
{
    return layout->depth == 0 && layout->part_count == 0;
}
