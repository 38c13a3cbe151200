// SPDX-License-Identifier: BSD-3-Clause
// The graph of what depends on what, in which a deadlock is a set of nodes that cannot come
// about: each needs something of which all alternatives are in the set. What may come is
// found first, from what depends on nothing; the rest is the set (graph reduction for
// AND-OR requests). The root's deadlock is its strongly connected part.
#include "message/inquiry.h"

#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 4096 };

static bool is_same_awaited(const struct awaited *one, const struct awaited *other)
{
    return one->rank == other->rank && one->kind == other->kind &&
           one->number == other->number && one->context == other->context &&
           one->other == other->other;
}

int knot_node(struct knot *knot, const struct awaited *what)
{
    for (int i = 0; i < knot->count; i++)
        if (is_same_awaited(&knot->nodes[i].what, what))
            return i;
    if (knot->count == knot->room) {
        int room = knot->room > 0 ? 2 * knot->room : 16;
        struct knot_node *nodes =
            room <= NODES_MAX ? realloc(knot->nodes, (size_t)room * sizeof *nodes)
                              : NULL;
        if (nodes == NULL)
            return -1;
        knot->nodes = nodes;
        knot->room = room;
    }
    knot->nodes[knot->count] = (struct knot_node){.what = *what};
    return knot->count++;
}

bool knot_explain(struct knot *knot, int node, const struct awaited *list, int count)
{
    struct knot_edge *edges = calloc((size_t)count + 1, sizeof *edges);
    for (int i = 0; i < count && edges != NULL; i++) {
        edges[i].to = knot_node(knot, &list[i]);
        edges[i].is_alternative = list[i].is_alternative;
        if (edges[i].to >= 0)
            continue;
        free(edges);
        edges = NULL;
    }
    if (edges == NULL)
        return false;
    knot->nodes[node].edges = edges;
    knot->nodes[node].edge_count = count;
    knot->nodes[node].is_answered = true;
    return true;
}

// Can one of the alternatives come that begin at the edge? *end: the edge behind them.
static bool may_one_come(const struct knot *knot, const struct knot_node *node,
                         int begin, int *end)
{
    bool may_come = false;
    int i = begin;
    do
        may_come |= knot->nodes[node->edges[i].to].may_come;
    while (++i < node->edge_count && node->edges[i].is_alternative);
    *end = i;
    return may_come;
}

static bool may_all_come(const struct knot *knot, const struct knot_node *node)
{
    bool may_come = true;
    for (int i = 0; i < node->edge_count && may_come;)
        may_come = may_one_come(knot, node, i, &i);
    return may_come;
}

static void mark_blocking(const struct knot *knot, struct knot_node *node)
{
    for (int begin = 0, end; begin < node->edge_count; begin = end) {
        bool may_come = may_one_come(knot, node, begin, &end);
        for (int i = begin; i < end; i++)
            node->edges[i].is_blocking = !may_come;
    }
}

static void mark_reached(struct knot *knot)
{
    bool has_changed = true;
    knot->nodes[0].is_reached = !knot->nodes[0].may_come;
    while (has_changed) {
        has_changed = false;
        for (int i = 0; i < knot->count; i++) {
            const struct knot_node *node = &knot->nodes[i];
            for (int e = 0; e < node->edge_count && node->is_reached; e++) {
                struct knot_node *to = &knot->nodes[node->edges[e].to];
                has_changed |= node->edges[e].is_blocking && !to->is_reached;
                to->is_reached |= node->edges[e].is_blocking;
            }
        }
    }
}

// The root itself is in the knot only if a cycle leads back to it.
static void mark_knot(struct knot *knot)
{
    bool has_changed = true;
    while (has_changed) {
        has_changed = false;
        for (int i = 0; i < knot->count; i++) {
            struct knot_node *node = &knot->nodes[i];
            for (int e = 0; e < node->edge_count; e++) {
                int to = node->edges[e].to;
                if (!node->is_reached || node->is_in_knot ||
                    !node->edges[e].is_blocking ||
                    !(to == 0 || knot->nodes[to].is_in_knot))
                    continue;
                node->is_in_knot = has_changed = true;
            }
        }
    }
}

void knot_find(struct knot *knot)
{
    bool has_changed = true;
    while (has_changed) {
        has_changed = false;
        for (int i = 0; i < knot->count; i++) {
            struct knot_node *node = &knot->nodes[i];
            if (node->may_come || (node->is_answered && !may_all_come(knot, node)))
                continue;
            node->may_come = has_changed = true;
        }
    }
    for (int i = 0; i < knot->count; i++)
        mark_blocking(knot, &knot->nodes[i]);
    mark_reached(knot);
    mark_knot(knot);
}

int knot_lowest_rank(const struct knot *knot)
{
    int lowest = -1;
    for (int i = 0; i < knot->count && knot->nodes[0].is_in_knot; i++) {
        const struct knot_node *node = &knot->nodes[i];
        if (node->is_in_knot && node->what.kind == AWAITED_WAIT &&
            (lowest < 0 || node->what.rank < lowest))
            lowest = node->what.rank;
    }
    return lowest;
}

// Marks whose calls the node waits for; what is between belongs to the calls under way.
static void mark_awaited(const struct knot *knot, int index, bool *is_visited)
{
    const struct knot_node *node = &knot->nodes[index];
    if (is_visited[index])
        return;
    is_visited[index] = true;
    for (int e = 0; e < node->edge_count && node->what.kind != AWAITED_CALL; e++)
        if (node->edges[e].is_blocking)
            mark_awaited(knot, node->edges[e].to, is_visited);
}

void knot_ranks(const struct knot *knot, int node, char *text, size_t bytes)
{
    bool *is_visited = calloc((size_t)knot->count, sizeof *is_visited);
    struct rank_list list = {.count = 0};
    text[0] = '\0';
    if (is_visited == NULL)
        return;
    mark_awaited(knot, node, is_visited);
    for (int i = 0; i < knot->count; i++)
        if (is_visited[i] && knot->nodes[i].what.kind == AWAITED_CALL)
            rank_list_add(&list, knot->nodes[i].what.rank);
    free(is_visited);
    rank_list_write(&list, text, bytes);
}

void knot_free(struct knot *knot)
{
    for (int i = 0; i < knot->count; i++) {
        free(knot->nodes[i].edges);
        free(knot->nodes[i].words);
    }
    free(knot->nodes);
    *knot = (struct knot){.nodes = NULL};
}
