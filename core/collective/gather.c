// SPDX-License-Identifier: BSD-3-Clause
// Gather, scatter and allgather with their v-forms (MPI-4.1 6.5 to 6.7): gather and
// scatter in their blocking forms inside a node over the shared buffer, all others as
// schedules. In an intercommunicator the root's peers are the other group.
#include "collective/node.h"
#include "collective/plans.h"
#include "collective/portions.h"

#include <oriel_core.h>
#include <stdlib.h>

// Only the root may give MPI_IN_PLACE.
static int check_in_place(const struct communicator *comm, const void *buffer, int root)
{
    if (buffer != MPI_IN_PLACE ||
        (communicator_is_root(comm, root) && !comm_is_inter(comm)))
        return 0;
    return fail(MPI_ERR_BUFFER,
                "MPI_IN_PLACE: is for the root of an intracommunicator");
}

// Without a tree: only the root knows the lengths in the v-forms, and the remote group
// has another number of processes.
static void append_gather_each(struct schedule *schedule, struct communicator *comm,
                               struct elements own, const struct portions *all,
                               int root)
{
    if (!communicator_is_root(comm, root)) {
        schedule_send(schedule, comm, own, root);
        return;
    }
    bool is_inter = comm_is_inter(comm);
    for (int rank = 0; rank < comm->peers->size; rank++)
        if (is_inter || rank != root)
            schedule_receive(schedule, comm, portion_of(all, rank), rank);
    if (!is_inter && own.at != MPI_IN_PLACE)
        schedule_copy(schedule, own, portion_of(all, root));
}

static int begin_rooted(struct communicator *comm, const void *own, int root,
                        struct schedule **schedule)
{
    int err = check_in_place(comm, own, root);
    return err ? err : schedule_make(comm, schedule);
}

int plan_gather(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype,
                void *recvbuf, MPI_Count recvcount, struct datatype *recvtype, int root,
                struct communicator *comm, struct schedule **schedule)
{
    struct elements own = elements_of(sendbuf, sendcount, sendtype);
    struct portions all = equal_portions(recvbuf, recvcount, recvtype);
    struct peers peers = peers_all(comm);
    int err = begin_rooted(comm, sendbuf, root, schedule);
    if (err)
        return err;
    if (comm_is_inter(comm))
        append_gather_each(*schedule, comm, own, &all, root);
    else
        append_gather(*schedule, &peers, own, &all, root);
    return 0;
}

int plan_gatherv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype,
                 void *recvbuf, struct numbers recvcounts, struct numbers displs,
                 struct datatype *recvtype, int root, struct communicator *comm,
                 struct schedule **schedule)
{
    struct portions all = listed_portions(recvbuf, recvcounts, displs, recvtype);
    int err = begin_rooted(comm, sendbuf, root, schedule);
    if (!err)
        append_gather_each(*schedule, comm, elements_of(sendbuf, sendcount, sendtype),
                           &all, root);
    return err;
}

void append_scatter_each(struct schedule *schedule, struct communicator *comm,
                         const struct portions *all, struct elements own, int root)
{
    if (!communicator_is_root(comm, root)) {
        schedule_receive(schedule, comm, own, root);
        return;
    }
    bool is_inter = comm_is_inter(comm);
    for (int rank = 0; rank < comm->peers->size; rank++)
        if (is_inter || rank != root)
            schedule_send(schedule, comm, portion_of(all, rank), rank);
    if (!is_inter && own.at != MPI_IN_PLACE)
        schedule_copy(schedule, portion_of(all, root), own);
}

int plan_scatter(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype,
                 void *recvbuf, MPI_Count recvcount, struct datatype *recvtype,
                 int root, struct communicator *comm, struct schedule **schedule)
{
    struct portions all = equal_portions(sendbuf, sendcount, sendtype);
    struct elements own = elements_of(recvbuf, recvcount, recvtype);
    struct peers peers = peers_all(comm);
    int err = begin_rooted(comm, recvbuf, root, schedule);
    if (err)
        return err;
    if (comm_is_inter(comm))
        append_scatter_each(*schedule, comm, &all, own, root);
    else
        append_scatter(*schedule, &peers, &all, own, root);
    return 0;
}

int plan_scatterv(const void *sendbuf, struct numbers sendcounts, struct numbers displs,
                  struct datatype *sendtype, void *recvbuf, MPI_Count recvcount,
                  struct datatype *recvtype, int root, struct communicator *comm,
                  struct schedule **schedule)
{
    struct portions all = listed_portions(sendbuf, sendcounts, displs, sendtype);
    int err = begin_rooted(comm, recvbuf, root, schedule);
    if (!err)
        append_scatter_each(*schedule, comm, &all,
                            elements_of(recvbuf, recvcount, recvtype), root);
    return err;
}

// ---- to all

// Each process sends its block to every process of the other group.
static void append_inter_allgather(struct schedule *schedule, struct communicator *comm,
                                   struct elements own, const struct portions *all)
{
    for (int rank = 0; rank < comm->peers->size; rank++) {
        schedule_receive(schedule, comm, portion_of(all, rank), rank);
        schedule_send(schedule, comm, own, rank);
    }
}

static int begin_allgather(struct communicator *comm, struct elements own,
                           const struct portions *all, struct schedule **schedule)
{
    int err = refuse_in_place(comm, own.at);
    if (!err)
        err = schedule_make(comm, schedule);
    if (err)
        return err;
    if (comm_is_inter(comm))
        append_inter_allgather(*schedule, comm, own, all);
    else if (own.at != MPI_IN_PLACE)
        schedule_copy(*schedule, own, portion_of(all, comm->rank));
    return 0;
}

