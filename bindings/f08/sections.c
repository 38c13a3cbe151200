// SPDX-License-Identifier: BSD-3-Clause
// Array sections as buffers: what choice_entries.c does when an array is not contiguous.
#include "buffers.h"

#include <stdlib.h>
#include <string.h>

static void __attribute__((constructor)) start(void)
{
    tell_ignored_addresses();
}

void *oriel_address_unless_ignored(void *argument)
{
    return address_unless_ignored(argument);
}

// Most dimensions are not there: only those that are get set.
static inline void section_describe(struct section *section,
                                    const struct descriptor *descriptor, int rank)
{
    section->element_bytes = (MPI_Count)descriptor_element_bytes(descriptor);
    section->rank = rank;
    for (int i = 0; i < rank; i++) {
        section->dimension[i].extent = descriptor_extent(descriptor, i);
        section->dimension[i].stride = descriptor_stride(descriptor, i);
    }
}

// Apart, so that it takes no registers of the usual case.
static __attribute__((noinline)) int
buffer_of_any_rank(struct typed_buffer *buffer, const struct descriptor *descriptor,
                   MPI_Count count, MPI_Datatype type)
{
    int rank = descriptor_rank(descriptor);
    *buffer = (struct typed_buffer){address_of(descriptor), count, type, NULL};
    if (is_contiguous(descriptor, rank))
        return 0;
    struct section section;
    section_describe(&section, descriptor, rank);
    return oriel_section_open(buffer, &section, count, type);
}

int buffer_typed(struct typed_buffer *buffer, const struct descriptor *descriptor,
                 MPI_Count count, MPI_Datatype type)
{
    if (unlikely(descriptor_rank(descriptor) != 1) || is_contiguous(descriptor, 1))
        return buffer_of_any_rank(buffer, descriptor, count, type);
    buffer->address = descriptor_address(descriptor);
    return oriel_vector_open(buffer, (MPI_Count)descriptor_element_bytes(descriptor),
                             count, type, descriptor_extent(descriptor, 0),
                             descriptor_stride(descriptor, 0));
}

int buffer_kept(struct kept_buffer *buffer, const struct descriptor *descriptor,
                const char *name, const struct demand *demand)
{
    int rank = descriptor_rank(descriptor);
    if (is_contiguous(descriptor, rank))
        return 0;
    struct section section;
    section_describe(&section, descriptor, rank);
    return oriel_copy_make(buffer, &section, demand, name);
}

// Visits the elements in array element order; `packed` is advanced by each.
static void copy_section(const struct descriptor *descriptor, int dimension,
                         char *section, char **packed, bool is_packing)
{
    if (dimension < 0) {
        size_t bytes = descriptor_element_bytes(descriptor);
        memcpy(is_packing ? *packed : section, is_packing ? section : *packed, bytes);
        *packed += bytes;
        return;
    }
    ptrdiff_t extent = descriptor_extent(descriptor, dimension);
    ptrdiff_t stride = descriptor_stride(descriptor, dimension);
    for (ptrdiff_t i = 0; i < extent; i++)
        copy_section(descriptor, dimension - 1, section + i * stride, packed,
                     is_packing);
}

// All elements; the size is known.
static size_t bytes_of(const struct descriptor *descriptor)
{
    size_t bytes = descriptor_element_bytes(descriptor);
    for (int i = 0; i < descriptor_rank(descriptor); i++)
        bytes *= (size_t)descriptor_extent(descriptor, i);
    return bytes;
}

int buffer_copied(struct buffer *buffer, const struct descriptor *descriptor,
                  const char *name, const struct demand *demand)
{
    if (is_contiguous(descriptor, descriptor_rank(descriptor)))
        return 0;
    size_t bytes = bytes_of(descriptor);
    int err = oriel_demand_check(demand, name, (MPI_Count)bytes);
    if (err)
        return err;
    char *packed = malloc(bytes);
    if (packed == NULL)
        return oriel_fail(MPI_ERR_NO_MEM, "no memory for a copy of an array section");
    buffer->address = packed;
    buffer->copied = descriptor;
    copy_section(descriptor, descriptor_rank(descriptor) - 1,
                 descriptor_address(descriptor), &packed, true);
    return 0;
}

void buffer_close(struct buffer *buffer, bool is_changed)
{
    if (buffer->copied == NULL)
        return;
    const struct descriptor *section = buffer->copied;
    char *packed = buffer->address;
    if (is_changed)
        copy_section(section, descriptor_rank(section) - 1, descriptor_address(section),
                     &packed, false);
    free(buffer->address);
}

void *address_of_whole(const struct descriptor *descriptor, MPI_Count bytes)
{
    int rank = descriptor_rank(descriptor);
    if (!is_contiguous(descriptor, rank))
        return UNFIT_SECTION;
    bool is_size_known = rank > 0 && descriptor_extent(descriptor, rank - 1) >= 0;
    if (is_size_known && (MPI_Count)bytes_of(descriptor) < bytes)
        return UNFIT_SIZE;
    return address_of(descriptor);
}

void string_to_c(const char *string, size_t length, char *copy)
{
    while (length > 0 && string[length - 1] == ' ')
        length--;
    memcpy(copy, string, length);
    copy[length] = '\0';
}
