// SPDX-License-Identifier: BSD-3-Clause
// The invariants of windows, their epochs, and their peers with their locks.
#include "window/window.h"

// ---- peers

// A counter that wraps has come at least as far as another one.
static bool has_come_to(uint32_t counter, uint32_t other)
{
    return (int32_t)(counter - other) >= 0;
}

// Others take and leave the lock meanwhile, so that what follows is read first.
static bool lock_record_shows(const struct lock_record *record, int type)
{
    uint32_t left = atomic_load(&record->left), serving = atomic_load(&record->serving);
    uint32_t entered = atomic_load(&record->entered), next = atomic_load(&record->next);
    return type == MPI_LOCK_SHARED ? has_come_to(entered, left + 1)
                                   : has_come_to(next, serving + 1);
}

// On this node a lock is held when the call returns; another node answers later.
static bool peer_lock_is_valid(const struct peer *peer)
{
    bool has_type =
        peer->lock_type == MPI_LOCK_SHARED || peer->lock_type == MPI_LOCK_EXCLUSIVE;
    switch ((enum lock_state)peer_lock_state(peer)) {
    case LOCK_NONE:
        return true;
    case LOCK_UNCHECKED:
        return has_type;
    case LOCK_HELD:
        return has_type && (peer->lock_record == NULL ||
                            lock_record_shows(peer->lock_record, peer->lock_type));
    case LOCK_WANTED:
        return has_type && peer->lock_record == NULL && process.windows->wanted == peer;
    case LOCK_SENT:
        return has_type && peer->is_asked && peer->lock_record == NULL;
    case LOCK_ASKED:
        return false; // only within a call
    case LOCK_REFUSED:
    case LOCK_EXPOSED:
        return has_type && peer->lock_record == NULL;
    }
    return false;
}

// Nothing is found but what a local peer has attached.
static bool peer_attached_is_valid(const struct window *window, const struct peer *peer)
{
    bool is_attached =
        peer->lock_record != NULL && window->flavor == MPI_WIN_FLAVOR_DYNAMIC;
    return is_attached ? peer->attached == &peer->lock_record->attachments
                       : peer->attached == NULL && peer->found == NOTHING_FOUND;
}

// The memory is where and as large as the member's descriptor says.
static bool peer_memory_is_valid(const struct window *window, const struct peer *peer)
{
    const struct member *member = peer->member;
    MPI_Aint bytes = peer->end - peer->begin;
    if (peer->word_places != (bytes < 8 ? 0 : (uint64_t)bytes - 7) || peer->begin < 0 ||
        peer->begin > peer->end || peer->unit != (MPI_Aint)member->unit)
        return false;
    if (peer->attached != NULL)
        return true;
    if ((uint64_t)peer->end > member->size)
        return false;
    if (peer->address != (races_are_checked() ? NULL : peer->base))
        return false;
    if (peer->base == NULL)
        return true;
    return peer->lock_record != NULL &&
           (peer->rank == window->comm->rank
                ? peer->base == window->base
                : shm_contains(process.shm, peer->base + peer->begin,
                               (size_t)(peer->end - peer->begin)));
}

static bool peer_is_described(const struct window *window, const struct peer *peer)
{
    struct member member = window_member(window, peer->rank);
    return peer->member->size == member.size && peer->member->unit == member.unit &&
           peer->member->handle == member.handle &&
           peer->member->node_rank == member.node_rank;
}

static bool peer_is_valid(const struct window *window, const struct peer *peer)
{
    const struct communicator *comm = window->comm;
    if (peer->rank < 0 || peer->rank >= window->size_of_group ||
        peer->job_rank != comm_job_rank(comm, peer->rank) ||
        !peer_is_described(window, peer) || peer->means == NULL ||
        peer->window != window || peer->is_parting || peer->has_parted)
        return false;
    bool is_local = comm_rank_is_local(comm, peer->rank);
    const struct lock_record *record =
        is_local ? &window->lock_records[peer->member->node_rank] : NULL;
    return peer->lock_record == record && peer_attached_is_valid(window, peer) &&
           peer_memory_is_valid(window, peer) && peer_lock_is_valid(peer);
}

// Each peer is valid and found by its rank.
static bool peers_are_valid(const struct window *window)
{
    const struct peers *peers = &window->peers;
    unsigned count = 0;
    for (const struct peer *peer = peers->first; peer; peer = peer->next, count++)
        if (count == peers->count || !peer_is_valid(window, peer) ||
            window_find_peer(window, peer->rank) != peer)
            return false;
    return count == peers->count && count <= peers->bucket_count &&
           (peers->bucket_count & (peers->bucket_count - 1)) == 0;
}

