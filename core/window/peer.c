// SPDX-License-Identifier: BSD-3-Clause
// The targets that a process has touched, by rank, and whether its epoch allows it to.
#include "window/open.h"

#include <sched.h>
#include <stdlib.h>

enum { FIRST_BUCKETS = 8 };

static const struct lock_record no_lock_record = {.is_exposed = true};
const struct peer nobody = {.rank = MPI_PROC_NULL,
                            .lock_record = (struct lock_record *)&no_lock_record};
const struct peer attached_target = {.rank = MPI_PROC_NULL,
                                     .attached = &no_lock_record.attachments};

// Not inline: its callers would save more registers.
__attribute__((noinline)) void window_guard_contended(struct window *window)
{
    while (atomic_exchange_explicit(&window->guard, true, memory_order_acquire))
        sched_yield();
}

// The bytes from `begin` up to `end` of its memory, which begins at `address` here, are
// mapped.
static void peer_set_mapped(struct peer *peer, char *address, uint64_t begin,
                            uint64_t end)
{
    uint64_t bytes = end - begin;
    peer->base = address;
    peer->address = races_are_checked() ? NULL : address;
    peer->begin = (MPI_Aint)begin;
    peer->end = (MPI_Aint)end;
    peer->word_places = bytes < 8 ? 0 : bytes - 7;
}

// Nothing is kept where other threads may read it meanwhile.
void peer_keep_found(struct peer *peer, const struct found_attachment *found)
{
    if (process.thread_level == MPI_THREAD_MULTIPLE || races_are_checked())
        return;
    bool is_mapped = found->bytes > 0;
    peer->found = is_mapped ? found->version : NOTHING_FOUND;
    peer_set_mapped(peer, is_mapped ? exposed_at(found->memory, -found->address) : NULL,
                    found->address, found->address + found->bytes);
}

// The memory of a member of this node as far as this process maps it.
static void peer_map(struct peer *peer, const struct window *window)
{
    const struct member *member = peer->member;
    const struct shared_part *shared = &member->local.shared;
    bool is_own = peer->rank == window->comm->rank;
    if (is_own || member->local.is_in_segment)
        peer_set_mapped(
            peer, is_own ? window->base : shm_at(process.shm, member->local.place), 0,
            member->size);
    else if (shared->bytes > 0)
        peer_set_mapped(peer, shm_at(process.shm, shared->offset - shared->begin),
                        shared->begin, shared->begin + shared->bytes);
    else
        peer_set_mapped(peer, NULL, 0, member->size);
}

struct member window_member(const struct window *window, int rank)
{
    const struct communicator *comm = window->comm;
    const struct member_table *table = &window->members;
    struct member member = {
        .size = member_table_read(table, rank, VALUE_SIZE),
        .unit = member_table_read(table, rank, VALUE_UNIT),
        .net.key = member_table_read(table, rank, VALUE_KEY),
        .net.address = member_table_read(table, rank, VALUE_ADDRESS),
        .handle = (uint32_t)member_table_read(table, rank, VALUE_HANDLE),
    };
    if (comm_rank_is_local(comm, rank)) {
        member.node_rank = collective_node_rank(comm, rank);
        member.local = window->local_members[member.node_rank];
    }
    return member;
}

// One allocation.
struct described_peer {
    struct peer peer;
    struct member member;
};

