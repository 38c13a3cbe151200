// SPDX-License-Identifier: BSD-3-Clause
// Random parts of arrays: index by index, by the definitions of MPI-4.1 5.1.3 and 5.1.4.
#include "types.h"

enum { MOST_DIMENSIONS = 3 };

// The indices of an array in the order in which it lies in memory: false after the last.
static bool next_index(int indices[], const int sizes[], int dimensions, int order)
{
    for (int i = 0; i < dimensions; i++) {
        int dimension = order == MPI_ORDER_FORTRAN ? i : dimensions - 1 - i;
        if (++indices[dimension] < sizes[dimension])
            return true;
        indices[dimension] = 0;
    }
    return false;
}

// As many dimensions of `side` indices as there is room for.
static int dimensions_for(const struct map *inner, int side)
{
    int most = 1;
    for (int cells = inner->count * side; most < MOST_DIMENSIONS; most++) {
        cells *= side;
        if (cells > MOST_NUMBERS)
            break;
    }
    return random_in(1, most);
}

static void say_array(struct built *built, const int values[], int count)
{
    for (int i = 0; i < count; i++)
        say_count(built, values[i]);
}

static void widen(MPI_Count wide[], const int values[], int count)
{
    for (int i = 0; i < count; i++)
        wide[i] = values[i];
}

void build_subarray(struct built *built, const struct built *inner)
{
    int sizes[MOST_DIMENSIONS], parts[MOST_DIMENSIONS], starts[MOST_DIMENSIONS];
    MPI_Count wide[3][MOST_DIMENSIONS];
    int dimensions = dimensions_for(&inner->map, 4), order = MPI_ORDER_C;
    if (random_in(0, 1))
        order = MPI_ORDER_FORTRAN;
    for (int i = 0; i < dimensions; i++) {
        sizes[i] = random_in(1, 4);
        parts[i] = random_in(1, sizes[i]);
        starts[i] = random_in(0, sizes[i] - parts[i]);
    }
    build_begin(built, MPI_COMBINER_SUBARRAY);
    say_integer(built, dimensions);
    say_array(built, sizes, dimensions);
    say_array(built, parts, dimensions);
    say_array(built, starts, dimensions);
    say_integer(built, order);
    say_type(built, inner);
    int indices[MOST_DIMENSIONS] = {0};
    MPI_Aint extent = map_bounds(&inner->map).extent, at = 0;
    do {
        bool is_in = true;
        for (int i = 0; i < dimensions; i++)
            is_in &= indices[i] >= starts[i] && indices[i] < starts[i] + parts[i];
        if (is_in)
            map_add(&built->map, &inner->map, 1, at);
        at += extent;
    } while (next_index(indices, sizes, dimensions, order));
    built->map.has_markers = true;
    built->map.lower = 0;
    built->map.upper = at;
    widen(wide[0], sizes, dimensions);
    widen(wide[1], parts, dimensions);
    widen(wide[2], starts, dimensions);
    if (built->is_large)
        MPI_Type_create_subarray_c(dimensions, wide[0], wide[1], wide[2], order,
                                   inner->type, &built->type);
    else
        MPI_Type_create_subarray(dimensions, sizes, parts, starts, order, inner->type,
                                 &built->type);
}

// One dimension of an array that is dealt out.
struct deal {
    int size, distribution, argument, processes, block;
};

static struct deal draw_deal(void)
{
    static const int distributions[] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK,
                                        MPI_DISTRIBUTE_CYCLIC};
    struct deal deal = {.size = random_in(1, 7),
                        .distribution = distributions[random_in(0, 2)],
                        .argument = MPI_DISTRIBUTE_DFLT_DARG,
                        .processes = random_in(1, 3)};
    bool is_default = random_in(0, 1);
    int even = (deal.size + deal.processes - 1) / deal.processes;
    if (deal.distribution == MPI_DISTRIBUTE_NONE) {
        deal.processes = 1;
        deal.block = deal.size;
    } else if (deal.distribution == MPI_DISTRIBUTE_BLOCK) {
        deal.block = is_default ? even : even + random_in(0, 2);
    } else {
        deal.block = is_default ? 1 : random_in(1, 4);
    }
    if (!is_default && deal.distribution != MPI_DISTRIBUTE_NONE)
        deal.argument = deal.block;
    return deal;
}

void build_darray(struct built *built, const struct built *inner)
{
    int sizes[MOST_DIMENSIONS], distributions[MOST_DIMENSIONS],
        arguments[MOST_DIMENSIONS], grid[MOST_DIMENSIONS], owner[MOST_DIMENSIONS];
    struct deal deals[MOST_DIMENSIONS];
    MPI_Count wide[MOST_DIMENSIONS];
    int dimensions = dimensions_for(&inner->map, 7), processes = 1;
    int order = random_in(0, 1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    for (int i = 0; i < dimensions; i++) {
        deals[i] = draw_deal();
        sizes[i] = deals[i].size;
        distributions[i] = deals[i].distribution;
        arguments[i] = deals[i].argument;
        grid[i] = deals[i].processes;
        processes *= grid[i];
    }
    int mine = random_in(0, processes - 1);
    for (int i = dimensions - 1, left = mine; i >= 0; left /= grid[i--])
        owner[i] = left % grid[i];
    build_begin(built, MPI_COMBINER_DARRAY);
    say_integer(built, processes);
    say_integer(built, mine);
    say_integer(built, dimensions);
    say_array(built, sizes, dimensions);
    for (int i = 0; i < dimensions; i++)
        say_integer(built, distributions[i]);
    for (int i = 0; i < dimensions; i++)
        say_integer(built, arguments[i]);
    for (int i = 0; i < dimensions; i++)
        say_integer(built, grid[i]);
    say_integer(built, order);
    say_type(built, inner);
    int indices[MOST_DIMENSIONS] = {0};
    MPI_Aint extent = map_bounds(&inner->map).extent, at = 0;
    do {
        bool is_in = true;
        for (int i = 0; i < dimensions; i++)
            is_in &= indices[i] / deals[i].block % grid[i] == owner[i];
        if (is_in)
            map_add(&built->map, &inner->map, 1, at);
        at += extent;
    } while (next_index(indices, sizes, dimensions, order));
    built->map.has_markers = true;
    built->map.lower = 0;
    built->map.upper = at;
    widen(wide, sizes, dimensions);
    if (built->is_large)
        MPI_Type_create_darray_c(processes, mine, dimensions, wide, distributions,
                                 arguments, grid, order, inner->type, &built->type);
    else
        MPI_Type_create_darray(processes, mine, dimensions, sizes, distributions,
                               arguments, grid, order, inner->type, &built->type);
}
