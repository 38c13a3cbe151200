// SPDX-License-Identifier: BSD-3-Clause
// Random datatypes and, for each, its type map by the definitions of MPI-4.1 5.1: a list
// of numbers with their displacements, made without any of the library's own.
#pragma once

#include "../mpi/window_test.h"

#include <stdint.h>

enum { MOST_NUMBERS = 600, MOST_ARGUMENTS = 64 };

// ---- random numbers: the same on all ranks --------------------------------------------
void random_begin(uint64_t seed);
int random_in(int low, int high); // uniform, both included

// ---- type maps --------------------------------------------------------------------------
struct number {
    MPI_Aint at;
    int bytes, alignment, external; // the latter: bytes in external32
};

struct map {
    int count;
    struct number numbers[MOST_NUMBERS];
    bool has_markers;
    MPI_Aint lower, upper; // the markers, if there are any
};

struct bounds {
    MPI_Aint lb, extent, true_lb, true_extent;
};

int map_size(const struct map *map);
int map_external_size(const struct map *map);
struct bounds map_bounds(const struct map *map);
// The first byte of `count` elements and the one behind the last.
void map_span(const struct map *map, int count, MPI_Aint *first, MPI_Aint *last);
// Do `count` elements name a byte twice?
bool map_overlaps(const struct map *map, int count);

void map_begin(struct map *map); // empty
// Appends `count` elements of a type map from a displacement on.
void map_add(struct map *map, const struct map *inner, int count, MPI_Aint at);

// ---- types ------------------------------------------------------------------------------
// A type that the program owns, and what it must be. A predefined one is not freed.
struct built {
    MPI_Datatype type;
    bool is_predefined;
    struct map map;
    // The call that made it, as MPI_Type_get_contents is to tell it.
    int combiner;
    bool is_large;
    int integer_count, address_count, large_count, type_count;
    int integers[MOST_ARGUMENTS];
    MPI_Aint addresses[MOST_ARGUMENTS];
    MPI_Count large[MOST_ARGUMENTS];
    MPI_Datatype types[MOST_ARGUMENTS]; // those that are not predefined are freed
};

// A random type, committed, around up to `nest` others; of bytes only if `of_bytes`. The
// inner types are freed.
void build_random(struct built *built, int nest, bool of_bytes);
void build_free(struct built *built);

// ---- for those that build -----------------------------------------------------------------
// Chooses between the small and the large procedure.
void build_begin(struct built *built, int combiner);
// The arguments, in the order in which contents tell them.
void say_integer(struct built *built, int value);
void say_count(struct built *built, int value);
void say_address(struct built *built, MPI_Aint value);
void say_type(struct built *built, const struct built *inner);
void build_subarray(struct built *built, const struct built *inner);
void build_darray(struct built *built, const struct built *inner);
