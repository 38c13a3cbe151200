// SPDX-License-Identifier: BSD-3-Clause
// How a program has made a datatype (MPI-4.1 5.1.13): what MPI_Type_get_contents tells,
// and the list of components that every constructor comes down to.
#pragma once

#include "datatype/datatype.h"

struct contents {
    int combiner;
    bool is_large; // made by a procedure whose name ends in _c
    MPI_Count number_count, type_count;
    struct datatype **types; // [type_count], with a reference each
    struct datatype *inner;  // what stands for the types where they are no components
    MPI_Count numbers[];     // the other arguments, in the order of the standard
};

// Without numbers and types, but with room for them; they are to be appended. NULL after
// fail(MPI_ERR_NO_MEM).
struct contents *contents_new(int combiner, bool is_large, MPI_Count numbers,
                              MPI_Count types);
void contents_add_number(struct contents *contents, MPI_Count number);
void contents_add_numbers(struct contents *contents, struct numbers numbers,
                          MPI_Count count);
void contents_add_type(struct contents *contents, struct datatype *type);
void contents_free(struct contents *contents); // NULL is allowed

// `count` blocks of `length` elements, `stride` bytes from one to the next.
struct component {
    MPI_Count displacement; // of the first block, in bytes
    MPI_Count count, stride;
    MPI_Count length;
    const struct datatype *type;
};
// A type map is that of component 0, of component 1, and so on.
MPI_Count component_count(const struct contents *contents);
// False when it does not fit into 64 bits.
bool component_get(const struct contents *contents, MPI_Count index,
                   struct component *component);
