// SPDX-License-Identifier: BSD-3-Clause
// How the leaders of nodes find all members of the colors of their nodes. Each color has
// a home, a leader that its hash names. The lists of the nodes travel there along the
// edges of a hypercube, and what comes together on the way becomes one progression where
// it is one; in each round only the half goes on whose home is on the other side. The
// whole lists of the colors come back the same way. So a leader sends two messages in
// each dimension, and they have few bytes where the members of each color are equally far
// apart. Leaders beyond a power of two have a partner that does it for them.
#include "collective/color_list.h"
#include "collective/leaders.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// What is longer takes a second message.
enum { AT_ONCE = 40 };
struct packet {
    int count;
    struct progression first[AT_ONCE];
};

static size_t packet_bytes(int count)
{
    size_t parts = (size_t)(count < AT_ONCE ? count : AT_ONCE);
    return offsetof(struct packet, first) + parts * sizeof(struct progression);
}

static size_t rest_bytes(int count)
{
    return (size_t)(count - AT_ONCE) * sizeof(struct progression);
}

static int send_first(struct communicator *comm, const struct color_list *list,
                      int rank)
{
    struct packet packet = {.count = list->count};
    size_t bytes = packet_bytes(list->count);
    if (list->count > 0)
        memcpy(packet.first, list->all, bytes - offsetof(struct packet, first));
    return pt2pt_send(comm, &packet, bytes, rank, TAG_SPLIT);
}

static int send_rest(struct communicator *comm, const struct color_list *list, int rank)
{
    return list->count > AT_ONCE ? pt2pt_send(comm, list->all + AT_ONCE,
                                              rest_bytes(list->count), rank, TAG_SPLIT)
                                 : 0;
}

// Afterwards the list has room for all, or the rest is not received.
static int receive_first(struct communicator *comm, struct color_list *list, int rank)
{
    struct packet packet = {0};
    int err = pt2pt_receive(comm, &packet, sizeof packet, rank, TAG_SPLIT);
    if (err)
        return err;
    list->count = packet.count;
    err = color_list_reserve(list, packet.count);
    if (!err && packet.count > 0)
        memcpy(list->all, packet.first,
               packet_bytes(packet.count) - offsetof(struct packet, first));
    return err;
}

// Without memory the message is cut.
static int receive_rest(struct communicator *comm, struct color_list *list, int rank,
                        int err)
{
    bool has_room = list->count <= list->room;
    if (list->count > AT_ONCE) {
        int rest_err =
            pt2pt_receive(comm, has_room ? list->all + AT_ONCE : NULL,
                          has_room ? rest_bytes(list->count) : 0, rank, TAG_SPLIT);
        err = err ? err : rest_err;
    }
    if (err)
        list->count = 0;
    return err;
}

static int list_send(struct communicator *comm, const struct color_list *list, int rank)
{
    int err = send_first(comm, list, rank), rest_err = send_rest(comm, list, rank);
    return err ? err : rest_err;
}

static int list_receive(struct communicator *comm, struct color_list *list, int rank)
{
    int err = receive_first(comm, list, rank);
    return receive_rest(comm, list, rank, err);
}

// Short lists pass each other; of long ones that of the lower rank goes first.
static int list_swap(struct communicator *comm, const struct color_list *own,
                     struct color_list *theirs, int rank)
{
    int err = send_first(comm, own, rank), rest_err;
    int first_err = receive_first(comm, theirs, rank);
    err = err ? err : first_err;
    if (comm->rank < rank) {
        rest_err = send_rest(comm, own, rank);
        err = receive_rest(comm, theirs, rank, err);
    } else {
        err = receive_rest(comm, theirs, rank, err);
        rest_err = send_rest(comm, own, rank);
    }
    return err ? err : rest_err;
}

// ---- the hypercube

// A corner for each of a power of two of leaders; the first ones have two leaders, which
// are neighbors, so that lists stay in the order of the nodes.
struct cube {
    struct communicator *comm;
    unsigned corners, own, doubled;
};

static struct cube cube_of(struct communicator *comm)
{
    unsigned leaders = (unsigned)comm->leader_count, corners = 1;
    unsigned index = (unsigned)comm->leader_index;
    while (corners <= leaders / 2)
        corners *= 2;
    unsigned doubled = leaders - corners;
    return (struct cube){.comm = comm,
                         .corners = corners,
                         .own = index < 2 * doubled ? index / 2 : index - doubled,
                         .doubled = doubled};
}

// The rank of the leader at a corner.
static int corner_rank(const struct cube *cube, unsigned corner)
{
    unsigned index = corner < cube->doubled ? 2 * corner : corner + cube->doubled;
    return leader_rank(cube->comm, (int)index);
}

// By the upper bits of a product (Fibonacci hashing), since colors often lie close.
static unsigned home_of(const struct cube *cube, int color)
{
    uint64_t hash = ((uint32_t)color * UINT32_C(2654435769)) & UINT32_MAX;
    return (unsigned)(hash * cube->corners >> 32);
}

