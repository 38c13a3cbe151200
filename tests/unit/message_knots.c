// SPDX-License-Identifier: BSD-3-Clause
// What cannot come about is found in graphs of what depends on what: cycles of what is
// needed, and of alternatives only if none of them leads out.
#include "check.h"
#include "message/inquiry.h"

#include <string.h>

static struct awaited call_of(int rank)
{
    return (struct awaited){.rank = rank, .kind = AWAITED_CALL};
}

static struct awaited wait_of(int rank)
{
    return (struct awaited){.rank = rank, .number = 1, .kind = AWAITED_WAIT};
}

static struct awaited or_call_of(int rank)
{
    return (struct awaited){.rank = rank, .kind = AWAITED_CALL, .is_alternative = 1};
}

// The call of each of some ranks waits for what is listed.
static void add(struct knot *knot, int rank, const struct awaited *list, int count)
{
    struct awaited call = call_of(rank), wait = wait_of(rank);
    int wait_node = knot_node(knot, &wait), call_node = knot_node(knot, &call);
    CHECK(wait_node >= 0 && call_node >= 0);
    CHECK(knot_explain(knot, wait_node, list, count));
    CHECK(knot_explain(knot, call_node, &wait, 1));
}

static void a_cycle_is_a_knot(void)
{
    struct knot knot = {.nodes = NULL};
    char ranks[32];
    for (int rank = 3; rank > 0; rank--)
        add(&knot, rank, (struct awaited[]){call_of(rank % 3 + 1)}, 1);
    knot_find(&knot);
    CHECK(knot_lowest_rank(&knot) == 1);
    knot_ranks(&knot, 0, ranks, sizeof ranks);
    CHECK(strcmp(ranks, "rank 1") == 0);
    knot_free(&knot);
}

static void who_computes_ends_it(void)
{
    struct knot knot = {.nodes = NULL};
    add(&knot, 1, (struct awaited[]){call_of(2)}, 1);
    add(&knot, 2, (struct awaited[]){call_of(3)}, 1); // which nobody has explained
    knot_find(&knot);
    CHECK(knot_lowest_rank(&knot) == -1);
    knot_free(&knot);
}

static void what_has_come_ends_it(void)
{
    struct knot knot = {.nodes = NULL};
    add(&knot, 1, (struct awaited[]){call_of(2)}, 1);
    add(&knot, 2, NULL, 0);
    knot_find(&knot);
    CHECK(knot_lowest_rank(&knot) == -1);
    knot_free(&knot);
}

static void one_alternative_is_enough(void)
{
    struct knot knot = {.nodes = NULL};
    add(&knot, 1, (struct awaited[]){call_of(2), or_call_of(3)}, 2);
    add(&knot, 2, (struct awaited[]){call_of(1)}, 1);
    knot_find(&knot);
    CHECK(knot_lowest_rank(&knot) == -1);
    knot_free(&knot);
}

static void alternatives_that_all_lead_back_are_a_knot(void)
{
    struct knot knot = {.nodes = NULL};
    char ranks[32];
    add(&knot, 1, (struct awaited[]){call_of(3), or_call_of(2)}, 2);
    add(&knot, 2, (struct awaited[]){call_of(1)}, 1);
    add(&knot, 3, (struct awaited[]){call_of(1), or_call_of(2)}, 2);
    knot_find(&knot);
    CHECK(knot_lowest_rank(&knot) == 1);
    knot_ranks(&knot, 0, ranks, sizeof ranks);
    CHECK(strcmp(ranks, "ranks 2, 3") == 0);
    knot_free(&knot);
}

// Rank 1 needs rank 2 and, whatever rank 3 does, is stuck.
static void all_that_is_needed_must_come(void)
{
    struct knot knot = {.nodes = NULL};
    char ranks[32];
    add(&knot, 1, (struct awaited[]){call_of(3), call_of(2)}, 2);
    add(&knot, 2, (struct awaited[]){call_of(1)}, 1);
    knot_find(&knot);
    CHECK(knot_lowest_rank(&knot) == 1);
    knot_ranks(&knot, 0, ranks, sizeof ranks);
    CHECK(strcmp(ranks, "rank 2") == 0);
    knot_free(&knot);
}

// The root waits for a deadlock and is not part of it.
static void a_victim_is_in_no_knot(void)
{
    struct knot knot = {.nodes = NULL};
    add(&knot, 1, (struct awaited[]){call_of(2)}, 1);
    add(&knot, 2, (struct awaited[]){call_of(3)}, 1);
    add(&knot, 3, (struct awaited[]){call_of(2)}, 1);
    knot_find(&knot);
    CHECK(knot_lowest_rank(&knot) == -1);
    CHECK(!knot.nodes[0].may_come && knot.nodes[0].is_reached);
    knot_free(&knot);
}

int main(void)
{
    a_cycle_is_a_knot();
    who_computes_ends_it();
    what_has_come_ends_it();
    one_alternative_is_enough();
    alternatives_that_all_lead_back_are_a_knot();
    all_that_is_needed_must_come();
    a_victim_is_in_no_knot();
}