static bool has_peer(const struct window *window, const struct peer *peer)
{
    return peer != NULL && window_find_peer(window, peer->rank) == peer;
}

// ---- the epoch

// The epoch has admitted the current target, or may admit it at once.
static bool current_is_valid(const struct window *window)
{
    const struct peer *current = epoch_current(&window->epoch);
    if (current == &nobody)
        return true;
    bool is_attached = current == &attached_target;
    if (is_attached)
        current = epoch_attached(&window->epoch);
    if (!has_peer(window, current) || (current->attached != NULL) != is_attached ||
        (!is_attached && current->address == NULL))
        return false;
    switch (epoch_access(&window->epoch)) {
    case ACCESS_FENCE_USED:
        return true;
    case ACCESS_START:
        return current->is_target;
    case ACCESS_LOCK:
    case ACCESS_LOCK_ALL:
        return peer_lock_state(current) != LOCK_NONE;
    default:
        return false;
    }
}

// Only epochs of locks have locks, and a lock epoch knows how many.
static bool locks_are_valid(const struct window *window)
{
    const struct epoch *epoch = &window->epoch;
    enum access access = epoch_access(epoch);
    int locked = 0;
    for (const struct peer *peer = window->peers.first; peer; peer = peer->next) {
        bool is_locked = peer_lock_state(peer) != LOCK_NONE;
        locked += is_locked;
        if (is_locked && access == ACCESS_LOCK_ALL &&
            peer->lock_type != MPI_LOCK_SHARED)
            return false;
    }
    if (access == ACCESS_LOCK)
        return epoch->locks > 0 && epoch->locks == locked;
    return epoch->locks == 0 && (access == ACCESS_LOCK_ALL || locked == 0);
}

static bool neighbours_are_valid(const struct window *window,
                                 const struct neighbours *neighbours)
{
    if (neighbours->members == NULL && neighbours->count != 0)
        return false;
    for (int i = 0; i < neighbours->count; i++)
        if (!has_peer(window, neighbours->members[i]))
            return false;
    return neighbours->done >= 0 && neighbours->done <= neighbours->count;
}

// The group of MPI_Win_start is there while its epoch is, and marked in its members.
static bool targets_are_valid(const struct window *window)
{
    const struct neighbours *targets = &window->epoch.targets;
    bool is_started = epoch_access(&window->epoch) == ACCESS_START;
    if ((targets->members != NULL) != is_started ||
        !neighbours_are_valid(window, targets))
        return false;
    int marked = 0;
    for (const struct peer *peer = window->peers.first; peer; peer = peer->next)
        marked += peer->is_target;
    for (int i = 0; i < targets->count; i++)
        if (!targets->members[i]->is_target)
            return false;
    return marked == targets->count;
}

static bool epoch_is_valid(const struct window *window)
{
    const struct epoch *epoch = &window->epoch;
    enum access access = epoch_access(epoch);
    int idle = atomic_load(&epoch->idle_ranks);
    bool is_all = access == ACCESS_LOCK_ALL;
    const struct peer *last = epoch->last_locked;
    return access <= ACCESS_LOCK_ALL &&
           (idle == 0 || (is_all && idle == window->size_of_group)) &&
           (last == &nobody ||
            (has_peer(window, last) && peer_is_mapped_for_good(last) &&
             !window_has(window, LOCK_TRAITS))) &&
           locks_are_valid(window) && targets_are_valid(window) &&
           current_is_valid(window);
}

// ---- the window

// The descriptor that all members have of this one is that of its memory.
static bool own_memory_is_valid(const struct window *window)
{
    struct member own = window_member(window, window->comm->rank);
    return own.size == (uint64_t)window->size && own.unit == (uint64_t)window->unit &&
           own.handle == object_handle(window) &&
           own.node_rank == window->comm->node_rank;
}

static bool traits_are_valid(const struct window *window)
{
    return window_has(window, TRAIT_NODES) == (window->comm->leader_count > 1) &&
           (window->flavor != MPI_WIN_FLAVOR_SHARED || window_has(window, TRAIT_SHOWN));
}

bool window_is_valid(const struct window *window)
{
    const struct peer *self = window->self;
    return window->size_of_group == window->comm->size && own_memory_is_valid(window) &&
           traits_are_valid(window) && peers_are_valid(window) &&
           (self == &nobody ||
            (has_peer(window, self) && self->rank == window->comm->rank)) &&
           epoch_is_valid(window) && neighbours_are_valid(window, &window->origins) &&
           (window->origins.members != NULL) == window_is_exposed(window);
}