int plan_allgather(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype,
                   void *recvbuf, MPI_Count recvcount, struct datatype *recvtype,
                   struct communicator *comm, struct schedule **schedule)
{
    struct portions all = equal_portions(recvbuf, recvcount, recvtype);
    struct peers peers = peers_all(comm);
    int err = begin_allgather(comm, elements_of(sendbuf, sendcount, sendtype), &all,
                              schedule);
    if (!err && !comm_is_inter(comm))
        append_allgather(*schedule, &peers, &all);
    return err;
}

// Packs portions that lie anywhere, gathers them, and unpacks them.
static void append_allgather_packed(struct schedule *schedule,
                                    const struct peers *peers,
                                    const struct portions *all, MPI_Count total,
                                    const MPI_Count starts[])
{
    struct elements scratch = schedule_scratch(schedule, total, all->type);
    struct portions packed = listed_portions(scratch.at, all->counts,
                                             (struct numbers){starts, true}, all->type);
    schedule_copy(schedule, portion_of(all, peers->own),
                  portion_of(&packed, peers->own));
    append_allgather(schedule, peers, &packed);
    for (int i = 0; i < peers->size; i++)
        if (i != peers->own)
            schedule_copy(schedule, portion_of(&packed, i), portion_of(all, i));
}

int plan_allgatherv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype,
                    void *recvbuf, struct numbers recvcounts, struct numbers displs,
                    struct datatype *recvtype, struct communicator *comm,
                    struct schedule **schedule)
{
    struct portions all = listed_portions(recvbuf, recvcounts, displs, recvtype);
    struct peers peers = peers_all(comm);
    int err = begin_allgather(comm, elements_of(sendbuf, sendcount, sendtype), &all,
                              schedule);
    if (err || comm_is_inter(comm))
        return err;
    MPI_Count *starts = NULL, total = 0;
    err = numbers_lay_out(recvcounts, comm->size, &starts, &total);
    if (err)
        schedule_refuse(*schedule, err);
    else if (total * recvtype->size <= LONG_BYTES)
        append_allgather_packed(*schedule, &peers, &all, total, starts);
    else
        append_ring(*schedule, &peers, &all);
    free(starts);
    return err;
}

// ---- the blocking forms inside a node

// Moves the blocks of this member, of which `elements` are one at the root or its own at
// another; what is not contiguous is packed before or unpacked after.
static int move_elements(struct communicator *comm, struct elements elements, int root,
                         bool to_root)
{
    bool is_root = comm->rank == root, gives = is_root != to_root;
    MPI_Count blocks = is_root ? comm->size : 1;
    struct node_blocks moved = {
        .size = elements_bytes(elements), .root = root, .to_root = to_root};
    struct datatype *type = elements.type;
    char *packed = NULL, *at = elements.at;
    elements.count *= blocks;
    if (!type->is_contiguous) {
        packed = at = malloc(elements_bytes(elements) + 1);
        if (packed == NULL)
            return node_exchange(comm, &moved,
                                 fail(MPI_ERR_NO_MEM, "no memory to pack %zu bytes",
                                      elements_bytes(elements)));
        if (gives || is_root) // the root's own block stays as it is
            datatype_pack(type, elements.count, elements.at, packed);
    }
    if (gives)
        moved.out = at;
    else
        moved.in = at;
    int err = node_exchange(comm, &moved, 0);
    if (!err && packed != NULL && !gives)
        datatype_unpack(type, elements.count, elements.at, packed);
    free(packed);
    return err;
}

// What the program calls with at the root and at the others: a block of all, and the own
// one.
static int move_or_fail(struct communicator *comm, struct elements own,
                        struct elements block, int root, bool to_root)
{
    int err = check_in_place(comm, own.at, root);
    if (err)
        return node_exchange(
            comm, &(struct node_blocks){.root = root, .to_root = to_root}, err);
    bool is_root = comm->rank == root;
    err = move_elements(comm, is_root ? block : own, root, to_root);
    if (err || !is_root || own.at == MPI_IN_PLACE)
        return err;
    struct elements part = elements_part(block, root * block.count, block.count);
    return to_root ? elements_copy(own, part) : elements_copy(part, own);
}

int oriel_gather(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype,
                 void *recvbuf, MPI_Count recvcount, struct datatype *recvtype,
                 int root, struct communicator *comm)
{
    if (!comm_is_inter(comm) && node_can_exchange(comm))
        return move_or_fail(comm, elements_of(sendbuf, sendcount, sendtype),
                            elements_of(recvbuf, recvcount, recvtype), root, true);
    struct schedule *schedule;
    int err = plan_gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                          root, comm, &schedule);
    return err ? err : schedule_run(schedule);
}

int oriel_scatter(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype,
                  void *recvbuf, MPI_Count recvcount, struct datatype *recvtype,
                  int root, struct communicator *comm)
{
    if (!comm_is_inter(comm) && node_can_exchange(comm))
        return move_or_fail(comm, elements_of(recvbuf, recvcount, recvtype),
                            elements_of(sendbuf, sendcount, sendtype), root, false);
    struct schedule *schedule;
    int err = plan_scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                           root, comm, &schedule);
    return err ? err : schedule_run(schedule);
}
