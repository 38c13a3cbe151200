// SPDX-License-Identifier: BSD-3-Clause
// Single copies between the members of a node.
#include "collective/single_copy.h"

// Tells offsets in the segment from addresses.
static const uint64_t IN_SEGMENT = (uint64_t)1 << 63;

uint64_t place_of(const void *buffer, size_t bytes)
{
    if (shm_contains(process.shm, buffer, bytes))
        return shm_offset(process.shm, buffer) | IN_SEGMENT;
    if (!shm_can_copy(process.shm))
        return 0;
    shm_open_memory(process.shm);
    return (uintptr_t)buffer;
}

static struct iovec span_of(uint64_t address, size_t bytes)
{
    return (struct iovec){(void *)(uintptr_t)address, bytes};
}

int place_view(const struct communicator *comm, int node_rank, uint64_t place,
               void *spare, size_t bytes, const void **view)
{
    *view = place & IN_SEGMENT ? shm_at(process.shm, place & ~IN_SEGMENT) : spare;
    if (place & IN_SEGMENT)
        return 0;
    struct iovec here = span_of((uintptr_t)spare, bytes);
    struct iovec there = span_of(place, bytes);
    return shm_copy_spans_from(process.shm, member_process(comm, node_rank), &here,
                               &there, bytes > 0);
}

int place_read(const struct communicator *comm, int node_rank, uint64_t place, void *to,
               size_t bytes)
{
    const void *view;
    int err = place_view(comm, node_rank, place, to, bytes, &view);
    if (view != to)
        copy_bytes(to, view, bytes);
    return err;
}

int place_write(const struct communicator *comm, int node_rank, uint64_t place,
                const void *from, size_t bytes)
{
    if (place & IN_SEGMENT) {
        copy_bytes(shm_at(process.shm, place & ~IN_SEGMENT), from, bytes);
        return 0;
    }
    struct iovec here = span_of((uintptr_t)from, bytes);
    struct iovec there = span_of(place, bytes);
    return shm_copy_spans_to(process.shm, member_process(comm, node_rank), &there,
                             &here, bytes > 0);
}

static bool all_have_shown(const struct communicator *comm, const struct slot *slots)
{
    int node_rank = 0;
    while (node_rank < comm->node_size && slot_after(slots, node_rank)->shown.from != 0)
        node_rank++;
    return node_rank == comm->node_size;
}

int node_show(struct communicator *comm, struct shown shown, uint64_t total,
              const struct slot **slots)
{
    struct slot *own;
    *slots = NULL;
    int err = round_begin(comm, 0, &own);
    if (err)
        return err;
    own->total = total;
    own->shown = shown;
    round_show(comm, own);
    err = round_agree(comm, ALL_MEMBERS, total);
    if (!err && all_have_shown(comm, round_slots(comm)))
        *slots = round_slots(comm);
    return err;
}
