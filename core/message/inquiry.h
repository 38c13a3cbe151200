// SPDX-License-Identifier: BSD-3-Clause
// Whether a long wait can end: a process asks those that it waits for, these what they wait
// for, and so on, until it is clear.
#pragma once

#include "message/long_wait.h"

// Begins or continues the inquiry of a listed wait, reports what it has found, and ends the
// job where that is wanted. Returns when to look again. The message lock is free.
uint64_t inquiry_look(struct long_wait *wait, uint64_t now);
// Ends that of the wait, if there is one. The message lock is held.
void inquiry_end(const struct long_wait *wait);
void inquiries_start(void);

// ---- the graph of what depends on what (knot.c) ------------------------------------
struct knot_edge {
    int to; // index of the node
    bool is_alternative;
    bool is_blocking; // no alternative can come about
};

struct knot_node {
    struct awaited what;
    bool is_answered;
    uint64_t state; // a hash of its explanation
    struct knot_edge *edges;
    int edge_count;
    bool may_come;            // as far as is known
    bool is_reached;          // from the root, over blocking edges
    bool is_in_knot;          // reached, and the root is reached from it
    struct wait_words *words; // of a wait in the knot
};

struct knot {
    struct knot_node *nodes; // the first is the root
    int count, room;
};

// The index of a node, made if needed; -1 without memory, or when there are too many.
int knot_node(struct knot *knot, const struct awaited *what);
// Adds what a node depends on; false without memory.
bool knot_explain(struct knot *knot, int node, const struct awaited *list, int count);
// Finds what cannot come about. A node of which nothing is known may.
void knot_find(struct knot *knot);
// The lowest rank of those whose waits are in the knot; -1: the root is in none.
int knot_lowest_rank(const struct knot *knot);
// The ranks that a wait in the knot is waiting for, as "rank 1" or "ranks 1, 2".
void knot_ranks(const struct knot *knot, int node, char *text, size_t bytes);
void knot_free(struct knot *knot);
