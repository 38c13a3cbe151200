// SPDX-License-Identifier: BSD-3-Clause
// datatypes_describe_their_type_map: random nests of contiguous, vector and hvector
// types against a list of bytes made by the definitions of MPI-4.1 5.1; what is wrong with
// a datatype is noticed. Needs the core.

#include "check.h"
#include "datatype/layout.h"

#include <oriel_core.h>
#include <string.h>

enum { ROUNDS = 3000, BYTES_MAX = 4096, ELEMENTS = 3 };

// The bytes of one element in type-map order, and its bounds.
struct map {
    int count;
    int offset[BYTES_MAX];
    int lb, ub, alignment;
};

static struct datatype *predefined(MPI_Datatype handle)
{
    struct datatype *type = handle_object(KIND_DATATYPE, (uintptr_t)handle);
    CHECK(type != NULL);
    return type;
}

// MPI-4.1 5.1.6: the extent is that of the data, rounded up to the alignment.
static void map_bound(struct map *map)
{
    map->lb = map->count > 0 ? INT32_MAX : 0;
    map->ub = map->count > 0 ? INT32_MIN : 0;
    for (int i = 0; i < map->count; i++) {
        if (map->offset[i] < map->lb)
            map->lb = map->offset[i];
        if (map->offset[i] + 1 > map->ub)
            map->ub = map->offset[i] + 1;
    }
    while ((map->ub - map->lb) % map->alignment != 0)
        map->ub++;
}

static void map_repeat(struct map *map, int count, int stride)
{
    int inner = map->count;
    for (int i = 1; i < count; i++)
        for (int byte = 0; byte < inner; byte++)
            map->offset[map->count++] = map->offset[byte] + i * stride;
    if (count == 0)
        map->count = 0;
    map_bound(map);
}

static struct datatype *random_basic(struct map *map)
{
    static const MPI_Datatype handles[] = {
        MPI_BYTE, MPI_SHORT, MPI_INT, MPI_DOUBLE, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT};
    int chosen = random_between(0, 5);
    struct datatype *type = predefined(handles[chosen]);
    *map = (struct map){.alignment = (int)type->alignment};
    for (int i = 0; i < type->size; i++) {
        bool is_after_gap = chosen == 4 && i >= 2;
        map->offset[map->count++] = i + (is_after_gap ? 2 : 0);
    }
    map_bound(map);
    return type;
}

// Wraps one more constructor around `old`; too large maps stay as they are.
static struct datatype *random_wrap(struct datatype *old, struct map *map)
{
    struct datatype *made;
    int extent = map->ub - map->lb;
    int count = random_between(0, 9) ? random_between(1, 4) : 0;
    int length = random_between(0, 9) ? random_between(1, 3) : 0;
    if (map->count * 4 * 3 > BYTES_MAX)
        return NULL;
    switch (random_between(0, 2)) {
    case 0:
        CHECK(oriel_type_contiguous(count, old, &made, false) == 0);
        map_repeat(map, count, extent);
        return made;
    case 1: {
        int stride = random_between(-4, 5);
        CHECK(oriel_type_vector(count, length, stride, old, &made, false) == 0);
        map_repeat(map, count ? length : 0, extent);
        map_repeat(map, length ? count : 0, stride * extent);
        return made;
    }
    default: {
        int stride = random_between(-40, 60);
        CHECK(oriel_type_create_hvector(count, length, stride, old, &made, false) == 0);
        map_repeat(map, count ? length : 0, extent);
        map_repeat(map, length ? count : 0, stride);
        return made;
    }
    }
}

static void bounds_are_exact(struct datatype *type, const struct map *map)
{
    MPI_Count size, lb, extent;
    int first = INT32_MAX, last = INT32_MIN;
    for (int i = 0; i < map->count; i++) {
        if (map->offset[i] < first)
            first = map->offset[i];
        if (map->offset[i] + 1 > last)
            last = map->offset[i] + 1;
    }
    CHECK(oriel_type_size(type, &size) == 0 && size == map->count);
    CHECK(oriel_type_get_extent(type, &lb, &extent) == 0);
    CHECK(lb == map->lb && lb + extent == map->ub);
    if (map->count > 0)
        CHECK(type->true_lb == first && type->true_lb + type->true_extent == last);
    MPI_Aint from, to;
    datatype_span(type, 1, &from, &to);
    CHECK(map->count == 0 ? from == to : from == first && to == last);
}

