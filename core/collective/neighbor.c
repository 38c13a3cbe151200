// SPDX-License-Identifier: BSD-3-Clause
// Collective calls among neighbors in a topology (MPI-4.1 8.6).
#include "collective/plans.h"
#include "collective/portions.h"
#include "collective/topology.h"

// In a grid a message sent downwards comes from above, also where both neighbors are
// one process: then its second message matches the receive that is posted second.
static int receive_order(const struct topology *topology, int place)
{
    return topology->kind == MPI_CART ? place ^ 1 : place;
}

// `own` is sent to all destinations if there are no portions for them.
static int plan_exchange(struct communicator *comm, const struct elements *own,
                         const struct portions *out, const struct portions *in,
                         struct schedule **schedule)
{
    int err = check_topology(comm, 0);
    if (!err)
        err = schedule_make(comm, schedule);
    if (err)
        return err;
    const struct topology *topology = comm->topology;
    for (int i = 0; i < topology->in_degree; i++) {
        int source = receive_order(topology, i);
        schedule_receive(*schedule, comm, portion_of(in, source),
                         topology->sources[source]);
    }
    for (int i = 0; i < topology->out_degree; i++)
        schedule_send(*schedule, comm, own ? *own : portion_of(out, i),
                      topology->destinations[i]);
    return 0;
}

int plan_neighbor_allgather(const void *sendbuf, MPI_Count sendcount,
                            struct datatype *sendtype, void *recvbuf,
                            MPI_Count recvcount, struct datatype *recvtype,
                            struct communicator *comm, struct schedule **schedule)
{
    struct elements own = elements_of(sendbuf, sendcount, sendtype);
    struct portions in = equal_portions(recvbuf, recvcount, recvtype);
    return plan_exchange(comm, &own, NULL, &in, schedule);
}

int plan_neighbor_allgatherv(const void *sendbuf, MPI_Count sendcount,
                             struct datatype *sendtype, void *recvbuf,
                             struct numbers recvcounts, struct numbers displs,
                             struct datatype *recvtype, struct communicator *comm,
                             struct schedule **schedule)
{
    struct elements own = elements_of(sendbuf, sendcount, sendtype);
    struct portions in = listed_portions(recvbuf, recvcounts, displs, recvtype);
    return plan_exchange(comm, &own, NULL, &in, schedule);
}

int plan_neighbor_alltoall(const void *sendbuf, MPI_Count sendcount,
                           struct datatype *sendtype, void *recvbuf,
                           MPI_Count recvcount, struct datatype *recvtype,
                           struct communicator *comm, struct schedule **schedule)
{
    struct portions out = equal_portions(sendbuf, sendcount, sendtype);
    struct portions in = equal_portions(recvbuf, recvcount, recvtype);
    return plan_exchange(comm, NULL, &out, &in, schedule);
}

int plan_neighbor_alltoallv(const void *sendbuf, struct numbers sendcounts,
                            struct numbers sdispls, struct datatype *sendtype,
                            void *recvbuf, struct numbers recvcounts,
                            struct numbers rdispls, struct datatype *recvtype,
                            struct communicator *comm, struct schedule **schedule)
{
    struct portions out = listed_portions(sendbuf, sendcounts, sdispls, sendtype);
    struct portions in = listed_portions(recvbuf, recvcounts, rdispls, recvtype);
    return plan_exchange(comm, NULL, &out, &in, schedule);
}

int plan_neighbor_alltoallw(const void *sendbuf, struct numbers sendcounts,
                            const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                            void *recvbuf, struct numbers recvcounts,
                            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                            struct communicator *comm, struct schedule **schedule)
{
    struct portions out =
        typed_portions(sendbuf, sendcounts, (struct numbers){sdispls, true}, sendtypes);
    struct portions in =
        typed_portions(recvbuf, recvcounts, (struct numbers){rdispls, true}, recvtypes);
    return plan_exchange(comm, NULL, &out, &in, schedule);
}
