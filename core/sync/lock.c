// SPDX-License-Identifier: BSD-3-Clause
// Passive target: MPI_Win_lock, _unlock, _lock_all, _unlock_all (MPI-4.1 12.5.3).
#include "sync/inline.h"

#include <oriel_core.h>

static int check_may_open(const struct window *window)
{
    if (likely(epoch_may_open(&window->epoch)))
        return 0;
    return fail(MPI_ERR_RMA_SYNC, "%s on the window; close it before locking",
                window_epoch(window));
}

// With no_locks nothing has been prepared for the locks of memory that is not mapped.
static int refuse_lock(int rank)
{
    return fail(MPI_ERR_RMA_SYNC,
                "the window has the info no_locks, and not all processes map the "
                "memory of rank %d",
                rank);
}

// Finds a target that the epoch is to lock. Callers hold the guard.
static int find_unlocked(struct window *window, int rank, struct peer **peer)
{
    int err = window_peer(window, rank, peer);
    if (err)
        return err;
    if (unlikely(window_has(window, TRAIT_NO_LOCKS) && !peer_is_mapped_for_good(*peer)))
        return refuse_lock(rank);
    if (unlikely(peer_lock_state(*peer) != LOCK_NONE))
        return fail(MPI_ERR_RMA_SYNC, "rank %d is already locked by this process",
                    rank);
    return 0;
}

// May lock_at_once take the lock of the target, and unlock_at_once give it back?
static bool is_near_target(const struct window *window, const struct peer *peer)
{
    return peer->lock_record != NULL && !window_has(window, LOCK_TRAITS);
}

// Nothing is pending behind the last lock of an epoch whose operations have completed.
static void close_lock(struct window *window, bool is_complete)
{
    window_guard(window);
    epoch_close_lock(&window->epoch);
    if (is_complete && epoch_access(&window->epoch) == ACCESS_NONE)
        epoch_end_pending(&window->epoch);
    window_unguard(window);
}

// Opens the epoch, or locks one more target in it. *is_locked: without a wait.
static int open_lock(struct window *window, int type, int rank, int assert,
                     struct peer **peer, bool *is_locked)
{
    int err = epoch_access(&window->epoch) == ACCESS_LOCK ? 0 : check_may_open(window);
    if (!err)
        err = find_unlocked(window, rank, peer);
    if (err)
        return err;
    *is_locked = is_near_target(window, *peer) && !locks_are_asked() &&
                 lock_at_once(window, *peer, type, assert);
    if (*is_locked)
        return 0;
    peer_want_lock(*peer, type, assert &MPI_MODE_NOCHECK);
    epoch_open_lock(&window->epoch);
    *is_locked = assert &MPI_MODE_NOCHECK;
    return 0;
}

// That of another node is only wanted; the request goes with the first operations.
int oriel_win_lock(int lock_type, int rank, int assert, struct window *win)
{
    struct peer *peer = NULL;
    bool is_locked = false;
    assert(window_is_settled(win));
    if (rank == MPI_PROC_NULL)
        return 0;
    window_guard(win);
    int err = open_lock(win, lock_type, rank, assert, &peer, &is_locked);
    window_unguard(win);
    if (err)
        return err;
    err = is_locked ? 0 : peer_lock(win, peer);
    if (unlikely(err)) {
        close_lock(win, false);
        return err;
    }
    epoch_use(&win->epoch, peer);
    if (is_near_target(win, peer) && peer_is_mapped_for_good(peer))
        epoch_remember_locked(&win->epoch, peer);
    assert(window_is_settled(win));
    return 0;
}

int oriel_win_unlock(int rank, struct window *win)
{
    assert(window_is_settled(win));
    if (rank == MPI_PROC_NULL)
        return 0;
    window_guard(win);
    bool is_open = epoch_access(&win->epoch) == ACCESS_LOCK;
    struct peer *peer = is_open ? window_find_peer(win, rank) : NULL;
    window_unguard(win);
    if (unlikely(peer == NULL || peer_lock_state(peer) == LOCK_NONE))
        return fail(MPI_ERR_RMA_SYNC, "rank %d is not locked; %s on the window", rank,
                    window_epoch(win));
    if (is_near_target(win, peer) && unlock_at_once(win, peer))
        return 0;
    if (races_are_checked())
        sync_watched(win, peer);
    sync_part(peer);
    int err = peer_await_lock(peer);
    int completion_err = sync_complete(peer);
    int unlock_err = peer_unlock(win, peer);
    close_lock(win, !err && !completion_err);
    order_complete();
    assert(window_is_settled(win));
    if (err || completion_err)
        return err ? err : completion_err;
    return unlock_err;
}

