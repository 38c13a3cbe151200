// SPDX-License-Identifier: BSD-3-Clause
// Alltoall among the members of a communicator that all are on one node, so that ranks
// are node ranks.
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
