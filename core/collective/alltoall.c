// SPDX-License-Identifier: BSD-3-Clause
// A portion from each process to each (MPI-4.1 6.8).
#include "collective/plans.h"
#include "collective/portions.h"

enum { AT_ONCE = 32 }; // exchanges under way

// What the process sends in place of `all` is copied first: what comes overwrites it.
static struct elements sent_in_place(struct schedule *schedule,
                                     const struct portions *all, int rank)
{
    struct elements from = portion(all, rank);
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
            schedule_copy(schedule, portion(out, to), portion(in, to));
            continue;
        }
        schedule_receive(schedule, comm, portion(in, from), from);
        schedule_send(schedule, comm, portion(out, to), to);
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
        schedule_receive(schedule, comm, portion(all, from), from);
    }
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
    return plan_alltoall_of(equal_portions(sendbuf, sendcount, sendtype),
                            equal_portions(recvbuf, recvcount, recvtype), comm,
                            schedule);
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
