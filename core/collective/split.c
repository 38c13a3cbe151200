// SPDX-License-Identifier: BSD-3-Clause
// Which members of a communicator go together by their colors. The members of a node put
// theirs into the segment; its leader finds what all of them need.
#include "collective/color_list.h"
#include "collective/leaders.h"

#include <stdlib.h>
#include <string.h>

// What the members of a node have in the segment, from their leader.
struct splitting {
    struct communicator *comm;
    struct choice *choices;    // [node_size]
    struct progression *parts; // [part_count] of all colors of the node, by color
    int part_count;
    void *provided_choices, *provided_parts; // leader: to be freed
};

static int choices_meet(struct splitting *splitting, struct choice own)
{
    struct communicator *comm = splitting->comm;
    void *memory;
    int err =
        collective_node_alloc(comm, (size_t)comm->node_size * sizeof(struct choice),
                              &splitting->provided_choices, &memory);
    if (err)
        return err;
    splitting->choices = memory;
    splitting->choices[comm->node_rank] = own;
    return collective_node_barrier(comm);
}

static int by_color(const void *one, const void *other)
{
    const struct choice *a = one, *b = other;
    if (a->color != b->color)
        return a->color < b->color ? -1 : 1;
    return a->rank < b->rank ? -1 : 1;
}

static int node_list_make(const struct splitting *splitting, struct color_list *list)
{
    int err = 0, members = splitting->comm->node_size;
    qsort(splitting->choices, (size_t)members, sizeof *splitting->choices, by_color);
    for (int i = 0; i < members && !err; i++) {
        const struct choice *choice = &splitting->choices[i];
        if (choice->color != MPI_UNDEFINED)
            err = color_list_append(list, (struct progression){.color = choice->color,
                                                               .count = 1,
                                                               .rank = choice->rank,
                                                               .key = choice->key});
    }
    return err;
}

// Of all colors that the node has, in all of the communicator.
static int leader_find_parts(struct communicator *comm, struct color_list *list,
                             const struct splitting *splitting, int err)
{
    if (!err)
        err = node_list_make(splitting, list);
    return comm->leader_count > 1 ? leaders_complete_list(comm, list, err) : err;
}

// All members of the node get the parts, or the leader's error.
static int parts_meet(struct splitting *splitting, const struct color_list *list,
                      int err)
{
    struct communicator *comm = splitting->comm;
    struct {
        int error, count;
    } told = {err, list->count};
    int told_err = collective_node_broadcast(comm, &told, sizeof told);
    if (err || told_err)
        return err ? err : told_err;
    if (told.error)
        return fail(told.error, "the leader of this node has failed");
    if (told.count == 0)
        return 0;
    void *memory;
    size_t bytes = (size_t)told.count * sizeof *splitting->parts;
    err = collective_node_alloc(comm, bytes, &splitting->provided_parts, &memory);
    if (err)
        return err;
    splitting->parts = memory;
    splitting->part_count = told.count;
    if (is_leader(comm))
        memcpy(memory, list->all, bytes);
    return collective_node_barrier(comm);
}

// Only when all members of the node have made their groups.
static void splitting_end(struct splitting *splitting)
{
    int err = collective_node_barrier(splitting->comm);
    if (err || !is_leader(splitting->comm))
        return;
    shm_free(process.shm, splitting->provided_choices);
    shm_free(process.shm, splitting->provided_parts);
}

// NULL for a member without a color.
static int find_own_group(struct communicator *comm, int color, int key,
                          struct group **group)
{
    struct splitting splitting = {.comm = comm};
    struct color_list list = {0};
    int err = choices_meet(&splitting, (struct choice){color, key, comm->rank});
    if (is_leader(comm))
        err = leader_find_parts(comm, &list, &splitting, err);
    err = parts_meet(&splitting, &list, err);
    color_list_free(&list);
    if (!err && color != MPI_UNDEFINED)
        err = color_list_group(comm->group, splitting.parts, splitting.part_count,
                               color, group);
    splitting_end(&splitting);
    return err;
}

int split_members(struct communicator *comm, int color, int key,
                  struct communicator **made)
{
    struct group *group = NULL;
    int err = find_own_group(comm, color, key, &group);
    err = communicator_make(comm, group, err, made);
    object_release(group);
    return err;
}
