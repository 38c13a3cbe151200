// SPDX-License-Identifier: BSD-3-Clause
// Groups (MPI-4.1 7.3): ordered sets of the job's processes.
#include "object/object.h"

#include <limits.h>
#include <oriel_core.h>
#include <stdlib.h>
#include <string.h>

struct group group_empty = {.rank = MPI_UNDEFINED, .stride = 1};

static void group_destroy(struct object *object)
{
    object_release(((struct group *)object)->session);
    free(object);
}

// A group with room for a table of `room` ranks behind it; its members are not known yet.
static struct group *group_new(size_t room, int size, struct session *session)
{
    struct group *made = malloc(sizeof *made + room * sizeof(int));
    if (made == NULL) {
        fail(MPI_ERR_NO_MEM, "no memory for a group of %d processes", size);
        return NULL;
    }
    *made = (struct group){.size = size, .stride = 1, .session = session};
    object_init(&made->object, group_destroy);
    if (session != NULL)
        object_retain(session);
    return made;
}

int group_make_regular(int first, int stride, int size, struct session *session,
                       struct group **group)
{
    struct group *made = group_new(0, size, session);
    if (made == NULL)
        return MPI_ERR_NO_MEM;
    made->first = first;
    made->stride = stride;
    made->rank = group_rank_of(made, process.boot->rank);
    *group = made;
    return 0;
}

// Are the ranks equally far apart? A single one is, by any stride.
static bool are_regular(const int *ranks, int size)
{
    for (int i = 2; i < size; i++)
        if (ranks[i] - ranks[i - 1] != ranks[1] - ranks[0])
            return false;
    return true;
}

int group_make(const int *ranks, int size, struct session *session,
               struct group **group)
{
    if (are_regular(ranks, size))
        return group_make_regular(size > 0 ? ranks[0] : 0,
                                  size > 1 ? ranks[1] - ranks[0] : 1, size, session,
                                  group);
    struct group *made = group_new((size_t)size, size, session);
    if (made == NULL)
        return MPI_ERR_NO_MEM;
    made->ranks = memcpy(made + 1, ranks, (size_t)size * sizeof *ranks);
    made->rank = group_rank_of(made, process.boot->rank);
    *group = made;
    return 0;
}

int group_make_head(const struct group *members, int count, struct group **group)
{
    if (members->ranks != NULL)
        return group_make(members->ranks, count, members->session, group);
    return group_make_regular(members->first, count > 1 ? members->stride : 1, count,
                              members->session, group);
}

// Gives a group that a program asked for a handle; an empty one is MPI_GROUP_EMPTY.
static int group_publish(struct group *made, struct group **group)
{
    if (made->size == 0) {
        object_release(made);
        *group = &group_empty;
        return 0;
    }
    int err = object_open(&made->object, KIND_GROUP);
    if (!err)
        *group = made;
    return err;
}

void group_list(const struct group *group, int *ranks)
{
    for (int i = 0; i < group->size; i++)
        ranks[i] = group_job_rank(group, i);
}

// ---- looking for processes

static int find_in_table(const struct group *group, int job_rank)
{
    for (int rank = 0; rank < group->size; rank++)
        if (group->ranks[rank] == job_rank)
            return rank;
    return MPI_UNDEFINED;
}

int group_rank_of(const struct group *group, int job_rank)
{
    if (group->ranks != NULL)
        return find_in_table(group, job_rank);
    int distance = job_rank - group->first, rank = distance / group->stride;
    bool is_member =
        rank * group->stride == distance && rank >= 0 && rank < group->size;
    return is_member ? rank : MPI_UNDEFINED;
}

int group_search_begin(const struct group *group, struct group_search *search)
{
    *search = (struct group_search){.group = group};
    if (group->ranks == NULL)
        return 0;
    search->found = malloc((size_t)process.boot->size * sizeof *search->found);
    if (search->found == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory to look up %d processes",
                    process.boot->size);
    for (int i = 0; i < process.boot->size; i++)
        search->found[i] = MPI_UNDEFINED;
    for (int i = 0; i < group->size; i++)
        search->found[group->ranks[i]] = i;
    return 0;
}

void group_search_end(struct group_search *search)
{
    free(search->found);
}

// ---- accessors

int oriel_group_size(struct group *group, int *size)
{
    *size = group->size;
    return 0;
}

