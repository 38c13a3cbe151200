// SPDX-License-Identifier: BSD-3-Clause
// Which members of a communicator have chosen which color, in lists that are short where
// those of a color are equally far apart.
#pragma once

#include "collective/communicator.h"

// What a member has chosen.
struct choice {
    int color, key, rank;
};

// Members of one color whose ranks are equally far apart, and their keys likewise.
struct progression {
    int color, count;
    int rank, rank_step; // of the first one, and from each to the next
    int key, key_step;
};

// Ordered by color; those of a color as they have been appended.
struct color_list {
    struct progression *all;
    int count, room;
};

// All return 0 or MPI_ERR_NO_MEM; a list that has failed may be used and is to be freed.
int color_list_reserve(struct color_list *list, int room);
// Colors must not descend. Makes the last progression longer if it goes on so.
int color_list_append(struct color_list *list, struct progression next);
// Of each color those of `one`, then those of `other`.
int color_list_merge(const struct color_list *one, const struct color_list *other,
                     struct color_list *merged);
void color_list_free(struct color_list *list);

// Both make the group of a color, in the order of the keys; ranks are those of `members`.
// The first one needs the choice of each member, and changes their order.
int group_of_color(const struct group *members, struct choice *choices, int color,
                   struct group **group);
int color_list_group(const struct group *members, const struct progression *all,
                     int count, int color, struct group **group);

// Completes the list of a node, which its leader calls with, by those of the other
// nodes: afterwards it has all members of each color that is in it. A leader that comes
// with an error or meets one still takes its part.
int leaders_complete_list(struct communicator *comm, struct color_list *list, int err);
