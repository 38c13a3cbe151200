// SPDX-License-Identifier: BSD-3-Clause
// The treap of interval_map.h. Intervals that begin at the same byte are in the order of
// their addresses, so that each has one place.
#include "races/interval_map.h"

#include <assert.h>

static bool is_before(const struct interval *one, const struct interval *other)
{
    return one->range.begin != other->range.begin
               ? one->range.begin < other->range.begin
               : (uintptr_t)one < (uintptr_t)other;
}

static void interval_update(struct interval *node)
{
    const struct interval *children[] = {node->left, node->right};
    node->last_end = node->range.end;
    for (int i = 0; i < 2; i++)
        if (children[i] != NULL && children[i]->last_end > node->last_end)
            node->last_end = children[i]->last_end;
}

// ---- structure ----------------------------------------------------------------------
// Divides a subtree into what is before an interval and what is not.
static void subtree_split(struct interval *node, const struct interval *at,
                          struct interval **before, struct interval **behind)
{
    if (node == NULL) {
        *before = *behind = NULL;
    } else if (is_before(node, at)) {
        subtree_split(node->right, at, &node->right, behind);
        *before = node;
        interval_update(node);
    } else {
        subtree_split(node->left, at, before, &node->left);
        *behind = node;
        interval_update(node);
    }
}

// Joins two subtrees, of which all of the first is before all of the second.
static struct interval *subtree_join(struct interval *before, struct interval *behind)
{
    if (before == NULL || behind == NULL)
        return before != NULL ? before : behind;
    struct interval *top = before->priority >= behind->priority ? before : behind;
    if (top == before)
        before->right = subtree_join(before->right, behind);
    else
        behind->left = subtree_join(before, behind->left);
    interval_update(top);
    return top;
}

// xorshift; any priorities are right, and random ones keep the tree flat.
static uint32_t priority_next(struct interval_map *map)
{
    uint32_t random = map->random != 0 ? map->random : 0x9e3779b9u;
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    return map->random = random;
}

static struct interval *subtree_add(struct interval *node, struct interval *added)
{
    if (node == NULL || node->priority < added->priority) {
        subtree_split(node, added, &added->left, &added->right);
        interval_update(added);
        return added;
    }
    if (is_before(added, node))
        node->left = subtree_add(node->left, added);
    else
        node->right = subtree_add(node->right, added);
    interval_update(node);
    return node;
}

void interval_map_add(struct interval_map *map, struct interval *interval)
{
    assert(range_is_valid(&interval->range));
    interval->priority = priority_next(map);
    map->root = subtree_add(map->root, interval);
    map->count++;
}

static struct interval *subtree_remove(struct interval *node, struct interval *removed)
{
    if (node == removed)
        return subtree_join(node->left, node->right);
    if (is_before(removed, node))
        node->left = subtree_remove(node->left, removed);
    else
        node->right = subtree_remove(node->right, removed);
    interval_update(node);
    return node;
}

void interval_map_remove(struct interval_map *map, struct interval *interval)
{
    map->root = subtree_remove(map->root, interval);
    map->count--;
}

bool interval_map_extend(struct interval_map *map, struct interval *interval,
                         uint64_t begin, uint64_t bytes)
{
    if (!range_extend(&interval->range, begin, bytes))
        return false;
    struct interval *node = map->root;
    while (node != interval) {
        if (node->last_end < interval->range.end)
            node->last_end = interval->range.end;
        node = is_before(interval, node) ? node->left : node->right;
    }
    interval_update(interval);
    return true;
}

// ---- all and some of them -----------------------------------------------------------
static void subtree_visit(struct interval *node, const struct range *range,
                          interval_visitor *visit, void *argument)
{
    if (node == NULL || node->last_end <= range->begin)
        return;
    subtree_visit(node->left, range, visit, argument);
    if (node->range.begin >= range->end)
        return;
    if (ranges_meet(&node->range, range, NULL))
        visit(node, argument);
    subtree_visit(node->right, range, visit, argument);
}

void interval_map_visit(const struct interval_map *map, const struct range *range,
                        interval_visitor *visit, void *argument)
{
    subtree_visit(map->root, range, visit, argument);
}

static struct interval *subtree_filter(struct interval *node, interval_keeper *keeps,
                                       void *argument, size_t *kept)
{
    if (node == NULL)
        return NULL;
    struct interval *left = subtree_filter(node->left, keeps, argument, kept);
    struct interval *right = subtree_filter(node->right, keeps, argument, kept);
    if (!keeps(node, argument))
        return subtree_join(left, right);
    node->left = left;
    node->right = right;
    interval_update(node);
    ++*kept;
    return node;
}

void interval_map_filter(struct interval_map *map, interval_keeper *keeps,
                         void *argument)
{
    size_t kept = 0;
    map->root = subtree_filter(map->root, keeps, argument, &kept);
    map->count = kept;
}

// ---- validity -----------------------------------------------------------------------
// *before: the last one in order so far.
static bool subtree_is_valid(const struct interval *node,
                             const struct interval **before, size_t *count)
{
    if (node == NULL)
        return true;
    struct interval updated = *node;
    interval_update(&updated);
    if (!subtree_is_valid(node->left, before, count) || !range_is_valid(&node->range) ||
        node->last_end != updated.last_end ||
        (*before != NULL && !is_before(*before, node)) ||
        (node->left != NULL && node->left->priority > node->priority) ||
        (node->right != NULL && node->right->priority > node->priority))
        return false;
    *before = node;
    ++*count;
    return subtree_is_valid(node->right, before, count);
}

bool interval_map_is_valid(const struct interval_map *map)
{
    const struct interval *before = NULL;
    size_t count = 0;
    return subtree_is_valid(map->root, &before, &count) && count == map->count;
}
