// SPDX-License-Identifier: BSD-3-Clause
// Alltoall, gather and scatter among the members of a communicator that all are on one
// node, so that ranks are node ranks.
#include "collective/node.h"
#include "collective/single_copy.h"

#include <string.h>

// Bytes of each block that a member leaves in its slot in one round, for all others.
static size_t round_bytes(const struct communicator *comm)
{
    size_t others = (size_t)comm->node_size - 1;
    return SLOT_BYTES / others / CACHE_LINE * CACHE_LINE;
}

bool node_can_exchange(const struct communicator *comm)
{
    return comm->leader_count == 1 && comm->node_size <= SLOT_BYTES / CACHE_LINE;
}

// ---- from all to all

// In a slot the pieces lie in the order of their destinations, from the owner's next
// one on.
static void leave_pieces(const struct communicator *comm, char *slot_bytes,
                         const char *out, size_t size, size_t length)
{
    for (int i = 1; i < comm->node_size; i++) {
        int to = (comm->node_rank + i) % comm->node_size;
        memcpy(slot_bytes + (size_t)(i - 1) * length, out + (size_t)to * size, length);
    }
}

static void take_pieces(const struct communicator *comm, const struct slot *slots,
                        char *in, size_t size, size_t length)
{
    for (int i = 1; i < comm->node_size; i++) {
        int from = (comm->node_rank + i) % comm->node_size;
        size_t before = (size_t)(comm->node_size - i - 1);
        memcpy(in + (size_t)from * size,
               slot_after(slots, from)->bytes + before * length, length);
    }
}

static int exchange_through_slots(struct communicator *comm, const char *out, char *in,
                                  size_t size, int err)
{
    size_t done = 0;
    do {
        size_t left = size - done, most = round_bytes(comm);
        size_t length = left < most ? left : most;
        const struct slot *slots = member_slot(comm, 0);
        struct slot *own = member_slot(comm, comm->node_rank);
        own->total = err ? total_refused(err) : size;
        if (length > 0 && !err)
            leave_pieces(comm, own->bytes, out + done, size, length);
        int failed = node_arrive(comm);
        if (!failed)
            failed = slots_agree(comm, slots, size);
        if (failed)
            return err ? err : failed;
        if (length > 0)
            take_pieces(comm, slots, in + done, size, length);
        done += length;
    } while (done < size);
    return 0;
}

// Each member reads first from the one behind it, so that not all read from one.
static int exchange_shown(struct communicator *comm, const struct slot *slots, char *in,
                          size_t size)
{
    int err = copies_begin(comm);
    for (int i = 1; !err && i < comm->node_size; i++) {
        int from = (comm->node_rank + i) % comm->node_size;
        uint64_t place = slot_after(slots, from)->shown.from;
        err = place_read(comm, from, place + (size_t)comm->node_rank * size,
                         in + (size_t)from * size, size);
    }
    return copies_end(comm, err);
}

int node_exchange(struct communicator *comm, const char *out, char *in, size_t size,
                  int err)
{
    size_t own = (size_t)comm->node_rank * size, total = (size_t)comm->node_size * size;
    if (size > 0 && !err)
        memcpy(in + own, out + own, size);
    if (comm->node_size == 1)
        return err;
    if (!err && total >= SINGLE_COPY_BYTES) {
        struct shown shown = {.from = place_of(out, total)};
        const struct slot *slots;
        err = node_show(comm, shown, size, &slots);
        if (slots != NULL)
            return exchange_shown(comm, slots, in, size);
        if (err)
            return err;
    }
    return exchange_through_slots(comm, out, in, size, err);
}

// ---- from all to one, and from one to all

static bool is_blocks_root(const struct communicator *comm,
                           const struct node_blocks *blocks)
{
    return comm->node_rank == blocks->root;
}

static void leave_blocks(const struct communicator *comm, char *slot_bytes,
                         const struct node_blocks *blocks, size_t done, size_t length)
{
    if (!is_blocks_root(comm, blocks) && blocks->to_root)
        memcpy(slot_bytes, blocks->own + done, length);
    else if (is_blocks_root(comm, blocks) && !blocks->to_root)
        leave_pieces(comm, slot_bytes, blocks->all + done, blocks->size, length);
}

