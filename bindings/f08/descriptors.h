// SPDX-License-Identifier: BSD-3-Clause
// Choice buffers of Fortran (TYPE(*), DIMENSION(..)) as buffers of C.
//
// Glossary
//   descriptor   what Fortran passes for such an argument (Fortran 2018 18.5)
//   section      an array whose elements do not follow each other in memory
//   buffer       what C gets: address, count, datatype; how to undo it after the call
#pragma once

#include <ISO_Fortran_binding.h>
#include <language.h>

#define unlikely(condition) __builtin_expect(!!(condition), 0)

// The elements follow each other in memory. Dimensions of extent 1 have no neighbours,
// an empty array has no elements, the last extent of an assumed-size array is -1.
static inline bool is_contiguous(const CFI_cdesc_t *descriptor)
{
    CFI_index_t distance = (CFI_index_t)descriptor->elem_len;
    bool is_packed = true;
    for (int i = 0; i < descriptor->rank; i++) {
        const CFI_dim_t *dimension = &descriptor->dim[i];
        if (dimension->extent == 0)
            return true;
        if (dimension->extent != 1 && dimension->sm != distance)
            is_packed = false;
        distance *= dimension->extent;
    }
    return is_packed;
}

// The usual case of it: a scalar, or elements of one dimension.
static inline bool is_simple(const CFI_cdesc_t *descriptor)
{
    return descriptor->rank == 0 ||
           (descriptor->rank == 1 &&
            descriptor->dim[0].sm == (CFI_index_t)descriptor->elem_len);
}

// The address for C: that of the first element, or what a sentinel such as MPI_BOTTOM
// stands for. Sentinels are scalars.
void *sentinel_address(void *address);
static inline void *address_of(const CFI_cdesc_t *descriptor)
{
    void *address = descriptor->base_addr;
    return descriptor->rank == 0 ? sentinel_address(address) : address;
}

// The same for arguments of a type of their own; sentinels such as MPI_STATUS_IGNORE.
void *oriel_address_unless_ignored(void *address);

struct buffer {
    void *address;
    MPI_Count count;
    MPI_Datatype type;
    const CFI_cdesc_t *copied; // `address` is a packed copy of this section
    bool has_type;             // `type` was made for this call
};

// Make a buffer of a section, or of an array that happens to be contiguous. They return
// 0 or an error class with its text set; either way the buffer can be closed.
//
// For calls that only start communication: a section gets a datatype that names its
// elements, used once.
int buffer_typed(struct buffer *buffer, const CFI_cdesc_t *descriptor, MPI_Count count,
                 MPI_Datatype type);
// For calls that complete the communication: a section is packed into a copy, as
// Fortran itself does for a procedure that wants contiguous memory.
int buffer_copied(struct buffer *buffer, const CFI_cdesc_t *descriptor);
// For calls that put the memory as a whole to use: a section is an error.
int buffer_whole(struct buffer *buffer, const CFI_cdesc_t *descriptor, const char *name);
// Undoes the above. A packed copy that the call has changed goes back into its section.
void buffer_close(struct buffer *buffer, bool is_changed);

// The bytes of a variable, or of an element of an array.
int oriel_element_bytes(const CFI_cdesc_t *descriptor);
