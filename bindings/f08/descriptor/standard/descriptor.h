// SPDX-License-Identifier: BSD-3-Clause
// What LLVM flang passes for TYPE(*), DIMENSION(..): the standard's own descriptor
// (Fortran 2018 18.5), to external procedures, too.
#pragma once

#include <ISO_Fortran_binding.h>
#include <stddef.h>

struct descriptor {
    CFI_cdesc_t standard;
};

static inline void *descriptor_address(const struct descriptor *descriptor)
{
    return descriptor->standard.base_addr;
}

static inline int descriptor_rank(const struct descriptor *descriptor)
{
    return descriptor->standard.rank;
}

static inline size_t descriptor_element_bytes(const struct descriptor *descriptor)
{
    return descriptor->standard.elem_len;
}

// The number of elements in dimension i; the last of an assumed-size array is -1.
static inline ptrdiff_t descriptor_extent(const struct descriptor *descriptor, int i)
{
    return descriptor->standard.dim[i].extent;
}

// The bytes between neighbours in dimension i.
static inline ptrdiff_t descriptor_stride(const struct descriptor *descriptor, int i)
{
    return descriptor->standard.dim[i].sm;
}
