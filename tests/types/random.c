// SPDX-License-Identifier: BSD-3-Clause
// types_are_what_they_were_made_of: random datatypes of all constructors against their
// type maps: sizes and bounds, packing, external32, contents, and puts and gets between
// two of them. Arguments: number of types, seed.
#include "types.h"

enum { HALF = 1 << 17, MOST_BYTES = 1 << 16, MOST_ELEMENTS = 3 };

// Memory around an address, for types that reach to both sides of it.
static unsigned char one[2 * HALF], other[2 * HALF], wanted[2 * HALF];
static unsigned char packed[MOST_BYTES];

// ---- what a type tells ----------------------------------------------------------------
static void check_bounds(MPI_Datatype type, const struct map *map)
{
    struct bounds bounds = map_bounds(map);
    int bytes;
    MPI_Aint lb, extent;
    MPI_Count bytes_c, lb_c, extent_c;
    MPI_Type_size(type, &bytes);
    CHECK(bytes == map_size(map));
    MPI_Type_size_c(type, &bytes_c);
    CHECK(bytes_c == bytes);
    MPI_Type_get_extent(type, &lb, &extent);
    CHECK(lb == bounds.lb && extent == bounds.extent);
    MPI_Type_get_extent_c(type, &lb_c, &extent_c);
    CHECK(lb_c == lb && extent_c == extent);
    MPI_Type_get_true_extent(type, &lb, &extent);
    CHECK(lb == bounds.true_lb && extent == bounds.true_extent);
    MPI_Type_get_true_extent_x(type, &lb_c, &extent_c);
    CHECK(lb_c == lb && extent_c == extent);
}

// ---- packing --------------------------------------------------------------------------
// Where byte `byte` of number `number` of an element lies.
static size_t place_of(const struct map *map, int element, int number, int byte)
{
    MPI_Aint at = map->numbers[number].at + element * map_bounds(map).extent + byte;
    CHECK(at > -HALF && at < HALF);
    return (size_t)(HALF + at);
}

// Copies between a typed buffer and a packed one by the type map.
static void copy_by_map(const struct map *map, int count, unsigned char *typed,
                        unsigned char *bytes, bool packing)
{
    for (int element = 0; element < count; element++)
        for (int i = 0; i < map->count; i++)
            for (int byte = 0; byte < map->numbers[i].bytes; byte++) {
                unsigned char *at = &typed[place_of(map, element, i, byte)];
                if (packing)
                    *bytes++ = *at;
                else
                    *at = *bytes++;
            }
}

static void check_packing(MPI_Datatype type, const struct map *map, int count)
{
    static unsigned char by_map[MOST_BYTES];
    int position = 0, bytes = map_size(map) * count, room;
    CHECK(bytes <= MOST_BYTES);
    MPI_Pack_size(count, type, MPI_COMM_SELF, &room);
    CHECK(room >= bytes);
    fill(one, sizeof one, rank, count);
    copy_by_map(map, count, one, by_map, true);
    MPI_Pack(one + HALF, count, type, packed, bytes, &position, MPI_COMM_SELF);
    CHECK(position == bytes && memcmp(packed, by_map, (size_t)bytes) == 0);
    memset(other, 0, sizeof other);
    memset(wanted, 0, sizeof wanted);
    copy_by_map(map, count, wanted, packed, false);
    position = 0;
    MPI_Unpack(packed, bytes, &position, other + HALF, count, type, MPI_COMM_SELF);
    CHECK(position == bytes && memcmp(other, wanted, sizeof wanted) == 0);
}

