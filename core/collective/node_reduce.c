// SPDX-License-Identifier: BSD-3-Clause
// Reductions inside a node.
#include "collective/node.h"
#include "collective/single_copy.h"

#include <stdlib.h>

enum {
    // Up to this many bytes, or to members when one gets the result, who gets the result
    // combines all slots by itself; beyond, each member combines its share.
    ALONE_BYTES = 1024,
    ALONE_MEMBERS = 4,
    // Operands of other members come in pieces that stay in the core's cache.
    PIECE_BYTES = 128 * 1024
};

static size_t bytes_of(const struct reduction *reduction, MPI_Count count)
{
    return (size_t)count * reduction->basic->bytes;
}

// Do others write the result to this member?
static bool is_written_to(const struct communicator *comm,
                          const struct reduction *reduction)
{
    return reduction->to == ALL_MEMBERS || reduction->to == comm->node_rank;
}

static bool gets_result(const struct communicator *comm,
                        const struct reduction *reduction)
{
    return reduction->to == EACH_ITS_BLOCK || is_written_to(comm, reduction);
}

// Elements [first, first + count).
struct share {
    MPI_Count first, count;
};

// The work of the members below a rank in the node. To copy an element of a member takes
// 3 units of time, and to combine it 1. Where one member gets the result the others copy
// theirs to it, so that it takes a larger share.
static MPI_Count share_first(const struct communicator *comm,
                             const struct reduction *reduction, MPI_Count count,
                             int node_rank)
{
    MPI_Count others = comm->node_size - 1, one = 4 * others, more = 0;
    if (reduction->to != ALL_MEMBERS)
        more = 3;
    MPI_Count below = one * node_rank + (node_rank > reduction->to ? more : 0);
    return count * below / (one * comm->node_size + more);
}

// The block of the result that a member gets.
static struct share block_share(const struct reduction *reduction, int node_rank)
{
    const struct portions *blocks = reduction->blocks;
    if (blocks->counts.at == NULL)
        return (struct share){node_rank * blocks->count, blocks->count};
    return (struct share){number_at(blocks->displacements, node_rank),
                          number_at(blocks->counts, node_rank)};
}

// What the member with this rank in the node combines of `count` elements.
static struct share share_of(const struct communicator *comm,
                             const struct reduction *reduction, MPI_Count count,
                             int node_rank)
{
    if (reduction->to == EACH_ITS_BLOCK)
        return block_share(reduction, node_rank);
    MPI_Count first = share_first(comm, reduction, count, node_rank);
    MPI_Count end = share_first(comm, reduction, count, node_rank + 1);
    return (struct share){first, end - first};
}

// ---- through the slots

static void combine_slots(const struct communicator *comm, const struct slot *slots,
                          struct share share, void *result,
                          const struct reduction *reduction)
{
    size_t start = bytes_of(reduction, share.first);
    int last = comm->node_size - 1;
    copy_bytes(result, slot_data(slot_after(slots, last)) + start,
               bytes_of(reduction, share.count));
    for (int node_rank = last - 1; node_rank >= 0; node_rank--)
        op_apply(reduction->op, reduction->basic,
                 slot_data(slot_after(slots, node_rank)) + start, result, share.count);
}

static int combine_shares(struct communicator *comm, char *out, MPI_Count count,
                          const struct reduction *reduction)
{
    const struct slot *slots = round_slots(comm);
    struct share share = share_of(comm, reduction, count, comm->node_rank);
    struct slot *own;
    int err = round_begin(comm, bytes_of(reduction, share.count), &own);
    if (err)
        return err;
    combine_slots(comm, slots, share, own_data(own), reduction);
    round_show(comm, own);
    if (out == NULL)
        return 0;
    err = round_await(comm, ALL_MEMBERS);
    for (int node_rank = 0; !err && node_rank < comm->node_size; node_rank++) {
        share = share_of(comm, reduction, count, node_rank);
        copy_bytes(out + bytes_of(reduction, share.first),
                   slot_data(slot_after(round_slots(comm), node_rank)),
                   bytes_of(reduction, share.count));
    }
    return err;
}

// Whether each member combines its share of a piece.
static bool is_shared_out(const struct communicator *comm,
                          const struct reduction *reduction, size_t bytes)
{
    return bytes > ALONE_BYTES &&
           (reduction->to == ALL_MEMBERS || comm->node_size > ALONE_MEMBERS);
}