// Locks the memory of a member of this node for a lock_all epoch.
static int lock_shared(struct window *window, int rank)
{
    struct peer *peer;
    window_guard(window);
    int err = find_unlocked(window, rank, &peer);
    if (!err)
        peer_want_lock(peer, MPI_LOCK_SHARED, false);
    window_unguard(window);
    return err ? err : peer_lock(window, peer);
}

// Locks now what the program may load from and store to without a further call: the own
// memory and, if it is shown, that of all local peers. On failure the epoch stays
// closed; if one of them is exposed, none has been locked, so that nobody's post finds
// a lock.
static int lock_mapped(struct window *window)
{
    const struct communicator *comm = window->comm;
    bool is_shown = window_has(window, TRAIT_SHOWN);
    int first = is_shown ? 0 : comm->node_rank;
    int end = is_shown ? comm->node_size : first + 1;
    int err = window_check_exposed(window, first, end);
    for (int i = first; i < end && !err; i++)
        err = lock_shared(window, comm->node_members[i]);
    return err;
}

static int unlock_peers(struct window *window)
{
    int first = 0;
    for (struct peer *peer = window->peers.first; peer != NULL; peer = peer->next) {
        int err = peer_await_lock(peer), unlock_err = peer_unlock(window, peer);
        if (first == 0)
            first = err ? err : unlock_err;
    }
    return first;
}

// Do all members map the memory of the rank?
static bool is_mapped_by_all(const struct window *window, int rank)
{
    if (window->size_of_group == 1)
        return true;
    if (window_has(window, TRAIT_NODES) || window->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return false;
    return window->local_members[rank].is_in_segment ||
           member_table_read(&window->members, rank, VALUE_SIZE) == 0;
}

static int check_may_lock_all(const struct window *window)
{
    int ranks = window_has(window, TRAIT_NO_LOCKS) ? window->size_of_group : 0;
    for (int rank = 0; rank < ranks; rank++)
        if (!is_mapped_by_all(window, rank))
            return refuse_lock(rank);
    return 0;
}

// Takes no lock of other members' memory: that of a target is taken when the epoch first
// touches it, so that the call needs no message however many targets there are.
int oriel_win_lock_all(int assert, struct window *win)
{
    bool is_unchecked = assert &MPI_MODE_NOCHECK;
    assert(window_is_settled(win));
    if (lock_all_at_once(win, assert))
        return 0;
    window_guard(win);
    int err = check_may_open(win);
    if (!err)
        err = check_may_lock_all(win);
    if (!err)
        epoch_open_all(&win->epoch,
                       window_has(win, TRAIT_WATCHED) ? 0 : win->size_of_group,
                       is_unchecked);
    window_unguard(win);
    if (!err && !is_unchecked) {
        err = lock_mapped(win);
        if (unlikely(err)) {
            unlock_peers(win);
            epoch_close_all(&win->epoch);
        }
    }
    assert(window_is_settled(win));
    return err;
}

int oriel_win_unlock_all(struct window *win)
{
    assert(window_is_settled(win));
    if (unlikely(epoch_access(&win->epoch) != ACCESS_LOCK_ALL))
        return fail(MPI_ERR_RMA_SYNC, "no lock_all epoch is open on the window; %s",
                    window_epoch(win));
    if (unlock_all_at_once(win))
        return 0;
    if (races_are_checked())
        sync_watched(win, NULL);
    for (struct peer *peer = win->peers.first; peer != NULL; peer = peer->next)
        sync_part(peer);
    int err = sync_complete_all(win);
    int unlock_err = unlock_peers(win);
    epoch_close_all(&win->epoch);
    order_complete();
    assert(window_is_settled(win));
    return err ? err : unlock_err;
}
