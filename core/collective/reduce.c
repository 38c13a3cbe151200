// SPDX-License-Identifier: BSD-3-Clause
// Reduce, allreduce and reduce_scatter (MPI-4.1 6.9.1, 6.9.6, 6.10) in the shortest way:
// inside each node over the shared buffer, between nodes, for allreduce, by schedules of
// the leaders. All members get the same bits: operands are combined in an order that does
// not depend on the times of arrival.
#include "collective/leaders.h"
#include "collective/node.h"
#include "collective/plans.h"
#include "collective/portions.h"

#include <oriel_core.h>
#include <stdlib.h>

// Only predefined operations go over the shared buffer.
static bool goes_by_schedule(const struct communicator *comm, const struct op *op)
{
    return comm_is_inter(comm) || op->function != NULL;
}

// ---- to all

static int leaders_reduce_all(struct communicator *comm, const void *in, void *out,
                              MPI_Count count, struct datatype *type, struct op *op,
                              int node_err)
{
    if (!is_leader(comm))
        return schedule_skip(comm);
    struct schedule *schedule;
    int err = schedule_make(comm, &schedule);
    if (err)
        return err;
    struct peers leaders = peers_leaders(comm);
    append_allreduce(schedule, &leaders, op, elements_of(in, count, type), out);
    return leaders_run(schedule, node_err);
}

int collective_reduce_all(struct communicator *comm, const void *in, void *out,
                          MPI_Count count, struct datatype *type, struct op *op)
{
    struct reduction reduction = {.op = op,
                                  .basic = type->basic,
                                  .in = in,
                                  .out = out,
                                  .count = count,
                                  .to = ALL_MEMBERS};
    bool is_alone = comm->leader_count > 1 && comm->node_size == 1; // on its node
    int err = is_alone ? 0 : node_reduce(comm, &reduction);
    if (comm->leader_count == 1)
        return err;
    int leaders_err =
        leaders_reduce_all(comm, is_alone ? in : out, out, count, type, op, err);
    if (!err)
        err = leaders_err;
    size_t bytes = (size_t)count * type->basic->bytes;
    int node_err = node_broadcast(comm, out, bytes, 0, err);
    return err ? err : node_err;
}

int oriel_allreduce(const void *sendbuf, void *recvbuf, MPI_Count count,
                    struct datatype *datatype, struct op *op, struct communicator *comm)
{
    if (goes_by_schedule(comm, op)) {
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

// ---- to one

int oriel_reduce(const void *sendbuf, void *recvbuf, MPI_Count count,
                 struct datatype *datatype, struct op *op, int root,
                 struct communicator *comm)
{
    bool is_root = comm->rank == root, is_in_place = sendbuf == MPI_IN_PLACE;
    if (goes_by_schedule(comm, op) || comm->leader_count > 1 ||
        (is_in_place && !is_root)) { // an error, which the plan finds
        struct schedule *schedule;
        int err =
            plan_reduce(sendbuf, recvbuf, count, datatype, op, root, comm, &schedule);
        return err ? err : schedule_run(schedule);
    }
    int err = op_check(op, datatype);
    if (err)
        return err;
    struct reduction reduction = {.op = op,
                                  .basic = datatype->basic,
                                  .in = is_in_place ? recvbuf : sendbuf,
                                  .out = is_root ? recvbuf : NULL,
                                  .count = count,
                                  .to = collective_node_rank(comm, root)};
    return node_reduce(comm, &reduction);
}

// ---- a part to each

static bool scatters_in_node(const struct communicator *comm, const struct op *op)
{
    return !goes_by_schedule(comm, op) && node_can_exchange(comm);
}

// In place the operand is where the result goes, too.
static int reduce_scatter_in_node(const void *sendbuf, void *recvbuf,
                                  struct portions blocks, MPI_Count count,
                                  struct op *op, struct communicator *comm)
{
    int err = op_check(op, blocks.type);
    if (err)
        return err;
    blocks.at = sendbuf == MPI_IN_PLACE ? recvbuf : (char *)sendbuf;
    struct reduction reduction = {.op = op,
                                  .basic = blocks.type->basic,
                                  .in = blocks.at,
                                  .out = recvbuf,
                                  .count = count,
                                  .to = EACH_ITS_BLOCK,
                                  .blocks = &blocks};
    return node_reduce_scatter(comm, &reduction, 0);
}

int oriel_reduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Count recvcount,
                               struct datatype *datatype, struct op *op,
                               struct communicator *comm)
{
    if (scatters_in_node(comm, op))
        return reduce_scatter_in_node(sendbuf, recvbuf,
                                      equal_portions(NULL, recvcount, datatype),
                                      recvcount * comm->size, op, comm);
    struct schedule *schedule;
    int err = plan_reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm,
                                        &schedule);
    return err ? err : schedule_run(schedule);
}

int oriel_reduce_scatter(const void *sendbuf, void *recvbuf, struct numbers recvcounts,
                         struct datatype *datatype, struct op *op,
                         struct communicator *comm)
{
    if (!scatters_in_node(comm, op)) {
        struct schedule *schedule;
        int err = plan_reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm,
                                      &schedule);
        return err ? err : schedule_run(schedule);
    }
    MPI_Count *starts = NULL, total = 0;
    int err = numbers_lay_out(recvcounts, comm->size, &starts, &total);
    if (err)
        return node_reduce_scatter(comm, NULL, err);
    struct numbers displacements = {starts, true};
    err = reduce_scatter_in_node(
        sendbuf, recvbuf, listed_portions(NULL, recvcounts, displacements, datatype),
        total, op, comm);
    free(starts);
    return err;
}
