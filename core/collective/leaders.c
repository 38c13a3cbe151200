// SPDX-License-Identifier: BSD-3-Clause
// What the leaders of the nodes do among themselves, over pt2pt.
#include "collective/private.h"

#include <stdlib.h>
#include <string.h>

// Dissemination: after round k every leader has heard, directly or not, of 2^(k+1).
int leaders_barrier(struct communicator *comm)
{
    int count = comm->leader_count, own = comm->leader_index;
    for (int distance = 1; distance < count; distance *= 2) {
        int to = comm->leaders[(own + distance) % count];
        int from = comm->leaders[(own - distance + count) % count];
        int err = pt2pt_exchange(comm, NULL, 0, to, NULL, 0, from, TAG_BARRIER);
        if (err)
            return err;
    }
    return 0;
}

// Binomial tree over the leaders, numbered from the root on.
int leaders_broadcast(struct communicator *comm, void *bytes, size_t size, int root)
{
    int count = comm->leader_count;
    int own = (comm->leader_index - root + count) % count;
    int distance = 1;
    while (distance < count && !(own & distance))
        distance *= 2;
    if (own != 0) {
        int from = comm->leaders[(own - distance + root) % count];
        int err = pt2pt_receive(comm, bytes, size, from, TAG_BROADCAST);
        if (err)
            return err;
    }
    for (distance /= 2; distance > 0; distance /= 2) {
        if (own + distance >= count)
            continue;
        int to = comm->leaders[(own + distance + root) % count];
        int err = pt2pt_send(comm, bytes, size, to, TAG_BROADCAST);
        if (err)
            return err;
    }
    return 0;
}

// The blocks of one node's members, between their places in `all` and `packed`; returns
// the bytes. With `packed` NULL it only counts.
static size_t node_blocks(struct communicator *comm, int node, char *all, size_t size,
                          char *packed, bool pack)
{
    size_t bytes = 0;
    for (int rank = 0; rank < comm->size; rank++) {
        if (comm->node_index_of[rank] != node)
            continue;
        char *block = all + (size_t)rank * size;
        if (packed != NULL)
            memcpy(pack ? packed + bytes : block, pack ? block : packed + bytes, size);
        bytes += size;
    }
    return bytes;
}

// A ring: in each step a leader passes on the blocks that came in the step before.
int leaders_gather_all(struct communicator *comm, void *all, size_t size)
{
    int count = comm->leader_count, own = comm->leader_index, err = 0;
    int to = comm->leaders[(own + 1) % count];
    int from = comm->leaders[(own + count - 1) % count];
    char *out = malloc((size_t)comm->size * size + 1);
    char *in = malloc((size_t)comm->size * size + 1);
    if (out == NULL || in == NULL)
        err = fail(MPI_ERR_NO_MEM, "no memory for %zu bytes from each of %d processes",
                   size, comm->size);
    for (int step = 0; !err && step < count - 1; step++) {
        int mine = (own - step + count) % count, theirs = (mine - 1 + count) % count;
        size_t out_bytes = node_blocks(comm, mine, all, size, out, true);
        size_t in_bytes = node_blocks(comm, theirs, all, size, NULL, false);
        err = pt2pt_exchange(comm, out, out_bytes, to, in, in_bytes, from, TAG_GATHER);
        if (!err)
            node_blocks(comm, theirs, all, size, in, false);
    }
    free(in);
    free(out);
    return err;
}

// Binomial tree towards the first leader; a leader's own part is the left operand.
static int leaders_reduce(struct communicator *comm, char *inout, char *other,
                          MPI_Count count, const struct basic *basic,
                          const struct op *op)
{
    size_t bytes = (size_t)(count * (MPI_Count)basic->bytes);
    int own = comm->leader_index;
    for (int distance = 1; distance < comm->leader_count; distance *= 2) {
        if (own & distance)
            return pt2pt_send(comm, inout, bytes, comm->leaders[own - distance],
                              TAG_REDUCE);
        if (own + distance >= comm->leader_count)
            continue;
        int err = pt2pt_receive(comm, other, bytes, comm->leaders[own + distance],
                                TAG_REDUCE);
        if (err)
            return err;
        op_apply(op, basic, inout, other, count);
        memcpy(inout, other, bytes);
    }
    return 0;
}

int leaders_reduce_all(struct communicator *comm, void *inout, MPI_Count count,
                       const struct basic *basic, const struct op *op)
{
    size_t bytes = (size_t)(count * (MPI_Count)basic->bytes);
    char *other = malloc(bytes + 1);
    if (other == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory to reduce %zu bytes", bytes);
    int err = leaders_reduce(comm, inout, other, count, basic, op);
    if (!err)
        err = leaders_broadcast(comm, inout, bytes, 0);
    free(other);
    return err;
}