// Offsets of all bytes of ELEMENTS elements by the cursor, at most `limit` at a time.
static void cursor_is_exact(struct datatype *type, const struct map *map, size_t limit)
{
    struct blocks blocks = blocks_of(type, ELEMENTS);
    MPI_Aint offset;
    size_t bytes;
    int byte = 0, extent = map->ub - map->lb;
    while ((bytes = blocks_next(&blocks, limit, &offset)) > 0) {
        CHECK(bytes <= limit);
        for (size_t i = 0; i < bytes; i++, byte++)
            CHECK(offset + (MPI_Aint)i ==
                  map->offset[byte % map->count] + byte / map->count * extent);
    }
    CHECK(byte == ELEMENTS * map->count);
    CHECK(blocks_next(&blocks, limit, &offset) == 0);
}

// Packing, and unpacking into a fresh buffer, move exactly the bytes of the map.
static void packing_is_exact(struct datatype *type, const struct map *map)
{
    enum { HALF = 1 << 20 };
    static unsigned char buffer[2 * HALF], other[2 * HALF],
        packed[ELEMENTS * BYTES_MAX];
    MPI_Aint first, last;
    datatype_span(type, ELEMENTS, &first, &last);
    CHECK(first > -HALF && last < HALF);
    for (MPI_Aint i = first; i < last; i++) {
        buffer[HALF + i] = (unsigned char)random_between(1, 255);
        other[HALF + i] = 0;
    }
    datatype_pack(type, ELEMENTS, buffer + HALF, packed);
    datatype_unpack(type, ELEMENTS, other + HALF, packed);
    int extent = map->ub - map->lb;
    for (int i = 0; i < ELEMENTS * map->count; i++) {
        int at = map->offset[i % map->count] + i / map->count * extent;
        CHECK(packed[i] == buffer[HALF + at]);
    }
    for (int i = 0; i < ELEMENTS * map->count; i++) {
        int at = map->offset[i % map->count] + i / map->count * extent;
        CHECK(other[HALF + at] == packed[i] || other[HALF + at] == 0);
        other[HALF + at] = 0; // the map may name it again
    }
    for (MPI_Aint i = first; i < last; i++)
        CHECK(other[HALF + i] == 0);
}

static void random_types_are_exact(void)
{
    static struct map map;
    struct datatype *type = random_basic(&map);
    for (int depth = random_between(1, 5); depth > 0; depth--) {
        struct datatype *wrapped = random_wrap(type, &map);
        if (wrapped == NULL)
            break;
        CHECK(oriel_type_free(type) == 0); // the new type does not need it
        type = wrapped;
        CHECK(datatype_is_valid(type));
    }
    CHECK(oriel_type_commit(type) == 0 && type->is_committed);
    CHECK(datatype_is_valid(type));
    bounds_are_exact(type, &map);
    cursor_is_exact(type, &map, SIZE_MAX);
    cursor_is_exact(type, &map, 3);
    packing_is_exact(type, &map);
    CHECK(oriel_type_free(type) == 0);
}

static void adjacent_blocks_are_one(void)
{
    struct datatype *row, *matrix, *columns;
    CHECK(oriel_type_vector(6, 2, 2, predefined(MPI_INT), &row, false) == 0);
    CHECK(row->is_contiguous && row->size == 48);
    CHECK(oriel_type_contiguous(5, row, &matrix, false) == 0 && matrix->is_contiguous);
    CHECK(oriel_type_vector(6, 2, 4, predefined(MPI_INT), &columns, false) == 0);
    CHECK(!columns->is_contiguous && columns->extent == 88);
    MPI_Aint offset;
    struct blocks blocks = blocks_of(columns, 1);
    for (int i = 0; i < 6; i++)
        CHECK(blocks_next(&blocks, SIZE_MAX, &offset) == 8 && offset == 16 * i);
    CHECK(oriel_type_free(row) == 0);
    CHECK(oriel_type_free(matrix) == 0);
    CHECK(oriel_type_free(columns) == 0);
}

