// SPDX-License-Identifier: BSD-3-Clause
// Portions: what each process gives to or takes from a collective call, in the plain,
// the v- and the w-form of its arguments.
#pragma once

#include "collective/schedule.h"

struct portions {
    char *at;
    struct datatype *type; // of all
    MPI_Count count;       // of each, or of all `shares` together
    int shares;            // 0: they do not share
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
// As many shares of a buffer, alike but for one element.
static inline struct portions shared_portions(struct elements all, int shares)
{
    return (struct portions){
        .at = all.at, .type = all.type, .count = all.count, .shares = shares};
}
static inline struct portions listed_portions(const void *at, struct numbers counts,
                                              struct numbers displacements,
                                              struct datatype *type)
{
    return (struct portions){.at = (char *)at,
                             .type = type,
                             .counts = counts,
                             .displacements = displacements};
}
static inline struct portions typed_portions(const void *at, struct numbers counts,
                                             struct numbers displacements,
                                             const MPI_Datatype types[])
{
    return (struct portions){.at = (char *)at,
                             .counts = counts,
                             .displacements = displacements,
                             .types = types};
}

// The first element of a share.
static inline MPI_Count share_start(const struct portions *portions, int index)
{
    MPI_Count least = portions->count / portions->shares;
    return least * index +
           portions->count % portions->shares * index / portions->shares;
}

static inline struct elements portion_of(const struct portions *portions, int index)
{
    struct elements all = elements_of(portions->at, 0, portions->type);
    if (portions->shares != 0) {
        MPI_Count start = share_start(portions, index);
        return elements_part(all, start, share_start(portions, index + 1) - start);
    }
    if (portions->counts.at == NULL)
        return elements_part(all, index * portions->count, portions->count);
    MPI_Count count = number_at(portions->counts, index);
    MPI_Count displacement = number_at(portions->displacements, index);
    if (portions->types == NULL)
        return elements_part(all, displacement, count);
    return elements_of(portions->at + displacement, count,
                       handle_object(KIND_DATATYPE, (uintptr_t)portions->types[index]));
}

// `count` portions from `first` on, which lie one behind the other.
static inline struct elements portions_joined(const struct portions *portions,
                                              int first, int count)
{
    struct elements joined = portion_of(portions, first);
    for (int i = 1; i < count; i++)
        joined.count += portion_of(portions, first + i).count;
    return joined;
}

// Computes the starts of portions that lie one behind the other, in memory to be freed,
// and their total. MPI_ERR_NO_MEM.
int numbers_lay_out(struct numbers counts, int size, MPI_Count **starts,
                    MPI_Count *total);
