// SPDX-License-Identifier: BSD-3-Clause
// groups_are_ordered_sets: MPI-4.1 7.3, on random groups against the definitions.
// Needs the core.

#include "check.h"
#include "object/object.h"

#include <oriel_core.h>
#include <string.h>

enum { JOB = 20, ROUNDS = 2000 };

static int rank_in(const struct group *group, int member)
{
    for (int i = 0; i < group->size; i++)
        if (group->ranks[i] == member)
            return i;
    return MPI_UNDEFINED;
}

static struct group *random_group(void)
{
    int ranks[JOB], size = random_between(0, JOB);
    for (int i = 0; i < JOB; i++)
        ranks[i] = i;
    for (int i = JOB - 1; i > 0; i--) {
        int other = random_between(0, i), swapped = ranks[i];
        ranks[i] = ranks[other];
        ranks[other] = swapped;
    }
    struct group *group;
    CHECK(group_make(ranks, size, NULL, &group) == 0);
    CHECK(group->rank == rank_in(group, process.boot->rank));
    return group;
}

static void check_members(const struct group *group, const int *expected, int size)
{
    CHECK(group->size == size);
    for (int i = 0; i < size; i++)
        CHECK(group->ranks[i] == expected[i]);
    CHECK(group->rank == rank_in(group, process.boot->rank));
    CHECK((size == 0) == (group == &group_empty));
}

static void sets_are_combined_in_order(struct group *one, struct group *other)
{
    int both[2 * JOB], common[JOB], rest[JOB];
    int both_size = one->size, common_size = 0, rest_size = 0;
    for (int i = 0; i < one->size; i++) {
        both[i] = one->ranks[i];
        if (rank_in(other, one->ranks[i]) == MPI_UNDEFINED)
            rest[rest_size++] = one->ranks[i];
        else
            common[common_size++] = one->ranks[i];
    }
    for (int i = 0; i < other->size; i++)
        if (rank_in(one, other->ranks[i]) == MPI_UNDEFINED)
            both[both_size++] = other->ranks[i];
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
        included[i] = group->ranks[chosen[i]];
    for (int i = 0, at = n; i < group->size; i++) {
        if (at > 0 && chosen[at - 1] == i)
            at--;
        else
            excluded[left++] = group->ranks[i];
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
        CHECK(translated[i] == rank_in(to, from->ranks[i]));
    CHECK(translated[from->size] == MPI_PROC_NULL);
}

static void groups_are_compared(struct group *one, struct group *other)
{
    int result, expected = MPI_IDENT;
    for (int i = 0; i < one->size && i < other->size; i++)
        if (one->ranks[i] != other->ranks[i])
            expected = MPI_SIMILAR;
    for (int i = 0; i < one->size; i++)
        if (rank_in(other, one->ranks[i]) == MPI_UNDEFINED)
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
        object_release(one);
        object_release(other);
    }
    bad_ranks_are_errors();
    an_incl_of_all_reversed_is_similar();
    return 0;
}
