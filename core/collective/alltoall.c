// SPDX-License-Identifier: BSD-3-Clause
// Alltoall: a portion from each process to each (MPI-4.1 6.8); the plain blocking form
// inside a node over the shared buffer, all others as schedules.
#include "collective/node.h"
#include "collective/plans.h"
#include "collective/portions.h"

#include <oriel_core.h>
#include <stdlib.h>

enum {
    AT_ONCE = 32, // exchanges under way
    // Up to so many bytes, and from so many members on, a block goes with others by way
    // of members in between.
    SHORT_BLOCK = 256,
    MANY = 8
};

// Copies the data of an alltoall in place before they are sent, since received data
// overwrite them.
static struct elements sent_in_place(struct schedule *schedule,
                                     const struct portions *all, int rank)
{
    struct elements from = portion_of(all, rank);
    MPI_Count bytes = (MPI_Count)elements_bytes(from);
    struct elements copy = schedule_scratch(schedule, bytes, byte_type());
    schedule_copy(schedule, from, copy);
    return copy;
}

// The distance between partners grows from round to round, so that no process hears of
// all others at once. Groups of different sizes have no rounds that all agree on.
static void append_alltoall(struct schedule *schedule, struct communicator *comm,
                            const struct portions *out, const struct portions *in)
{
    int size = comm->peers->size, start = comm->rank % size;
    bool is_inter = comm_is_inter(comm);
    for (int i = 0; i < size; i++) {
        int to = (start + i) % size, from = (start + size - i) % size;
        if (i == 0 && !is_inter) {
            schedule_copy(schedule, portion_of(out, to), portion_of(in, to));
            continue;
        }
        schedule_receive(schedule, comm, portion_of(in, from), from);
        schedule_send(schedule, comm, portion_of(out, to), to);
        if (!is_inter && i % AT_ONCE == AT_ONCE - 1)
            schedule_wait(schedule);
    }
}

static void append_alltoall_in_place(struct schedule *schedule,
                                     struct communicator *comm,
                                     const struct portions *all)
{
    int size = comm->size;
    for (int i = 1; i < size; i++) {
        int to = (comm->rank + i) % size;
        schedule_send(schedule, comm, sent_in_place(schedule, all, to), to);
    }
    for (int i = 1; i < size; i++) {
        int from = (comm->rank + size - i) % size;
        schedule_receive(schedule, comm, portion_of(all, from), from);
    }
}

// ---- short blocks: log2(size) rounds; each block makes those hops of a power of two
// that sum up to its way

// Packs the blocks that make a hop, or unpacks them. Of the blocks in a row, as many as
// the hop is long make it.
static MPI_Count append_hoppers(struct schedule *schedule, struct elements blocks,
                                MPI_Count bytes, int hop, struct elements packed,
                                bool spread)
{
    MPI_Count done = 0;
    for (MPI_Count at = hop * bytes; at < blocks.count; at += 2 * hop * bytes) {
        MPI_Count left = blocks.count - at,
                  run = left < hop * bytes ? left : hop * bytes;
        struct elements here = elements_part(blocks, at, run),
                        there = elements_part(packed, done, run);
        schedule_copy(schedule, spread ? there : here, spread ? here : there);
        done += run;
    }
    return done;
}

static void append_alltoall_short(struct schedule *schedule, struct communicator *comm,
                                  const struct portions *out, const struct portions *in)
{
    int size = comm->size, rank = comm->rank;
    MPI_Count bytes = (MPI_Count)elements_bytes(portion_of(in, rank));
    struct datatype *byte = byte_type();
    // Block i is on its way to the rank i behind this one.
    struct elements blocks = schedule_scratch(schedule, size * bytes, byte);
    struct elements sent = schedule_scratch(schedule, size * bytes, byte);
    struct elements received = schedule_scratch(schedule, size * bytes, byte);
    for (int i = 0; i < size; i++)
        schedule_copy(schedule, portion_of(out, (rank + i) % size),
                      elements_part(blocks, i * bytes, bytes));
    for (int hop = 1; hop < size; hop *= 2) {
        MPI_Count moved = append_hoppers(schedule, blocks, bytes, hop, sent, false);
        schedule_receive(schedule, comm, elements_part(received, 0, moved),
                         (rank + size - hop) % size);
        schedule_send(schedule, comm, elements_part(sent, 0, moved),
                      (rank + hop) % size);
        schedule_wait(schedule);
        append_hoppers(schedule, blocks, bytes, hop, received, true);
    }
    for (int i = 0; i < size; i++)
        schedule_copy(schedule, elements_part(blocks, i * bytes, bytes),
                      portion_of(in, (rank + size - i) % size));
}

