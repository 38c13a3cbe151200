// SPDX-License-Identifier: BSD-3-Clause
// Passive target: MPI_Win_lock, _unlock, _lock_all, _unlock_all (MPI-4.1 12.5.3).
#include "rma/rma.h"
#include "sync/sync.h"

#include <oriel_core.h>

// May a first lock open an epoch now?
static int check_may_open(const struct window *window)
{
    if (unlikely(window_access(window) != ACCESS_NONE &&
                 window_access(window) != ACCESS_FENCE))
        return fail(MPI_ERR_RMA_SYNC, "%s on the window; close it before locking",
                    window_epoch(window));
    return 0;
}

// With no_locks nothing has been prepared for the locks of parts that are not mapped.
static int refuse_lock(int rank)
{
    return fail(MPI_ERR_RMA_SYNC,
                "the window has the info no_locks, and not all processes map the "
                "memory of rank %d",
                rank);
}

// Marks a target as to be locked; *peer is it. Callers hold the guard.
static int begin_lock(struct window *window, int type, int rank, bool is_unchecked,
                      struct peer **peer)
{
    int err = window_peer(window, rank, peer);
    if (err)
        return err;
    if (unlikely(window->no_locks && (*peer)->address == NULL))
        return refuse_lock(rank);
    if (unlikely(peer_lock_state(*peer) != LOCK_NONE))
        return fail(MPI_ERR_RMA_SYNC, "rank %d is already locked by this process",
                    rank);
    (*peer)->lock_type = type;
    atomic_store_explicit(&(*peer)->lock, is_unchecked ? LOCK_UNCHECKED : LOCK_ASKED,
                          memory_order_relaxed);
    return 0;
}

// May quick.h take and release its lock? It knows neither threads nor other nodes, and
// no operations that are not loads and stores.
static bool is_usual(const struct window *window, const struct peer *peer)
{
    return process.thread_level != MPI_THREAD_MULTIPLE && !window->spans_nodes &&
           peer->address != NULL;
}

static void end_lock(struct window *window)
{
    window_guard(window);
    window_forget_current(window);
    if (--window->locks == 0)
        window_set_access(window, ACCESS_NONE);
    window_unguard(window);
}

// Towards another node the request is only sent; the first operation waits for the
// grant.
int oriel_win_lock(int lock_type, int rank, int assert, struct window *win)
{
    if (rank == MPI_PROC_NULL)
        return 0;
    bool is_unchecked = assert &MPI_MODE_NOCHECK;
    struct peer *peer;
    if (unlikely(locks_are_asked())) {
        int err = locks_await_answers();
        if (err)
            return err;
    }
    window_guard(win);
    int err = window_access(win) == ACCESS_LOCK ? 0 : check_may_open(win);
    if (!err)
        err = begin_lock(win, lock_type, rank, is_unchecked, &peer);
    if (!err) {
        window_set_access(win, ACCESS_LOCK);
        win->locks++;
    }
    window_unguard(win);
    if (!err && !is_unchecked) {
        err = peer_lock(win, peer);
        if (unlikely(err))
            end_lock(win);
    }
    if (err)
        return err;
    window_make_current(win, peer);
    if (is_usual(win, peer))
        win->usual = peer;
    return 0;
}

int oriel_win_unlock(int rank, struct window *win)
{
    if (rank == MPI_PROC_NULL)
        return 0;
    window_guard(win);
    struct peer *peer =
        window_access(win) == ACCESS_LOCK ? window_find_peer(win, rank) : NULL;
    window_unguard(win);
    if (unlikely(peer == NULL || peer_lock_state(peer) == LOCK_NONE))
        return fail(MPI_ERR_RMA_SYNC, "rank %d is not locked; %s on the window", rank,
                    window_epoch(win));
    int err = peer_await_lock(peer);
    int completion_err = sync_complete(peer);
    int unlock_err = peer_unlock(win, peer);
    end_lock(win);
    order_complete();
    if (err || completion_err)
        return err ? err : completion_err;
    return unlock_err;
}

// Locks now what the program may load from and store to without a further call: the own
// part and, if they are shown, those of all mates. On failure the epoch stays closed; if
// one of them is exposed, none has been locked, so that nobody's post finds a lock.
static int lock_mapped(struct window *window)
{
    const struct communicator *comm = window->comm;
    bool is_shown = window->is_shown;
    int first = is_shown ? 0 : comm->node_rank;
    int end = is_shown ? comm->node_size : first + 1;
    int err = window_check_exposed(window, first, end);
    for (int i = first; i < end && !err; i++) {
        struct peer *peer;
        window_guard(window);
        err = begin_lock(window, MPI_LOCK_SHARED, comm->node_members[i], false, &peer);
        window_unguard(window);
        if (!err)
            err = peer_lock(window, peer);
        if (!err && !is_shown && !window->no_locks && is_usual(window, peer))
            window->usual_self = peer;
    }
    return err;
}

static int unlock_peers(struct window *window)
{
    int first = 0;
    for (struct peer *peer = window->peers.first; peer != NULL; peer = peer->next) {
        int err = peer_unlock(window, peer);
        if (first == 0)
            first = err;
    }
    return first;
}

// Do all members map the part?
static bool is_mapped_by_all(const struct window *window, int rank)
{
    const struct member *member = &window->members[rank];
    if (window->size_of_group == 1)
        return true;
    return !window->spans_nodes && window->flavor != MPI_WIN_FLAVOR_DYNAMIC &&
           (member->is_in_segment || member->size == 0);
}

static int check_may_lock_all(const struct window *window)
{
    for (int rank = 0; window->no_locks && rank < window->size_of_group; rank++)
        if (!is_mapped_by_all(window, rank))
            return refuse_lock(rank);
    return 0;
}

// Takes no lock on behalf of the other parts: that of a target is taken when the epoch
// first touches it, so that the call needs no message however many targets there are.
int oriel_win_lock_all(int assert, struct window *win)
{
    window_guard(win);
    int err = check_may_open(win);
    if (!err)
        err = check_may_lock_all(win);
    if (!err)
        window_set_access(win, ACCESS_LOCK_ALL);
    window_unguard(win);
    if (err)
        return err;
    win->is_unchecked = assert &MPI_MODE_NOCHECK;
    if (!win->is_unchecked)
        err = lock_mapped(win);
    if (unlikely(err)) {
        unlock_peers(win);
        window_set_access(win, ACCESS_NONE);
        return err;
    }
    win->idle_ranks = win->size_of_group;
    return 0;
}

int oriel_win_unlock_all(struct window *win)
{
    if (unlikely(window_access(win) != ACCESS_LOCK_ALL))
        return fail(MPI_ERR_RMA_SYNC, "no lock_all epoch is open on the window; %s",
                    window_epoch(win));
    int err = sync_complete_all(win);
    int unlock_err = unlock_peers(win);
    window_forget_current(win);
    win->idle_ranks = 0;
    window_set_access(win, ACCESS_NONE);
    order_complete();
    return err ? err : unlock_err;
}
