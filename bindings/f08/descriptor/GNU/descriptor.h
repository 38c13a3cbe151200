// SPDX-License-Identifier: BSD-3-Clause
// What gfortran passes for TYPE(*), DIMENSION(..), since version 9. Its libgfortran.h is
// not installed; the probe proves this layout when the layer is configured.
#pragma once

#include <stddef.h>

struct descriptor {
    void *address;
    size_t offset;
    struct {
        size_t element_bytes;
        int version;
        signed char rank, type;
        short attribute;
    } type;
    ptrdiff_t span; // bytes that strides count
    struct {
        ptrdiff_t stride, lower, upper;
    } dimension[];
};

static inline void *descriptor_address(const struct descriptor *descriptor)
{
    return descriptor->address;
}

static inline int descriptor_rank(const struct descriptor *descriptor)
{
    return descriptor->type.rank;
}

static inline size_t descriptor_element_bytes(const struct descriptor *descriptor)
{
    return descriptor->type.element_bytes;
}

// The number of elements in dimension i; the last of an assumed-size array is -1.
static inline ptrdiff_t descriptor_extent(const struct descriptor *descriptor, int i)
{
    return descriptor->dimension[i].upper - descriptor->dimension[i].lower + 1;
}

// The bytes between neighbours in dimension i.
static inline ptrdiff_t descriptor_stride(const struct descriptor *descriptor, int i)
{
    return descriptor->dimension[i].stride * descriptor->span;
}
