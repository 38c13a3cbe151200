// SPDX-License-Identifier: BSD-3-Clause
// intervals_are_found_as_in_a_list: random intervals are added to a map and to a list, taken
// out and filtered; each visit finds the same in both, in order; what is wrong with a map
// is noticed. What two ranges of blocks have in common is compared with their bytes.
#include "races/interval_map.h"
#include "check.h"

enum { INTERVALS = 500, STEPS = 20000, SPAN = 1000 };

static struct interval intervals[INTERVALS];
static bool is_in[INTERVALS];
static const uint64_t BASE = 1000; // blocks that go downwards stay above 0
static struct interval_map map;

static int number_of(const struct interval *interval)
{
    return (int)(interval - intervals);
}

// ---- ranges ---------------------------------------------------------------------------
static struct range range_any(int longest)
{
    uint64_t first = BASE + (uint64_t)random_between(0, SPAN);
    uint64_t block =
        (uint64_t)random_between(1, random_between(1, 3) == 1 ? longest : 9);
    int count = random_between(1, 3) == 1 ? random_between(2, 12) : 1;
    return range_of_blocks(first, count, random_between(-30, 30), block);
}

static bool range_has(const struct range *range, uint64_t byte)
{
    return byte >= range->begin && byte < range->end &&
           (byte - range->begin) % range->stride < range->block;
}

static bool bytes_meet(const struct range *one, const struct range *other,
                       uint64_t *first)
{
    for (*first = one->begin; *first < one->end; ++*first)
        if (range_has(one, *first) && range_has(other, *first))
            return true;
    return false;
}

static bool bytes_cover(const struct range *range, const struct range *other)
{
    for (uint64_t byte = other->begin; byte < other->end; byte++)
        if (range_has(other, byte) && !range_has(range, byte))
            return false;
    return true;
}

static void check_two_ranges(void)
{
    struct range one = range_any(60), other = range_any(60), common;
    uint64_t first;
    CHECK(range_is_valid(&one) && range_is_valid(&other));
    bool do_meet = bytes_meet(&one, &other, &first);
    CHECK(ranges_meet(&one, &other, &common) == do_meet);
    if (do_meet) {
        CHECK(common.begin == first && bytes_cover(&one, &common));
        CHECK(bytes_cover(&other, &common));
    }
    CHECK(!range_covers(&one, &other) || bytes_cover(&one, &other));
    CHECK(range_covers(&one, &one));
}

static void check_blocks(void)
{
    struct range column = range_of_blocks(BASE, 4, 32, 8);
    struct range upwards = range_of_blocks(BASE + 96, 4, -32, 8);
    struct range next = range_of_blocks(BASE + 8, 3, 32, 8);
    struct range row = range_of_bytes(BASE + 64, 32),
                 cell = range_of_bytes(BASE + 66, 2);
    CHECK(column.begin == BASE && column.end == BASE + 104);
    CHECK(upwards.begin == column.begin && upwards.end == column.end);
    CHECK(range_covers(&column, &upwards) && range_covers(&column, &cell));
    CHECK(!ranges_meet(&column, &next, NULL) && ranges_meet(&column, &row, NULL));
    column.block = 0;
    CHECK(!range_is_valid(&column));
}

// ---- visits ---------------------------------------------------------------------------
struct visit {
    struct range range;
    uint64_t last;
    int found;
};

static void count_visited(struct interval *interval, void *argument)
{
    struct visit *visit = argument;
    CHECK(is_in[number_of(interval)]);
    CHECK(ranges_meet(&interval->range, &visit->range, NULL));
    CHECK(interval->range.begin >= visit->last);
    visit->last = interval->range.begin;
    visit->found++;
}

static void check_visit(struct range range)
{
    struct visit visit = {.range = range};
    int expected = 0;
    for (int i = 0; i < INTERVALS; i++)
        expected += is_in[i] && ranges_meet(&intervals[i].range, &range, NULL);
    interval_map_visit(&map, &range, count_visited, &visit);
    CHECK(visit.found == expected);
}

// ---- changes --------------------------------------------------------------------------
static void change_one(void)
{
    int i = random_between(0, INTERVALS - 1);
    if (is_in[i]) {
        interval_map_remove(&map, &intervals[i]);
    } else {
        intervals[i].range = range_any(random_between(1, 20) == 1 ? SPAN : 10);
        interval_map_add(&map, &intervals[i]);
    }
    is_in[i] = !is_in[i];
}

static void extend_one(void)
{
    struct interval *interval = &intervals[random_between(0, INTERVALS - 1)];
    struct range *range = &interval->range;
    uint64_t end = range->end, bytes = (uint64_t)random_between(1, 50);
    if (!is_in[number_of(interval)])
        return;
    bool is_extended = interval_map_extend(&map, interval, end, bytes);
    CHECK(is_extended == (range->end == end + bytes));
    CHECK(!interval_map_extend(&map, interval, range->end + 1, bytes));
}

static bool keep_some(struct interval *interval, void *divisor)
{
    int i = number_of(interval);
    CHECK(is_in[i]);
    is_in[i] = i % *(int *)divisor != 0;
    return is_in[i];
}

// What a visit relies on.
static void check_notices(void)
{
    while (map.root == NULL || map.root->left == NULL)
        change_one();
    bool has_parent_first = map.root->priority >= map.root->left->priority;
    CHECK(has_parent_first);
    CHECK_NOTICED(interval_map_is_valid(&map), map.root->last_end, 0);
    CHECK_NOTICED(interval_map_is_valid(&map), map.count, map.count + 1);
    CHECK_NOTICED(interval_map_is_valid(&map), map.root->left->range.begin, UINT64_MAX);
    CHECK_NOTICED(interval_map_is_valid(&map), map.root->range.end,
                  map.root->range.begin);
    struct interval *left = map.root->left;
    left->priority = UINT32_MAX;
    map.root->priority = 0;
    CHECK(!interval_map_is_valid(&map));
}

int main(void)
{
    check_blocks();
    for (int step = 0; step < STEPS; step++) {
        change_one();
        if (step % 1000 == 999)
            interval_map_filter(&map, keep_some, &(int){random_between(1, 4)});
        if (step % 10 == 0)
            extend_one();
        check_two_ranges();
        check_visit(range_any(50));
        CHECK(step % 100 != 0 || interval_map_is_valid(&map));
    }
    check_visit(range_of_bytes(0, UINT64_MAX));
    check_notices();
    return 0;
}