// Small numbers, because others may not fit into what external32 has for them.
static void check_external(MPI_Datatype type, const struct map *map, int count)
{
    MPI_Aint position = 0, bytes;
    MPI_Pack_external_size("external32", count, type, &bytes);
    CHECK(bytes == map_external_size(map) * count && bytes <= MOST_BYTES);
    if (map_overlaps(map, count))
        return;
    memset(one, 0, sizeof one);
    for (int element = 0; element < count; element++)
        for (int i = 0; i < map->count; i++)
            one[place_of(map, element, i, 0)] = (unsigned char)random_in(0, 127);
    MPI_Pack_external("external32", one + HALF, count, type, packed, bytes, &position);
    CHECK(position == bytes);
    const unsigned char *next = packed;
    for (int element = 0; element < count; element++)
        for (int i = 0; i < map->count; i++) {
            next += map->numbers[i].external;
            int last = map->numbers[i].bytes == 16 ? -9 : -1; // a complex one has two
            CHECK(next[last] == one[place_of(map, element, i, 0)]);
        }
    memset(other, 0, sizeof other);
    position = 0;
    MPI_Unpack_external("external32", packed, bytes, &position, other + HALF, count,
                        type);
    CHECK(position == bytes && memcmp(one, other, sizeof other) == 0);
}

// ---- contents ---------------------------------------------------------------------------
struct contents {
    MPI_Count integer_count, address_count, large_count, type_count;
    int combiner;
    int integers[MOST_ARGUMENTS];
    MPI_Aint addresses[MOST_ARGUMENTS];
    MPI_Count large[MOST_ARGUMENTS];
    MPI_Datatype types[MOST_ARGUMENTS];
};

static void get_contents(MPI_Datatype type, struct contents *contents)
{
    MPI_Type_get_envelope_c(type, &contents->integer_count, &contents->address_count,
                            &contents->large_count, &contents->type_count,
                            &contents->combiner);
    if (contents->combiner == MPI_COMBINER_NAMED)
        return;
    MPI_Type_get_contents_c(type, contents->integer_count, contents->address_count,
                            contents->large_count, contents->type_count,
                            contents->integers, contents->addresses, contents->large,
                            contents->types);
}

