// SPDX-License-Identifier: BSD-3-Clause
// One block of each process to the root and back, or to all: gather, scatter and
// allgather with their v-forms (MPI-4.1 6.5 to 6.7). In an intercommunicator the root's
// peers are the other group.
#include "collective/plans.h"
#include "collective/portions.h"

static bool is_root(const struct communicator *comm, int root)
{
    return root == (comm_is_inter(comm) ? MPI_ROOT : comm->rank);
}

// MPI_IN_PLACE is for the root only here.
static int check_in_place(const struct communicator *comm, const void *buffer, int root)
{
    if (buffer != MPI_IN_PLACE || (is_root(comm, root) && !comm_is_inter(comm)))
        return 0;
    return fail(MPI_ERR_BUFFER,
                "MPI_IN_PLACE: is for the root of an intracommunicator");
}

static void append_gather(struct schedule *schedule, struct communicator *comm,
                          struct elements own, const struct portions *all, int root)
{
    if (!is_root(comm, root)) {
        schedule_send(schedule, comm, own, root);
        return;
    }
    bool is_inter = comm_is_inter(comm);
    for (int rank = 0; rank < comm->peers->size; rank++)
        if (is_inter || rank != root)
            schedule_receive(schedule, comm, portion(all, rank), rank);
    if (!is_inter && own.at != MPI_IN_PLACE)
        schedule_copy(schedule, own, portion(all, root));
}

static int plan_gather_of(struct elements own, struct portions all, int root,
                          struct communicator *comm, struct schedule **schedule)
{
    int err = check_in_place(comm, own.at, root);
    if (!err)
        err = schedule_make(comm, schedule);
    if (!err)
        append_gather(*schedule, comm, own, &all, root);
    return err;
}

int plan_gather(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype,
                void *recvbuf, MPI_Count recvcount, struct datatype *recvtype, int root,
                struct communicator *comm, struct schedule **schedule)
{
    return plan_gather_of(elements_of(sendbuf, sendcount, sendtype),
                          equal_portions(recvbuf, recvcount, recvtype), root, comm,
                          schedule);
}

int plan_gatherv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype,
                 void *recvbuf, struct numbers recvcounts, struct numbers displs,
                 struct datatype *recvtype, int root, struct communicator *comm,
                 struct schedule **schedule)
{
    return plan_gather_of(elements_of(sendbuf, sendcount, sendtype),
                          listed_portions(recvbuf, recvcounts, displs, recvtype), root,
                          comm, schedule);
}

void append_scatter(struct schedule *schedule, struct communicator *comm,
                    const struct portions *all, struct elements own, int root)
{
    if (!is_root(comm, root)) {
        schedule_receive(schedule, comm, own, root);
        return;
    }
    bool is_inter = comm_is_inter(comm);
    for (int rank = 0; rank < comm->peers->size; rank++)
        if (is_inter || rank != root)
            schedule_send(schedule, comm, portion(all, rank), rank);
    if (!is_inter && own.at != MPI_IN_PLACE)
        schedule_copy(schedule, portion(all, root), own);
}

static int plan_scatter_of(struct portions all, struct elements own, int root,
                           struct communicator *comm, struct schedule **schedule)
{
    int err = check_in_place(comm, own.at, root);
    if (!err)
        err = schedule_make(comm, schedule);
    if (!err)
        append_scatter(*schedule, comm, &all, own, root);
    return err;
}

int plan_scatter(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype,
                 void *recvbuf, MPI_Count recvcount, struct datatype *recvtype,
                 int root, struct communicator *comm, struct schedule **schedule)
{
    return plan_scatter_of(equal_portions(sendbuf, sendcount, sendtype),
                           elements_of(recvbuf, recvcount, recvtype), root, comm,
                           schedule);
}

int plan_scatterv(const void *sendbuf, struct numbers sendcounts, struct numbers displs,
                  struct datatype *sendtype, void *recvbuf, MPI_Count recvcount,
                  struct datatype *recvtype, int root, struct communicator *comm,
                  struct schedule **schedule)
{
    return plan_scatter_of(listed_portions(sendbuf, sendcounts, displs, sendtype),
                           elements_of(recvbuf, recvcount, recvtype), root, comm,
                           schedule);
}

// ---- to all

// Every process tells every one of the other group.
static void append_inter_allgather(struct schedule *schedule, struct communicator *comm,
                                   struct elements own, const struct portions *all)
{
    for (int rank = 0; rank < comm->peers->size; rank++) {
        schedule_receive(schedule, comm, portion(all, rank), rank);
        schedule_send(schedule, comm, own, rank);
    }
}

static int plan_allgather_of(struct elements own, struct portions all,
                             struct communicator *comm, struct schedule **schedule)
{
    int err = refuse_in_place(comm, own.at);
    if (!err)
        err = schedule_make(comm, schedule);
    if (err)
        return err;
    if (comm_is_inter(comm)) {
        append_inter_allgather(*schedule, comm, own, &all);
        return 0;
    }
    struct peers peers = peers_all(comm);
    if (own.at != MPI_IN_PLACE)
        schedule_copy(*schedule, own, portion(&all, comm->rank));
    append_ring(*schedule, &peers, &all);
    return 0;
}

int plan_allgather(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype,
                   void *recvbuf, MPI_Count recvcount, struct datatype *recvtype,
                   struct communicator *comm, struct schedule **schedule)
{
    return plan_allgather_of(elements_of(sendbuf, sendcount, sendtype),
                             equal_portions(recvbuf, recvcount, recvtype), comm,
                             schedule);
}

int plan_allgatherv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype,
                    void *recvbuf, struct numbers recvcounts, struct numbers displs,
                    struct datatype *recvtype, struct communicator *comm,
                    struct schedule **schedule)
{
    return plan_allgather_of(elements_of(sendbuf, sendcount, sendtype),
                             listed_portions(recvbuf, recvcounts, displs, recvtype),
                             comm, schedule);
}
