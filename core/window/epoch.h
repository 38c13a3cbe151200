// SPDX-License-Identifier: BSD-3-Clause
// The access epoch of this process on a window (MPI-4.1 12.5), as a machine with one state,
// enum access. Only the transitions below write struct epoch. Calls that wait or talk to
// others are in sync/; they hold the window's guard, or are made by one thread at a time.
#pragma once

#include "window/peer.h"

enum access {
    ACCESS_NONE,
    ACCESS_FENCE,      // after a fence without NOSUCCEED; no operation yet
    ACCESS_FENCE_USED, // after the first operation of a fence epoch
    ACCESS_START,      // between start and complete
    ACCESS_LOCK,       // one or more targets locked
    ACCESS_LOCK_ALL,   // lock_all; a target's lock is taken when it is first used
};

struct epoch {
    // The target used last if the open epoch allows access to it and it is mapped for
    // good; else &nobody. So one comparison of ranks checks the epoch.
    _Atomic(const struct peer *) current;
    // The same of a dynamic window, while `current` is &attached_target.
    _Atomic(const struct peer *) attached;
    // In a lock_all epoch where every operation so far was complete when its call
    // returned, all ranks below this have nothing to flush; else 0.
    _Atomic(int) idle_ranks;
    _Atomic(enum access) access;
    _Atomic(bool) has_pending; // operations by net or messages may be under way
    bool is_unchecked;         // ACCESS_LOCK_ALL: by MPI_MODE_NOCHECK
    int locks;                 // ACCESS_LOCK: targets locked
    // The target that MPI_Win_lock took last, if the fast forms may lock it; else &nobody,
    // as while this process waits for a lock of another node.
    struct peer *last_locked;
    struct neighbours targets; // ACCESS_START: the group
};

static inline enum access epoch_access(const struct epoch *epoch)
{
    return atomic_load_explicit(&epoch->access, memory_order_relaxed);
}

static inline void epoch_set_access(struct epoch *epoch, enum access access)
{
    atomic_store_explicit(&epoch->access, access, memory_order_relaxed);
}

static inline void epoch_init(struct epoch *epoch)
{
    *epoch = (struct epoch){.current = &nobody, .last_locked = (struct peer *)&nobody};
}

// MPI-4.1 12.3.5: operations with a request need a passive target epoch.
static inline bool epoch_admits_requests(const struct epoch *epoch)
{
    return epoch_access(epoch) >= ACCESS_LOCK;
}

// ---- current target -----------------------------------------------------------
static inline const struct peer *epoch_current(const struct epoch *epoch)
{
    return atomic_load_explicit(&epoch->current, memory_order_acquire);
}

// While that is &attached_target.
static inline const struct peer *epoch_attached(const struct epoch *epoch)
{
    return atomic_load_explicit(&epoch->attached, memory_order_relaxed);
}

// The epoch has admitted the peer, which is mapped for good.
static inline void epoch_make_current(struct epoch *epoch, const struct peer *peer)
{
    assert(peer_is_mapped_for_good(peer) && epoch_access(epoch) != ACCESS_NONE);
    atomic_store_explicit(&epoch->current, peer, memory_order_release);
}

// The epoch has admitted the peer.
static inline void epoch_use(struct epoch *epoch, const struct peer *peer)
{
    if (peer->attached != NULL) {
        atomic_store_explicit(&epoch->attached, peer, memory_order_relaxed);
        atomic_store_explicit(&epoch->current, &attached_target, memory_order_release);
    } else if (peer->address != NULL) {
        epoch_make_current(epoch, peer);
    }
}

static inline void epoch_forget_current(struct epoch *epoch)
{
    atomic_store_explicit(&epoch->current, &nobody, memory_order_relaxed);
}

// ---- pending operations -------------------------------------------------------
static inline bool epoch_has_pending(const struct epoch *epoch)
{
    return atomic_load_explicit(&epoch->has_pending, memory_order_relaxed);
}

// An operation that is no load or store is about to start.
static inline void epoch_begin_pending(struct epoch *epoch)
{
    assert(epoch_access(epoch) != ACCESS_NONE);
    atomic_store_explicit(&epoch->idle_ranks, 0, memory_order_relaxed);
    if (!epoch_has_pending(epoch))
        atomic_store_explicit(&epoch->has_pending, true, memory_order_relaxed);
}

// All operations have completed.
static inline void epoch_end_pending(struct epoch *epoch)
{
    atomic_store_explicit(&epoch->has_pending, false, memory_order_release);
}

// ---- fence --------------------------------------------------------------------
// A fence closes a fence epoch, or opens one where none is open.
static inline bool epoch_may_fence(const struct epoch *epoch)
{
    return epoch_access(epoch) <= ACCESS_FENCE_USED;
}

static inline void epoch_open_fence(struct epoch *epoch)
{
    assert(epoch_may_fence(epoch));
    epoch_set_access(epoch, ACCESS_FENCE);
    epoch_forget_current(epoch);
}

