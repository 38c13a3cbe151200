// SPDX-License-Identifier: BSD-3-Clause
// groups_are_ordered_sets: MPI-4.1 7.3, on random groups against the definitions.
// Needs the core.

#include "check.h"
#include "object/object.h"

#include <oriel_core.h>
#include <string.h>

enum { JOB = 20, ROUNDS = 2000 };

static bool is_regular(const int *ranks, int size)
{
    for (int i = 1; i + 1 < size; i++)
        if (ranks[i + 1] - ranks[i] != ranks[1] - ranks[0])
            return false;
    return true;
}

static int rank_in(const struct group *group, int member)
{
    for (int i = 0; i < group->size; i++)
        if (group_job_rank(group, i) == member)
            return i;
    return MPI_UNDEFINED;
}

// The group has these members, which are found by both ways, and a table only if it needs
// one.
static void check_is_found(const struct group *group, const int *expected, int size)
{
    struct group_search search;
    CHECK(group->size == size);
    CHECK((group->ranks == NULL) == is_regular(expected, size));
    CHECK(group->stride != 0);
    for (int i = 0; i < size; i++)
        CHECK(group_job_rank(group, i) == expected[i]);
    CHECK(group->rank == rank_in(group, process.boot->rank));
    CHECK(group_search_begin(group, &search) == 0);
    for (int rank = 0; rank < JOB; rank++) {
        CHECK(group_rank_of(group, rank) == rank_in(group, rank));
        CHECK(group_search_rank(&search, rank) == rank_in(group, rank));
    }
    group_search_end(&search);
}

// Irregular ranks, as a rule. Returns how many.
static int random_ranks(int ranks[JOB])
{
    for (int i = 0; i < JOB; i++)
        ranks[i] = i;
    for (int i = JOB - 1; i > 0; i--) {
        int other = random_between(0, i), swapped = ranks[i];
        ranks[i] = ranks[other];
        ranks[other] = swapped;
    }
    return random_between(0, JOB);
}

// Ranks that are equally far apart, up or down.
static int random_regular_ranks(int ranks[JOB])
{
    int first = random_between(0, JOB - 1), size = 0;
    int stride = random_between(1, 4) * (random_between(0, 1) ? 1 : -1);
    for (int rank = first; rank >= 0 && rank < JOB; rank += stride)
        ranks[size++] = rank;
    return random_between(0, size);
}

static struct group *random_group(void)
{
    int ranks[JOB];
    int size = random_between(0, 1) ? random_ranks(ranks) : random_regular_ranks(ranks);
    struct group *group;
    CHECK(group_make(ranks, size, NULL, &group) == 0);
    check_is_found(group, ranks, size);
    return group;
}

static void check_members(const struct group *group, const int *expected, int size)
{
    check_is_found(group, expected, size);
    CHECK((size == 0) == (group == &group_empty));
}

static void heads_are_the_first_members(const struct group *group)
{
    int count = random_between(0, group->size), ranks[JOB];
    struct group *head;
    group_list(group, ranks);
    CHECK(group_make_head(group, count, &head) == 0);
    check_is_found(head, ranks, count);
    object_release(head);
}

static void sets_are_combined_in_order(struct group *one, struct group *other)
{
    int both[2 * JOB], common[JOB], rest[JOB];
    int both_size = one->size, common_size = 0, rest_size = 0;
    for (int i = 0; i < one->size; i++) {
        both[i] = group_job_rank(one, i);
        if (rank_in(other, group_job_rank(one, i)) == MPI_UNDEFINED)
            rest[rest_size++] = group_job_rank(one, i);
        else
            common[common_size++] = group_job_rank(one, i);
    }
    for (int i = 0; i < other->size; i++)
        if (rank_in(one, group_job_rank(other, i)) == MPI_UNDEFINED)
            both[both_size++] = group_job_rank(other, i);
    struct group *made;
    CHECK(oriel_group_union(one, other, &made) == 0);
    check_members(made, both, both_size);
    CHECK(oriel_group_free(made) == 0);
    CHECK(oriel_group_intersection(one, other, &made) == 0);
    check_members(made, common, common_size);
    CHECK(oriel_group_free(made) == 0);
    CHECK(oriel_group_difference(one, other, &made) == 0);
    check_members(made, rest, rest_size);
    CHECK(oriel_group_free(made) == 0);
}

static void chosen_members_are_included_or_excluded(struct group *group)
{
    int chosen[JOB], n = 0, included[JOB], excluded[JOB], left = 0;
    for (int i = group->size - 1; i >= 0; i--)
        if (random_between(0, 1))
            chosen[n++] = i;
    for (int i = 0; i < n; i++)
        included[i] = group_job_rank(group, chosen[i]);
    for (int i = 0, at = n; i < group->size; i++) {
        if (at > 0 && chosen[at - 1] == i)
            at--;
        else
            excluded[left++] = group_job_rank(group, i);
    }
    struct group *made;
    CHECK(oriel_group_incl(group, n, chosen, &made) == 0);
    check_members(made, included, n);
    CHECK(oriel_group_free(made) == 0);
    CHECK(oriel_group_excl(group, n, chosen, &made) == 0);
    check_members(made, excluded, left);
    CHECK(oriel_group_free(made) == 0);
}

