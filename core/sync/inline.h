// SPDX-License-Identifier: BSD-3-Clause
// Locks and flushes that neither wait nor send, inline. Each X_at_once does all that the
// call is to do and says true, or changes nothing and says false; then the call goes the
// long way. A function oriel_X_quick is the fast form of the C procedure X: it has its
// arguments, of which nothing is known, and is tried before they are checked.
#pragma once

#include "rma/rma.h"
#include "sync/sync.h"

// ---- flush --------------------------------------------------------------------
// Loads and stores are complete when they are in order. In a lock epoch that goes for
// the current target, which is mapped, if nothing else is under way.
static inline bool flush_at_once(const struct window *window, int rank)
{
    const struct epoch *epoch = &window->epoch;
    int idle = atomic_load_explicit(&epoch->idle_ranks, memory_order_relaxed);
    if (unlikely((unsigned)rank >= (unsigned)idle) &&
        (epoch_access(epoch) != ACCESS_LOCK || epoch_current(epoch)->rank != rank ||
         epoch_has_pending(epoch)))
        return false;
    order_complete();
    return true;
}

static inline bool oriel_win_flush_quick(int rank, MPI_Win win)
{
    const struct window *window = handle_object(KIND_WIN, (uintptr_t)win);
    return likely(window != NULL) && flush_at_once(window, rank);
}

static inline bool oriel_win_flush_local_quick(int rank, MPI_Win win)
{
    return oriel_win_flush_quick(rank, win);
}

// All targets of a lock epoch are flushed if nothing else than loads and stores is under
// way.
static inline bool flush_all_at_once(const struct window *window)
{
    const struct epoch *epoch = &window->epoch;
    if (unlikely(epoch_access(epoch) < ACCESS_LOCK) ||
        unlikely(epoch_has_pending(epoch)) || unlikely(races_are_checked()))
        return false;
    order_complete();
    return true;
}

static inline bool oriel_win_flush_all_quick(MPI_Win win)
{
    const struct window *window = handle_object(KIND_WIN, (uintptr_t)win);
    return likely(window != NULL) && flush_all_at_once(window);
}

static inline bool oriel_win_flush_local_all_quick(MPI_Win win)
{
    return oriel_win_flush_all_quick(win);
}

// ---- sync ---------------------------------------------------------------------
// Loads and stores of this process, of its local peers and of the network meet in one
// memory, so that a full fence of the processor is all (MPI_WIN_UNIFIED). Programs call
// this in loops that wait for a peer, which may need this process meanwhile; so some
// calls go the long way, to make progress.
static inline bool oriel_win_sync_quick(MPI_Win win)
{
    if (unlikely(handle_object(KIND_WIN, (uintptr_t)win) == NULL))
        return false;
    full_barrier();
    return likely(--order_left >= 0);
}

// ---- lock and unlock ----------------------------------------------------------
// Opens a lock epoch by a lock that is free, without a current target. The target is a
// member of this node, and the window has none of LOCK_TRAITS.
static inline bool lock_at_once(struct window *window, struct peer *peer, int type,
                                int assert)
{
    struct epoch *epoch = &window->epoch;
    struct lock_record *record = peer->lock_record;
    if (unlikely(epoch_access(epoch) != ACCESS_NONE) || unlikely(assert != 0))
        return false;
    bool is_free =
        type == MPI_LOCK_EXCLUSIVE
            ? lock_record_try(record, MPI_LOCK_EXCLUSIVE)
            : type == MPI_LOCK_SHARED && lock_record_try(record, MPI_LOCK_SHARED);
    if (unlikely(!is_free))
        return false;
    peer_hold_lock(peer, type);
    epoch_open_lock(epoch);
    assert(window_is_settled(window));
    return true;
}

// Closes the lock epoch of a target that lock_at_once could have locked, if nothing else
// than loads and stores is under way.
static inline bool unlock_at_once(struct window *window, struct peer *peer)
{
    struct epoch *epoch = &window->epoch;
    if (unlikely(peer_lock_state(peer) != LOCK_HELD) || unlikely(epoch->locks != 1) ||
        unlikely(epoch_has_pending(epoch)))
        return false;
    epoch_close_lock(epoch);
    peer_leave_lock(peer);
    order_complete();
    assert(window_is_settled(window));
    return true;
}

static inline bool oriel_win_lock_quick(int lock_type, int rank, int assert,
                                        MPI_Win win)
{
    struct window *window = handle_object(KIND_WIN, (uintptr_t)win);
    if (unlikely(window == NULL))
        return false;
    struct peer *peer = window->epoch.last_locked;
    if (unlikely(peer->rank != rank) || !lock_at_once(window, peer, lock_type, assert))
        return false;
    epoch_make_current(&window->epoch, peer);
    return true;
}

static inline bool oriel_win_unlock_quick(int rank, MPI_Win win)
{
    struct window *window = handle_object(KIND_WIN, (uintptr_t)win);
    if (unlikely(window == NULL))
        return false;
    struct peer *peer = window->epoch.last_locked;
    return likely(peer->rank == rank) && unlock_at_once(window, peer);
}

// ---- lock_all and unlock_all --------------------------------------------------
// Opens a lock_all epoch by the lock of the own memory, if that is free.
static inline bool lock_all_at_once(struct window *window, int assert)
{
    struct epoch *epoch = &window->epoch;
    struct peer *self = window->self;
    if (unlikely(epoch_access(epoch) != ACCESS_NONE) || unlikely(assert != 0) ||
        unlikely(window_has(window, LOCK_ALL_TRAITS)) ||
        unlikely(!lock_record_try(self->lock_record, MPI_LOCK_SHARED)))
        return false;
    peer_hold_lock(self, MPI_LOCK_SHARED);
    epoch_open_all(epoch, window->size_of_group, false);
    assert(window_is_settled(window));
    return true;
}

// No other target has been touched since the window was opened.
static inline bool unlock_all_at_once(struct window *window)
{
    struct epoch *epoch = &window->epoch;
    struct peer *self = window->self;
    if (unlikely(epoch_access(epoch) != ACCESS_LOCK_ALL) ||
        unlikely(window_has(window, LOCK_ALL_TRAITS)) ||
        unlikely(peer_lock_state(self) != LOCK_HELD) ||
        unlikely(window->peers.count != 1))
        return false;
    peer_leave_lock(self);
    epoch_close_all(epoch);
    order_complete();
    assert(window_is_settled(window));
    return true;
}

static inline bool oriel_win_lock_all_quick(int assert, MPI_Win win)
{
    struct window *window = handle_object(KIND_WIN, (uintptr_t)win);
    return likely(window != NULL) && lock_all_at_once(window, assert);
}

static inline bool oriel_win_unlock_all_quick(MPI_Win win)
{
    struct window *window = handle_object(KIND_WIN, (uintptr_t)win);
    return likely(window != NULL) && unlock_all_at_once(window);
}