static int plan_alltoall_of(struct portions out, struct portions in,
                            struct communicator *comm, struct schedule **schedule)
{
    int err = refuse_in_place(comm, out.at);
    if (!err)
        err = schedule_make(comm, schedule);
    if (err)
        return err;
    if (out.at == MPI_IN_PLACE)
        append_alltoall_in_place(*schedule, comm, &in);
    else
        append_alltoall(*schedule, comm, &out, &in);
    return 0;
}

int plan_alltoall(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype,
                  void *recvbuf, MPI_Count recvcount, struct datatype *recvtype,
                  struct communicator *comm, struct schedule **schedule)
{
    struct portions out = equal_portions(sendbuf, sendcount, sendtype);
    struct portions in = equal_portions(recvbuf, recvcount, recvtype);
    if (comm_is_inter(comm) || comm->size < MANY ||
        recvcount * recvtype->size > SHORT_BLOCK)
        return plan_alltoall_of(out, in, comm, schedule);
    int err = schedule_make(comm, schedule);
    if (!err)
        append_alltoall_short(*schedule, comm, sendbuf == MPI_IN_PLACE ? &in : &out,
                              &in);
    return err;
}

int plan_alltoallv(const void *sendbuf, struct numbers sendcounts,
                   struct numbers sdispls, struct datatype *sendtype, void *recvbuf,
                   struct numbers recvcounts, struct numbers rdispls,
                   struct datatype *recvtype, struct communicator *comm,
                   struct schedule **schedule)
{
    return plan_alltoall_of(listed_portions(sendbuf, sendcounts, sdispls, sendtype),
                            listed_portions(recvbuf, recvcounts, rdispls, recvtype),
                            comm, schedule);
}

int plan_alltoallw(const void *sendbuf, struct numbers sendcounts,
                   struct numbers sdispls, const MPI_Datatype sendtypes[],
                   void *recvbuf, struct numbers recvcounts, struct numbers rdispls,
                   const MPI_Datatype recvtypes[], struct communicator *comm,
                   struct schedule **schedule)
{
    return plan_alltoall_of(typed_portions(sendbuf, sendcounts, sdispls, sendtypes),
                            typed_portions(recvbuf, recvcounts, rdispls, recvtypes),
                            comm, schedule);
}

// ---- the blocking form inside a node

// The buffers are different memory, and all blocks have `size` bytes.
static int exchange_bytes(struct communicator *comm, const char *out, char *in,
                          size_t size)
{
    size_t own = (size_t)comm->rank * size;
    if (size > 0)
        copy_bytes(in + own, out + own, size);
    struct node_blocks blocks = {
        .out = out, .in = in, .size = size, .root = ALL_MEMBERS};
    return node_exchange(comm, &blocks, 0);
}

// Nothing is given: all members fail.
static int exchange_nothing(struct communicator *comm, int err)
{
    return node_exchange(comm, &(struct node_blocks){.root = ALL_MEMBERS}, err);
}

// Packs what is not contiguous, and what would be overwritten while it is sent.
static int exchange_packed(struct elements out, struct elements in, size_t size,
                           struct communicator *comm)
{
    size_t total = (size_t)comm->size * size;
    bool packs_in = !in.type->is_contiguous;
    char *packed = malloc((packs_in ? 2 * total : total) + 1);
    if (packed == NULL)
        return exchange_nothing(
            comm, fail(MPI_ERR_NO_MEM, "no memory to pack %zu bytes", total));
    char *received = packs_in ? packed + total : in.at;
    datatype_pack(out.type, out.count, out.at, packed);
    int err = exchange_bytes(comm, packed, received, size);
    if (!err && packs_in)
        datatype_unpack(in.type, in.count, in.at, received);
    free(packed);
    return err;
}

int oriel_alltoall(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype,
                   void *recvbuf, MPI_Count recvcount, struct datatype *recvtype,
                   struct communicator *comm)
{
    if (comm_is_inter(comm) || !node_can_exchange(comm)) {
        struct schedule *schedule;
        int err = plan_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                recvtype, comm, &schedule);
        return err ? err : schedule_run(schedule);
    }
    struct elements in = elements_of(recvbuf, recvcount * comm->size, recvtype);
    bool is_in_place = sendbuf == MPI_IN_PLACE;
    struct elements out =
        is_in_place ? in : elements_of(sendbuf, sendcount * comm->size, sendtype);
    size_t size = (size_t)(recvcount * recvtype->size);
    if (elements_bytes(out) != elements_bytes(in))
        return exchange_nothing(
            comm, fail(MPI_ERR_TRUNCATE,
                       "%zu bytes are sent to all and %zu are to be received",
                       elements_bytes(out), elements_bytes(in)));
    if (is_in_place || !out.type->is_contiguous || !recvtype->is_contiguous)
        return exchange_packed(out, in, size, comm);
    return exchange_bytes(comm, out.at, recvbuf, size);
}
