// SPDX-License-Identifier: BSD-3-Clause
// Ranges of bytes that may overlap, found by what they overlap: a treap in order of their
// beginnings, whose nodes know the largest end below them.
#pragma once

#include "races/range.h"

struct interval {
    struct range range;
    uint64_t last_end; // the largest in this subtree
    struct interval *left, *right;
    uint32_t priority; // of the treap: not below that of a child
};

struct interval_map {
    struct interval *root;
    size_t count;
    uint32_t random;
};

// The interval belongs to the map from now on; it lies within memory of the
// caller's.
void interval_map_add(struct interval_map *map, struct interval *interval);
void interval_map_remove(struct interval_map *map, struct interval *interval);
// Takes so many bytes into an interval of the map, if it is contiguous and they follow.
bool interval_map_extend(struct interval_map *map, struct interval *interval,
                         uint64_t begin, uint64_t bytes);

// Calls a function for each interval that has a byte of the range, in order of beginnings. It
// does not change the map.
typedef void interval_visitor(struct interval *interval, void *argument);
void interval_map_visit(const struct interval_map *map, const struct range *range,
                        interval_visitor *visit, void *argument);

// Keeps the intervals of which a function says so; it frees the others.
typedef bool interval_keeper(struct interval *interval, void *argument);
void interval_map_filter(struct interval_map *map, interval_keeper *keeps,
                         void *argument);

bool interval_map_is_valid(const struct interval_map *map);