static struct peer *peer_make(const struct window *window, int rank)
{
    const struct communicator *comm = window->comm;
    struct described_peer *described = malloc(sizeof *described);
    if (described == NULL)
        return NULL;
    struct peer *peer = &described->peer;
    struct member *member = &described->member;
    *member = window_member(window, rank);
    *peer = (struct peer){.rank = rank,
                          .unit = (MPI_Aint)member->unit,
                          .job_rank = comm_job_rank(comm, rank),
                          .window = window,
                          .member = member,
                          .found = NOTHING_FOUND};
    if (!comm_rank_is_local(comm, rank))
        return peer;
    peer->lock_record = &window->lock_records[member->node_rank];
    if (window->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        peer->attached = &peer->lock_record->attachments;
    else
        peer_map(peer, window);
    return peer;
}

static void bucket_insert(struct peers *peers, struct peer *peer)
{
    unsigned bucket = (unsigned)peer->rank & (peers->bucket_count - 1);
    peer->next_in_bucket = peers->buckets[bucket];
    peers->buckets[bucket] = peer;
}

// Makes room for one more: as many buckets as peers or more.
static bool peers_grow(struct peers *peers)
{
    if (peers->count < peers->bucket_count)
        return true;
    unsigned count = peers->bucket_count ? 2 * peers->bucket_count : FIRST_BUCKETS;
    struct peer **buckets = calloc(count, sizeof *buckets);
    if (buckets == NULL)
        return false;
    free(peers->buckets);
    peers->buckets = buckets;
    peers->bucket_count = count;
    for (struct peer *peer = peers->first; peer != NULL; peer = peer->next)
        bucket_insert(peers, peer);
    return true;
}

int window_make_peer(struct window *window, int rank, struct peer **made)
{
    struct peers *peers = &window->peers;
    struct peer *peer = peer_make(window, rank);
    bool is_open = peer != NULL && peers->owner->open(window, peer) == 0;
    message_lock(); // handlers look for peers
    bool has_room = is_open && peers_grow(peers);
    if (has_room) {
        bucket_insert(peers, peer);
        peers->count++;
        peer->next = peers->first;
        peers->first = peer;
    }
    message_unlock();
    if (!has_room) {
        if (is_open)
            peers->owner->close(peer);
        free(peer);
        return fail(MPI_ERR_NO_MEM, "no memory for what is known of rank %d", rank);
    }
    if (rank == window->comm->rank)
        window->self = peer;
    *made = peer;
    return 0;
}

void peers_free(struct window *window)
{
    struct peer *next;
    for (struct peer *peer = window->peers.first; peer != NULL; peer = next) {
        next = peer->next;
        window->peers.owner->close(peer);
        free(peer);
    }
    free(window->peers.buckets);
}

const char *window_epoch(const struct window *window)
{
    switch (epoch_access(&window->epoch)) {
    case ACCESS_NONE:
        return "no epoch is open";
    case ACCESS_FENCE:
    case ACCESS_FENCE_USED:
        return "a fence epoch is open";
    case ACCESS_START:
        return "an epoch of MPI_Win_start is open";
    case ACCESS_LOCK:
        return "a lock epoch is open";
    case ACCESS_LOCK_ALL:
        return "a lock_all epoch is open";
    }
    return "";
}

static int epoch_refuse(enum admission admission, int rank)
{
    switch (admission) {
    case REFUSED_NOT_STARTED:
        return fail(MPI_ERR_RMA_SYNC,
                    "rank %d is not in the group that was given to MPI_Win_start",
                    rank);
    case REFUSED_NOT_LOCKED:
        return fail(MPI_ERR_RMA_SYNC, "a lock epoch is open, but rank %d is not locked",
                    rank);
    default:
        return fail(MPI_ERR_RMA_SYNC,
                    "no epoch is open on the window: needs a fence, a start, a "
                    "lock of rank %d or lock_all",
                    rank);
    }
}

// Does the epoch allow access? *must_lock: the caller is to take the target's lock.
static int target_admit(struct window *window, int rank, struct peer **peer,
                        bool *must_lock)
{
    if (epoch_access(&window->epoch) == ACCESS_NONE)
        return epoch_refuse(REFUSED_NO_EPOCH, rank);
    int err = window_peer(window, rank, peer);
    if (err)
        return err;
    enum admission admission = epoch_admit(&window->epoch, *peer);
    *must_lock = admission == ADMITTED_UNLOCKED;
    return admission < REFUSED_NO_EPOCH ? 0 : epoch_refuse(admission, rank);
}

// The epoch has admitted a peer of this node.
static void use_local(struct window *window, struct peer *peer)
{
    if (peer->found != NOTHING_FOUND && !peer_is_found(peer))
        peer_keep_found(peer, &(struct found_attachment){0});
    epoch_use(&window->epoch, peer);
}

// What is ordered before the access is known when that is told of.
static int admit_watched(const struct window *window, struct peer *peer)
{
    int err = peer_await_lock(peer);
    if (err || !peer->is_target)
        return err;
    err = peer_await_post(peer);
    if (err)
        return err;
    message_lock();
    races_learn_clock(peer->job_rank, window->comm->context, ORDER_POST);
    message_unlock();
    return 0;
}

int window_admit(struct window *window, int rank, struct peer **target)
{
    struct peer *peer = NULL;
    bool must_lock = false;
    assert(window_is_settled(window));
    window_guard(window);
    int err = target_admit(window, rank, &peer, &must_lock);
    window_unguard(window);
    if (unlikely(err))
        return err;
    if (must_lock)
        err = peer_lock(window, peer);
    if (!err && unlikely(peer_lock_state(peer) >= LOCK_WANTED))
        err = peer_await_access(peer);
    if (!err && races_are_checked())
        err = admit_watched(window, peer);
    if (!err && !peer_has_notice(peer, NOTICE_POST))
        err = peer_await_post(peer);
    if (err)
        return err;
    if (peer->lock_record != NULL)
        use_local(window, peer);
    assert(window_is_settled(window));
    *target = peer;
    return 0;
}
