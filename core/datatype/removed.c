// SPDX-License-Identifier: BSD-3-Clause
// What MPI-3.0 has removed of datatypes (MPI-4.1 17.1), by what took its place.
#include "datatype/datatype.h"

#include <oriel_core.h>

int oriel_type_extent(struct datatype *datatype, MPI_Aint *extent)
{
    *extent = datatype->extent;
    return 0;
}

int oriel_type_lb(struct datatype *datatype, MPI_Aint *displacement)
{
    *displacement = datatype->lb;
    return 0;
}

int oriel_type_ub(struct datatype *datatype, MPI_Aint *displacement)
{
    *displacement = datatype->lb + datatype->extent;
    return 0;
}

int oriel_type_hvector(int count, int blocklength, MPI_Aint stride,
                       struct datatype *oldtype, struct datatype **newtype)
{
    return oriel_type_create_hvector(count, blocklength, stride, oldtype, newtype,
                                     false);
}

static struct numbers int_numbers(const int *at)
{
    return (struct numbers){.at = at, .is_wide = false};
}

static struct numbers aint_numbers(const MPI_Aint *at)
{
    return (struct numbers){.at = at, .is_wide = true};
}

int oriel_type_hindexed(int count, const int array_of_blocklengths[],
                        const MPI_Aint array_of_displacements[],
                        struct datatype *oldtype, struct datatype **newtype)
{
    return oriel_type_create_hindexed(count, int_numbers(array_of_blocklengths),
                                      aint_numbers(array_of_displacements), oldtype,
                                      newtype, false);
}

int oriel_type_struct(int count, const int array_of_blocklengths[],
                      const MPI_Aint array_of_displacements[],
                      const MPI_Datatype array_of_types[], struct datatype **newtype)
{
    return oriel_type_create_struct(count, int_numbers(array_of_blocklengths),
                                    aint_numbers(array_of_displacements),
                                    array_of_types, newtype, false);
}
