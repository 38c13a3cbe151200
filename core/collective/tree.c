// SPDX-License-Identifier: BSD-3-Clause
// Broadcast, gather and scatter by a binomial tree that halves the peers until each is
// alone. The holder of a half passes on its blocks, which lie one behind the other: the
// first peer of the half, but the root where it is in it.
#include "collective/portions.h"

#include <limits.h>

struct half {
    int first, count; // the first one is its holder
};

// The place of this process in the tree.
struct branch {
    int parent;      // -1 at the root
    struct half own; // peers whose blocks pass here
    int child_count;
    struct half children[sizeof(int) * CHAR_BIT];
};

static bool is_in(const struct half *half, int index)
{
    return index >= half->first && index < half->first + half->count;
}

static struct branch branch_of(const struct peers *peers, int root)
{
    struct branch branch = {.parent = -1, .own = {0, peers->size}};
    struct half here = branch.own;
    for (int holder = root; here.count > 1;) {
        struct half low = {here.first, here.count / 2};
        struct half high = {here.first + low.count, here.count - low.count};
        bool is_low = is_in(&low, holder);
        struct half other = is_low ? high : low;
        if (peers->own == holder)
            branch.children[branch.child_count++] = other;
        if (peers->own == other.first) {
            branch.parent = holder;
            branch.own = other;
        }
        here = is_low ? low : high;
        if (is_in(&other, peers->own)) {
            here = other;
            holder = other.first;
        }
    }
    return branch;
}

// A peer without children whose only block is its own buffer.
static bool is_leaf(const struct branch *branch)
{
    return branch->parent >= 0 && branch->child_count == 0;
}

// The blocks of a branch on this process.
static struct portions blocks_of_branch(struct schedule *schedule,
                                        const struct branch *branch,
                                        struct elements own, const struct portions *all)
{
    if (branch->parent < 0)
        return *all;
    if (is_leaf(branch))
        return equal_portions(own.at, own.count, own.type);
    MPI_Count bytes = (MPI_Count)elements_bytes(own);
    struct elements blocks =
        schedule_scratch(schedule, bytes * branch->own.count, byte_type());
    return equal_portions(blocks.at, bytes, byte_type());
}

void append_gather(struct schedule *schedule, const struct peers *peers,
                   struct elements own, const struct portions *all, int root)
{
    struct branch branch = branch_of(peers, root);
    struct portions blocks = blocks_of_branch(schedule, &branch, own, all);
    for (int i = 0; i < branch.child_count; i++) {
        const struct half *child = &branch.children[i];
        peers_receive(
            schedule, peers,
            portions_joined(&blocks, child->first - branch.own.first, child->count),
            child->first);
    }
    if (own.at != MPI_IN_PLACE && !is_leaf(&branch))
        schedule_copy(schedule, own,
                      portion_of(&blocks, peers->own - branch.own.first));
    schedule_wait(schedule);
    if (branch.parent >= 0)
        peers_send(schedule, peers, portions_joined(&blocks, 0, branch.own.count),
                   branch.parent);
    schedule_wait(schedule);
}

// Down the tree; the first of `blocks` is that of peer `origin`.
static void append_deal(struct schedule *schedule, const struct peers *peers,
                        const struct branch *branch, const struct portions *blocks,
                        int origin)
{
    if (branch->parent >= 0)
        peers_receive(
            schedule, peers,
            portions_joined(blocks, branch->own.first - origin, branch->own.count),
            branch->parent);
    schedule_wait(schedule);
    for (int i = 0; i < branch->child_count; i++) {
        const struct half *child = &branch->children[i];
        peers_send(schedule, peers,
                   portions_joined(blocks, child->first - origin, child->count),
                   child->first);
    }
}

void append_scatter(struct schedule *schedule, const struct peers *peers,
                    const struct portions *all, struct elements own, int root)
{
    struct branch branch = branch_of(peers, root);
    struct portions blocks = blocks_of_branch(schedule, &branch, own, all);
    append_deal(schedule, peers, &branch, &blocks, branch.own.first);
    if (own.at != MPI_IN_PLACE && !is_leaf(&branch))
        schedule_copy(schedule, portion_of(&blocks, peers->own - branch.own.first),
                      own);
    schedule_wait(schedule);
}

void append_share(struct schedule *schedule, const struct peers *peers,
                  const struct portions *parts, int root)
{
    struct branch branch = branch_of(peers, root);
    append_deal(schedule, peers, &branch, parts, 0);
    schedule_wait(schedule);
}

void append_spread(struct schedule *schedule, const struct peers *peers,
                   struct elements data, int root)
{
    struct branch branch = branch_of(peers, root);
    if (branch.parent >= 0)
        peers_receive(schedule, peers, data, branch.parent);
    schedule_wait(schedule);
    for (int i = 0; i < branch.child_count; i++)
        peers_send(schedule, peers, data, branch.children[i].first);
    schedule_wait(schedule);
}