// What goes over one edge: the colors that are given away, and those that are taken.
struct crossing {
    struct color_list given, taken;
};

enum { DIMENSIONS = sizeof(int) * CHAR_BIT };

// Leaves in *list what has its home on this side.
static int list_divide(const struct cube *cube, unsigned bit, struct color_list *list,
                       struct color_list *given)
{
    int kept = 0, err = 0;
    for (int i = 0; i < list->count && !err; i++) {
        bool stays = (home_of(cube, list->all[i].color) & bit) == (cube->own & bit);
        if (stays)
            list->all[kept++] = list->all[i];
        else
            err = color_list_append(given, list->all[i]);
    }
    list->count = kept;
    return err;
}

// Puts `merged` in the place of the list.
static void list_replace(struct color_list *list, struct color_list *merged)
{
    color_list_free(list);
    *list = *merged;
}

static int travel_out(const struct cube *cube, unsigned bit, struct color_list *list,
                      struct crossing *crossing)
{
    struct color_list merged = {0};
    int err = list_divide(cube, bit, list, &crossing->given);
    int swap_err = list_swap(cube->comm, &crossing->given, &crossing->taken,
                             corner_rank(cube, cube->own ^ bit));
    err = err ? err : swap_err;
    bool is_low = (cube->own & bit) == 0;
    int merge_err = color_list_merge(is_low ? list : &crossing->taken,
                                     is_low ? &crossing->taken : list, &merged);
    list_replace(list, &merged);
    return err ? err : merge_err;
}

// The whole lists of the colors that the other side has given.
static int list_select(const struct color_list *list, const struct color_list *wanted,
                       struct color_list *selected)
{
    int err = 0;
    for (int i = 0, j = 0; i < list->count && !err; i++) {
        while (j < wanted->count && wanted->all[j].color < list->all[i].color)
            j++;
        if (j < wanted->count && wanted->all[j].color == list->all[i].color)
            err = color_list_append(selected, list->all[i]);
    }
    return err;
}

static int travel_back(const struct cube *cube, unsigned bit, struct color_list *list,
                       struct crossing *crossing)
{
    struct color_list answer = {0}, answered = {0}, merged = {0};
    int err = list_select(list, &crossing->taken, &answer);
    int swap_err =
        list_swap(cube->comm, &answer, &answered, corner_rank(cube, cube->own ^ bit));
    int merge_err = color_list_merge(list, &answered, &merged);
    list_replace(list, &merged);
    color_list_free(&answer);
    color_list_free(&answered);
    color_list_free(&crossing->given);
    color_list_free(&crossing->taken);
    err = err ? err : swap_err;
    return err ? err : merge_err;
}

static int cube_cross(const struct cube *cube, struct color_list *list)
{
    struct crossing crossings[DIMENSIONS] = {0};
    int err = 0, dimension = 0;
    for (unsigned bit = 1; bit < cube->corners; bit *= 2) {
        int out_err = travel_out(cube, bit, list, &crossings[dimension++]);
        err = err ? err : out_err;
    }
    for (unsigned bit = cube->corners / 2; bit > 0; bit /= 2) {
        int back_err = travel_back(cube, bit, list, &crossings[--dimension]);
        err = err ? err : back_err;
    }
    return err;
}

// The first of two leaders at a corner does it for the second.
static int cube_cross_for_two(const struct cube *cube, struct color_list *list)
{
    struct color_list second = {0}, merged = {0}, answer = {0};
    int rank = leader_rank(cube->comm, cube->comm->leader_index + 1);
    int err = list_receive(cube->comm, &second, rank);
    int merge_err = color_list_merge(list, &second, &merged);
    list_replace(list, &merged);
    int cross_err = cube_cross(cube, list);
    int select_err = list_select(list, &second, &answer);
    int send_err = list_send(cube->comm, &answer, rank);
    color_list_free(&second);
    color_list_free(&answer);
    int errors[] = {err, merge_err, cross_err, select_err, send_err};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i])
            return errors[i];
    return 0;
}

static int cube_cross_by_other(const struct cube *cube, struct color_list *list)
{
    struct color_list answer = {0};
    int rank = corner_rank(cube, cube->own);
    int err = list_send(cube->comm, list, rank);
    int answer_err = list_receive(cube->comm, &answer, rank);
    list_replace(list, &answer);
    return err ? err : answer_err;
}

int leaders_complete_list(struct communicator *comm, struct color_list *list, int err)
{
    struct cube cube = cube_of(comm);
    unsigned index = (unsigned)comm->leader_index;
    int cube_err;
    if (index >= 2 * cube.doubled)
        cube_err = cube_cross(&cube, list);
    else if (index % 2 == 0)
        cube_err = cube_cross_for_two(&cube, list);
    else
        cube_err = cube_cross_by_other(&cube, list);
    return err ? err : cube_err;
}
