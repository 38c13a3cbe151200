// SPDX-License-Identifier: BSD-3-Clause
// Broadcast and allgather inside a node.
#include "collective/node.h"
#include "collective/single_copy.h"

// Bytes of `total` that go into a slot when `done` have gone before.
static size_t piece_at(size_t done, size_t total)
{
    return total - done < SLOT_BYTES ? total - done : SLOT_BYTES;
}

// ---- from one to all

// A broadcast inside a node, as one member sees it.
struct spread {
    char *bytes;
    size_t size;
    int source; // a node rank
    int err;    // of the source
};

static bool is_source(const struct communicator *comm, const struct spread *spread)
{
    return comm->node_rank == spread->source;
}

// Long data stay where they are if all can reach them.
static int source_show(struct communicator *comm, const struct spread *spread)
{
    size_t size = spread->err ? 0 : spread->size;
    bool is_long = size >= SINGLE_COPY_BYTES;
    struct slot *own;
    int failed = round_begin(comm, is_long ? 0 : piece_at(0, size), &own);
    if (failed)
        return failed;
    own->total = spread->err ? total_refused(spread->err) : size;
    if (is_long)
        own->shown.from = place_of(spread->bytes, size);
    else if (size > 0)
        copy_bytes(own_data(own), spread->bytes, piece_at(0, size));
    round_show(comm, own);
    return 0;
}

static int destination_show(struct communicator *comm, const struct spread *spread)
{
    struct slot *own;
    int failed = round_begin(comm, 0, &own);
    if (failed)
        return failed;
    own->total = spread->size;
    if (spread->size >= SINGLE_COPY_BYTES)
        own->shown.to = place_of(spread->bytes, spread->size);
    round_show(comm, own);
    return round_await(comm, spread->source);
}

// Does the source write a part of the data?
static bool is_helped(const struct slot *destination, uint64_t total)
{
    return destination->total == total && destination->shown.to != 0;
}

// The bytes that a destination reads if the source writes the others, so that all
// members have the same work.
static size_t bytes_to_read(const struct communicator *comm, size_t size)
{
    return size / (size_t)comm->node_size * (size_t)(comm->node_size - 1);
}

// Destinations start at different bytes, so that they do not all ask for the same pages.
static int destination_copy(const struct communicator *comm, const struct slot *slots,
                            const struct spread *spread)
{
    const struct slot *source = slot_after(slots, spread->source);
    uint64_t from = source->shown.from;
    size_t size = source->total < spread->size ? source->total : spread->size;
    if (is_helped(slot_after(slots, comm->node_rank), source->total))
        size = bytes_to_read(comm, size);
    size_t start = size / (size_t)comm->node_size * (size_t)comm->node_rank;
    int err = place_read(comm, spread->source, from + start, spread->bytes + start,
                         size - start);
    return err || start == 0
               ? err
               : place_read(comm, spread->source, from, spread->bytes, start);
}

static int source_copy(const struct communicator *comm, const struct slot *slots,
                       const struct spread *spread)
{
    size_t start = bytes_to_read(comm, spread->size);
    int err = 0;
    for (int i = 1; !err && i < comm->node_size; i++) {
        int node_rank = (comm->node_rank + i) % comm->node_size;
        const struct slot *destination = slot_after(slots, node_rank);
        if (is_helped(destination, spread->size))
            err = place_write(comm, node_rank, destination->shown.to + start,
                              spread->bytes + start, spread->size - start);
    }
    return err;
}

static int spread_copy(struct communicator *comm, const struct slot *slots,
                       const struct spread *spread)
{
    int err = is_source(comm, spread) ? round_await(comm, ALL_MEMBERS) : 0;
    if (!err)
        err = copies_begin(comm);
    if (!err)
        err = is_source(comm, spread) ? source_copy(comm, slots, spread)
                                      : destination_copy(comm, slots, spread);
    return copies_end(comm, err);
}

static int check_length(uint64_t total, size_t size)
{
    return total == size ? 0
                         : fail(MPI_ERR_TRUNCATE,
                                "%zu bytes are broadcast and %zu are to be received",
                                (size_t)total, size);
}

