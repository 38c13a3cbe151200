// SPDX-License-Identifier: BSD-3-Clause
// Choice buffers of Fortran (TYPE(*), DIMENSION(..)) as buffers of C.
//
// Glossary
//   descriptor   what the Fortran compiler passes for such an argument (Fortran 2018 18.5)
//   section      an array whose elements do not follow each other in memory
//   buffer       what C gets: address, count, datatype; and how to undo it after the call
#pragma once

#include <ISO_Fortran_binding.h>
#include <oriel.h>

struct buffer {
    void *address;
    MPI_Count count;
    MPI_Datatype type;
    const CFI_cdesc_t *copied; // `address` is a packed copy of this section
    bool has_type;             // `type` was made for this call
};

// The elements follow each other in memory. Dimensions of extent 1 have no neighbours, an
// empty array has no elements, the last extent of an assumed-size array is -1.
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

// The address for C: that of the first element, or what a sentinel such as MPI_BOTTOM
// stands for. Sentinels are scalars.
void *sentinel_address(void *address);
static inline void *buffer_address(const CFI_cdesc_t *descriptor)
{
    void *address = descriptor->base_addr;
    return descriptor->rank == 0 ? sentinel_address(address) : address;
}

// The following return 0 or an error class with its text set; after an error, too, the
// buffer must be closed.

// For calls that only start communication: a section gets a datatype that names its
// elements, used once.
int section_to_type(struct buffer *buffer, const CFI_cdesc_t *descriptor);
static inline int buffer_typed(struct buffer *buffer, const CFI_cdesc_t *descriptor,
                               MPI_Count count, MPI_Datatype type)
{
    *buffer = (struct buffer){buffer_address(descriptor), count, type, NULL, false};
    return is_contiguous(descriptor) ? 0 : section_to_type(buffer, descriptor);
}

// For calls that complete the communication: a section is packed into a copy, as Fortran
// itself does for a procedure that wants contiguous memory.
int section_to_copy(struct buffer *buffer, const CFI_cdesc_t *descriptor);
static inline int buffer_copied(struct buffer *buffer, const CFI_cdesc_t *descriptor)
{
    *buffer = (struct buffer){.address = buffer_address(descriptor)};
    return is_contiguous(descriptor) ? 0 : section_to_copy(buffer, descriptor);
}

// For calls after which the memory stays in use as a whole: a section is an error.
int refuse_section(const char *name);
static inline int buffer_contiguous(struct buffer *buffer, const CFI_cdesc_t *descriptor,
                                    const char *name)
{
    *buffer = (struct buffer){.address = buffer_address(descriptor)};
    return is_contiguous(descriptor) ? 0 : refuse_section(name);
}

// Undoes the above. A packed copy goes back into its section if the call has changed it.
void close_section(struct buffer *buffer, bool is_changed);
static inline void buffer_close(struct buffer *buffer, bool is_changed)
{
    if (unlikely(buffer->has_type || buffer->copied != NULL))
        close_section(buffer, is_changed);
}
