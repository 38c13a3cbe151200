// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of range.h.
#include "races/range.h"

struct range range_of_blocks(uint64_t first, int64_t count, int64_t stride,
                             uint64_t block)
{
    uint64_t step = stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
    uint64_t length = (uint64_t)(count - 1) * step + block;
    uint64_t begin = stride < 0 ? first - (length - block) : first;
    if (count == 1 || step <= block)
        return range_of_bytes(begin, length);
    return (struct range){begin, begin + length, block, step};
}

static uint64_t number_max(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

static uint64_t number_min(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

// The first bytes of one block that lie from `begin` on and before `end`.
static bool range_first(const struct range *range, uint64_t begin, uint64_t end,
                        struct range *first)
{
    uint64_t at = range->begin;
    if (begin >= range->end)
        return false;
    if (begin >= at + range->block)
        at += ((begin - at - range->block) / range->stride + 1) * range->stride;
    if (at >= end)
        return false;
    begin = number_max(at, begin);
    *first = range_of_bytes(begin, number_min(at + range->block, end) - begin);
    return true;
}

// Where a range begins within the stride of another one.
static uint64_t phase_of(const struct range *range, const struct range *other)
{
    uint64_t stride = range->stride;
    return other->begin >= range->begin
               ? (other->begin - range->begin) % stride
               : (stride - (range->begin - other->begin) % stride) % stride;
}

// The blocks of two ranges with one stride, of which no two ever meet.
static bool are_interleaved(const struct range *one, const struct range *other)
{
    if (one->stride != other->stride)
        return false;
    uint64_t phase = phase_of(one, other);
    return phase >= one->block && phase + other->block <= one->stride;
}

// Looks for each block of `few` in the other range.
static bool blocks_meet(const struct range *few, const struct range *many,
                        uint64_t begin, uint64_t end, struct range *common)
{
    struct range block;
    while (range_first(few, begin, end, &block)) {
        if (range_first(many, block.begin, block.end, common))
            return true;
        begin = block.end;
    }
    return false;
}

bool ranges_meet(const struct range *one, const struct range *other,
                 struct range *common)
{
    struct range unused;
    uint64_t begin = number_max(one->begin, other->begin);
    uint64_t end = number_min(one->end, other->end);
    if (common == NULL)
        common = &unused;
    if (begin >= end)
        return false;
    if (range_is_contiguous(one) && range_is_contiguous(other)) {
        *common = range_of_bytes(begin, end - begin);
        return true;
    }
    if (are_interleaved(one, other))
        return false;
    bool one_has_few = range_is_contiguous(one) ||
                       (!range_is_contiguous(other) && one->stride >= other->stride);
    return one_has_few ? blocks_meet(one, other, begin, end, common)
                       : blocks_meet(other, one, begin, end, common);
}

bool range_covers(const struct range *range, const struct range *other)
{
    if (other->begin < range->begin || other->end > range->end)
        return false;
    if (range_is_contiguous(range))
        return true;
    return (range->stride == other->stride || range_is_contiguous(other)) &&
           phase_of(range, other) + other->block <= range->block;
}

bool range_is_valid(const struct range *range)
{
    if (range->begin >= range->end || range->block == 0 ||
        range->block > range->stride || range->block > range->end - range->begin)
        return false;
    return (range->end - range->begin - range->block) % range->stride == 0;
}