// The pieces of `total` bytes from `done` on.
static int spread_pieces(struct communicator *comm, const struct spread *spread,
                         uint64_t total, size_t done)
{
    size_t wanted = total < spread->size ? total : spread->size;
    bool gives = is_source(comm, spread);
    for (; done < total; done += SLOT_BYTES) {
        struct slot *own;
        int failed = round_begin(comm, gives ? piece_at(done, total) : 0, &own);
        if (failed)
            return failed;
        if (gives)
            copy_bytes(own_data(own), spread->bytes + done, piece_at(done, total));
        round_show(comm, own);
        if (gives)
            continue;
        failed = round_await(comm, spread->source);
        if (failed)
            return failed;
        if (done < wanted)
            copy_bytes(spread->bytes + done,
                       slot_data(slot_after(round_slots(comm), spread->source)),
                       piece_at(done, wanted));
    }
    return 0;
}

// The first round tells how much the source has, and brings all of it if that is short.
// All members take part until the end, also those that want less. The source waits for
// nobody, unless all copy.
int node_broadcast(struct communicator *comm, void *bytes, size_t size, int node_rank,
                   int err)
{
    if (comm->node_size == 1)
        return err;
    struct spread spread = {bytes, size, node_rank, err};
    bool gives = is_source(comm, &spread);
    int failed = gives ? source_show(comm, &spread) : destination_show(comm, &spread);
    if (failed)
        return failed;
    const struct slot *slots = round_slots(comm);
    const struct slot *source = slot_after(slots, node_rank);
    uint64_t total = source->total;
    if (refused_class(total))
        return err ? err : fail_refused(refused_class(total));
    if (total < SINGLE_COPY_BYTES) {
        size_t wanted = total < size ? total : size;
        if (!gives && wanted > 0)
            copy_bytes(bytes, slot_data(source), piece_at(0, wanted));
        failed = spread_pieces(comm, &spread, total, SLOT_BYTES);
    } else if (source->shown.from != 0) {
        failed = spread_copy(comm, slots, &spread);
    } else {
        failed = spread_pieces(comm, &spread, total, 0);
    }
    return failed ? failed : check_length(total, size);
}

int collective_node_broadcast(struct communicator *comm, void *bytes, size_t size)
{
    return node_broadcast(comm, bytes, size, 0, 0);
}

// ---- from all to all

static char *block_of(const struct communicator *comm, char *all, size_t size,
                      int node_rank)
{
    return all + (size_t)comm->node_members[node_rank] * size;
}

// Each member reads first from the one behind it, so that not all read from one.
static int read_blocks(const struct communicator *comm, const struct slot *slots,
                       char *all, size_t size)
{
    int err = 0;
    for (int i = 1; !err && i < comm->node_size; i++) {
        int node_rank = (comm->node_rank + i) % comm->node_size;
        err = place_read(comm, node_rank, slot_after(slots, node_rank)->shown.from,
                         block_of(comm, all, size, node_rank), size);
    }
    return err;
}

// The blocks are those of all members, of which the own one is there already.
struct gathered {
    char *all;
    size_t size; // of a block
};

static void leave_block(const struct communicator *comm, const void *argument,
                        char *data, size_t done, size_t length)
{
    const struct gathered *blocks = argument;
    copy_bytes(data, block_of(comm, blocks->all, blocks->size, comm->node_rank) + done,
               length);
}

static void take_blocks_of_all(const struct communicator *comm, const void *argument,
                               const struct slot *slots, size_t done, size_t length)
{
    const struct gathered *blocks = argument;
    for (int node_rank = 0; node_rank < comm->node_size; node_rank++)
        if (node_rank != comm->node_rank)
            copy_bytes(block_of(comm, blocks->all, blocks->size, node_rank) + done,
                       slot_data(slot_after(slots, node_rank)), length);
}

static int gather_shown(struct communicator *comm, const struct slot *slots, char *all,
                        size_t size)
{
    int err = copies_begin(comm);
    if (!err)
        err = read_blocks(comm, slots, all, size);
    return copies_end(comm, err);
}

int node_gather_all(struct communicator *comm, const void *mine, void *all, size_t size,
                    int err)
{
    char *own = block_of(comm, all, size, comm->node_rank);
    if (own != mine && size > 0 && !err)
        copy_bytes(own, mine, size);
    if (comm->node_size == 1)
        return err;
    if (!err && size * (size_t)comm->node_size >= SINGLE_COPY_BYTES) {
        struct shown shown = {.from = place_of(mine, size)};
        const struct slot *slots;
        err = node_show(comm, shown, size, &slots);
        if (slots != NULL)
            return gather_shown(comm, slots, all, size);
        if (err)
            return err;
    }
    struct passage passage = {
        .total = size,
        .size = size,
        .most = SLOT_BYTES,
        .left = 1,
        .from = ALL_MEMBERS,
        .leave = leave_block,
        .take = take_blocks_of_all,
    };
    return slots_pass(comm, &passage, &(struct gathered){all, size}, err);
}