static bool is_named(MPI_Datatype type)
{
    MPI_Count none;
    int combiner;
    MPI_Type_get_envelope_c(type, &none, &none, &none, &none, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

static void free_unless_named(MPI_Datatype type)
{
    if (!is_named(type))
        MPI_Type_free(&type);
}

static void check_contents(const struct built *built, const struct contents *contents)
{
    CHECK(contents->combiner == built->combiner);
    if (built->is_predefined)
        return;
    CHECK(contents->integer_count == built->integer_count &&
          contents->address_count == built->address_count &&
          contents->large_count == built->large_count &&
          contents->type_count == built->type_count);
    for (int i = 0; i < built->integer_count; i++)
        CHECK(contents->integers[i] == built->integers[i]);
    for (int i = 0; i < built->address_count; i++)
        CHECK(contents->addresses[i] == built->addresses[i]);
    for (int i = 0; i < built->large_count; i++)
        CHECK(contents->large[i] == built->large[i]);
    if (built->is_large)
        return;
    int integers, addresses, types, combiner;
    MPI_Type_get_envelope(built->type, &integers, &addresses, &types, &combiner);
    CHECK(integers == built->integer_count && addresses == built->address_count &&
          types == built->type_count && combiner == built->combiner);
}

static MPI_Datatype call_subarray(const struct contents *contents)
{
    const int *ints = contents->integers;
    const MPI_Count *large = contents->large;
    int dimensions = ints[0];
    MPI_Datatype made;
    if (contents->large_count > 0)
        MPI_Type_create_subarray_c(dimensions, large, large + dimensions,
                                   large + 2 * dimensions, ints[1], contents->types[0],
                                   &made);
    else
        MPI_Type_create_subarray(dimensions, ints + 1, ints + 1 + dimensions,
                                 ints + 1 + 2 * dimensions, ints[1 + 3 * dimensions],
                                 contents->types[0], &made);
    return made;
}

static MPI_Datatype call_darray(const struct contents *contents)
{
    int processes = contents->integers[0], mine = contents->integers[1],
        dimensions = contents->integers[2];
    const int *ints = contents->integers + 3;
    MPI_Datatype made;
    if (contents->large_count > 0)
        MPI_Type_create_darray_c(processes, mine, dimensions, contents->large, ints,
                                 ints + dimensions, ints + 2 * dimensions,
                                 ints[3 * dimensions], contents->types[0], &made);
    else
        MPI_Type_create_darray(processes, mine, dimensions, ints, ints + dimensions,
                               ints + 2 * dimensions, ints + 3 * dimensions,
                               ints[4 * dimensions], contents->types[0], &made);
    return made;
}

// The call that the contents tell of; all its numbers as counts, in their order.
static MPI_Datatype call_again(const struct contents *contents)
{
    MPI_Count n[MOST_ARGUMENTS];
    int count = 0;
    MPI_Datatype old = contents->types[0], made = MPI_DATATYPE_NULL;
    for (MPI_Count i = 0; i < contents->integer_count; i++)
        n[count++] = contents->integers[i];
    for (MPI_Count i = 0; i < contents->address_count; i++)
        n[count++] = contents->addresses[i];
    for (MPI_Count i = 0; i < contents->large_count; i++)
        n[count++] = contents->large[i];
    switch (contents->combiner) {
    case MPI_COMBINER_SUBARRAY:
        return call_subarray(contents);
    case MPI_COMBINER_DARRAY:
        return call_darray(contents);
    case MPI_COMBINER_DUP:
        MPI_Type_dup(old, &made);
        break;
    case MPI_COMBINER_CONTIGUOUS:
        MPI_Type_contiguous_c(n[0], old, &made);
        break;
    case MPI_COMBINER_VECTOR:
        MPI_Type_vector_c(n[0], n[1], n[2], old, &made);
        break;
    case MPI_COMBINER_HVECTOR:
        MPI_Type_create_hvector_c(n[0], n[1], n[2], old, &made);
        break;
    case MPI_COMBINER_INDEXED:
        MPI_Type_indexed_c(n[0], n + 1, n + 1 + n[0], old, &made);
        break;
    case MPI_COMBINER_HINDEXED:
        MPI_Type_create_hindexed_c(n[0], n + 1, n + 1 + n[0], old, &made);
        break;
    case MPI_COMBINER_INDEXED_BLOCK:
        MPI_Type_create_indexed_block_c(n[0], n[1], n + 2, old, &made);
        break;
    case MPI_COMBINER_HINDEXED_BLOCK:
        MPI_Type_create_hindexed_block_c(n[0], n[1], n + 2, old, &made);
        break;
    case MPI_COMBINER_STRUCT:
        MPI_Type_create_struct_c(n[0], n + 1, n + 1 + n[0], contents->types, &made);
        break;
    case MPI_COMBINER_RESIZED:
        MPI_Type_create_resized_c(old, n[0], n[1], &made);
        break;
    }
    CHECK(made != MPI_DATATYPE_NULL);
    return made;
}

// The same type from its contents, to the bottom.
static MPI_Datatype rebuild(MPI_Datatype type)
{
    struct contents contents;
    get_contents(type, &contents);
    if (contents.combiner == MPI_COMBINER_NAMED)
        return type;
    for (MPI_Count i = 0; i < contents.type_count; i++) {
        MPI_Datatype old = contents.types[i];
        contents.types[i] = rebuild(old);
        if (contents.types[i] != old)
            MPI_Type_free(&old);
    }
    MPI_Datatype made = call_again(&contents);
    for (MPI_Count i = 0; i < contents.type_count; i++)
        free_unless_named(contents.types[i]);
    return made;
}

static void check_rebuilt(const struct built *built, int count)
{
    static struct contents contents;
    get_contents(built->type, &contents);
    check_contents(built, &contents);
    for (MPI_Count i = 0; !built->is_predefined && i < contents.type_count; i++) {
        CHECK(!is_named(contents.types[i]) || contents.types[i] == built->types[i]);
        free_unless_named(contents.types[i]);
    }
    MPI_Datatype made = rebuild(built->type);
    MPI_Type_commit(&made);
    check_bounds(made, &built->map);
    check_packing(made, &built->map, count);
    if (made != built->type)
        MPI_Type_free(&made);
}

// ---- puts and gets ----------------------------------------------------------------------
static int greatest_divisor(int a, int b)
{
    return b == 0 ? a : greatest_divisor(b, a % b);
}

struct side {
    const struct built *built;
    int count;
};

// Fills `wanted` with a pattern and, at what one type names, with what the other names
// in another pattern.
static void expect(const struct side *from, int from_owner, const struct side *to,
                   int round)
{
    fill(one, sizeof one, from_owner, round);
    copy_by_map(&from->built->map, from->count, one, packed, true);
    fill(wanted, sizeof wanted, rank, round + 1);
    copy_by_map(&to->built->map, to->count, wanted, packed, false);
}

// Element by element, an accumulate replaces what a put would.
static void check_put(const struct opened *opened, const struct side *origin,
                      const struct side *target, bool is_accumulate)
{
    expect(origin, left(), target, 1);
    fill(one, sizeof one, rank, 1);
    fill(opened->base, 2 * HALF, rank, 2);
    MPI_Win_fence(0, opened->win);
    if (is_accumulate)
        MPI_Accumulate(one + HALF, origin->count, origin->built->type, right(), HALF,
                       target->count, target->built->type, MPI_REPLACE, opened->win);
    else
        MPI_Put(one + HALF, origin->count, origin->built->type, right(), HALF,
                target->count, target->built->type, opened->win);
    MPI_Win_fence(0, opened->win);
    CHECK(memcmp(opened->base, wanted, sizeof wanted) == 0);
}

static void check_get(const struct opened *opened, const struct side *origin,
                      const struct side *target, bool is_accumulate)
{
    expect(target, right(), origin, 3);
    fill(one, sizeof one, rank, 4);
    fill(opened->base, 2 * HALF, rank, 3);
    MPI_Win_fence(0, opened->win);
    if (is_accumulate)
        MPI_Get_accumulate(NULL, 0, MPI_BYTE, one + HALF, origin->count,
                           origin->built->type, right(), HALF, target->count,
                           target->built->type, MPI_NO_OP, opened->win);
    else
        MPI_Get(one + HALF, origin->count, origin->built->type, right(), HALF,
                target->count, target->built->type, opened->win);
    MPI_Win_fence(0, opened->win);
    CHECK(memcmp(one, wanted, sizeof wanted) == 0);
}

static bool fits(const struct map *map, int count)
{
    MPI_Aint first, last;
    map_span(map, count, &first, &last);
    return first > -HALF && last < HALF && count * map_size(map) <= MOST_BYTES;
}

// Moves as many bytes of one type as of the other.
static void check_moves(const struct opened *opened, const struct built *origin,
                        const struct built *target, bool is_accumulate)
{
    int origin_size = map_size(&origin->map), target_size = map_size(&target->map);
    if (origin_size == 0 || target_size == 0)
        return;
    int divisor = greatest_divisor(origin_size, target_size);
    int origin_count = target_size / divisor, target_count = origin_size / divisor;
    if (!fits(&origin->map, origin_count) || !fits(&target->map, target_count))
        return;
    struct side from = {origin, origin_count}, to = {target, target_count};
    if (!map_overlaps(&target->map, target_count))
        check_put(opened, &from, &to, is_accumulate);
    if (!map_overlaps(&origin->map, origin_count))
        check_get(opened, &from, &to, is_accumulate);
}

static int types_to_make;
static unsigned seed;

static void check_types(const struct source *source)
{
    static struct built built, partner;
    struct opened opened = source->open(2 * HALF, 1);
    random_begin(seed);
    for (int i = 0; i < types_to_make; i++) {
        bool of_bytes = i % 4 == 0;
        build_random(&built, random_in(0, 6), of_bytes);
        int count = random_in(1, MOST_ELEMENTS);
        check_bounds(built.type, &built.map);
        check_packing(built.type, &built.map, count);
        check_external(built.type, &built.map, count);
        check_rebuilt(&built, count);
        if (of_bytes) {
            build_random(&partner, random_in(0, 4), true);
            check_moves(&opened, &built, &partner, i % 8 == 0);
            build_free(&partner);
        }
        build_free(&built);
    }
    source->close(&opened);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    types_to_make = argc > 1 ? atoi(argv[1]) : 60;
    seed = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    for_each_source(check_types);
    return finish();
}