// One piece that fits into a slot; `out` is NULL on members that get no result. They need
// no others, but in the first of many pieces, where all agree on how many there are.
static int reduce_piece(struct communicator *comm, const char *in, char *out,
                        MPI_Count count, const struct reduction *reduction)
{
    size_t bytes = bytes_of(reduction, count);
    size_t total = bytes_of(reduction, reduction->count);
    bool is_shared = is_shared_out(comm, reduction, bytes);
    bool is_first_of_many = in == reduction->in && bytes < total;
    struct slot *own;
    int err = round_begin(comm, bytes, &own);
    if (err)
        return err;
    own->total = total;
    if (bytes > 0)
        copy_bytes(own_data(own), in, bytes);
    round_show(comm, own);
    if (out == NULL && !is_shared && !is_first_of_many)
        return 0;
    err = round_agree(comm, ALL_MEMBERS, total);
    if (err || bytes == 0)
        return err;
    if (is_shared)
        return combine_shares(comm, out, count, reduction);
    if (out != NULL)
        combine_slots(comm, round_slots(comm), (struct share){0, count}, out,
                      reduction);
    return 0;
}

static int reduce_through_slots(struct communicator *comm,
                                const struct reduction *reduction)
{
    MPI_Count piece = SLOT_BYTES / (MPI_Count)reduction->basic->bytes, done = 0;
    char *out = gets_result(comm, reduction) ? reduction->out : NULL;
    do {
        MPI_Count left = reduction->count - done, length = left < piece ? left : piece;
        size_t start = bytes_of(reduction, done);
        int err = reduce_piece(comm, reduction->in + start, out ? out + start : NULL,
                               length, reduction);
        if (err)
            return err;
        done += piece;
    } while (done < reduction->count);
    return 0;
}

// ---- a block to each, through the slots

static MPI_Count longest_block(const struct communicator *comm,
                               const struct reduction *reduction)
{
    MPI_Count longest = 0;
    for (int node_rank = 0; node_rank < comm->node_size; node_rank++) {
        MPI_Count count = block_share(reduction, node_rank).count;
        if (count > longest)
            longest = count;
    }
    return longest;
}

// What all members must have alike: all bytes, and once more those of the longest block,
// which decides how many rounds there are.
static uint64_t agreed_bytes(const struct communicator *comm,
                             const struct reduction *reduction)
{
    MPI_Count once_more =
        reduction->to == EACH_ITS_BLOCK ? longest_block(comm, reduction) : 0;
    return bytes_of(reduction, reduction->count + once_more);
}

// What a round moves of a block, which may be shorter than the longest one.
static struct share share_of_round(struct share block, MPI_Count done, MPI_Count most)
{
    MPI_Count left = block.count > done ? block.count - done : 0;
    return (struct share){block.first + done, left < most ? left : most};
}

static void leave_operands(const struct communicator *comm, const void *argument,
                           char *data, size_t done, size_t length)
{
    const struct reduction *reduction = argument;
    MPI_Count unit = (MPI_Count)reduction->basic->bytes;
    int own = comm->node_rank;
    for (int i = 1; i < comm->node_size; i++) {
        int to = own + i < comm->node_size ? own + i : own + i - comm->node_size;
        struct share share =
            share_of_round(block_share(reduction, to), (MPI_Count)done / unit,
                           (MPI_Count)length / unit);
        if (share.count > 0)
            copy_bytes(data + piece_place(comm, own, to, length),
                       reduction->in + bytes_of(reduction, share.first),
                       bytes_of(reduction, share.count));
    }
}

// Combines the operands of all, from the last member's to the first one's.
static void combine_operands(const struct communicator *comm,
                             const struct reduction *reduction,
                             const struct slot *slots, struct share share,
                             size_t length, char *result)
{
    int last = comm->node_size - 1;
    for (int node_rank = last; node_rank >= 0; node_rank--) {
        const char *operand = reduction->in + bytes_of(reduction, share.first);
        if (node_rank != comm->node_rank)
            operand = slot_data(slot_after(slots, node_rank)) +
                      piece_place(comm, node_rank, comm->node_rank, length);
        if (node_rank == last)
            copy_bytes(result, operand, bytes_of(reduction, share.count));
        else
            op_apply(reduction->op, reduction->basic, operand, result, share.count);
    }
}

