// SPDX-License-Identifier: BSD-3-Clause
// Alltoall, gather and scatter among the members of a communicator that all are on one
// node, so that ranks are node ranks.
#include "collective/node.h"
#include "collective/single_copy.h"

bool node_can_exchange(const struct communicator *comm)
{
    return comm->leader_count == 1 && comm->node_size <= SLOT_BYTES / CACHE_LINE;
}

// ---- who has which blocks

// Does one member have a block for the other?
static bool is_given(const struct node_blocks *blocks, int from, int to)
{
    return blocks->root == ALL_MEMBERS ||
           (blocks->to_root ? to == blocks->root : from == blocks->root);
}

// At a root and in an alltoall there is a block for each member.
static bool has_one_block(const struct communicator *comm,
                          const struct node_blocks *blocks)
{
    return blocks->root != ALL_MEMBERS && blocks->root != comm->node_rank;
}

static size_t block_start(const struct communicator *comm,
                          const struct node_blocks *blocks, int other)
{
    return has_one_block(comm, blocks) ? 0 : (size_t)other * blocks->size;
}

// ---- through the slots

static void leave_blocks(const struct communicator *comm, const void *argument,
                         char *data, size_t done, size_t length)
{
    const struct node_blocks *blocks = argument;
    int own = comm->node_rank;
    for (int i = 1; i < comm->node_size; i++) {
        int to = (own + i) % comm->node_size;
        size_t place = blocks->to_root ? 0 : piece_place(comm, own, to, length);
        if (is_given(blocks, own, to))
            copy_bytes(data + place, blocks->out + block_start(comm, blocks, to) + done,
                       length);
    }
}

static void take_blocks(const struct communicator *comm, const void *argument,
                        const struct slot *slots, size_t done, size_t length)
{
    const struct node_blocks *blocks = argument;
    int own = comm->node_rank;
    for (int i = 1; i < comm->node_size; i++) {
        int from = (own + i) % comm->node_size;
        size_t place = blocks->to_root ? 0 : piece_place(comm, from, own, length);
        if (is_given(blocks, from, own))
            copy_bytes(blocks->in + block_start(comm, blocks, from) + done,
                       slot_data(slot_after(slots, from)) + place, length);
    }
}

// ---- by single copies

// What a member copies of a block for which another one shows its buffer.
struct part {
    size_t begin, end;
};

// In an alltoall all read. Else the root copies the first bytes of each block and the
// others the rest of theirs, so that all have the same work.
static struct part copied_part(const struct communicator *comm,
                               const struct node_blocks *blocks, bool is_reader)
{
    if (blocks->root == ALL_MEMBERS)
        return (struct part){0, is_reader ? blocks->size : 0};
    size_t first = blocks->size / (size_t)comm->node_size;
    return blocks->root == comm->node_rank ? (struct part){0, first}
                                           : (struct part){first, blocks->size};
}

static int copy_part(const struct communicator *comm, const struct slot *slots,
                     const struct node_blocks *blocks, int other, bool is_reader)
{
    struct part part = copied_part(comm, blocks, is_reader);
    size_t start = block_start(comm, blocks, other) + part.begin;
    size_t there = blocks->root == comm->node_rank ? 0 : (size_t)comm->node_rank;
    uint64_t place =
        slot_after(slots, other)->shown.from + there * blocks->size + part.begin;
    size_t bytes = part.end - part.begin;
    if (bytes == 0)
        return 0;
    return is_reader ? place_read(comm, other, place, blocks->in + start, bytes)
                     : place_write(comm, other, place, blocks->out + start, bytes);
}

// Each member begins with the one behind it, so that not all copy from one.
static int copy_block_parts(const struct communicator *comm, const struct slot *slots,
                            const struct node_blocks *blocks)
{
    int err = 0, own = comm->node_rank;
    for (int i = 1; !err && i < comm->node_size; i++) {
        int other = (own + i) % comm->node_size;
        if (is_given(blocks, other, own))
            err = copy_part(comm, slots, blocks, other, true);
        if (!err && is_given(blocks, own, other))
            err = copy_part(comm, slots, blocks, other, false);
    }
    return err;
}

static int exchange_shown(struct communicator *comm, const struct slot *slots,
                          const struct node_blocks *blocks)
{
    int err = copies_begin(comm);
    if (!err)
        err = copy_block_parts(comm, slots, blocks);
    return copies_end(comm, err);
}

static struct shown shown_blocks(const struct communicator *comm,
                                 const struct node_blocks *blocks)
{
    size_t count = has_one_block(comm, blocks) ? 1 : (size_t)comm->node_size;
    const char *buffer = blocks->out != NULL ? blocks->out : blocks->in;
    return (struct shown){.from = place_of(buffer, count * blocks->size)};
}

// Blocks that a member leaves in its slot.
static size_t blocks_left(const struct communicator *comm,
                          const struct node_blocks *blocks)
{
    size_t others = (size_t)comm->node_size - 1;
    bool is_root = blocks->root == comm->node_rank;
    if (blocks->root == ALL_MEMBERS)
        return others;
    if (blocks->to_root)
        return is_root ? 0 : 1;
    return is_root ? others : 0;
}

// From which members one takes blocks.
static int blocks_from(const struct communicator *comm,
                       const struct node_blocks *blocks)
{
    bool is_root = blocks->root == comm->node_rank;
    if (blocks->root == ALL_MEMBERS || (is_root && blocks->to_root))
        return ALL_MEMBERS;
    return is_root || blocks->to_root ? NO_MEMBER : blocks->root;
}

int node_exchange(struct communicator *comm, const struct node_blocks *blocks, int err)
{
    if (comm->node_size == 1)
        return err;
    if (!err && (size_t)comm->node_size * blocks->size >= SINGLE_COPY_BYTES) {
        const struct slot *slots;
        err = node_show(comm, shown_blocks(comm, blocks), blocks->size, &slots);
        if (slots != NULL)
            return exchange_shown(comm, slots, blocks);
        if (err)
            return err;
    }
    struct passage passage = {
        .total = blocks->size,
        .size = blocks->size,
        .most = blocks->to_root ? SLOT_BYTES : longest_piece(comm),
        .left = blocks_left(comm, blocks),
        .from = blocks_from(comm, blocks),
        .leave = leave_blocks,
        .take = take_blocks,
    };
    return slots_pass(comm, &passage, blocks, err);
}
