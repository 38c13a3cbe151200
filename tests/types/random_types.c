// SPDX-License-Identifier: BSD-3-Clause
// Makes random datatypes with every constructor, small and large.
#include "types.h"

// ---- predefined types -------------------------------------------------------------------
static void build_predefined(struct built *built, bool of_bytes)
{
    static const struct {
        MPI_Datatype type;
        struct number number, index;
    } choices[] = {
        {MPI_BYTE, {0, 1, 1, 1}, {0}},
        {MPI_CHAR, {0, 1, 1, 1}, {0}},
        {MPI_SHORT, {0, 2, 2, 2}, {0}},
        {MPI_INT, {0, 4, 4, 4}, {0}},
        {MPI_INT64_T, {0, 8, 8, 8}, {0}},
        {MPI_LONG, {0, 8, 8, 4}, {0}},
        {MPI_FLOAT, {0, 4, 4, 4}, {0}},
        {MPI_DOUBLE, {0, 8, 8, 8}, {0}},
        {MPI_C_DOUBLE_COMPLEX, {0, 16, 8, 16}, {0}},
        {MPI_SHORT_INT, {0, 2, 2, 2}, {4, 4, 4, 4}},
        {MPI_DOUBLE_INT, {0, 8, 8, 8}, {8, 4, 4, 4}},
        {MPI_2INT, {0, 4, 4, 4}, {4, 4, 4, 4}},
    };
    int chosen = of_bytes ? 0 : random_in(0, sizeof choices / sizeof *choices - 1);
    built->type = choices[chosen].type;
    built->is_predefined = true;
    map_begin(&built->map);
    built->map.numbers[built->map.count++] = choices[chosen].number;
    if (choices[chosen].index.bytes > 0)
        built->map.numbers[built->map.count++] = choices[chosen].index;
    built->combiner = MPI_COMBINER_NAMED;
}

// ---- regular ----------------------------------------------------------------------------
static int count_for(const struct map *inner, int most)
{
    int room = MOST_NUMBERS / 4 / (inner->count + 1);
    if (random_in(0, 14) == 0)
        return 0;
    return random_in(1, room < 1 ? 1 : room < most ? room : most);
}

static void build_contiguous(struct built *built, const struct built *inner)
{
    int count = count_for(&inner->map, 5);
    build_begin(built, MPI_COMBINER_CONTIGUOUS);
    say_count(built, count);
    say_type(built, inner);
    map_add(&built->map, &inner->map, count, 0);
    if (built->is_large)
        MPI_Type_contiguous_c(count, inner->type, &built->type);
    else
        MPI_Type_contiguous(count, inner->type, &built->type);
}

static void build_vector(struct built *built, const struct built *inner)
{
    bool is_in_bytes = random_in(0, 1);
    int count = count_for(&inner->map, 4), length = count_for(&inner->map, 2);
    int stride = is_in_bytes ? random_in(-70, 90) : random_in(-4, 5);
    MPI_Aint step = stride * (is_in_bytes ? 1 : map_bounds(&inner->map).extent);
    build_begin(built, is_in_bytes ? MPI_COMBINER_HVECTOR : MPI_COMBINER_VECTOR);
    say_count(built, count);
    say_count(built, length);
    if (is_in_bytes)
        say_address(built, stride);
    else
        say_count(built, stride);
    say_type(built, inner);
    for (int i = 0; i < count; i++)
        map_add(&built->map, &inner->map, length, i * step);
    if (built->is_large && is_in_bytes)
        MPI_Type_create_hvector_c(count, length, stride, inner->type, &built->type);
    else if (built->is_large)
        MPI_Type_vector_c(count, length, stride, inner->type, &built->type);
    else if (is_in_bytes)
        MPI_Type_create_hvector(count, length, stride, inner->type, &built->type);
    else
        MPI_Type_vector(count, length, stride, inner->type, &built->type);
}

// ---- lists --------------------------------------------------------------------------------
enum { MOST_BLOCKS = 6 };