static void large_types_take_no_memory_and_too_large_ones_are_errors(void)
{
    struct datatype *large, *larger, *none = NULL;
    MPI_Count million = 1000000;
    CHECK(oriel_type_vector(million, 1, 2, predefined(MPI_INT), &large, false) == 0);
    CHECK(oriel_type_vector(million, 1, 2, large, &larger, false) == 0);
    CHECK(larger->size == 4 * million * million);
    CHECK(oriel_type_contiguous(INT64_MAX / 2, large, &none, false) ==
          MPI_ERR_VALUE_TOO_LARGE);
    CHECK(oriel_type_vector(2, 1, INT64_MAX / 2, large, &none, false) ==
          MPI_ERR_VALUE_TOO_LARGE);
    CHECK(none == NULL);
    MPI_Aint first, last;
    datatype_span(larger, INT64_MAX, &first, &last);
    CHECK(first == INTPTR_MIN && last == INTPTR_MAX);
    CHECK(oriel_type_free(large) == 0);
    CHECK(oriel_type_free(larger) == 0);
}

#define NOTICED(member, wrong) CHECK_NOTICED(datatype_is_valid(type), member, wrong)

static void what_is_wrong_with_a_contiguous_type_is_noticed(void)
{
    struct datatype *type = predefined(MPI_DOUBLE);
    NOTICED(type->size, 4);
    NOTICED(type->extent, 16);
    NOTICED(type->lb, 8);
    NOTICED(type->alignment, 3);
    NOTICED(type->is_contiguous, false);
    NOTICED(type->plain_size, 0);
    NOTICED(type->run.count, 2);
    NOTICED(type->basic, NULL);
    NOTICED(type->basic, predefined(MPI_FLOAT)->basic); // kernel_row is of another one
    NOTICED(type->object.is_predefined, false);
}

// Three rows of a block and of a vector of blocks.
static void what_is_wrong_with_a_layout_is_noticed(void)
{
    struct datatype *vector, *row, *type;
    CHECK(oriel_type_vector(4, 1, 2, predefined(MPI_INT), &vector, false) == 0);
    MPI_Datatype types[] = {MPI_INT, (MPI_Datatype)object_handle(vector)};
    struct numbers lengths = {(int[]){1, 2}, false};
    struct numbers displacements = {(MPI_Count[]){0, 8}, true};
    CHECK(oriel_type_create_struct(2, lengths, displacements, types, &row, false) == 0);
    CHECK(oriel_type_create_hvector(3, 1, 1000, row, &type, false) == 0);
    CHECK(oriel_type_commit(type) == 0);
    struct layout *layout = type->layout, *list = layout->parts[0].layout;
    CHECK(layout->depth == 1 && layout->part_count == 1 && list->part_count == 2);
    NOTICED(type->size, type->size + 4);
    NOTICED(type->true_extent, 0);
    NOTICED(type->layout, NULL);
    NOTICED(type->run.block, 4);
    NOTICED(layout->references, 0);
    NOTICED(layout->block, 4); // besides a list
    NOTICED(layout->depth, 0);
    NOTICED(layout->dimensions[0].count, 2);
    NOTICED(layout->pass_runs, 1);
    NOTICED(layout->runs, layout->runs + 1);
    NOTICED(list->part_count, 1);
    NOTICED(list->parts[1].first_run, 2);
    NOTICED(list->parts[0].layout, NULL);
    NOTICED(list->parts[0].layout->block, 8);
    CHECK(oriel_type_free(vector) == 0);
    CHECK(oriel_type_free(row) == 0);
    CHECK(oriel_type_free(type) == 0);
}

int main(void)
{
    struct boot boot = {.size = 1};
    process.boot = &boot;
    CHECK(objects_start() == 0);
    datatypes_start();
    for (int round = 0; round < ROUNDS; round++)
        random_types_are_exact();
    adjacent_blocks_are_one();
    what_is_wrong_with_a_contiguous_type_is_noticed();
    what_is_wrong_with_a_layout_is_noticed();
    large_types_take_no_memory_and_too_large_ones_are_errors();
    datatypes_stop();
    objects_stop();
    return 0;
}
