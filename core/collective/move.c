// SPDX-License-Identifier: BSD-3-Clause
// Barrier, broadcast and allgather (MPI-4.1 6.3, 6.4, 6.7) in the shortest way: inside
// each node over the shared buffer, between nodes by schedules of the leaders, which the
// other members count.
#include "collective/leaders.h"
#include "collective/node.h"
#include "collective/plans.h"
#include "collective/portions.h"

#include <oriel_core.h>
#include <stdlib.h>
#include <string.h>

static int leaders_barrier(struct communicator *comm)
{
    if (!is_leader(comm))
        return schedule_skip(comm);
    struct schedule *schedule;
    int err = schedule_make(comm, &schedule);
    if (err)
        return err;
    struct peers leaders = peers_leaders(comm);
    append_barrier(schedule, &leaders);
    return schedule_run(schedule);
}

int collective_barrier_between_nodes(struct communicator *comm)
{
    if (comm->leader_count == 1)
        return 0;
    return leader_await(comm, leaders_barrier(comm));
}

int collective_barrier(struct communicator *comm)
{
    int err = collective_node_barrier(comm);
    return err ? err : collective_barrier_between_nodes(comm);
}

int oriel_barrier(struct communicator *comm)
{
    if (!comm_is_inter(comm))
        return collective_barrier(comm);
    struct schedule *schedule;
    int err = plan_barrier(comm, &schedule);
    return err ? err : schedule_run(schedule);
}

static int leaders_broadcast(struct communicator *comm, void *bytes, size_t size,
                             int root, int node_err)
{
    if (!is_leader(comm))
        return schedule_skip(comm);
    struct schedule *schedule;
    int err = schedule_make(comm, &schedule);
    if (err)
        return err;
    struct peers leaders = peers_leaders(comm);
    append_broadcast(schedule, &leaders,
                     elements_of(bytes, (MPI_Count)size, byte_type()), root);
    return leaders_run(schedule, node_err);
}

// A member with an error makes the call fail for those that depend on it.
static int broadcast_or_fail(struct communicator *comm, void *bytes, size_t size,
                             int root, int err)
{
    int root_node = leader_index_of(comm, root);
    bool is_here = comm->leader_index == root_node;
    int first_err = is_here ? node_broadcast(comm, bytes, size,
                                             collective_node_rank(comm, root), err)
                            : 0;
    if (!err)
        err = first_err;
    if (comm->leader_count == 1)
        return err;
    int leaders_err = leaders_broadcast(comm, bytes, size, root_node, err);
    if (!err)
        err = leaders_err;
    int node_err = is_here ? 0 : node_broadcast(comm, bytes, size, 0, err);
    return err ? err : node_err;
}

int collective_broadcast(struct communicator *comm, void *bytes, size_t size, int root)
{
    return broadcast_or_fail(comm, bytes, size, root, 0);
}

static int bcast_packed(void *buffer, MPI_Count count, struct datatype *datatype,
                        int root, struct communicator *comm)
{
    size_t bytes = (size_t)(count * datatype->size);
    void *packed = malloc(bytes + 1);
    if (packed == NULL)
        return broadcast_or_fail(
            comm, NULL, 0, root,
            fail(MPI_ERR_NO_MEM, "no memory to pack %zu bytes", bytes));
    if (comm->rank == root)
        datatype_pack(datatype, count, buffer, packed);
    int err = collective_broadcast(comm, packed, bytes, root);
    if (!err && comm->rank != root)
        datatype_unpack(datatype, count, buffer, packed);
    free(packed);
    return err;
}

int oriel_bcast(void *buffer, MPI_Count count, struct datatype *datatype, int root,
                struct communicator *comm)
{
    if (comm_is_inter(comm)) {
        struct schedule *schedule;
        int err = plan_bcast(buffer, count, datatype, root, comm, &schedule);
        return err ? err : schedule_run(schedule);
    }
    if (comm->size == 1)
        return 0;
    return datatype->is_contiguous
               ? collective_broadcast(comm, buffer, (size_t)(count * datatype->size),
                                      root)
               : bcast_packed(buffer, count, datatype, root, comm);
}

// The order of packed blocks: node by node, each node's by rank.
struct packing {
    MPI_Count *bytes, *starts; // [leader_count] of a node's blocks
    MPI_Count *offsets;        // [size] of a member's block
};

static void packing_fill(const struct packing *packing, const struct communicator *comm,
                         size_t size)
{
    for (int node = 0; node < comm->leader_count; node++)
        packing->bytes[node] = 0;
    for (int rank = 0; rank < comm->size; rank++)
        packing->bytes[leader_index_of(comm, rank)] += (MPI_Count)size;
    MPI_Count start = 0;
    for (int node = 0; node < comm->leader_count; node++) {
        packing->starts[node] = start;
        start += packing->bytes[node];
        packing->bytes[node] = 0;
    }
    for (int rank = 0; rank < comm->size; rank++) {
        int node = leader_index_of(comm, rank);
        packing->offsets[rank] = packing->starts[node] + packing->bytes[node];
        packing->bytes[node] += (MPI_Count)size;
    }
}

// Do the blocks lie in that order already, as those of nodes with successive ranks do?
static bool is_packed(const struct packing *packing, const struct communicator *comm,
                      size_t size)
{
    for (int rank = 0; rank < comm->size; rank++)
        if (packing->offsets[rank] != rank * (MPI_Count)size)
            return false;
    return true;
}

