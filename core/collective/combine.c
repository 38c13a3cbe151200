// SPDX-License-Identifier: BSD-3-Clause
// Reductions and scans (MPI-4.1 6.9 to 6.11). In an intercommunicator each group gets
// the result of the other.
#include "collective/plans.h"
#include "collective/portions.h"

#include <oriel_core.h>
#include <stdlib.h>

static int begin_reduction(struct communicator *comm, struct op *op,
                           struct datatype *type, const void *sendbuf,
                           struct schedule **schedule)
{
    int err = op_check(op, type);
    if (!err)
        err = refuse_in_place(comm, sendbuf);
    return err ? err : schedule_make(comm, schedule);
}

// A result of the own group, on its rank 0, goes to rank 0 of the other and back.
static void append_swap(struct schedule *schedule, struct communicator *comm,
                        struct elements own, struct elements theirs)
{
    if (comm->rank != 0)
        return;
    schedule_receive(schedule, comm, theirs, 0);
    schedule_send(schedule, comm, own, 0);
    schedule_wait(schedule);
}

static struct elements append_local_reduce(struct schedule *schedule,
                                           struct communicator *comm, struct op *op,
                                           struct elements in)
{
    struct peers peers = peers_all(comm->local);
    struct elements result = {NULL, in.count, in.type};
    if (comm->rank == 0)
        result = schedule_scratch(schedule, in.count, in.type);
    append_reduce(schedule, &peers, op, in, result.at, 0);
    return result;
}

// ---- to one

static void append_inter_reduce(struct schedule *schedule, struct communicator *comm,
                                struct op *op, struct elements in, struct elements out,
                                int root)
{
    if (root == MPI_ROOT) {
        schedule_receive(schedule, comm, out, 0);
        return;
    }
    struct elements result = append_local_reduce(schedule, comm, op, in);
    if (comm->rank == 0)
        schedule_send(schedule, comm, result, root);
}

int plan_reduce(const void *sendbuf, void *recvbuf, MPI_Count count,
                struct datatype *datatype, struct op *op, int root,
                struct communicator *comm, struct schedule **schedule)
{
    if (sendbuf == MPI_IN_PLACE && (comm_is_inter(comm) || comm->rank != root))
        return fail(MPI_ERR_BUFFER, "sendbuf = MPI_IN_PLACE: is for the root of an "
                                    "intracommunicator");
    if (root == MPI_PROC_NULL) // in the root's group, but not the root: no data
        return schedule_make(comm, schedule);
    int err = begin_reduction(comm, op, datatype, sendbuf, schedule);
    if (err)
        return err;
    const void *own = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    struct elements in = elements_of(own, count, datatype);
    struct peers peers = peers_all(comm);
    if (comm_is_inter(comm))
        append_inter_reduce(*schedule, comm, op, in,
                            elements_of(recvbuf, count, datatype), root);
    else
        append_reduce(*schedule, &peers, op, in, recvbuf, root);
    return 0;
}

// ---- to all

int plan_allreduce(const void *sendbuf, void *recvbuf, MPI_Count count,
                   struct datatype *datatype, struct op *op, struct communicator *comm,
                   struct schedule **schedule)
{
    int err = begin_reduction(comm, op, datatype, sendbuf, schedule);
    if (err)
        return err;
    const void *own = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    struct elements in = elements_of(own, count, datatype);
    struct elements out = elements_of(recvbuf, count, datatype);
    struct peers peers = peers_all(comm_is_inter(comm) ? comm->local : comm);
    if (comm_is_inter(comm)) {
        append_swap(*schedule, comm, append_local_reduce(*schedule, comm, op, in), out);
        append_broadcast(*schedule, &peers, out, 0);
    } else {
        append_allreduce(*schedule, &peers, op, in, recvbuf);
    }
    return 0;
}

// ---- a part to each

// Rank 0 receives the result of the other group and scatters it.
static void append_inter_reduce_scatter(struct schedule *schedule,
                                        struct communicator *comm, struct op *op,
                                        struct elements in, struct portions blocks,
                                        struct elements own)
{
    struct elements all = {NULL, in.count, in.type};
    if (comm->rank == 0)
        all = schedule_scratch(schedule, in.count, in.type);
    append_swap(schedule, comm, append_local_reduce(schedule, comm, op, in), all);
    blocks.at = all.at;
    append_scatter_each(schedule, comm->local, &blocks, own, 0);
}

