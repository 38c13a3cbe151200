// SPDX-License-Identifier: BSD-3-Clause
// Array sections as buffers: what descriptors.c does when an array is not contiguous.
#include "descriptors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int buffer_typed(struct buffer *buffer, const CFI_cdesc_t *descriptor, MPI_Count count,
                 MPI_Datatype type)
{
    *buffer = (struct buffer){
        .address = address_of(descriptor), .count = count, .type = type};
    if (is_contiguous(descriptor))
        return 0;
    struct section section; // mostly unused: only what is used is set
    section.element_bytes = (MPI_Count)descriptor->elem_len;
    section.rank = descriptor->rank;
    for (int i = 0; i < descriptor->rank; i++) {
        section.dimension[i].extent = descriptor->dim[i].extent;
        section.dimension[i].stride = descriptor->dim[i].sm;
    }
    int err = oriel_section_open(&section, count, type, &buffer->type);
    if (err)
        return err;
    buffer->count = 1;
    buffer->has_type = true;
    return 0;
}

// Visits the elements in array element order; `packed` is advanced by each.
static void copy_section(const CFI_cdesc_t *descriptor, int dimension, char *section,
                         char **packed, bool is_packing)
{
    if (dimension < 0) {
        memcpy(is_packing ? *packed : section, is_packing ? section : *packed,
               descriptor->elem_len);
        *packed += descriptor->elem_len;
        return;
    }
    const CFI_dim_t *dim = &descriptor->dim[dimension];
    for (CFI_index_t i = 0; i < dim->extent; i++)
        copy_section(descriptor, dimension - 1, section + i * dim->sm, packed,
                     is_packing);
}

int buffer_copied(struct buffer *buffer, const CFI_cdesc_t *descriptor)
{
    *buffer = (struct buffer){.address = address_of(descriptor)};
    if (is_contiguous(descriptor))
        return 0;
    size_t bytes = descriptor->elem_len;
    for (int i = 0; i < descriptor->rank; i++)
        bytes *= (size_t)descriptor->dim[i].extent;
    char *packed = malloc(bytes);
    if (packed == NULL)
        return oriel_fail(MPI_ERR_NO_MEM, "no memory for a copy of an array section");
    buffer->address = packed;
    buffer->copied = descriptor;
    copy_section(descriptor, descriptor->rank - 1, descriptor->base_addr, &packed,
                 true);
    return 0;
}

int oriel_element_bytes(const CFI_cdesc_t *descriptor)
{
    return (int)descriptor->elem_len;
}

void buffer_close(struct buffer *buffer, bool is_changed)
{
    if (buffer->has_type)
        oriel_section_close(buffer->type);
    if (buffer->copied == NULL)
        return;
    const CFI_cdesc_t *section = buffer->copied;
    char *packed = buffer->address;
    if (is_changed)
        copy_section(section, section->rank - 1, section->base_addr, &packed, false);
    free(buffer->address);
}

int buffer_whole(struct buffer *buffer, const CFI_cdesc_t *descriptor, const char *name)
{
    *buffer = (struct buffer){.address = address_of(descriptor)};
    if (is_contiguous(descriptor))
        return 0;
    char text[MPI_MAX_ERROR_STRING];
    snprintf(text, sizeof text, "%s is an array section that is not contiguous", name);
    return oriel_fail(MPI_ERR_BUFFER, text);
}