int oriel_group_rank(struct group *group, int *rank)
{
    *rank = group->rank;
    return 0;
}

static int check_rank(const struct group *group, int index, int rank)
{
    if (rank >= 0 && rank < group->size)
        return 0;
    return fail(MPI_ERR_RANK,
                "rank %d at position %d: must be a rank of the group (0..%d)", rank,
                index, group->size - 1);
}

int oriel_group_translate_ranks(struct group *group1, int n, const int ranks1[],
                                struct group *group2, int ranks2[])
{
    for (int i = 0; i < n; i++) {
        int err = ranks1[i] == MPI_PROC_NULL ? 0 : check_rank(group1, i, ranks1[i]);
        if (err)
            return err;
    }
    struct group_search search;
    int err = group_search_begin(group2, &search);
    if (err)
        return err;
    for (int i = 0; i < n; i++)
        ranks2[i] = ranks1[i] == MPI_PROC_NULL
                        ? MPI_PROC_NULL
                        : group_search_rank(&search, group_job_rank(group1, ranks1[i]));
    group_search_end(&search);
    return 0;
}

// Have the groups the same members in the same order? They are as many. Equal ranks have
// equal forms.
static bool groups_are_ident(const struct group *one, const struct group *other)
{
    if (one->ranks != NULL && other->ranks != NULL)
        return memcmp(one->ranks, other->ranks, (size_t)one->size * sizeof(int)) == 0;
    return one->ranks == other->ranks && one->first == other->first &&
           one->stride == other->stride;
}

int group_compare(const struct group *one, const struct group *other, int *result)
{
    *result = MPI_UNEQUAL;
    if (one->size != other->size)
        return 0;
    if (groups_are_ident(one, other)) {
        *result = MPI_IDENT;
        return 0;
    }
    struct group_search search;
    int err = group_search_begin(other, &search);
    if (err)
        return err;
    int common = 0;
    for (int i = 0; i < one->size; i++)
        common += group_search_rank(&search, group_job_rank(one, i)) != MPI_UNDEFINED;
    group_search_end(&search);
    if (common == one->size)
        *result = MPI_SIMILAR;
    return 0;
}

int oriel_group_compare(struct group *group1, struct group *group2, int *result)
{
    return group_compare(group1, group2, result);
}

// Marks the listed members; each may be listed once.
static int mark_members(const struct group *group, int n, const int ranks[],
                        bool **marks)
{
    bool *marked = calloc((size_t)group->size + 1, sizeof *marked);
    if (marked == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory to mark %d processes", group->size);
    int err = 0;
    for (int i = 0; i < n && !err; i++) {
        err = check_rank(group, i, ranks[i]);
        if (!err && marked[ranks[i]])
            err = fail(MPI_ERR_RANK, "rank %d at position %d: must be listed only once",
                       ranks[i], i);
        if (!err)
            marked[ranks[i]] = true;
    }
    if (err)
        free(marked);
    else
        *marks = marked;
    return err;
}

// Room for the ranks of a new group, to be freed, or NULL.
static int *room_for_ranks(MPI_Count count)
{
    int *ranks = count <= INT_MAX ? malloc((size_t)count * sizeof *ranks + 1) : NULL;
    if (ranks == NULL)
        fail(MPI_ERR_NO_MEM, "no memory for %lld ranks", (long long)count);
    return ranks;
}

// Makes and publishes the group of these ranks, which it frees.
static int publish_ranks(int *ranks, int size, struct session *session,
                         struct group **newgroup)
{
    struct group *made;
    int err = group_make(ranks, size, session, &made);
    free(ranks);
    return err ? err : group_publish(made, newgroup);
}

int oriel_group_incl(struct group *group, int n, const int ranks[],
                     struct group **newgroup)
{
    bool *marks = NULL;
    int err = mark_members(group, n, ranks, &marks);
    if (err)
        return err;
    free(marks);
    int *included = room_for_ranks(n);
    if (included == NULL)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < n; i++)
        included[i] = group_job_rank(group, ranks[i]);
    return publish_ranks(included, n, group->session, newgroup);
}

