// SPDX-License-Identifier: BSD-3-Clause
// Barrier and broadcast as schedules (MPI-4.1 6.3, 6.4).
#include "collective/plans.h"

int refuse_in_place(const struct communicator *comm, const void *buffer)
{
    if (buffer != MPI_IN_PLACE || !comm_is_inter(comm))
        return 0;
    return fail(MPI_ERR_BUFFER, "MPI_IN_PLACE: is not for intercommunicators");
}

// In an intercommunicator no process leaves before the other group has arrived: each
// group gathers, the two ranks 0 tell each other, and each releases its group.
int plan_barrier(struct communicator *comm, struct schedule **schedule)
{
    int err = schedule_make(comm, schedule);
    if (err)
        return err;
    struct peers peers = peers_all(comm_is_inter(comm) ? comm->local : comm);
    append_barrier(*schedule, &peers);
    if (!comm_is_inter(comm))
        return 0;
    struct elements nothing = elements_of(NULL, 0, byte_type());
    if (comm->rank == 0) {
        schedule_receive(*schedule, comm, nothing, 0);
        schedule_send(*schedule, comm, nothing, 0);
        schedule_wait(*schedule);
    }
    append_broadcast(*schedule, &peers, nothing, 0);
    return 0;
}

static void append_inter_broadcast(struct schedule *schedule, struct communicator *comm,
                                   struct elements data, int root)
{
    if (root == MPI_PROC_NULL)
        return;
    if (root == MPI_ROOT) {
        schedule_send(schedule, comm, data, 0);
        return;
    }
    struct peers peers = peers_all(comm->local);
    if (comm->rank == 0) {
        schedule_receive(schedule, comm, data, root);
        schedule_wait(schedule);
    }
    append_broadcast(schedule, &peers, data, 0);
}

int plan_bcast(void *buffer, MPI_Count count, struct datatype *datatype, int root,
               struct communicator *comm, struct schedule **schedule)
{
    int err = schedule_make(comm, schedule);
    if (err)
        return err;
    struct elements data = elements_of(buffer, count, datatype);
    struct peers peers = peers_all(comm);
    if (comm_is_inter(comm))
        append_inter_broadcast(*schedule, comm, data, root);
    else
        append_broadcast(*schedule, &peers, data, root);
    return 0;
}
