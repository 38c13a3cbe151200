// SPDX-License-Identifier: BSD-3-Clause
// Barrier, broadcast and allgather (MPI-4.1 6.3, 6.4, 6.7): inside each node on the
// area's boards, between nodes by the leaders.
#include "collective/private.h"

#include <oriel_core.h>
#include <stdlib.h>
#include <string.h>

int collective_barrier(struct communicator *comm)
{
    int err = collective_node_barrier(comm);
    if (err || comm->leader_count == 1)
        return err;
    if (is_leader(comm))
        err = leaders_barrier(comm);
    return err ? err : collective_node_barrier(comm);
}

int oriel_barrier(struct communicator *comm)
{
    return collective_barrier(comm);
}

static int seat_of(const struct communicator *comm, int rank)
{
    int seat = 0;
    while (comm->node_members[seat] != rank)
        seat++;
    return seat;
}

int collective_broadcast(struct communicator *comm, void *bytes, size_t size, int root)
{
    int root_node = comm->node_index_of[root];
    bool is_here = comm->leader_index == root_node;
    int err = is_here ? node_broadcast(comm, bytes, size, seat_of(comm, root)) : 0;
    if (!err && comm->leader_count > 1 && is_leader(comm))
        err = leaders_broadcast(comm, bytes, size, root_node);
    return err || is_here ? err : node_broadcast(comm, bytes, size, 0);
}

int oriel_bcast(void *buffer, MPI_Count count, struct datatype *datatype, int root,
                struct communicator *comm)
{
    size_t bytes = (size_t)(count * datatype->size);
    if (bytes == 0 || comm->size == 1)
        return 0;
    if (datatype->is_contiguous)
        return collective_broadcast(comm, buffer, bytes, root);
    void *packed = malloc(bytes);
    if (packed == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory to pack %zu bytes", bytes);
    if (comm->rank == root)
        datatype_pack(datatype, count, buffer, packed);
    int err = collective_broadcast(comm, packed, bytes, root);
    if (!err && comm->rank != root)
        datatype_unpack(datatype, count, buffer, packed);
    free(packed);
    return err;
}

// All blocks of the node's members come to their places in `all`.
static int node_gather_all(struct communicator *comm, const char *mine, size_t size,
                           char *all)
{
    if (comm->node_size == 1)
        return 0;
    for (size_t done = 0; done < size; done += BOARD_BYTES) {
        size_t length = size - done < BOARD_BYTES ? size - done : BOARD_BYTES;
        const char *boards = board_of(comm, 0);
        memcpy(board_of(comm, comm->node_rank), mine + done, length);
        int err = node_arrive(comm);
        if (err)
            return err;
        for (int seat = 0; seat < comm->node_size; seat++)
            if (seat != comm->node_rank)
                memcpy(all + (size_t)comm->node_members[seat] * size + done,
                       boards + (size_t)seat * 2 * BOARD_BYTES, length);
    }
    return 0;
}

int collective_gather_all(struct communicator *comm, const void *mine, size_t size,
                          void *all)
{
    char *own = (char *)all + (size_t)comm->rank * size;
    if (own != mine)
        memcpy(own, mine, size);
    int err = node_gather_all(comm, own, size, all);
    if (err || comm->leader_count == 1)
        return err;
    if (is_leader(comm))
        err = leaders_gather_all(comm, all, size);
    return err ? err : node_broadcast(comm, all, (size_t)comm->size * size, 0);
}

// Allgather where at least one side is not contiguous: packed, gathered, unpacked.
static int gather_packed(const void *own, MPI_Count own_count,
                         struct datatype *own_type, void *recvbuf, MPI_Count recvcount,
                         struct datatype *recvtype, struct communicator *comm)
{
    size_t bytes = (size_t)(recvcount * recvtype->size);
    char *all = malloc((size_t)comm->size * bytes);
    if (all == NULL)
        return fail(MPI_ERR_NO_MEM,
                    "no memory to pack %zu bytes from each of %d processes", bytes,
                    comm->size);
    char *mine = all + (size_t)comm->rank * bytes;
    datatype_pack(own_type, own_count, own, mine);
    int err = collective_gather_all(comm, mine, bytes, all);
    for (int rank = 0; !err && rank < comm->size; rank++)
        datatype_unpack(recvtype, recvcount,
                        (char *)recvbuf + rank * recvcount * recvtype->extent,
                        all + (size_t)rank * bytes);
    free(all);
    return err;
}

int oriel_allgather(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype,
                    void *recvbuf, MPI_Count recvcount, struct datatype *recvtype,
                    struct communicator *comm)
{
    if (sendbuf == MPI_IN_PLACE) {
        sendbuf = (char *)recvbuf + comm->rank * recvcount * recvtype->extent;
        sendcount = recvcount;
        sendtype = recvtype;
    }
    MPI_Count sent = sendcount * sendtype->size, received = recvcount * recvtype->size;
    if (sent != received)
        return fail(MPI_ERR_TRUNCATE,
                    "%lld bytes are sent and %lld are to be received from each process",
                    (long long)sent, (long long)received);
    if (received == 0)
        return 0;
    if (sendtype->is_contiguous && recvtype->is_contiguous)
        return collective_gather_all(comm, sendbuf, (size_t)received, recvbuf);
    return gather_packed(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                         comm);
}