// Copies the blocks of members of this node, or those of the others, to or from where they
// are packed.
static void append_packing(struct schedule *schedule, struct communicator *comm,
                           char *all, size_t size, const struct packing *packing,
                           struct elements packed, bool is_local)
{
    MPI_Count bytes = (MPI_Count)size;
    for (int rank = 0; rank < comm->size; rank++) {
        struct elements block = elements_of(all + rank * bytes, bytes, byte_type());
        struct elements there = elements_part(packed, packing->offsets[rank], bytes);
        if (comm_rank_is_local(comm, rank) == is_local)
            schedule_copy(schedule, is_local ? block : there, is_local ? there : block);
    }
}

static void append_packed(struct schedule *schedule, struct communicator *comm,
                          char *all, size_t size, const struct packing *packing)
{
    MPI_Count bytes = comm->size * (MPI_Count)size;
    bool needs_copies = !is_packed(packing, comm, size);
    struct elements packed = needs_copies
                                 ? schedule_scratch(schedule, bytes, byte_type())
                                 : elements_of(all, bytes, byte_type());
    struct peers leaders = peers_leaders(comm);
    struct portions nodes =
        listed_portions(packed.at, (struct numbers){packing->bytes, true},
                        (struct numbers){packing->starts, true}, byte_type());
    if (needs_copies)
        append_packing(schedule, comm, all, size, packing, packed, true);
    append_allgather(schedule, &leaders, &nodes);
    if (needs_copies)
        append_packing(schedule, comm, all, size, packing, packed, false);
}

static int append_leaders_gather(struct schedule *schedule, struct communicator *comm,
                                 char *all, size_t size)
{
    size_t nodes = (size_t)comm->leader_count, members = (size_t)comm->size;
    MPI_Count *numbers = malloc((2 * nodes + members) * sizeof *numbers);
    if (numbers == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory to gather from %d processes",
                    comm->size);
    struct packing packing = {numbers, numbers + nodes, numbers + 2 * nodes};
    packing_fill(&packing, comm, size);
    append_packed(schedule, comm, all, size, &packing);
    free(numbers);
    return 0;
}

static int leaders_gather_all(struct communicator *comm, void *all, size_t size,
                              int node_err)
{
    if (!is_leader(comm))
        return schedule_skip(comm);
    struct schedule *schedule;
    int err = schedule_make(comm, &schedule);
    if (err)
        return err;
    if (!node_err)
        err = append_leaders_gather(schedule, comm, all, size);
    return leaders_run(schedule, node_err ? node_err : err);
}

int gather_all_or_fail(struct communicator *comm, const void *mine, size_t size,
                       void *all, int err)
{
    err = node_gather_all(comm, mine, all, size, err);
    if (comm->leader_count == 1)
        return err;
    int leaders_err = leaders_gather_all(comm, all, size, err);
    if (!err)
        err = leaders_err;
    int node_err = node_broadcast(comm, all, (size_t)comm->size * size, 0, err);
    return err ? err : node_err;
}

int collective_gather_all(struct communicator *comm, const void *mine, size_t size,
                          void *all)
{
    return gather_all_or_fail(comm, mine, size, all, 0);
}

int collective_gather_in_node(struct communicator *comm, void *all, size_t size,
                              int err)
{
    int node_err = collective_node_barrier(comm);
    if (!err)
        err = node_err;
    if (comm->leader_count == 1)
        return err;
    int leaders_err = leaders_gather_all(comm, all, size, err);
    if (!err)
        err = leaders_err;
    node_err = node_broadcast(comm, NULL, 0, 0, err);
    return err ? err : node_err;
}

// Allgather where at least one side is not contiguous: packed, gathered, unpacked.
static int gather_packed(const void *own, MPI_Count own_count,
                         struct datatype *own_type, void *recvbuf, MPI_Count recvcount,
                         struct datatype *recvtype, struct communicator *comm)
{
    size_t bytes = (size_t)(recvcount * recvtype->size);
    char *all = malloc((size_t)comm->size * bytes);
    if (all == NULL) {
        int err = fail(MPI_ERR_NO_MEM,
                       "no memory to pack %zu bytes from each of %d processes", bytes,
                       comm->size);
        return gather_all_or_fail(comm, NULL, 0, NULL, err);
    }
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
    if (comm_is_inter(comm)) {
        struct schedule *schedule;
        int err = plan_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                 recvtype, comm, &schedule);
        return err ? err : schedule_run(schedule);
    }
    if (sendbuf == MPI_IN_PLACE) {
        sendbuf = (char *)recvbuf + comm->rank * recvcount * recvtype->extent;
        sendcount = recvcount;
        sendtype = recvtype;
    }
    MPI_Count sent = sendcount * sendtype->size, received = recvcount * recvtype->size;
    if (sent != received) {
        int err = fail(MPI_ERR_TRUNCATE,
                       "%lld bytes are sent and %lld are to be received from each "
                       "process",
                       (long long)sent, (long long)received);
        return gather_all_or_fail(comm, NULL, 0, NULL, err);
    }
    if (sendtype->is_contiguous && recvtype->is_contiguous)
        return collective_gather_all(comm, sendbuf, (size_t)received, recvbuf);
    return gather_packed(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                         comm);
}