// The arguments of a list in the types of all procedures.
struct lists {
    int count, lengths[MOST_BLOCKS], places[MOST_BLOCKS];
    MPI_Aint addresses[MOST_BLOCKS];
    MPI_Count large_lengths[MOST_BLOCKS], large_places[MOST_BLOCKS];
};

// Now and then the blocks are regular, adjacent or empty, so that they can be merged.
static void draw_lists(struct lists *lists, int count, int longest, int reach)
{
    bool is_regular = random_in(0, 3) == 0;
    int at = random_in(-reach, reach), step = random_in(-reach, reach);
    lists->count = count;
    for (int i = 0; i < count; i++) {
        lists->lengths[i] =
            is_regular && i > 0 ? lists->lengths[0] : random_in(0, longest);
        lists->places[i] = is_regular ? at + i * step : random_in(-reach, reach);
        lists->addresses[i] = lists->large_places[i] = lists->places[i];
        lists->large_lengths[i] = lists->lengths[i];
    }
}

static void say_lists(struct built *built, const struct lists *lists, bool has_lengths,
                      bool is_in_bytes)
{
    for (int i = 0; has_lengths && i < lists->count; i++)
        say_count(built, lists->lengths[i]);
    for (int i = 0; i < lists->count; i++)
        if (is_in_bytes)
            say_address(built, lists->places[i]);
        else
            say_count(built, lists->places[i]);
}

static void build_indexed(struct built *built, const struct built *inner)
{
    struct lists lists;
    bool is_in_bytes = random_in(0, 1);
    MPI_Aint unit = is_in_bytes ? 1 : map_bounds(&inner->map).extent;
    draw_lists(&lists, count_for(&inner->map, MOST_BLOCKS), 3, is_in_bytes ? 90 : 5);
    if (3 * lists.count * inner->map.count > MOST_NUMBERS / 2)
        lists.count = 0;
    build_begin(built, is_in_bytes ? MPI_COMBINER_HINDEXED : MPI_COMBINER_INDEXED);
    say_count(built, lists.count);
    say_lists(built, &lists, true, is_in_bytes);
    say_type(built, inner);
    for (int i = 0; i < lists.count; i++)
        map_add(&built->map, &inner->map, lists.lengths[i], lists.places[i] * unit);
    if (built->is_large && is_in_bytes)
        MPI_Type_create_hindexed_c(lists.count, lists.large_lengths, lists.large_places,
                                   inner->type, &built->type);
    else if (built->is_large)
        MPI_Type_indexed_c(lists.count, lists.large_lengths, lists.large_places,
                           inner->type, &built->type);
    else if (is_in_bytes)
        MPI_Type_create_hindexed(lists.count, lists.lengths, lists.addresses,
                                 inner->type, &built->type);
    else
        MPI_Type_indexed(lists.count, lists.lengths, lists.places, inner->type,
                         &built->type);
}

static void build_indexed_block(struct built *built, const struct built *inner)
{
    struct lists lists;
    bool is_in_bytes = random_in(0, 1);
    int length = random_in(0, 5) ? 1 : random_in(0, 3);
    MPI_Aint unit = is_in_bytes ? 1 : map_bounds(&inner->map).extent;
    draw_lists(&lists, count_for(&inner->map, MOST_BLOCKS), 1, is_in_bytes ? 90 : 5);
    if (length * lists.count * inner->map.count > MOST_NUMBERS / 2)
        length = 0;
    build_begin(built,
                is_in_bytes ? MPI_COMBINER_HINDEXED_BLOCK : MPI_COMBINER_INDEXED_BLOCK);
    say_count(built, lists.count);
    say_count(built, length);
    say_lists(built, &lists, false, is_in_bytes);
    say_type(built, inner);
    for (int i = 0; i < lists.count; i++)
        map_add(&built->map, &inner->map, length, lists.places[i] * unit);
    if (built->is_large && is_in_bytes)
        MPI_Type_create_hindexed_block_c(lists.count, length, lists.large_places,
                                         inner->type, &built->type);
    else if (built->is_large)
        MPI_Type_create_indexed_block_c(lists.count, length, lists.large_places,
                                        inner->type, &built->type);
    else if (is_in_bytes)
        MPI_Type_create_hindexed_block(lists.count, length, lists.addresses,
                                       inner->type, &built->type);
    else
        MPI_Type_create_indexed_block(lists.count, length, lists.places, inner->type,
                                      &built->type);
}

