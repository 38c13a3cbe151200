// SPDX-License-Identifier: BSD-3-Clause
// Intercommunicators (MPI-4.1 7.6): two groups, each with a local communicator of its
// own.
#include "collective/color_list.h"
#include "collective/communicator.h"
#include "collective/plans.h"
#include "collective/portions.h"
#include "collective/refusal.h"

#include <oriel_core.h>
#include <stdlib.h>

// The message that leaders exchange before the ranks of their groups.
struct introduction {
    int size;
    uint64_t context;
};

// Over `local`, whose group it shares; takes the references of local and remote.
static int bind_groups(struct communicator *local, struct group *remote,
                       struct communicator **made)
{
    struct communicator *comm;
    int err = communicator_plan(local, local->group, &comm);
    if (err)
        return err;
    comm->local = local;
    comm->peers = remote;
    errhandler_inherit(comm, local);
    *made = comm;
    return 0;
}

// The leaders exchange `bytes` over the peer communicator. Without room for theirs both
// fail with MPI_ERR_NO_MEM.
static int swap_bytes(struct communicator *peer_comm, int remote_leader, int tag,
                      const void *own, size_t own_bytes, void *theirs, size_t bytes)
{
    struct schedule *schedule;
    int job_rank = comm_job_rank(peer_comm, remote_leader);
    struct group partner = {.size = 1, .first = job_rank, .stride = 1};
    int err = theirs ? schedule_make_tagged(peer_comm, &partner, tag, &schedule)
                     : fail(MPI_ERR_NO_MEM, "no memory for the other group");
    if (err) {
        refusal_send_unlocked(peer_comm, &partner, tag, err);
        return err;
    }
    schedule_receive(schedule, peer_comm,
                     elements_of(theirs, (MPI_Count)bytes, byte_type()), remote_leader);
    schedule_send(schedule, peer_comm,
                  elements_of(own, (MPI_Count)own_bytes, byte_type()), remote_leader);
    return schedule_run(schedule);
}

// The leaders exchange the ranks in the job of their groups.
static int swap_ranks(const struct group *own, struct communicator *peer_comm,
                      int remote_leader, int tag, int size, int **ranks)
{
    int *own_ranks = malloc((size_t)own->size * sizeof *own_ranks);
    *ranks = own_ranks ? malloc((size_t)size * sizeof **ranks) : NULL;
    if (own_ranks != NULL)
        group_list(own, own_ranks);
    int err = swap_bytes(peer_comm, remote_leader, tag, own_ranks,
                         (size_t)own->size * sizeof **ranks, *ranks,
                         (size_t)size * sizeof **ranks);
    free(own_ranks);
    return err;
}

// The leader learns the other group; both leaders then know the smaller context.
static int leader_introduce(struct communicator *local, struct communicator *peer_comm,
                            int remote_leader, int tag, struct introduction *theirs,
                            int **ranks)
{
    struct introduction own = {local->size, context_next()};
    int err = peer_comm ? 0 : fail(MPI_ERR_COMM, "peer_comm: is needed at the leader");
    if (!err && (remote_leader < 0 || remote_leader >= peer_comm->peers->size))
        err = fail(MPI_ERR_RANK, "remote_leader = %d: is not in peer_comm",
                   remote_leader);
    if (!err)
        err = swap_bytes(peer_comm, remote_leader, tag, &own, sizeof own, theirs,
                         sizeof *theirs);
    if (err)
        return err;
    if (own.context < theirs->context)
        theirs->context = own.context;
    return swap_ranks(local->group, peer_comm, remote_leader, tag, theirs->size, ranks);
}

// Broadcasts what the leader has learnt to its group.
static int introduction_spread(struct communicator *local, int leader, int err,
                               struct introduction *theirs, int **ranks)
{
    bool is_leader_here = local->rank == leader;
    err = communicator_agree(local, err);
    if (!err)
        err = collective_broadcast(local, theirs, sizeof *theirs, leader);
    if (!err && !is_leader_here) {
        *ranks = malloc((size_t)theirs->size * sizeof **ranks);
        if (*ranks == NULL)
            err = fail(MPI_ERR_NO_MEM, "no memory for a group of %d", theirs->size);
    }
    if (!err || theirs->size > 0)
        err = communicator_agree(local, err);
    return err ? err
               : collective_broadcast(local, *ranks,
                                      (size_t)theirs->size * sizeof **ranks, leader);
}