// In place the result is made apart from the operand. It overwrites only what has been
// left in a slot before, since nothing moves towards the end.
static void take_operands(const struct communicator *comm, const void *argument,
                          const struct slot *slots, size_t done, size_t length)
{
    const struct reduction *reduction = argument;
    MPI_Count unit = (MPI_Count)reduction->basic->bytes;
    struct share share =
        share_of_round(block_share(reduction, comm->node_rank), (MPI_Count)done / unit,
                       (MPI_Count)length / unit);
    _Alignas(max_align_t) char apart[SLOT_BYTES];
    bool is_in_place = reduction->in == reduction->out;
    char *result = is_in_place ? apart : reduction->out + done;
    if (share.count == 0)
        return;
    combine_operands(comm, reduction, slots, share, length, result);
    if (is_in_place)
        copy_bytes(reduction->out + done, apart, bytes_of(reduction, share.count));
}

static int scatter_through_slots(struct communicator *comm,
                                 const struct reduction *reduction, int err)
{
    struct passage passage = {.left = (size_t)comm->node_size - 1,
                              .from = ALL_MEMBERS,
                              .leave = leave_operands,
                              .take = take_operands};
    if (!err) {
        size_t unit = reduction->basic->bytes;
        passage.total = agreed_bytes(comm, reduction);
        passage.size = bytes_of(reduction, longest_block(comm, reduction));
        passage.most = longest_piece(comm) / unit * unit;
    }
    return slots_pass(comm, &passage, reduction, err);
}

// ---- by single copies: each member combines its share piece by piece, straight from
// the buffers of all, and writes it to those that get the result

// Room for two pieces, and for what must wait for the end of the call.
struct pieces {
    char *other;  // an operand of another member
    char *result; // what cannot be combined where it belongs
    char *block;  // of the result, where operands are that others read; else NULL
};

static int operand_read(const struct communicator *comm, const struct slot *slots,
                        int node_rank, size_t start, void *to, size_t bytes)
{
    return place_read(comm, node_rank, slot_after(slots, node_rank)->shown.from + start,
                      to, bytes);
}

// result[i] = operand[i] op result[i], where the operand starts at byte `start`.
static int operand_apply(const struct communicator *comm, const struct slot *slots,
                         const struct reduction *reduction, int node_rank, size_t start,
                         MPI_Count count, char *other, char *result)
{
    const void *operand = reduction->in + start;
    int err = 0;
    if (node_rank != comm->node_rank)
        err = place_view(comm, node_rank,
                         slot_after(slots, node_rank)->shown.from + start, other,
                         bytes_of(reduction, count), &operand);
    if (!err)
        op_apply(reduction->op, reduction->basic, operand, result, count);
    return err;
}

// From the last member's operand to the first one's. The result begins as a copy from
// another member: predefined operations commute, so that the last two may change places.
static int combine_piece(const struct communicator *comm, const struct slot *slots,
                         const struct reduction *reduction, size_t start,
                         MPI_Count count, char *other, char *result)
{
    int last = comm->node_size - 1, begin = last, next = last - 1;
    if (comm->node_rank == last) {
        begin = last - 1;
        next = last;
    }
    int err =
        operand_read(comm, slots, begin, start, result, bytes_of(reduction, count));
    if (!err)
        err = operand_apply(comm, slots, reduction, next, start, count, other, result);
    for (int node_rank = last - 2; !err && node_rank >= 0; node_rank--)
        err = operand_apply(comm, slots, reduction, node_rank, start, count, other,
                            result);
    return err;
}

static int write_piece(const struct communicator *comm, const struct slot *slots,
                       const struct reduction *reduction, size_t start,
                       const char *result, size_t bytes)
{
    int err = 0;
    for (int i = 1; !err && i < comm->node_size; i++) {
        int node_rank = (comm->node_rank + i) % comm->node_size;
        if (reduction->to == ALL_MEMBERS || reduction->to == node_rank)
            err = place_write(comm, node_rank,
                              slot_after(slots, node_rank)->shown.to + start, result,
                              bytes);
    }
    return err;
}

// Where this member's result for the element at byte `start` belongs. Its block alone
// lies at the begin of `out`.
static char *result_place(const struct communicator *comm,
                          const struct reduction *reduction,
                          const struct pieces *pieces, size_t start)
{
    if (!gets_result(comm, reduction))
        return NULL;
    if (reduction->to == EACH_ITS_BLOCK)
        start -= bytes_of(reduction, block_share(reduction, comm->node_rank).first);
    return (pieces->block != NULL ? pieces->block : reduction->out) + start;
}