static void ranks_are_translated(struct group *from, struct group *to)
{
    int ranks[JOB + 1], translated[JOB + 1];
    for (int i = 0; i < from->size; i++)
        ranks[i] = i;
    ranks[from->size] = MPI_PROC_NULL;
    CHECK(oriel_group_translate_ranks(from, from->size + 1, ranks, to, translated) ==
          0);
    for (int i = 0; i < from->size; i++)
        CHECK(translated[i] == rank_in(to, group_job_rank(from, i)));
    CHECK(translated[from->size] == MPI_PROC_NULL);
}

static void groups_are_compared(struct group *one, struct group *other)
{
    int result, expected = MPI_IDENT;
    for (int i = 0; i < one->size && i < other->size; i++)
        if (group_job_rank(one, i) != group_job_rank(other, i))
            expected = MPI_SIMILAR;
    for (int i = 0; i < one->size; i++)
        if (rank_in(other, group_job_rank(one, i)) == MPI_UNDEFINED)
            expected = MPI_UNEQUAL;
    if (one->size != other->size)
        expected = MPI_UNEQUAL;
    CHECK(oriel_group_compare(one, other, &result) == 0);
    CHECK(result == expected);
}

static void bad_ranks_are_errors(void)
{
    struct group *group, *made = NULL;
    int class, out[2];
    CHECK(group_make((int[]){4, 7, 9}, 3, NULL, &group) == 0);
    CHECK(oriel_group_incl(group, 2, (int[]){0, 3}, &made) == MPI_ERR_RANK);
    CHECK(strstr(error_detail(&class), "rank 3 at position 1"));
    CHECK(oriel_group_incl(group, 2, (int[]){-1, 0}, &made) == MPI_ERR_RANK);
    CHECK(oriel_group_incl(group, 3, (int[]){2, 1, 2}, &made) == MPI_ERR_RANK);
    CHECK(strstr(error_detail(&class), "rank 2 at position 2"));
    CHECK(oriel_group_excl(group, 2, (int[]){1, 1}, &made) == MPI_ERR_RANK);
    CHECK(oriel_group_excl(group, 4, (int[]){0, 1, 2, 3}, &made) == MPI_ERR_RANK);
    CHECK(oriel_group_translate_ranks(group, 2, (int[]){0, 5}, group, out) ==
          MPI_ERR_RANK);
    CHECK(made == NULL);
    object_release(group);
}

static void an_incl_of_all_reversed_is_similar(void)
{
    struct group *group, *reversed;
    int result;
    CHECK(group_make((int[]){4, 7, 9}, 3, NULL, &group) == 0);
    CHECK(oriel_group_incl(group, 3, (int[]){2, 1, 0}, &reversed) == 0);
    CHECK(oriel_group_compare(group, reversed, &result) == 0 && result == MPI_SIMILAR);
    uintptr_t handle = object_handle(reversed);
    CHECK(handle_object(KIND_GROUP, handle) == reversed);
    CHECK(oriel_group_free(reversed) == 0);
    CHECK(handle_object(KIND_GROUP, handle) == NULL);
    object_release(group);
}

static void ranges_have_no_tables(void)
{
    int up[][3] = {{1, 17, 4}}, down[][3] = {{19, 0, -3}};
    int two[][3] = {{0, 4, 1}, {5, 9, 1}}, apart[][3] = {{0, 4, 1}, {6, 9, 1}};
    struct group *job, *made, *rest;
    CHECK(group_make_regular(0, 1, JOB, NULL, &job) == 0);
    CHECK(oriel_group_range_incl(job, 1, up, &made) == 0);
    check_members(made, (int[]){1, 5, 9, 13, 17}, 5);
    CHECK(oriel_group_free(made) == 0);
    CHECK(oriel_group_range_incl(job, 1, down, &made) == 0);
    check_members(made, (int[]){19, 16, 13, 10, 7, 4, 1}, 7);
    CHECK(oriel_group_free(made) == 0);
    CHECK(oriel_group_range_incl(job, 2, two, &made) == 0 && made->ranks == NULL);
    CHECK(oriel_group_range_excl(job, 2, two, &rest) == 0 && rest->ranks == NULL);
    CHECK(rest->first == 10 && rest->size == 10);
    CHECK(oriel_group_free(made) == 0 && oriel_group_free(rest) == 0);
    CHECK(oriel_group_range_incl(job, 2, apart, &made) == 0 && made->ranks != NULL);
    CHECK(oriel_group_free(made) == 0);
    object_release(job);
}

int main(void)
{
    struct boot boot = {.rank = 3, .size = JOB};
    process.boot = &boot;
    CHECK(objects_start() == 0);
    for (int round = 0; round < ROUNDS; round++) {
        struct group *one = random_group(), *other = random_group();
        sets_are_combined_in_order(one, other);
        chosen_members_are_included_or_excluded(one);
        ranks_are_translated(one, other);
        groups_are_compared(one, other);
        groups_are_compared(one, one);
        heads_are_the_first_members(one);
        object_release(one);
        object_release(other);
    }
    ranges_have_no_tables();
    bad_ranks_are_errors();
    an_incl_of_all_reversed_is_similar();
    return 0;
}
