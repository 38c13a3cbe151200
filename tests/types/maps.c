// SPDX-License-Identifier: BSD-3-Clause
// Type maps, and what is said of a type while it is made.
#include "types.h"

// ---- random numbers -------------------------------------------------------------------
static uint64_t state;

void random_begin(uint64_t seed)
{
    state = seed * 0x9e3779b97f4a7c15u + 88172645463325252u;
}

int random_in(int low, int high)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return low + (int)(state % (uint64_t)(high - low + 1));
}

// ---- type maps ------------------------------------------------------------------------
int map_size(const struct map *map)
{
    int total = 0;
    for (int i = 0; i < map->count; i++)
        total += map->numbers[i].bytes;
    return total;
}

int map_external_size(const struct map *map)
{
    int total = 0;
    for (int i = 0; i < map->count; i++)
        total += map->numbers[i].external;
    return total;
}

struct bounds map_bounds(const struct map *map)
{
    struct bounds bounds = {0, 0, 0, 0};
    MPI_Aint first = PTRDIFF_MAX, last = PTRDIFF_MIN;
    int alignment = 1;
    for (int i = 0; i < map->count; i++) {
        const struct number *number = &map->numbers[i];
        first = number->at < first ? number->at : first;
        last = number->at + number->bytes > last ? number->at + number->bytes : last;
        alignment = number->alignment > alignment ? number->alignment : alignment;
    }
    if (map->count > 0)
        bounds = (struct bounds){first, last - first, first, last - first};
    while (bounds.extent % alignment != 0)
        bounds.extent++;
    if (map->has_markers) {
        bounds.lb = map->lower;
        bounds.extent = map->upper - map->lower;
    }
    return bounds;
}

void map_span(const struct map *map, int count, MPI_Aint *first, MPI_Aint *last)
{
    struct bounds bounds = map_bounds(map);
    MPI_Aint reach = bounds.extent * (count - 1);
    *first = bounds.true_lb + (reach < 0 ? reach : 0);
    *last = bounds.true_lb + bounds.true_extent + (reach > 0 ? reach : 0);
}

bool map_overlaps(const struct map *map, int count)
{
    struct bounds bounds = map_bounds(map);
    MPI_Aint first, last;
    map_span(map, count, &first, &last);
    char *seen = calloc((size_t)(last - first) + 1, 1);
    bool overlaps = false;
    CHECK(seen != NULL);
    for (int element = 0; element < count; element++)
        for (int i = 0; i < map->count; i++)
            for (int byte = 0; byte < map->numbers[i].bytes; byte++)
                overlaps |= seen[map->numbers[i].at + element * bounds.extent + byte -
                                 first]++ != 0;
    free(seen);
    return overlaps;
}

void map_begin(struct map *map)
{
    map->count = 0;
    map->has_markers = false;
    map->lower = PTRDIFF_MAX;
    map->upper = PTRDIFF_MIN;
}

void map_add(struct map *map, const struct map *inner, int count, MPI_Aint at)
{
    MPI_Aint extent = map_bounds(inner).extent;
    CHECK(map->count + count * inner->count <= MOST_NUMBERS);
    for (int element = 0; element < count; element++, at += extent) {
        for (int i = 0; i < inner->count; i++) {
            map->numbers[map->count] = inner->numbers[i];
            map->numbers[map->count++].at += at;
        }
        if (!inner->has_markers)
            continue;
        map->has_markers = true;
        map->lower = inner->lower + at < map->lower ? inner->lower + at : map->lower;
        map->upper = inner->upper + at > map->upper ? inner->upper + at : map->upper;
    }
}

// ---- what contents must tell ------------------------------------------------------------
void build_begin(struct built *built, int combiner)
{
    built->is_predefined = false;
    map_begin(&built->map);
    built->combiner = combiner;
    built->is_large = random_in(0, 1);
    built->integer_count = built->address_count = built->large_count = 0;
    built->type_count = 0;
}

void say_integer(struct built *built, int value)
{
    built->integers[built->integer_count++] = value;
}

void say_count(struct built *built, int value)
{
    if (built->is_large)
        built->large[built->large_count++] = value;
    else
        say_integer(built, value);
}

void say_address(struct built *built, MPI_Aint value)
{
    if (built->is_large)
        built->large[built->large_count++] = value;
    else
        built->addresses[built->address_count++] = value;
}

void say_type(struct built *built, const struct built *inner)
{
    built->types[built->type_count++] = inner->type;
}
