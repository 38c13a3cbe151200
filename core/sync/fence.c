// SPDX-License-Identifier: BSD-3-Clause
// MPI_Win_fence and MPI_Win_sync (MPI-4.1 12.5.1, 12.5.4).
#include "rma/rma.h"
#include "sync/sync.h"

#include <oriel_core.h>

// Checks that a fence is allowed now, and that its assert is true.
static int check_may_fence(int assert, const struct window *win)
{
    if (unlikely(!epoch_may_fence(&win->epoch)))
        return fail(MPI_ERR_RMA_SYNC, "%s on the window; a fence is not allowed in it",
                    window_epoch(win));
    if (unlikely(window_is_exposed(win)))
        return fail(MPI_ERR_RMA_SYNC, "the window is exposed by MPI_Win_post; a fence "
                                      "is not allowed before MPI_Win_wait");
    if (unlikely(epoch_access(&win->epoch) == ACCESS_FENCE_USED &&
                 assert &MPI_MODE_NOPRECEDE))
        return fail(MPI_ERR_ASSERT,
                    "assert = %d: has MPI_MODE_NOPRECEDE, but this process has issued "
                    "operations that the fence is to complete",
                    assert);
    return 0;
}

// If members of this node have left operations to others, all take their messages after a
// first round, and have done so when a second one ends. So what has been put is there before
// any member begins the next epoch, and what was to be fetched has been answered.
static int fence_barrier(const struct window *win, bool has_left)
{
    bool any_left;
    int drain_err = 0, err = collective_node_any(win->comm, has_left, &any_left);
    if (!err && unlikely(any_left)) {
        drain_err = message_drain();
        err = collective_node_barrier(win->comm);
    }
    if (!err)
        err = collective_barrier_between_nodes(win->comm);
    return err ? err : drain_err;
}

// The barrier publishes this process's stores and shows it those of others. A fence
// that neither ends nor begins an epoch needs none; NOSTORE and NOPUT promise what is
// free here anyway. A failed operation does not keep the others waiting.
int oriel_win_fence(int assert, struct window *win)
{
    bool ends = !(assert &MPI_MODE_NOPRECEDE), begins = !(assert &MPI_MODE_NOSUCCEED);
    assert(window_is_settled(win));
    int err = check_may_fence(assert, win);
    if (err)
        return err;
    bool has_left = false;
    struct meeting *meeting = NULL;
    if (races_are_checked())
        meeting = races_meet_in_fence(win->watched, win->comm, assert);
    err = ends ? sync_leave_all(win, &has_left) : 0;
    order_complete();
    int barrier_err = ends || begins ? fence_barrier(win, has_left) : 0;
    int completion_err = ends ? sync_complete_all(win) : 0;
    if (!err)
        err = completion_err;
    if (unlikely(meeting != NULL))
        races_meeting_end(meeting, true);
    if (begins)
        epoch_open_fence(&win->epoch);
    else
        epoch_close_fence(&win->epoch);
    assert(window_is_settled(win));
    return err ? err : barrier_err;
}

// What the fast form, which has gone first and has had the barrier, leaves: the poll.
int oriel_win_sync(struct window *win)
{
    for (int i = 0; races_are_checked() && i < win->comm->node_size; i++)
        races_synced(window_lock_clocks(win, i));
    order_settle();
    return 0;
}