static inline void epoch_close_fence(struct epoch *epoch)
{
    assert(epoch_may_fence(epoch));
    epoch_set_access(epoch, ACCESS_NONE);
    epoch_forget_current(epoch);
}

// ---- start and complete -------------------------------------------------------
// May an epoch of another kind begin? An unused fence epoch counts as none.
static inline bool epoch_may_open(const struct epoch *epoch)
{
    return epoch_access(epoch) <= ACCESS_FENCE;
}

static inline void epoch_mark_targets(const struct epoch *epoch, bool is_target)
{
    for (int i = 0; i < epoch->targets.count; i++)
        epoch->targets.members[i]->is_target = is_target;
}

// The epoch keeps the group until it is closed.
static inline void epoch_open_start(struct epoch *epoch, struct neighbours targets)
{
    assert(epoch_may_open(epoch));
    epoch->targets = targets;
    epoch_mark_targets(epoch, true);
    epoch_set_access(epoch, ACCESS_START);
    epoch_forget_current(epoch);
}

// Returns the group.
static inline struct neighbours epoch_close_start(struct epoch *epoch)
{
    struct neighbours targets = epoch->targets;
    assert(epoch_access(epoch) == ACCESS_START);
    epoch_mark_targets(epoch, false);
    epoch->targets = (struct neighbours){0};
    epoch_forget_current(epoch);
    epoch_set_access(epoch, ACCESS_NONE);
    return targets;
}

// ---- locks --------------------------------------------------------------------
// One more target is locked, or its lock has been asked for.
static inline void epoch_open_lock(struct epoch *epoch)
{
    assert(epoch_may_open(epoch) || epoch_access(epoch) == ACCESS_LOCK);
    epoch_set_access(epoch, ACCESS_LOCK);
    epoch->locks++;
}

static inline void epoch_close_lock(struct epoch *epoch)
{
    assert(epoch_access(epoch) == ACCESS_LOCK && epoch->locks > 0);
    bool is_last = --epoch->locks == 0;
    epoch_forget_current(epoch);
    if (is_last)
        epoch_set_access(epoch, ACCESS_NONE);
}

static inline void epoch_remember_locked(struct epoch *epoch, struct peer *peer)
{
    assert(peer_is_mapped_for_good(peer));
    epoch->last_locked = peer;
}

// With MPI_THREAD_MULTIPLE the fast forms never run, and other threads may read: then
// nothing is written.
static inline void epoch_forget_locked(struct epoch *epoch)
{
    if (epoch->last_locked != &nobody)
        epoch->last_locked = (struct peer *)&nobody;
}

// All of `ranks` targets have nothing to flush yet; 0 where each flush must be seen.
static inline void epoch_open_all(struct epoch *epoch, int ranks, bool is_unchecked)
{
    assert(epoch_may_open(epoch));
    epoch_set_access(epoch, ACCESS_LOCK_ALL);
    epoch->is_unchecked = is_unchecked;
    atomic_store_explicit(&epoch->idle_ranks, ranks, memory_order_relaxed);
}

static inline void epoch_close_all(struct epoch *epoch)
{
    assert(epoch_access(epoch) == ACCESS_LOCK_ALL);
    epoch_forget_current(epoch);
    atomic_store_explicit(&epoch->idle_ranks, 0, memory_order_relaxed);
    epoch_set_access(epoch, ACCESS_NONE);
}

// ---- access to a target -------------------------------------------------------
enum admission {
    ADMITTED,
    ADMITTED_UNLOCKED, // when the caller has taken the lock, which is marked as wanted
    REFUSED_NO_EPOCH,
    REFUSED_NOT_STARTED, // is not in the group
    REFUSED_NOT_LOCKED,
};

// Does the epoch allow access to the peer? A fence epoch is used from now on.
static inline enum admission epoch_admit(struct epoch *epoch, struct peer *peer)
{
    enum access access = epoch_access(epoch);
    if (access >= ACCESS_LOCK && peer_lock_state(peer) != LOCK_NONE)
        return ADMITTED;
    switch (access) {
    case ACCESS_NONE:
        return REFUSED_NO_EPOCH;
    case ACCESS_FENCE:
        epoch_set_access(epoch, ACCESS_FENCE_USED);
        return ADMITTED;
    case ACCESS_FENCE_USED:
        return ADMITTED;
    case ACCESS_START:
        return peer->is_target ? ADMITTED : REFUSED_NOT_STARTED;
    case ACCESS_LOCK:
        return REFUSED_NOT_LOCKED;
    case ACCESS_LOCK_ALL:
        break;
    }
    peer_want_lock(peer, MPI_LOCK_SHARED, epoch->is_unchecked);
    return epoch->is_unchecked ? ADMITTED : ADMITTED_UNLOCKED;
}
