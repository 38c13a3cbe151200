// SPDX-License-Identifier: BSD-3-Clause
// windows_are_valid between calls, in each kind of epoch; what is wrong with a window, its
// epoch or a peer is noticed. Needs the core.

#include "collective_job.h"
#include "rma/rma.h"

#define NOTICED(member, wrong) CHECK_NOTICED(window_is_valid(window), member, wrong)

enum { BYTES = 64 };

static struct window *window;

// The job has one node, so that nobody reaches memory over the network.
int net_access(struct net *net, struct net_access *access)
{
    (void)net, (void)access;
    CHECK(false);
    return MPI_ERR_INTERN;
}

static void put_to(int rank)
{
    static int64_t value;
    struct datatype *type = type_of(MPI_INT64_T);
    CHECK(oriel_put(&value, 1, type, rank, rank, 1, type, window) == 0);
    CHECK(window_is_valid(window) && epoch_current(&window->epoch)->rank == rank);
}

static void open_window(void)
{
    void *memory;
    CHECK(oriel_win_allocate(BYTES, 8, NULL, process.world, &memory, &window) == 0);
    CHECK(window_is_valid(window));
}

static void what_is_wrong_with_a_fence_epoch_is_noticed(void)
{
    CHECK(oriel_win_fence(0, window) == 0 && window_is_valid(window));
    put_to(1);
    const struct peer *other = epoch_current(&window->epoch);
    NOTICED(window->epoch.access, ACCESS_FENCE); // nobody is admitted yet
    NOTICED(window->epoch.access, (enum access)(ACCESS_LOCK_ALL + 1));
    NOTICED(window->epoch.idle_ranks, 2);
    NOTICED(window->epoch.locks, 1);
    NOTICED(window->epoch.targets.count, 1);
    NOTICED(((struct peer *)other)->is_target, true);
    NOTICED(((struct peer *)other)->lock, LOCK_HELD);
    CHECK(oriel_win_fence(MPI_MODE_NOSUCCEED, window) == 0);
}

static void what_is_wrong_with_a_lock_epoch_is_noticed(void)
{
    CHECK(oriel_win_lock(MPI_LOCK_EXCLUSIVE, process.rank, 0, window) == 0);
    put_to(process.rank);
    struct peer *self = window->self;
    NOTICED(window->epoch.locks, 2);
    NOTICED(window->epoch.access, ACCESS_NONE);
    NOTICED(self->lock, LOCK_NONE);
    NOTICED(self->lock, LOCK_ASKED); // locks of this node are held at once
    NOTICED(self->lock_type, 0);
    NOTICED(self->lock_record->next, self->lock_record->serving);
    CHECK(oriel_win_unlock(process.rank, window) == 0 && window_is_valid(window));
    CHECK(oriel_win_lock_all(0, window) == 0 && window_is_valid(window));
    put_to(1 - process.rank);
    NOTICED(self->lock_type, MPI_LOCK_EXCLUSIVE);
    NOTICED(window->epoch.idle_ranks, 1);
    CHECK(oriel_win_unlock_all(window) == 0 && window_is_valid(window));
}

static void what_is_wrong_with_neighbours_is_noticed(void)
{
    struct group *world;
    CHECK(oriel_comm_group(process.world, &world) == 0);
    CHECK(oriel_win_post(world, 0, window) == 0 && window_is_valid(window));
    CHECK(oriel_win_start(world, 0, window) == 0 && window_is_valid(window));
    put_to(0);
    NOTICED(window->self->is_target, false);
    NOTICED(window->epoch.targets.members, NULL);
    NOTICED(window->epoch.access, ACCESS_NONE);
    NOTICED(window->origins.done, 3);
    NOTICED(window->origins.members[1], NULL);
    NOTICED(window->lock_records[process.rank].is_exposed, false);
    CHECK(oriel_win_complete(window) == 0);
    CHECK(oriel_win_wait(window) == 0 && window_is_valid(window));
    CHECK(oriel_group_free(world) == 0);
}

static void what_is_wrong_with_peers_is_noticed(void)
{
    struct peer *self = window->self;
    NOTICED(self->rank, 1 - process.rank);
    NOTICED(self->job_rank, 1 - process.rank);
    NOTICED(self->address, (char *)window->base + 8);
    NOTICED(self->end, BYTES + 8);
    NOTICED(self->begin, -8);
    NOTICED(self->word_places, BYTES);
    struct member other = *self->member;
    other.handle++;
    NOTICED(self->member, &other);
    NOTICED(self->lock_record, NULL);
    NOTICED(self->means, NULL);
    NOTICED(self->attached, &self->lock_record->attachments);
    NOTICED(self->found, 2);
    NOTICED(self->next, self);
    NOTICED(window->peers.count, 1);
    NOTICED(window->peers.buckets[self->rank], NULL);
    NOTICED(window->self, NULL);
    NOTICED(window->size, BYTES + 8);
    NOTICED(window->size_of_group, 3);
    NOTICED(window->traits, TRAIT_NODES);
    NOTICED(window->epoch.current, self); // in no epoch
    NOTICED(window->epoch.current, &attached_target);
    NOTICED(window->epoch.last_locked, NULL);
}

static void claims(void)
{
    CHECK(windows_start(&rma_peers) == 0);
    rma_start_serving();
    open_window();
    what_is_wrong_with_a_fence_epoch_is_noticed();
    CHECK(collective_barrier(process.world) == 0);
    what_is_wrong_with_a_lock_epoch_is_noticed();
    CHECK(collective_barrier(process.world) == 0);
    what_is_wrong_with_neighbours_is_noticed();
    what_is_wrong_with_peers_is_noticed();
    CHECK(oriel_win_free(window) == 0);
    CHECK(collective_barrier(process.world) == 0);
    rma_stop_serving();
    windows_stop();
}

int main(void)
{
    job_claims = claims;
    return run_job((struct job){
        .nodes = 1, .node_size = 2, .spin_microseconds = 5, .body = job_body});
}