static void build_struct(struct built *built, const struct built *inner, bool of_bytes)
{
    struct lists lists;
    struct built others[MOST_BLOCKS];
    MPI_Datatype types[MOST_BLOCKS];
    draw_lists(&lists, random_in(1, 4), 2, 90);
    build_begin(built, MPI_COMBINER_STRUCT);
    say_count(built, lists.count);
    say_lists(built, &lists, true, true);
    for (int i = 0; i < lists.count; i++) {
        bool is_inner = i == 0 || random_in(0, 3) == 0;
        if (!is_inner)
            build_predefined(&others[i], of_bytes);
        if (is_inner && 2 * inner->map.count > MOST_NUMBERS / 8)
            lists.lengths[i] = lists.large_lengths[i] = is_inner && i == 0;
        const struct built *next = is_inner ? inner : &others[i];
        types[i] = next->type;
        say_type(built, next);
        map_add(&built->map, &next->map, lists.lengths[i], lists.places[i]);
    }
    built->integer_count = built->address_count = built->large_count = 0;
    say_count(built, lists.count);
    say_lists(built, &lists, true, true); // lengths may have changed
    if (built->is_large)
        MPI_Type_create_struct_c(lists.count, lists.large_lengths, lists.large_places,
                                 types, &built->type);
    else
        MPI_Type_create_struct(lists.count, lists.lengths, lists.addresses, types,
                               &built->type);
}

// ---- the same with other properties -----------------------------------------------------
static void build_resized(struct built *built, const struct built *inner)
{
    int lb = random_in(-40, 40), extent = random_in(-10, 200);
    build_begin(built, MPI_COMBINER_RESIZED);
    say_address(built, lb);
    say_address(built, extent);
    say_type(built, inner);
    map_add(&built->map, &inner->map, 1, 0);
    built->map.has_markers = true;
    built->map.lower = lb;
    built->map.upper = lb + extent;
    if (built->is_large)
        MPI_Type_create_resized_c(inner->type, lb, extent, &built->type);
    else
        MPI_Type_create_resized(inner->type, lb, extent, &built->type);
}

static void build_dup(struct built *built, const struct built *inner)
{
    build_begin(built, MPI_COMBINER_DUP);
    built->is_large = false;
    say_type(built, inner);
    map_add(&built->map, &inner->map, 1, 0);
    MPI_Type_dup(inner->type, &built->type);
}

// ---- all of them --------------------------------------------------------------------------
static void build_around(struct built *built, const struct built *inner, bool of_bytes)
{
    int most = inner->map.count > MOST_NUMBERS / 16 ? 2 : 9;
    switch (random_in(0, most)) {
    case 0:
        build_resized(built, inner);
        break;
    case 1:
        build_dup(built, inner);
        break;
    case 2:
        build_contiguous(built, inner);
        break;
    case 3:
    case 4:
        build_vector(built, inner);
        break;
    case 5:
        build_indexed(built, inner);
        break;
    case 6:
        build_indexed_block(built, inner);
        break;
    case 7:
        build_struct(built, inner, of_bytes);
        break;
    case 8:
        build_subarray(built, inner);
        break;
    default:
        build_darray(built, inner);
    }
}

// Types that reach far are not put into others any more.
static bool is_far(const struct map *map)
{
    struct bounds bounds = map_bounds(map);
    return bounds.extent > 250 || bounds.extent < -250 || bounds.true_extent > 1000 ||
           bounds.true_lb > 1000 || bounds.true_lb < -1000;
}

void build_random(struct built *built, int nest, bool of_bytes)
{
    static struct built inner;
    build_predefined(built, of_bytes);
    for (; nest > 0 && !is_far(&built->map); nest--) {
        inner = *built;
        build_around(built, &inner, of_bytes);
        build_free(&inner); // what is made of it stays
    }
    MPI_Type_commit(&built->type);
}

void build_free(struct built *built)
{
    if (!built->is_predefined)
        MPI_Type_free(&built->type);
}
