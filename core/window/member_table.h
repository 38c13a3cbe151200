// SPDX-License-Identifier: BSD-3-Clause
// What the members of a window tell each other when it is opened, in as few bytes as tell
// them apart: a value that all have is kept once, another one as how much it is above the
// least, in as many bytes as the greatest difference needs.
#pragma once

#include "base/base.h"

enum member_value {
    VALUE_SIZE,    // bytes of its memory
    VALUE_UNIT,    // displacement unit
    VALUE_KEY,     // struct net_remote of its memory
    VALUE_ADDRESS, // the same
    VALUE_HANDLE,  // of its window object
    MEMBER_VALUES
};

// The bounds of each value: members bring their own, and reduce them to the largest.
struct member_bounds {
    uint64_t most[MEMBER_VALUES];
    uint64_t not_least[MEMBER_VALUES]; // the complement
};

struct member_table {
    struct {
        uint64_t least;
        uint8_t bytes, at; // of the difference in a row
    } values[MEMBER_VALUES];
    size_t row_bytes;    // 0: all members have all values in common
    unsigned char *rows; // [members][row_bytes]
};

void member_bounds_begin(struct member_bounds *bounds,
                         const uint64_t values[MEMBER_VALUES]);
// A table without rows, which the caller provides if they have bytes.
struct member_table member_table_plan(const struct member_bounds *bounds);
void member_table_write(const struct member_table *table, int member,
                        const uint64_t values[MEMBER_VALUES]);
uint64_t member_table_read(const struct member_table *table, int member,
                           enum member_value value);