static int check_disjoint(const struct group *one, const int *ranks, int size)
{
    struct group_search search;
    int err = group_search_begin(one, &search);
    for (int i = 0; i < size && !err; i++)
        if (group_search_rank(&search, ranks[i]) != MPI_UNDEFINED)
            err =
                fail(MPI_ERR_COMM, "process %d of the job is in both groups", ranks[i]);
    group_search_end(&search);
    return err;
}

// Takes the reference of `local`, also when it fails.
static int make_inter(struct communicator *local, int leader,
                      struct communicator *peer_comm, int remote_leader, int tag,
                      struct communicator **made)
{
    struct introduction theirs = {0};
    int *ranks = NULL, err = 0;
    struct group *remote = NULL;
    if (local->rank == leader)
        err = leader_introduce(local, peer_comm, remote_leader, tag, &theirs, &ranks);
    err = introduction_spread(local, leader, err, &theirs, &ranks);
    if (!err)
        err = check_disjoint(local->group, ranks, theirs.size);
    if (!err)
        err = group_make(ranks, theirs.size, local->group->session, &remote);
    if (!err)
        err = bind_groups(local, remote, made);
    free(ranks);
    if (err) {
        object_release(remote);
        object_release(local);
        return err;
    }
    (*made)->context = theirs.context;
    return 0;
}

int oriel_intercomm_create(struct communicator *local_comm, int local_leader,
                           struct communicator *peer_comm, int remote_leader, int tag,
                           struct communicator **newintercomm)
{
    struct communicator *local, *made;
    int err = communicator_make(local_comm, local_comm->group, 0, &local);
    if (!err)
        err = make_inter(local, local_leader, peer_comm, remote_leader, tag, &made);
    return err ? err : communicator_publish(made, newintercomm);
}

// The leaders of both groups find each other among all processes.
int oriel_intercomm_create_from_groups(struct group *local_group, int local_leader,
                                       struct group *remote_group, int remote_leader,
                                       const char *stringtag, struct info *info,
                                       struct errhandler *errhandler,
                                       struct communicator **newintercomm)
{
    (void)info; // no hint has an effect
    struct communicator *local, *made;
    int tag = tag_of_text(stringtag), partner = MPI_PROC_NULL;
    if (local_group->rank == MPI_UNDEFINED)
        return fail(MPI_ERR_GROUP, "local_group: has not this process");
    if (local_group->rank == local_leader) {
        if (remote_group == NULL || remote_leader < 0 ||
            remote_leader >= remote_group->size)
            return fail(MPI_ERR_RANK, "remote_leader = %d: is not in remote_group",
                        remote_leader);
        partner = group_job_rank(remote_group, remote_leader);
    }
    int err = errhandler_check(errhandler, KIND_COMM);
    if (!err)
        err = communicator_make_apart(process.world, tag, local_group, errhandler,
                                      &local);
    if (!err)
        err = make_inter(local, local_leader, process.world, partner, tag, &made);
    return err ? err : communicator_publish(made, newintercomm);
}

// ---- from intercommunicators

// The choices of the other group's members.
static int gather_choices(struct communicator *comm, struct choice *mine,
                          struct choice *theirs)
{
    struct schedule *schedule;
    struct datatype *type = byte_type();
    int err = plan_allgather(mine, sizeof *mine, type, theirs, sizeof *theirs, type,
                             comm, &schedule);
    return err ? err : schedule_run(schedule);
}

