// SPDX-License-Identifier: BSD-3-Clause
// The contents of datatypes (MPI-4.1 5.1.13).
#include "datatype/contents.h"

#include <stdlib.h>

// ---- making them ------------------------------------------------------------------
struct contents *contents_new(int combiner, bool is_large, MPI_Count numbers,
                              MPI_Count types)
{
    size_t head = sizeof(struct contents) + (size_t)numbers * sizeof(MPI_Count);
    struct contents *contents =
        malloc(head + (size_t)types * sizeof(struct datatype *));
    if (contents == NULL) {
        fail(MPI_ERR_NO_MEM, "no memory for the arguments of a datatype");
        return NULL;
    }
    *contents = (struct contents){.combiner = combiner, .is_large = is_large};
    contents->types = (struct datatype **)(void *)((char *)contents + head);
    return contents;
}

void contents_add_number(struct contents *contents, MPI_Count number)
{
    contents->numbers[contents->number_count++] = number;
}

void contents_add_numbers(struct contents *contents, struct numbers numbers,
                          MPI_Count count)
{
    for (MPI_Count i = 0; i < count; i++)
        contents_add_number(contents, number_at(numbers, i));
}

void contents_add_type(struct contents *contents, struct datatype *type)
{
    object_retain(type);
    contents->types[contents->type_count++] = type;
}

void contents_free(struct contents *contents)
{
    if (contents == NULL)
        return;
    for (MPI_Count i = 0; i < contents->type_count; i++)
        object_release(contents->types[i]);
    object_release(contents->inner);
    free(contents);
}

// ---- components -------------------------------------------------------------------
MPI_Count component_count(const struct contents *contents)
{
    switch (contents->combiner) {
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
    case MPI_COMBINER_STRUCT:
        return contents->numbers[0];
    default:
        return 1;
    }
}

// Where the displacements of a list count elements, not bytes.
static bool is_in_elements(int combiner)
{
    return combiner == MPI_COMBINER_INDEXED || combiner == MPI_COMBINER_INDEXED_BLOCK ||
           combiner == MPI_COMBINER_VECTOR;
}

bool component_get(const struct contents *contents, MPI_Count index,
                   struct component *component)
{
    const MPI_Count *numbers = contents->numbers;
    *component = (struct component){.count = 1, .length = 1};
    component->type = contents->inner ? contents->inner : contents->types[0];
    MPI_Count *scaled = &component->displacement;
    switch (contents->combiner) {
    case MPI_COMBINER_CONTIGUOUS:
        component->length = numbers[0];
        break;
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
        component->count = numbers[0];
        component->length = numbers[1];
        component->stride = numbers[2];
        scaled = &component->stride;
        break;
    case MPI_COMBINER_STRUCT:
        component->type = contents->types[index];
        __attribute__((fallthrough));
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
        component->length = numbers[1 + index];
        component->displacement = numbers[1 + numbers[0] + index];
        break;
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
        component->length = numbers[1];
        component->displacement = numbers[2 + index];
        break;
    default: // the type itself, perhaps with other bounds
        break;
    }
    return !is_in_elements(contents->combiner) ||
           !__builtin_mul_overflow(*scaled, component->type->extent, scaled);
}
