// SPDX-License-Identifier: BSD-3-Clause
// Choice buffers of Fortran (TYPE(*), DIMENSION(..)) as buffers of C.
//
// Glossary
//   descriptor   what the compiler passes for such an argument (descriptor/*/)
//   section      an array whose elements do not follow each other in memory
//   buffer       what C gets: address, count, datatype; how to undo it after the call
#pragma once

#include <datatype/language.h>
#include <descriptor.h>
#include <sentinels.h>

#define unlikely(condition) __builtin_expect(!!(condition), 0)

// The elements follow each other in memory. Dimensions of extent 1 have no neighbours,
// an empty array has no elements, the last extent of an assumed-size array is -1. The
// rank is the descriptor's; if the compiler knows it, there is no loop.
static inline bool is_contiguous(const struct descriptor *descriptor, int rank)
{
    ptrdiff_t distance = (ptrdiff_t)descriptor_element_bytes(descriptor);
    bool is_packed = true;
    for (int i = 0; i < rank; i++) {
        ptrdiff_t extent = descriptor_extent(descriptor, i);
        if (extent == 0)
            return true;
        if (extent != 1 && descriptor_stride(descriptor, i) != distance)
            is_packed = false;
        distance *= extent;
    }
    return is_packed;
}

// The usual case of it: elements of one dimension, or a scalar that is no sentinel such
// as MPI_BOTTOM.
static inline bool is_simple(const struct descriptor *descriptor)
{
    int rank = descriptor_rank(descriptor);
    void *address = descriptor_address(descriptor);
    if (rank == 0)
        return sentinel_address(address) == address;
    return rank == 1 && descriptor_stride(descriptor, 0) ==
                            (ptrdiff_t)descriptor_element_bytes(descriptor);
}

// The address for C: that of the first element, or what a sentinel stands for.
static inline void *address_of(const struct descriptor *descriptor)
{
    void *address = descriptor_address(descriptor);
    return descriptor_rank(descriptor) == 0 ? sentinel_address(address) : address;
}

// What a procedure in Fortran gets for a buffer of that address: sentinels remain.
static inline void *address_for_fortran(void *address,
                                        const struct descriptor *descriptor)
{
    return address == address_of(descriptor) ? descriptor_address(descriptor) : address;
}

// The same as address_of for arguments of a type of their own, whose sentinels are such as
// MPI_STATUS_IGNORE. For Fortran.
void *oriel_address_unless_ignored(void *argument);

// For calls that only start communication: a section gets a datatype that names its
// elements. The buffer begins without a section. Returns 0 or an error class with its
// text set; either way the buffer can be closed.
int buffer_typed(struct typed_buffer *buffer, const struct descriptor *descriptor,
                 MPI_Count count, MPI_Datatype type);
static inline void typed_buffer_close(const struct typed_buffer *buffer)
{
    if (buffer->section)
        oriel_section_close(buffer->section);
}

// Memory that is contiguous: what the program gave, or a copy.
struct buffer {
    void *address;
    const struct descriptor *copied; // `address` is a packed copy of this section
};

// Begins with the program's address. For collective calls that only start: the request
// keeps a copy of a section, or the buffer is closed in place of it, without one or
// after a failure.
int buffer_kept(struct kept_buffer *buffer, const struct descriptor *descriptor,
                const char *name, const struct demand *demand);
static inline void kept_buffer_close(const struct kept_buffer *buffer, bool is_changed,
                                     MPI_Request request)
{
    if (buffer->copy && request != MPI_REQUEST_NULL)
        oriel_copy_keep(buffer->copy, is_changed, request);
    else if (buffer->copy)
        oriel_copy_close(buffer->copy, is_changed);
}

// Begins with the program's address. For calls that complete the communication: a
// section is packed into a copy, as Fortran itself does for a procedure that wants
// contiguous memory, if it has all that the call demands. This, too, may be closed
// whatever is returned.
int buffer_copied(struct buffer *buffer, const struct descriptor *descriptor,
                  const char *name, const struct demand *demand);
// For calls that put `bytes` of memory as a whole to use: its address, or what stands for
// a section or a smaller array. How much follows a scalar, such as an element of an
// array, and how large an assumed-size array is, nobody knows.
void *address_of_whole(const struct descriptor *descriptor, MPI_Count bytes);
// A packed copy that the call has changed goes back into its section.
void buffer_close(struct buffer *buffer, bool is_changed);

// A string without the blanks at its end, with a final NUL; there is room for that.
void string_to_c(const char *string, size_t length, char *copy);
