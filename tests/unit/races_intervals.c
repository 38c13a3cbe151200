// SPDX-License-Identifier: BSD-3-Clause
// intervals_are_found_as_in_a_list: random intervals are added to a map and to a list, taken
// out and filtered; each visit finds the same in both, in order; what is wrong with a map
// is noticed.
#include "races/interval_map.h"
#include "check.h"

enum { INTERVALS = 500, STEPS = 20000, SPAN = 1000 };

static struct interval intervals[INTERVALS];
static bool is_in[INTERVALS];
static struct interval_map map;

static int number_of(const struct interval *interval)
{
    return (int)(interval - intervals);
}

// ---- visits ---------------------------------------------------------------------------
struct visit {
    uint64_t begin, end, last;
    int found;
};

static void count_visited(struct interval *interval, void *argument)
{
    struct visit *visit = argument;
    CHECK(is_in[number_of(interval)]);
    CHECK(interval->begin < visit->end && interval->end > visit->begin);
    CHECK(interval->begin >= visit->last);
    visit->last = interval->begin;
    visit->found++;
}

static void check_visit(uint64_t begin, uint64_t end)
{
    struct visit visit = {.begin = begin, .end = end};
    int expected = 0;
    for (int i = 0; i < INTERVALS; i++)
        expected += is_in[i] && intervals[i].begin < end && intervals[i].end > begin;
    interval_map_visit(&map, begin, end, count_visited, &visit);
    CHECK(visit.found == expected);
}

// ---- changes --------------------------------------------------------------------------
static void change_one(void)
{
    int i = random_between(0, INTERVALS - 1);
    if (is_in[i]) {
        interval_map_remove(&map, &intervals[i]);
    } else {
        uint64_t begin = (uint64_t)random_between(0, SPAN);
        int longest = random_between(1, 20) == 1 ? SPAN : 10;
        intervals[i].begin = begin;
        intervals[i].end = begin + (uint64_t)random_between(1, longest);
        interval_map_add(&map, &intervals[i]);
    }
    is_in[i] = !is_in[i];
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
    CHECK_NOTICED(interval_map_is_valid(&map), map.root->left->begin, UINT64_MAX);
    CHECK_NOTICED(interval_map_is_valid(&map), map.root->end, map.root->begin);
    struct interval *left = map.root->left;
    left->priority = UINT32_MAX;
    map.root->priority = 0;
    CHECK(!interval_map_is_valid(&map));
}

int main(void)
{
    for (int step = 0; step < STEPS; step++) {
        change_one();
        if (step % 1000 == 999)
            interval_map_filter(&map, keep_some, &(int){random_between(1, 4)});
        uint64_t begin = (uint64_t)random_between(0, SPAN);
        check_visit(begin, begin + (uint64_t)random_between(1, 50));
        CHECK(step % 100 != 0 || interval_map_is_valid(&map));
    }
    check_visit(0, UINT64_MAX);
    check_notices();
    return 0;
}