static int reduce_share(const struct communicator *comm, const struct slot *slots,
                        const struct reduction *reduction, const struct pieces *pieces)
{
    struct share share = share_of(comm, reduction, reduction->count, comm->node_rank);
    MPI_Count piece = PIECE_BYTES / (MPI_Count)reduction->basic->bytes;
    int err = 0;
    for (MPI_Count done = 0; !err && done < share.count; done += piece) {
        MPI_Count left = share.count - done, count = left < piece ? left : piece;
        size_t start = bytes_of(reduction, share.first + done);
        size_t bytes = bytes_of(reduction, count);
        char *place = result_place(comm, reduction, pieces, start);
        bool is_apart = place == NULL || place == reduction->in + start;
        char *result = is_apart ? pieces->result : place;
        err =
            combine_piece(comm, slots, reduction, start, count, pieces->other, result);
        if (!err && is_apart && place != NULL)
            copy_bytes(place, result, bytes);
        if (!err)
            err = write_piece(comm, slots, reduction, start, result, bytes);
    }
    return err;
}

// The bytes of the result that would overwrite operands.
static size_t kept_bytes(const struct communicator *comm,
                         const struct reduction *reduction)
{
    bool is_in_place = reduction->in == reduction->out;
    return reduction->to == EACH_ITS_BLOCK && is_in_place
               ? bytes_of(reduction, block_share(reduction, comm->node_rank).count)
               : 0;
}

static int reduce_shown(struct communicator *comm, const struct slot *slots,
                        const struct reduction *reduction, const struct pieces *pieces)
{
    int err = copies_begin(comm);
    if (!err)
        err = reduce_share(comm, slots, reduction, pieces);
    err = copies_end(comm, err);
    if (!err && pieces->block != NULL)
        copy_bytes(reduction->out, pieces->block, kept_bytes(comm, reduction));
    return err;
}

// Without memory for pieces, or without a place for its result, a member shows nothing.
static struct shown shown_by(const struct communicator *comm,
                             const struct reduction *reduction,
                             const struct pieces *pieces)
{
    size_t total = bytes_of(reduction, reduction->count);
    struct shown shown = {0};
    if (is_written_to(comm, reduction))
        shown.to = place_of(reduction->out, total);
    if (pieces->other != NULL && (shown.to != 0 || !is_written_to(comm, reduction)))
        shown.from = place_of(reduction->in, total);
    return shown;
}

static int reduce_long(struct communicator *comm, const struct reduction *reduction)
{
    size_t kept = kept_bytes(comm, reduction);
    char *memory = malloc(2 * PIECE_BYTES + kept);
    struct pieces pieces = {.other = memory};
    if (memory != NULL) {
        pieces.result = memory + PIECE_BYTES;
        pieces.block = kept > 0 ? pieces.result + PIECE_BYTES : NULL;
    }
    const struct slot *slots;
    int err = node_show(comm, shown_by(comm, reduction, &pieces),
                        agreed_bytes(comm, reduction), &slots);
    if (slots != NULL)
        err = reduce_shown(comm, slots, reduction, &pieces);
    else if (!err)
        err = reduction->to == EACH_ITS_BLOCK
                  ? scatter_through_slots(comm, reduction, 0)
                  : reduce_through_slots(comm, reduction);
    free(memory);
    return err;
}

// A member alone has its result already, or copies it.
static int reduce_alone(const struct reduction *reduction)
{
    if (reduction->in != reduction->out && reduction->count > 0)
        copy_bytes(reduction->out, reduction->in,
                   bytes_of(reduction, reduction->count));
    return 0;
}

int node_reduce(struct communicator *comm, const struct reduction *reduction)
{
    if (comm->node_size == 1)
        return reduce_alone(reduction);
    return bytes_of(reduction, reduction->count) < SINGLE_COPY_BYTES
               ? reduce_through_slots(comm, reduction)
               : reduce_long(comm, reduction);
}

int node_reduce_scatter(struct communicator *comm, const struct reduction *reduction,
                        int err)
{
    if (comm->node_size == 1)
        return err ? err : reduce_alone(reduction);
    return !err && agreed_bytes(comm, reduction) >= SINGLE_COPY_BYTES
               ? reduce_long(comm, reduction)
               : scatter_through_slots(comm, reduction, err);
}