// Each process of the group goes with the partners of its color, over their
// communicator `local`.
static int split_groups(struct communicator *comm, struct communicator *local,
                        int color, struct choice *theirs, struct communicator **made)
{
    struct group *remote = NULL;
    struct schedule *schedule;
    int err = schedule_make(comm, &schedule);
    if (err)
        return err;
    int no_partners = 0;
    if (local != NULL)
        err = group_of_color(comm->peers, theirs, color, &remote);
    if (!err && local != NULL && remote->size > 0) {
        err = bind_groups(local, remote, made);
        int leader = group_rank_of(comm->peers, group_job_rank(remote, 0));
        if (!err)
            append_swap_contexts(schedule, comm, local, leader, *made);
    } else {
        no_partners = 1;
    }
    int run = schedule_run(schedule);
    if (no_partners || err) {
        object_release(remote);
        object_release(local);
    }
    return err ? err : run;
}

int intercommunicator_split(struct communicator *comm, int color, int key,
                            struct communicator **made)
{
    struct communicator *local = NULL;
    struct choice mine = {color, key, comm->rank};
    struct choice *theirs = malloc((size_t)comm->peers->size * sizeof *theirs);
    int err = theirs ? 0
                     : fail(MPI_ERR_NO_MEM, "no memory for the colors of %d processes",
                            comm->peers->size);
    err = communicator_agree(comm->local, err);
    if (!err)
        err = gather_choices(comm, &mine, theirs);
    if (!err)
        err = split_members(comm->local, color, key, &local);
    *made = NULL;
    if (!err)
        err = split_groups(comm, local, color, theirs, made);
    free(theirs);
    if (!err && *made != NULL) {
        object_release((*made)->object.errhandler);
        errhandler_inherit(*made, comm);
    }
    return err;
}

// ---- one group of two

struct opinion {
    int high;
    int first; // the group's rank 0 in the job
    uint64_t context;
};

static int swap_opinions(struct communicator *comm, struct opinion *mine,
                         struct opinion *theirs)
{
    struct schedule *schedule;
    int err = schedule_make(comm, &schedule);
    if (err)
        return err;
    if (comm->rank == 0) {
        schedule_receive(schedule, comm,
                         elements_of(theirs, sizeof *theirs, byte_type()), 0);
        schedule_send(schedule, comm, elements_of(mine, sizeof *mine, byte_type()), 0);
        schedule_wait(schedule);
    }
    struct peers peers = peers_all(comm->local);
    append_broadcast(schedule, &peers, elements_of(mine, sizeof *mine, byte_type()), 0);
    append_broadcast(schedule, &peers, elements_of(theirs, sizeof *theirs, byte_type()),
                     0);
    return schedule_run(schedule);
}

static int merged_group(const struct group *first, const struct group *second,
                        struct group **merged)
{
    size_t size = (size_t)(first->size + second->size);
    int *ranks = malloc(size * sizeof *ranks);
    if (ranks == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for a group of %zu", size);
    group_list(first, ranks);
    group_list(second, ranks + first->size);
    int err = group_make(ranks, (int)size, first->session, merged);
    free(ranks);
    return err;
}

// Of two groups that want the same place, the group with the lower process goes first.
int oriel_intercomm_merge(struct communicator *intercomm, int high,
                          struct communicator **newintracomm)
{
    if (!comm_is_inter(intercomm))
        return fail(MPI_ERR_COMM, "intercomm: has no remote group");
    struct opinion theirs,
        mine = {high != 0, group_job_rank(intercomm->group, 0), context_next()};
    struct group *group = NULL;
    struct communicator *made;
    int err = swap_opinions(intercomm, &mine, &theirs);
    if (err)
        return err;
    bool is_first = mine.high != theirs.high ? !mine.high : mine.first < theirs.first;
    err = is_first ? merged_group(intercomm->group, intercomm->peers, &group)
                   : merged_group(intercomm->peers, intercomm->group, &group);
    if (!err)
        err = communicator_plan(NULL, group, &made);
    object_release(group);
    if (err)
        return err;
    made->context = is_first ? mine.context : theirs.context;
    struct errhandler *errhandler = errhandler_of(&intercomm->object);
    err = communicator_set_up(made, errhandler);
    object_release(errhandler);
    return err ? err : communicator_publish(made, newintracomm);
}
