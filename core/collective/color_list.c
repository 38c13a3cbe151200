// SPDX-License-Identifier: BSD-3-Clause
// Lists of the members of colors, and their groups.
#include "collective/color_list.h"

#include <limits.h>
#include <stdlib.h>

int color_list_reserve(struct color_list *list, int room)
{
    if (room <= list->room)
        return 0;
    int doubled = list->room < INT_MAX / 2 ? 2 * list->room : INT_MAX;
    int more = room > doubled ? room : doubled;
    struct progression *all = realloc(list->all, (size_t)more * sizeof *all);
    if (all == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for the colors of %d processes", more);
    list->all = all;
    list->room = more;
    return 0;
}

void color_list_free(struct color_list *list)
{
    free(list->all);
    *list = (struct color_list){0};
}

static struct choice member_at(const struct progression *part, int index)
{
    return (struct choice){
        .color = part->color,
        .key = (int)(part->key + (int64_t)index * part->key_step),
        .rank = part->rank + index * part->rank_step,
    };
}

// Makes `part` longer by `next` if both are one progression.
static bool progression_join(struct progression *part, const struct progression *next)
{
    struct choice last = member_at(part, part->count - 1);
    int64_t rank_step = next->rank - last.rank;
    int64_t key_step = (int64_t)next->key - last.key;
    if (part->color != next->color || key_step < INT_MIN || key_step > INT_MAX)
        return false;
    if (part->count > 1 && (rank_step != part->rank_step || key_step != part->key_step))
        return false;
    if (next->count > 1 && (rank_step != next->rank_step || key_step != next->key_step))
        return false;
    part->rank_step = (int)rank_step;
    part->key_step = (int)key_step;
    part->count += next->count;
    return true;
}

int color_list_append(struct color_list *list, struct progression next)
{
    if (list->count > 0 && progression_join(&list->all[list->count - 1], &next))
        return 0;
    int err = color_list_reserve(list, list->count + 1);
    if (!err)
        list->all[list->count++] = next;
    return err;
}

int color_list_merge(const struct color_list *one, const struct color_list *other,
                     struct color_list *merged)
{
    int err = 0;
    for (int i = 0, j = 0; !err && (i < one->count || j < other->count);) {
        bool is_first = j == other->count ||
                        (i < one->count && one->all[i].color <= other->all[j].color);
        err = color_list_append(merged, is_first ? one->all[i++] : other->all[j++]);
    }
    return err;
}

// ---- groups

static int by_key(const void *one, const void *other)
{
    const struct choice *a = one, *b = other;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->rank < b->rank ? -1 : 1;
}

static int group_of_choices(const struct group *members, struct choice *choices,
                            int count, struct group **group)
{
    qsort(choices, (size_t)count, sizeof *choices, by_key);
    int *ranks = malloc((size_t)count * sizeof *ranks + 1);
    if (ranks == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for a group of %d", count);
    for (int i = 0; i < count; i++)
        ranks[i] = group_job_rank(members, choices[i].rank);
    int err = group_make(ranks, count, members->session, group);
    free(ranks);
    return err;
}

int group_of_color(const struct group *members, struct choice *choices, int color,
                   struct group **group)
{
    int count = 0;
    for (int rank = 0; rank < members->size; rank++)
        if (choices[rank].color == color)
            choices[count++] = choices[rank];
    return group_of_choices(members, choices, count, group);
}

// The same members in the order of their keys, those of equal keys in that of ranks.
static struct progression in_order(struct progression part)
{
    bool is_in_order = part.key_step > 0 || (part.key_step == 0 && part.rank_step > 0);
    if (is_in_order || part.count == 1)
        return part;
    part.rank = member_at(&part, part.count - 1).rank;
    part.rank_step = -part.rank_step;
    return part;
}

static int group_of_progression(const struct group *members, struct progression part,
                                struct group **group)
{
    part = in_order(part);
    int step = part.count > 1 ? members->stride * part.rank_step : 1;
    return group_make_regular(group_job_rank(members, part.rank), step, part.count,
                              members->session, group);
}

static int group_of_several(const struct group *members,
                            const struct progression *parts, int count,
                            struct group **group)
{
    int total = 0, filled = 0;
    for (int i = 0; i < count; i++)
        total += parts[i].count;
    struct choice *choices = malloc((size_t)total * sizeof *choices + 1);
    if (choices == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for a group of %d", total);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < parts[i].count; j++)
            choices[filled++] = member_at(&parts[i], j);
    int err = group_of_choices(members, choices, total, group);
    free(choices);
    return err;
}

int color_list_group(const struct group *members, const struct progression *all,
                     int count, int color, struct group **group)
{
    int first = 0, end;
    while (first < count && all[first].color < color)
        first++;
    for (end = first; end < count && all[end].color == color;)
        end++;
    return end - first == 1 && members->ranks == NULL
               ? group_of_progression(members, all[first], group)
               : group_of_several(members, all + first, end - first, group);
}
