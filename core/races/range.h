// SPDX-License-Identifier: BSD-3-Clause
// Bytes in blocks of equal length at equal distances: contiguous ones, and what a vector
// datatype has, are one range each.
#pragma once

#include "base/base.h"

// The last block ends at `end`. Of one block the stride is its length.
struct range {
    uint64_t begin, end;
    uint64_t block, stride; // 0 < block <= stride
};

static inline bool range_is_contiguous(const struct range *range)
{
    return range->block == range->end - range->begin;
}

static inline struct range range_of_bytes(uint64_t begin, uint64_t bytes)
{
    return (struct range){begin, begin + bytes, bytes, bytes};
}

// Takes up so many bytes from `begin` on, if a contiguous range ends there.
static inline bool range_extend(struct range *range, uint64_t begin, uint64_t bytes)
{
    uint64_t length = range->end - range->begin;
    if (range->end != begin || range->block != length)
        return false;
    range->end += bytes;
    range->block = range->stride = length + bytes;
    return true;
}

// The bytes of `count` blocks, of which the first begins at `first`; they may overlap, and
// go downwards. None of the numbers is 0 but the stride.
struct range range_of_blocks(uint64_t first, int64_t count, int64_t stride,
                             uint64_t block);

// Do both have a byte? *common, if it is not NULL: the first run of such bytes.
bool ranges_meet(const struct range *one, const struct range *other,
                 struct range *common);

// False where that takes more than a look.
static inline bool range_has_bytes(const struct range *range, uint64_t begin,
                                   uint64_t bytes)
{
    return range_is_contiguous(range) && begin >= range->begin && begin < range->end &&
           bytes <= range->end - begin;
}
bool range_covers(const struct range *range, const struct range *other);

bool range_is_valid(const struct range *range);