static void take_blocks(const struct communicator *comm, const struct slot *slots,
                        const struct node_blocks *blocks, size_t done, size_t length)
{
    int own = comm->node_rank, members = comm->node_size;
    if (!is_blocks_root(comm, blocks) && !blocks->to_root) {
        size_t before = (size_t)((own - blocks->root + members) % members - 1);
        memcpy(blocks->own + done,
               slot_after(slots, blocks->root)->bytes + before * length, length);
    } else if (is_blocks_root(comm, blocks) && blocks->to_root) {
        for (int from = 0; from < members; from++)
            if (from != own)
                memcpy(blocks->all + (size_t)from * blocks->size + done,
                       slot_after(slots, from)->bytes, length);
    }
}

static int move_through_slots(struct communicator *comm,
                              const struct node_blocks *blocks, int err)
{
    size_t size = blocks->size, done = 0;
    size_t most = blocks->to_root ? SLOT_BYTES : round_bytes(comm);
    do {
        size_t length = size - done < most ? size - done : most;
        const struct slot *slots = member_slot(comm, 0);
        struct slot *own = member_slot(comm, comm->node_rank);
        own->total = err ? total_refused(err) : size;
        if (length > 0 && !err)
            leave_blocks(comm, own->bytes, blocks, done, length);
        int failed = node_arrive(comm);
        if (!failed)
            failed = slots_agree(comm, slots, size);
        if (failed)
            return err ? err : failed;
        if (length > 0)
            take_blocks(comm, slots, blocks, done, length);
        done += length;
    } while (done < size);
    return 0;
}

static int copy_shown_block(const struct communicator *comm, bool reads, int node_rank,
                            uint64_t place, char *at, size_t bytes)
{
    return reads ? place_read(comm, node_rank, place, at, bytes)
                 : place_write(comm, node_rank, place, at, bytes);
}

// The root copies the first bytes of each block and the others the rest of theirs, so
// that all have the same work.
static int copy_shown_blocks(const struct communicator *comm, const struct slot *slots,
                             const struct node_blocks *blocks)
{
    size_t size = blocks->size, part = size / (size_t)comm->node_size;
    bool is_root = is_blocks_root(comm, blocks), reads = is_root == blocks->to_root;
    int err = 0;
    if (!is_root)
        return copy_shown_block(comm, reads, blocks->root,
                                slot_after(slots, blocks->root)->shown.from +
                                    (size_t)comm->node_rank * size + part,
                                blocks->own + part, size - part);
    for (int i = 1; !err && i < comm->node_size; i++) {
        int other = (comm->node_rank + i) % comm->node_size;
        err = copy_shown_block(comm, reads, other, slot_after(slots, other)->shown.from,
                               blocks->all + (size_t)other * size, part);
    }
    return err;
}

// A member that has failed shows that in the last round.
static int move_shown_blocks(struct communicator *comm, const struct slot *slots,
                             const struct node_blocks *blocks)
{
    int err = copies_begin(comm);
    if (!err)
        err = copy_shown_blocks(comm, slots, blocks);
    const struct slot *ends = member_slot(comm, 0);
    member_slot(comm, comm->node_rank)->total = err ? total_refused(err) : blocks->size;
    err = copies_end(comm, err);
    return err ? err : slots_agree(comm, ends, blocks->size);
}

int node_move_blocks(struct communicator *comm, const struct node_blocks *blocks,
                     int err)
{
    size_t total = (size_t)comm->node_size * blocks->size;
    if (comm->node_size == 1)
        return err;
    if (!err && total >= SINGLE_COPY_BYTES) {
        struct shown shown = {.from = is_blocks_root(comm, blocks)
                                          ? place_of(blocks->all, total)
                                          : place_of(blocks->own, blocks->size)};
        const struct slot *slots;
        err = node_show(comm, shown, blocks->size, &slots);
        if (slots != NULL)
            return move_shown_blocks(comm, slots, blocks);
        if (err)
            return err;
    }
    return move_through_slots(comm, blocks, err);
}
