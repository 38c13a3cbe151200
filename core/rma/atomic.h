// SPDX-License-Identifier: BSD-3-Clause
// Element-wise atomicity (MPI-4.1 12.7.1). All mixes of accumulates on one location are
// atomic together, for all origins and means. The granularity of the memory's lock record
// says how: by element, the basic type and the alignment of an element alone decide
// whether it is updated by instructions, as aligned ones of 1, 2, 4, 8 and, where the
// machine can, 16 bytes are, or under a stripe; by block, all are updated by plain loops
// under the stripe of their block.
#pragma once

#include "window/window.h"

// target[i] = in[i] op target[i] for i < count, each atomically; count > 0. Only
// `target` is aligned.
typedef void atomic_update(const void *in, void *target, MPI_Count count);
// The same; result[i] is what target[i] was.
typedef void atomic_fetch(const void *in, void *result, void *target, MPI_Count count);

// *result = *target, and *target = *origin if it was equal to *compare.
typedef void atomic_swap(const void *origin, const void *compare, void *result,
                         void *target);

struct atomic_type {
    size_t size;        // bytes of data in an element
    size_t value_bytes; // pairs whose C type has padding: of the value; else `size`
    size_t index_at;    // where the index of such a pair is in the element
};
// By number of the basic type. Generated from spec.
extern const struct atomic_type atomic_types[];
// By basic_row() + op_index(); NULL: under a stripe.
extern atomic_update *const atomic_updates[];
extern atomic_fetch *const atomic_fetches[];
extern atomic_swap *const atomic_swaps[]; // by row; NULL: not defined for the type

static inline const struct atomic_type *atomic_type_of(const struct basic *basic)
{
    return &atomic_types[basic->number];
}

// Its elements are not blocks, or do not fill the distance between two.
static inline bool is_padded(const struct atomic_type *type)
{
    return type->value_bytes != type->size;
}

static inline bool is_aligned(const void *address, const struct basic *basic)
{
    return ((uintptr_t)address & (basic->bytes - 1)) == 0;
}

static inline atomic_swap *atomic_swap_of(const struct basic *basic)
{
    return atomic_swaps[basic_row(basic) >> OP_BITS];
}

static inline bool is_replace(const struct op *op)
{
    return op->code == (int)(intptr_t)MPI_REPLACE;
}

static inline bool is_no_op(const struct op *op)
{
    return op->code == (int)(intptr_t)MPI_NO_OP;
}

// MPI-4.1 12.3.4: may elements of this type be combined by the operation?
static inline bool is_defined(const struct op *op, const struct basic *basic)
{
    return is_replace(op) || is_no_op(op) || basic->kernels[op_index(op)] != NULL;
}

// An update of elements of one type in exposed memory that is mapped here.
struct update {
    const struct basic *basic;
    const struct op *op; // not used by update_swap
    char *base;          // of the memory
    struct lock_record *lock_record;
    bool is_excluding; // an exclusive lock keeps all other updaters out
};

// So many bytes of elements are few: by instructions they take no longer than by loops
// over vectors and a lock.
enum { FEW_BYTES = 32 };

// Combines `count` elements that follow each other in memory, at `offset` from the
// base; `in` is NULL for MPI_NO_OP, `result` where nothing is fetched.
void update_elements(const struct update *update, const void *in, uint64_t offset,
                     void *result, MPI_Count count);
void update_swap(const struct update *update, const void *origin, const void *compare,
                 uint64_t offset, void *result);

// The same at an address of a peer's memory, for a predefined type and, of the update, an
// operation that has a kernel.
void update_mapped(const struct peer *peer, const void *in, char *target, void *result,
                   MPI_Count count, const struct datatype *type, uintptr_t op);
void swap_mapped(const struct peer *peer, const void *origin, const void *compare,
                 char *target, void *result, const struct datatype *type);