int oriel_group_excl(struct group *group, int n, const int ranks[],
                     struct group **newgroup)
{
    bool *marks = NULL;
    int err = mark_members(group, n, ranks, &marks);
    if (err)
        return err;
    int *left = room_for_ranks(group->size - n), size = 0;
    for (int i = 0; i < group->size && left != NULL; i++)
        if (!marks[i])
            left[size++] = group_job_rank(group, i);
    free(marks);
    return left ? publish_ranks(left, size, group->session, newgroup) : MPI_ERR_NO_MEM;
}

// The ranks in the triplets (first, last, stride), to be freed.
static int expand_ranges(int n, const int ranges[][3], int **expanded, int *count)
{
    MPI_Count total = 0;
    for (int i = 0; i < n; i++) {
        int first = ranges[i][0], last = ranges[i][1], stride = ranges[i][2];
        if (stride == 0)
            return fail(MPI_ERR_ARG, "stride of range %d = 0: must not be 0", i);
        MPI_Count steps = ((MPI_Count)last - first) / stride;
        total += ((MPI_Count)last - first) * (stride > 0 ? 1 : -1) < 0 ? 0 : steps + 1;
    }
    int *ranks = room_for_ranks(total);
    if (ranks == NULL)
        return MPI_ERR_NO_MEM;
    *count = 0;
    for (int i = 0; i < n; i++) {
        MPI_Count last = ranges[i][1], stride = ranges[i][2];
        for (MPI_Count rank = ranges[i][0]; stride > 0 ? rank <= last : rank >= last;
             rank += stride)
            ranks[(*count)++] = (int)rank;
    }
    *expanded = ranks;
    return 0;
}

int oriel_group_range_incl(struct group *group, int n, int ranges[][3],
                           struct group **newgroup)
{
    int *ranks = NULL, count = 0;
    int err = expand_ranges(n, (const int(*)[3])ranges, &ranks, &count);
    if (!err)
        err = oriel_group_incl(group, count, ranks, newgroup);
    free(ranks);
    return err;
}

int oriel_group_range_excl(struct group *group, int n, int ranges[][3],
                           struct group **newgroup)
{
    int *ranks = NULL, count = 0;
    int err = expand_ranges(n, (const int(*)[3])ranges, &ranks, &count);
    if (!err)
        err = oriel_group_excl(group, count, ranks, newgroup);
    free(ranks);
    return err;
}

int oriel_group_free(struct group *group)
{
    object_close(&group->object);
    return 0;
}

// Appends to the `size` ranks in the job those of members of group1 that are (or are
// not) in group2, in the order of group1.
static int append_members(const struct group *group1, const struct group *group2,
                          bool in_group2, int *ranks, int *size)
{
    struct group_search search;
    int err = group_search_begin(group2, &search);
    if (err)
        return err;
    for (int i = 0; i < group1->size; i++) {
        int job_rank = group_job_rank(group1, i);
        bool is_in_group2 = group_search_rank(&search, job_rank) != MPI_UNDEFINED;
        if (is_in_group2 == in_group2)
            ranks[(*size)++] = job_rank;
    }
    group_search_end(&search);
    return 0;
}

int oriel_group_union(struct group *group1, struct group *group2,
                      struct group **newgroup)
{
    struct session *session = group1->size > 0 ? group1->session : group2->session;
    int *ranks = room_for_ranks((MPI_Count)group1->size + group2->size);
    if (ranks == NULL)
        return MPI_ERR_NO_MEM;
    int size = group1->size;
    group_list(group1, ranks);
    int err = append_members(group2, group1, false, ranks, &size);
    if (!err)
        return publish_ranks(ranks, size, session, newgroup);
    free(ranks);
    return err;
}

static int group_filter(const struct group *group1, const struct group *group2,
                        bool in_group2, struct group **newgroup)
{
    int *ranks = room_for_ranks(group1->size), size = 0;
    if (ranks == NULL)
        return MPI_ERR_NO_MEM;
    int err = append_members(group1, group2, in_group2, ranks, &size);
    if (!err)
        return publish_ranks(ranks, size, group1->session, newgroup);
    free(ranks);
    return err;
}

int oriel_group_intersection(struct group *group1, struct group *group2,
                             struct group **newgroup)
{
    return group_filter(group1, group2, true, newgroup);
}

int oriel_group_difference(struct group *group1, struct group *group2,
                           struct group **newgroup)
{
    return group_filter(group1, group2, false, newgroup);
}
