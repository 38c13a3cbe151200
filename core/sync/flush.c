// SPDX-License-Identifier: BSD-3-Clause
// The flush family (MPI-4.1 12.5.4). Local completion of an operation that is not a
// load or store is seen with its remote completion, so that both kinds of flush are
// one.
#include "rma/rma.h"
#include "sync/sync.h"

#include <oriel_core.h>

// Finds what flush_at_once, which has gone first, leaves: targets with operations under
// way and those that are not locked. At MPI_PROC_NULL nothing ever is.
static int flush_target(int rank, struct window *window)
{
    order_complete();
    assert(window_is_settled(window));
    if (rank == MPI_PROC_NULL)
        return 0;
    window_guard(window);
    struct peer *peer = window_find_peer(window, rank);
    window_unguard(window);
    bool is_locked = peer != NULL && peer_lock_state(peer) != LOCK_NONE;
    if (epoch_access(&window->epoch) == ACCESS_LOCK_ALL && !is_locked)
        return 0; // not touched yet
    if (epoch_access(&window->epoch) < ACCESS_LOCK || !is_locked)
        return fail(MPI_ERR_RMA_SYNC, "rank %d is not locked; %s on the window", rank,
                    window_epoch(window));
    return peer_has_none_left(peer) ? 0 : sync_complete(peer);
}

// What is complete at the target is known to all that learn of it from now on.
static int flush_told(int err, int rank, const struct window *window)
{
    if (races_are_checked() && !err)
        races_complete(window->watched, rank);
    return err;
}

static inline int flush_all(struct window *window)
{
    order_complete();
    assert(window_is_settled(window));
    if (unlikely(epoch_access(&window->epoch) < ACCESS_LOCK))
        return fail(MPI_ERR_RMA_SYNC, "no target is locked; %s on the window",
                    window_epoch(window));
    return sync_complete_all(window);
}

// The same of what is complete here.
static int flush_told_local(int err, int rank, const struct window *window)
{
    if (races_are_checked() && !err)
        races_return_buffers(window->watched, rank);
    return err;
}

int oriel_win_flush(int rank, struct window *win)
{
    return flush_told(flush_target(rank, win), rank, win);
}

int oriel_win_flush_local(int rank, struct window *win)
{
    return flush_told_local(flush_target(rank, win), rank, win);
}

int oriel_win_flush_all(struct window *win)
{
    return flush_told(flush_all(win), MPI_ANY_SOURCE, win);
}

int oriel_win_flush_local_all(struct window *win)
{
    return flush_told_local(flush_all(win), MPI_ANY_SOURCE, win);
}
