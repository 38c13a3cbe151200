// SPDX-License-Identifier: BSD-3-Clause
// Allreduce (MPI-4.1 6.9.6). All members get the same bits: operands are combined in an
// order that does not depend on the times of arrival.
#include "collective/leaders.h"
#include "collective/plans.h"
#include "collective/shared_buffer.h"

#include <oriel_core.h>
#include <string.h>

// Up to this many bytes every member combines all slots by itself; beyond, each member
// combines its share of the elements and the shares are collected.
enum { SHARED_WORK_BYTES = 1024 };

// The operation and its basic type.
struct reduction {
    const struct op *op;
    const struct basic *basic;
};

static size_t reduction_bytes(const struct reduction *reduction, MPI_Count count)
{
    return (size_t)count * reduction->basic->bytes;
}

// Combines elements [first, first + count) of all slots into `result`.
static void combine_slots(const struct communicator *comm, const struct slot *slots,
                          MPI_Count first, MPI_Count count, void *result,
                          const struct reduction *reduction)
{
    size_t start = reduction_bytes(reduction, first);
    int last = comm->node_size - 1;
    memcpy(result, slot_after(slots, last)->bytes + start,
           reduction_bytes(reduction, count));
    for (int node_rank = last - 1; node_rank >= 0; node_rank--)
        op_apply(reduction->op, reduction->basic,
                 slot_after(slots, node_rank)->bytes + start, result, count);
}

// The first element of `count` that the member with this rank in the node combines.
static MPI_Count member_share_start(const struct communicator *comm, MPI_Count count,
                                    int node_rank)
{
    return count * node_rank / comm->node_size;
}

static int collect_shares(struct communicator *comm, char *inout, MPI_Count count,
                          const struct reduction *reduction)
{
    const struct slot *slots = member_slot(comm, 0);
    MPI_Count own = member_share_start(comm, count, comm->node_rank);
    MPI_Count own_end = member_share_start(comm, count, comm->node_rank + 1);
    memcpy(member_slot(comm, comm->node_rank)->bytes,
           inout + reduction_bytes(reduction, own),
           reduction_bytes(reduction, own_end - own));
    int err = node_arrive(comm);
    for (int node_rank = 0; !err && node_rank < comm->node_size; node_rank++) {
        MPI_Count start = member_share_start(comm, count, node_rank);
        MPI_Count end = member_share_start(comm, count, node_rank + 1);
        memcpy(inout + reduction_bytes(reduction, start),
               slot_after(slots, node_rank)->bytes,
               reduction_bytes(reduction, end - start));
    }
    return err;
}

// One piece that fits into a slot, reduced over the node's members.
static int reduce_piece(struct communicator *comm, char *inout, MPI_Count count,
                        size_t total, const struct reduction *reduction)
{
    size_t bytes = reduction_bytes(reduction, count);
    const struct slot *slots = member_slot(comm, 0);
    struct slot *own_slot = member_slot(comm, comm->node_rank);
    own_slot->total = total;
    if (bytes > 0)
        memcpy(own_slot->bytes, inout, bytes);
    int err = node_arrive(comm);
    if (!err)
        err = slots_agree(comm, slots, total);
    if (err || bytes == 0)
        return err;
    if (bytes <= SHARED_WORK_BYTES) {
        combine_slots(comm, slots, 0, count, inout, reduction);
        return 0;
    }
    MPI_Count own = member_share_start(comm, count, comm->node_rank);
    MPI_Count own_end = member_share_start(comm, count, comm->node_rank + 1);
    combine_slots(comm, slots, own, own_end - own,
                  inout + reduction_bytes(reduction, own), reduction);
    return collect_shares(comm, inout, count, reduction);
}

static int node_reduce_all(struct communicator *comm, char *inout, MPI_Count count,
                           const struct reduction *reduction)
{
    if (comm->node_size == 1)
        return 0;
    MPI_Count piece = SLOT_BYTES / (MPI_Count)reduction->basic->bytes, done = 0;
    size_t total = reduction_bytes(reduction, count);
    do {
        MPI_Count length = count - done < piece ? count - done : piece;
        int err = reduce_piece(comm, inout + reduction_bytes(reduction, done), length,
                               total, reduction);
        if (err)
            return err;
        done += piece;
    } while (done < count);
    return 0;
}

static int leaders_reduce_all(struct communicator *comm, void *inout, MPI_Count count,
                              struct datatype *type, struct op *op, int node_err)
{
    if (!is_leader(comm))
        return schedule_skip(comm);
    struct schedule *schedule;
    int err = schedule_make(comm, &schedule);
    if (err)
        return err;
    struct peers leaders = peers_leaders(comm);
    struct elements data = elements_of(inout, count, type);
    append_allreduce(schedule, &leaders, op, data, inout);
    return leaders_run(schedule, node_err);
}

int collective_reduce_all(struct communicator *comm, const void *in, void *out,
                          MPI_Count count, struct datatype *type, struct op *op)
{
    struct reduction reduction = {op, type->basic};
    size_t bytes = reduction_bytes(&reduction, count);
    if (in != out && bytes > 0)
        memcpy(out, in, bytes);
    int err = node_reduce_all(comm, out, count, &reduction);
    if (comm->leader_count == 1)
        return err;
    int leaders_err = leaders_reduce_all(comm, out, count, type, op, err);
    if (!err)
        err = leaders_err;
    int node_err = node_broadcast(comm, out, bytes, 0, err);
    return err ? err : node_err;
}

int oriel_allreduce(const void *sendbuf, void *recvbuf, MPI_Count count,
                    struct datatype *datatype, struct op *op, struct communicator *comm)
{
    if (comm_is_inter(comm) || op->function != NULL) {
        struct schedule *schedule;
        int err =
            plan_allreduce(sendbuf, recvbuf, count, datatype, op, comm, &schedule);
        return err ? err : schedule_run(schedule);
    }
    int err = op_check(op, datatype);
    if (err)
        return err;
    const void *in = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    return collective_reduce_all(comm, in, recvbuf, count, datatype, op);
}