static int plan_reduce_scatter_of(const void *sendbuf, struct portions blocks,
                                  MPI_Count count, struct elements own, struct op *op,
                                  struct communicator *comm, struct schedule **schedule)
{
    int err = begin_reduction(comm, op, own.type, sendbuf, schedule);
    if (err)
        return err;
    blocks.at = sendbuf == MPI_IN_PLACE ? own.at : (char *)sendbuf;
    if (comm_is_inter(comm)) {
        append_inter_reduce_scatter(
            *schedule, comm, op, elements_of(blocks.at, count, own.type), blocks, own);
        return 0;
    }
    struct peers peers = peers_all(comm);
    err = append_reduce_scatter(*schedule, &peers, op, &blocks, own.at);
    return err ? schedule_refuse(*schedule, err) : 0;
}

int plan_reduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Count recvcount,
                              struct datatype *datatype, struct op *op,
                              struct communicator *comm, struct schedule **schedule)
{
    return plan_reduce_scatter_of(
        sendbuf, equal_portions(NULL, recvcount, datatype), recvcount * comm->size,
        elements_of(recvbuf, recvcount, datatype), op, comm, schedule);
}

int plan_reduce_scatter(const void *sendbuf, void *recvbuf, struct numbers recvcounts,
                        struct datatype *datatype, struct op *op,
                        struct communicator *comm, struct schedule **schedule)
{
    MPI_Count *starts = NULL, total = 0;
    int err = numbers_lay_out(recvcounts, comm->size, &starts, &total);
    if (err)
        return schedule_miss(comm, err);
    struct numbers displacements = {starts, true};
    MPI_Count own = number_at(recvcounts, comm->rank);
    err = plan_reduce_scatter_of(
        sendbuf, listed_portions(NULL, recvcounts, displacements, datatype), total,
        elements_of(recvbuf, own, datatype), op, comm, schedule);
    free(starts);
    return err;
}

// ---- scans: in round k a process hears of the 2^k processes before those it has heard
// of, so that operands stay in the order of ranks

static void append_scan(struct schedule *schedule, struct communicator *comm,
                        struct op *op, struct elements result)
{
    struct elements other = schedule_scratch(schedule, result.count, result.type);
    for (int distance = 1; distance < comm->size; distance *= 2) {
        bool hears = comm->rank >= distance;
        if (comm->rank + distance < comm->size)
            schedule_send(schedule, comm, result, comm->rank + distance);
        if (hears)
            schedule_receive(schedule, comm, other, comm->rank - distance);
        schedule_wait(schedule);
        if (hears)
            schedule_reduce(schedule, op, other, result.at);
    }
}

static int begin_scan(struct communicator *comm, struct op *op, struct datatype *type,
                      struct schedule **schedule)
{
    if (comm_is_inter(comm))
        return fail(MPI_ERR_COMM, "comm: scans are for intracommunicators");
    return begin_reduction(comm, op, type, NULL, schedule);
}

int plan_scan(const void *sendbuf, void *recvbuf, MPI_Count count,
              struct datatype *datatype, struct op *op, struct communicator *comm,
              struct schedule **schedule)
{
    int err = begin_scan(comm, op, datatype, schedule);
    if (err)
        return err;
    struct elements result = elements_of(recvbuf, count, datatype);
    if (sendbuf != MPI_IN_PLACE)
        schedule_copy(*schedule, elements_of(sendbuf, count, datatype), result);
    append_scan(*schedule, comm, op, result);
    return 0;
}

// Each process gets the scan's result of the rank before it; rank 0 gets nothing.
int plan_exscan(const void *sendbuf, void *recvbuf, MPI_Count count,
                struct datatype *datatype, struct op *op, struct communicator *comm,
                struct schedule **schedule)
{
    int err = begin_scan(comm, op, datatype, schedule);
    if (err)
        return err;
    const void *own = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    struct elements result = schedule_scratch(*schedule, count, datatype);
    schedule_copy(*schedule, elements_of(own, count, datatype), result);
    append_scan(*schedule, comm, op, result);
    if (comm->rank + 1 < comm->size)
        schedule_send(*schedule, comm, result, comm->rank + 1);
    if (comm->rank > 0)
        schedule_receive(*schedule, comm, elements_of(recvbuf, count, datatype),
                         comm->rank - 1);
    return 0;
}

int oriel_reduce_local(const void *inbuf, void *inoutbuf, MPI_Count count,
                       struct datatype *datatype, struct op *op)
{
    int err = op_check(op, datatype);
    if (!err)
        op_reduce(op, datatype, inbuf, inoutbuf, count);
    return err;
}
