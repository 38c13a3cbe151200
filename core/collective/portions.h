// SPDX-License-Identifier: BSD-3-Clause
// What goes to, or comes from, each process in a collective call: the plain, the v- and
// the w-form of its arguments.
#pragma once

#include "collective/schedule.h"

struct portions {
    char *at;
    struct datatype *type; // of all
    MPI_Count count;       // of each
    // Where these are given they count instead; displacements are in extents of `type`,
    // in bytes where the types differ.
    struct numbers counts, displacements;
    const MPI_Datatype *types;
};

static inline struct portions equal_portions(const void *at, MPI_Count count,
                                             struct datatype *type)
{
    return (struct portions){.at = (char *)at, .type = type, .count = count};
}
static inline struct portions listed_portions(const void *at, struct numbers counts,
                                              struct numbers displacements,
                                              struct datatype *type)
{
    return (struct portions){(char *)at, type, 0, counts, displacements, NULL};
}
static inline struct portions typed_portions(const void *at, struct numbers counts,
                                             struct numbers displacements,
                                             const MPI_Datatype types[])
{
    return (struct portions){(char *)at, NULL, 0, counts, displacements, types};
}

static inline struct elements portion(const struct portions *portions, int index)
{
    if (portions->counts.at == NULL)
        return elements_part(elements_of(portions->at, 0, portions->type),
                             index * portions->count, portions->count);
    MPI_Count count = number_at(portions->counts, index);
    MPI_Count displacement = number_at(portions->displacements, index);
    if (portions->types == NULL)
        return elements_part(elements_of(portions->at, 0, portions->type), displacement,
                             count);
    return elements_of(portions->at + displacement, count,
                       handle_object(KIND_DATATYPE, (uintptr_t)portions->types[index]));
}
