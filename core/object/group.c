// SPDX-License-Identifier: BSD-3-Clause
// Groups (MPI-4.1 7.3): ordered sets of the job's processes.
#include "object/object.h"

#include <limits.h>
#include <oriel_core.h>
#include <stdlib.h>
#include <string.h>

struct group group_empty = {.rank = MPI_UNDEFINED, .ranks = &(const int){0}};

static void group_destroy(struct object *object)
{
    object_release(((struct group *)object)->session);
    free(object);
}

// A group with room for `size` ranks behind it, for the caller to fill, or NULL.
static struct group *group_new(int size, struct session *session)
{
    struct group *made = malloc(sizeof *made + (size_t)size * sizeof(int));
    if (made == NULL) {
        fail(MPI_ERR_NO_MEM, "no memory for a group of %d processes", size);
        return NULL;
    }
    object_init(&made->object, group_destroy);
    made->ranks = (int *)(made + 1);
    made->session = session;
    if (session != NULL)
        object_retain(session);
    return made;
}

// The ranks of a group that is not complete yet.
static inline int *group_members(struct group *group)
{
    return (int *)(group + 1);
}

static void group_complete(struct group *group, int size)
{
    group->size = size;
    group->rank = MPI_UNDEFINED;
    for (int i = 0; i < size; i++)
        if (group->ranks[i] == process.boot->rank)
            group->rank = i;
}

int group_make(const int *ranks, int size, struct session *session,
               struct group **group)
{
    struct group *made = group_new(size, session);
    if (made == NULL)
        return MPI_ERR_NO_MEM;
    memcpy(group_members(made), ranks, (size_t)size * sizeof *ranks);
    group_complete(made, size);
    *group = made;
    return 0;
}

// Completes a group that a program asked for and gives it a handle; an empty one is
// MPI_GROUP_EMPTY.
static int group_publish(struct group *made, int size, struct group **group)
{
    if (size == 0) {
        object_release(made);
        *group = &group_empty;
        return 0;
    }
    group_complete(made, size);
    int err = object_open(&made->object, KIND_GROUP);
    if (err)
        return err;
    *group = made;
    return 0;
}

// For every rank of the job its rank in the group, or MPI_UNDEFINED; to be freed.
static int *group_positions(const struct group *group)
{
    int *positions = malloc((size_t)process.boot->size * sizeof *positions);
    if (positions == NULL) {
        fail(MPI_ERR_NO_MEM, "no memory to look up %d processes", process.boot->size);
        return NULL;
    }
    for (int i = 0; i < process.boot->size; i++)
        positions[i] = MPI_UNDEFINED;
    for (int i = 0; i < group->size; i++)
        positions[group->ranks[i]] = i;
    return positions;
}

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
    int *positions = group_positions(group2);
    if (positions == NULL)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < n; i++)
        ranks2[i] = ranks1[i] == MPI_PROC_NULL ? MPI_PROC_NULL
                                               : positions[group1->ranks[ranks1[i]]];
    free(positions);
    return 0;
}

int group_compare(const struct group *one, const struct group *other, int *result)
{
    *result = MPI_UNEQUAL;
    if (one->size != other->size)
        return 0;
    if (memcmp(one->ranks, other->ranks, (size_t)one->size * sizeof(int)) == 0) {
        *result = MPI_IDENT;
        return 0;
    }
    int *positions = group_positions(other);
    if (positions == NULL)
        return MPI_ERR_NO_MEM;
    int common = 0;
    for (int i = 0; i < one->size; i++)
        common += positions[one->ranks[i]] != MPI_UNDEFINED;
    free(positions);
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

int oriel_group_incl(struct group *group, int n, const int ranks[],
                     struct group **newgroup)
{
    bool *marks = NULL;
    int err = mark_members(group, n, ranks, &marks);
    if (err)
        return err;
    free(marks);
    struct group *made = group_new(n, group->session);
    if (made == NULL)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < n; i++)
        group_members(made)[i] = group->ranks[ranks[i]];
    return group_publish(made, n, newgroup);
}

int oriel_group_excl(struct group *group, int n, const int ranks[],
                     struct group **newgroup)
{
    bool *marks = NULL;
    int err = mark_members(group, n, ranks, &marks);
    if (err)
        return err;
    struct group *made = group_new(group->size - n, group->session);
    int size = 0;
    for (int i = 0; i < group->size && made != NULL; i++)
        if (!marks[i])
            group_members(made)[size++] = group->ranks[i];
    free(marks);
    return made ? group_publish(made, size, newgroup) : MPI_ERR_NO_MEM;
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
    int *ranks = total <= INT_MAX ? malloc((size_t)total * sizeof *ranks + 1) : NULL;
    if (ranks == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for %lld ranks", (long long)total);
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

// Appends to the `size` members those of group1 that are (or are not) in group2, in the
// order of group1.
static int append_members(const struct group *group1, const struct group *group2,
                          bool in_group2, int *members, int *size)
{
    int *positions = group_positions(group2);
    if (positions == NULL)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < group1->size; i++)
        if ((positions[group1->ranks[i]] != MPI_UNDEFINED) == in_group2)
            members[(*size)++] = group1->ranks[i];
    free(positions);
    return 0;
}

int oriel_group_union(struct group *group1, struct group *group2,
                      struct group **newgroup)
{
    struct session *session = group1->size > 0 ? group1->session : group2->session;
    struct group *made = group_new(group1->size + group2->size, session);
    if (made == NULL)
        return MPI_ERR_NO_MEM;
    int size = group1->size;
    memcpy(group_members(made), group1->ranks, (size_t)size * sizeof *made->ranks);
    int err = append_members(group2, group1, false, group_members(made), &size);
    if (!err)
        return group_publish(made, size, newgroup);
    object_release(made);
    return err;
}

static int group_filter(const struct group *group1, const struct group *group2,
                        bool in_group2, struct group **newgroup)
{
    struct group *made = group_new(group1->size, group1->session);
    if (made == NULL)
        return MPI_ERR_NO_MEM;
    int size = 0;
    int err = append_members(group1, group2, in_group2, group_members(made), &size);
    if (!err)
        return group_publish(made, size, newgroup);
    object_release(made);
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
