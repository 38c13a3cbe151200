// SPDX-License-Identifier: BSD-3-Clause
// Copies of array sections for operations that go on. Only what an operation uses is
// copied: to the rest of the section the program may write meanwhile.
#include "datatype/section.h"

#include <stddef.h>
#include <stdlib.h>

// The elements in use of the section and of the copy, in the same order.
struct used {
    struct datatype *type;
    char *at;
};

struct section_copy {
    struct section_copy *next;
    struct used section, copy;
    bool is_changed;
    _Alignas(max_align_t) char bytes[];
};

static void copy_used(const struct used *from, const struct used *to)
{
    blocks_copy(blocks_of(from->type, 1), from->at, blocks_of(to->type, 1), to->at,
                (size_t)from->type->size);
}

// A copy that begins with no data; NULL after fail(MPI_ERR_NO_MEM).
static struct section_copy *copy_new(const struct datatype *used)
{
    MPI_Aint first, last;
    datatype_span(used, 1, &first, &last);
    struct section_copy *made = malloc(sizeof *made + (size_t)last);
    if (made == NULL)
        fail(MPI_ERR_NO_MEM, "no memory for a copy of an array section");
    return made;
}

int oriel_copy_make(struct kept_buffer *buffer, const struct section *section,
                    const struct demand *demand, const char *name)
{
    struct datatype *used, *whole;
    int err = oriel_demand_check(demand, name, section_bytes(section));
    if (!err)
        err = demand_type(demand, &used);
    if (err || used == NULL)
        return err;
    err = section_make(section, 1, used, &whole);
    if (err)
        goto release_used;
    struct section_copy *made = copy_new(used);
    if (made == NULL) {
        err = MPI_ERR_NO_MEM;
        goto release_whole;
    }
    *made = (struct section_copy){.section = {whole, buffer->address},
                                  .copy = {used, made->bytes}};
    copy_used(&made->section, &made->copy);
    *buffer = (struct kept_buffer){made->bytes, made};
    return 0;

release_whole:
    object_release(whole);
release_used:
    object_release(used);
    return err;
}

void section_copies_add(struct section_copy **copies, struct section_copy *copy,
                        bool is_changed)
{
    copy->is_changed = is_changed;
    copy->next = *copies;
    *copies = copy;
}

void section_copies_renew(struct section_copy *copies)
{
    for (; copies != NULL; copies = copies->next)
        copy_used(&copies->section, &copies->copy);
}

void section_copies_return(struct section_copy *copies)
{
    for (; copies != NULL; copies = copies->next)
        if (copies->is_changed)
            copy_used(&copies->copy, &copies->section);
}

void section_copies_free(struct section_copy *copies)
{
    while (copies != NULL) {
        struct section_copy *next = copies->next;
        object_release(copies->section.type);
        object_release(copies->copy.type);
        free(copies);
        copies = next;
    }
}

void oriel_copy_close(struct section_copy *copy, bool is_changed)
{
    copy->is_changed = is_changed;
    section_copies_return(copy);
    section_copies_free(copy);
}
