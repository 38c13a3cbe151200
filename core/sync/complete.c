// SPDX-License-Identifier: BSD-3-Clause
// Waiting until operations that are not loads and stores have completed.
#include "rma/rma.h"
#include "sync/sync.h"

// Sends aggregated operations, too, also those that other threads have added since the
// wait began, which are waited for like the rest. Callers hold the message lock.
static bool has_completed(void *argument)
{
    struct peer *peer = argument;
    if (peer_is_quiet(peer))
        return true;
    traffic_await(peer->traffic);
    traffic_send(peer->traffic, false);
    return peer_is_quiet(peer);
}

// Results that still come must not be written into memory that the program has back;
// that of a request stays the request's.
static int give_up(struct peer *peer, int err)
{
    message_lock();
    traffic_abandon(peer->traffic);
    message_unlock();
    return err;
}

// Sends the operations before it waits for their completion.
int sync_complete_counted(struct peer *peer)
{
    message_lock();
    traffic_send(peer->traffic, true);
    int err = 0;
    if (peer_is_quiet(peer))
        message_unlock();
    else
        err = message_wait_locked(has_completed, peer, grant_explain);
    if (err)
        return give_up(peer, err);
    int error = traffic_take_error(peer->traffic);
    if (error == MPI_ERR_BUFFER)
        return fail(error, "a buffer of an operation on rank %d is not there",
                    peer->rank);
    return error ? fail(error, "an operation on rank %d failed after it was started",
                        peer->rank)
                 : 0;
}

// Locks of this node have their clocks in the segment.
static void clock_send(const struct window *window, const struct peer *peer)
{
    bool is_held = peer_lock_state(peer) == LOCK_HELD && peer->lock_record == NULL;
    if (is_held || peer->is_target)
        races_send_clock(peer->job_rank, window->comm->context,
                         is_held ? ORDER_RELEASE : ORDER_COMPLETE);
}

void sync_watched(struct window *window, struct peer *peer)
{
    races_complete(window->watched, peer != NULL ? peer->rank : MPI_ANY_SOURCE);
    message_lock();
    if (peer != NULL)
        clock_send(window, peer);
    struct peer *each = peer == NULL ? window->peers.first : NULL;
    for (; each != NULL; each = each->next)
        clock_send(window, each);
    message_unlock();
}

// A lock of this node is given back by this process itself.
void sync_part(struct peer *peer)
{
    bool is_told = peer->lock_record == NULL || peer->is_target;
    if (likely(!is_told) || peer->traffic == NULL)
        return;
    message_lock();
    if (traffic_can_part(peer->traffic))
        peer_part(peer);
    message_unlock();
}

// Operations are counted under the message lock, so that none is forgotten here.
static void operations_settle(struct window *window)
{
    message_lock();
    struct peer *peer = window->peers.first;
    while (peer != NULL && peer_is_quiet(peer))
        peer = peer->next;
    if (peer == NULL)
        epoch_end_pending(&window->epoch);
    message_unlock();
}

static void send_all(const struct window *window)
{
    message_lock();
    for (struct peer *peer = window->peers.first; peer != NULL; peer = peer->next)
        if (peer->traffic != NULL)
            traffic_send(peer->traffic, true);
    message_unlock();
}

// What a member of this node has in its ring is left to its own fence.
static int traffic_leave(struct peer *peer, bool *has_left)
{
    bool is_local = peer->lock_record != NULL;
    message_lock();
    *has_left |= traffic_take_left(peer->traffic);
    bool must_complete = !is_local || !traffic_is_in_order(peer->traffic);
    bool must_send = is_local && !message_is_in_ring(peer->job_rank);
    message_unlock();
    int err = must_complete ? sync_complete(peer) : 0;
    return err || !must_send ? err : message_await_ring(peer->job_rank);
}

int sync_leave_all(struct window *window, bool *has_left)
{
    int first = 0;
    *has_left = false;
    if (likely(!epoch_has_pending(&window->epoch)))
        return 0;
    send_all(window);
    for (struct peer *peer = window->peers.first; peer != NULL; peer = peer->next) {
        int err = peer->traffic != NULL ? traffic_leave(peer, has_left) : 0;
        if (first == 0)
            first = err;
    }
    return first;
}

// The flag is cleared last: until then other threads wait for the same operations.
int sync_complete_all(struct window *window)
{
    if (likely(!epoch_has_pending(&window->epoch)))
        return 0;
    int first = 0;
    send_all(window);
    for (struct peer *peer = window->peers.first; peer != NULL; peer = peer->next) {
        int err = sync_complete(peer);
        if (first == 0)
            first = err;
    }
    operations_settle(window);
    return first;
}
