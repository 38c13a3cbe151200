// SPDX-License-Identifier: BSD-3-Clause
// The locks of a window's members, at their origins. Members on the target's node work on
// its lock record directly. A target on another node is asked by a message, which waits
// for the first operations to go with it, and so does the release with the last ones.
#include "window/awaited.h"
#include "window/open.h"

#include <assert.h>

// ---- of members of this node --------------------------------------------------

// The fence pairs with that of take_ticket (Dekker): either the target sees the new
// state of the lock record, or this process sees that an origin waits.
static __attribute__((noinline)) int lock_tell_if_distant(const struct peer *peer)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&peer->lock_record->distant, memory_order_relaxed) == 0)
        return 0;
    struct sync_head head = {.window = peer->member->handle};
    message_lock();
    int err = message_send(peer->job_rank, MESSAGE_UNLOCK, &head, sizeof head, NULL, 0);
    message_unlock();
    return err;
}

// After the next ticket has been served.
static inline int lock_tell(const struct window *window, const struct peer *peer)
{
    return likely(!window_has(window, TRAIT_NODES)) ? 0 : lock_tell_if_distant(peer);
}

// The ticket is served.
static inline int lock_hold(const struct window *window, struct peer *peer)
{
    lock_record_enter(peer->lock_record, peer->lock_type);
    peer_hold_lock(peer, peer->lock_type);
    if (races_are_checked())
        races_locked(window_lock_clocks(window, peer->member->node_rank),
                     peer->lock_type);
    return peer->lock_type == MPI_LOCK_SHARED ? lock_tell(window, peer) : 0;
}

// Out of line, so that a free lock is taken without a stack frame.
static __attribute__((noinline)) int await_service(const struct window *window,
                                                   struct peer *peer, uint32_t ticket)
{
    unsigned spins = 0;
    int err = 0;
    while (!err && !lock_record_is_served(peer->lock_record, ticket, peer->lock_type))
        err = message_backoff(&spins, ticket_explain, peer);
    message_backoff_end(spins);
    if (!err)
        return lock_hold(window, peer);
    peer_set_lock_state(peer, LOCK_NONE);
    return err;
}

static __attribute__((noinline)) int fail_exposed(int rank)
{
    return fail(MPI_ERR_RMA_CONFLICT,
                "rank %d has exposed its memory by MPI_Win_post; its MPI_Win_wait must "
                "come before a lock",
                rank);
}

int window_check_exposed(const struct window *window, int first, int end)
{
    for (int i = first; i < end; i++)
        if (atomic_load(&window->lock_records[i].is_exposed))
            return fail_exposed(window->comm->node_members[i]);
    return 0;
}

static __attribute__((noinline)) int refuse_exposed(struct peer *peer)
{
    peer_set_lock_state(peer, LOCK_NONE);
    return fail_exposed(peer->rank);
}

// ---- of members of other nodes --------------------------------------------------
// No lock is taken before the answer has come, also by the fast forms of calls.
static void forget_locked_targets(void)
{
    for (struct window *window = process.windows->open; window != NULL;
         window = window->next_open)
        epoch_forget_locked(&window->epoch);
}

int peer_sync_head(const struct peer *peer, struct sync_head *head)
{
    int state = peer_lock_state(peer);
    bool is_asked_for = peer->lock_record == NULL && state >= LOCK_WANTED;
    if (!is_asked_for && !peer->is_parting)
        return 0;
    *head = (struct sync_head){.window = peer->member->handle,
                               .reply_to = (uint32_t)object_handle(peer->window),
                               .rank = peer->rank,
                               .origin = peer->window->comm->rank,
                               .releases = peer->is_parting};
    if (state == LOCK_WANTED)
        head->type = (int16_t)peer->lock_type;
    if (state == LOCK_HELD || state >= LOCK_WANTED)
        return MESSAGE_LOCK;
    if (!peer->is_target)
        return 0;
    head->rank = peer->window->comm->rank;
    head->type = NOTICE_COMPLETE;
    return MESSAGE_LAST;
}

void peer_sync_sent(struct peer *peer)
{
    if (peer_lock_state(peer) == LOCK_WANTED) {
        peer_set_sent(peer);
        if (process.windows->wanted == peer)
            process.windows->wanted = NULL;
    }
    peer->has_parted |= peer->is_parting;
}

// Sends the head alone: a release or notice must arrive, whatever becomes of operations.
static int sync_head_send(struct peer *peer)
{
    struct sync_head head;
    int kind = peer_sync_head(peer, &head);
    if (kind == 0 || peer_lock_state(peer) > LOCK_SENT)
        return 0;
    if (kind == MESSAGE_LAST) {
        kind = MESSAGE_NOTICE;
    } else if (head.type == 0) {
        kind = MESSAGE_UNLOCK;
        head.type = (int16_t)peer->lock_type;
    }
    int err = message_send(peer->job_rank, kind, &head, sizeof head, NULL, 0);
    if (!err)
        peer_sync_sent(peer);
    return err;
}

void peer_part(struct peer *peer)
{
    peer->is_parting = true;
    int err = process.windows->peer_owner->send(peer);
    if (!err && !peer->has_parted)
        sync_head_send(peer);
    peer->is_parting = false;
}

// Asks for a lock that is wanted. Callers hold the message lock.
static int lock_request(struct peer *peer)
{
    int err = process.windows->peer_owner->send(peer);
    return !err && peer_lock_state(peer) == LOCK_WANTED ? sync_head_send(peer) : err;
}

// One lock at most is wanted; others of this process, which threads want at the same
// time, are asked for.
static __attribute__((noinline)) int lock_want(struct peer *peer)
{
    message_lock();
    int err = process.windows->wanted ? lock_request(process.windows->wanted) : 0;
    if (!err) {
        process.windows->wanted = peer;
        peer_set_lock_state(peer, LOCK_WANTED);
        if (atomic_fetch_add(&process.windows->asked_locks, 1) == 0)
            forget_locked_targets();
    } else {
        peer_set_lock_state(peer, LOCK_NONE);
    }
    message_wake(); // threads that await this one
    message_unlock();
    return err;
}

static bool are_answered_or_wanted(void *unused)
{
    (void)unused;
    return atomic_load(&process.windows->asked_locks) == 0 ||
           atomic_load(&process.windows->wanted) != NULL;
}

// A thread that wants another lock meanwhile may leave before it is asked for.
int locks_await_answers(void)
{
    int err = 0;
    while (!err && locks_are_asked()) {
        message_lock();
        struct peer *wanted = process.windows->wanted;
        err = wanted != NULL ? lock_request(wanted) : 0;
        message_unlock();
        if (!err)
            err = message_wait(are_answered_or_wanted, NULL, grants_explain);
    }
    return err;
}

static bool is_answered(void *peer)
{
    int state = peer_lock_state(peer);
    return state < LOCK_WANTED || state > LOCK_ASKED;
}

static bool is_begun(void *peer)
{
    return peer_lock_state(peer) != LOCK_ASKED;
}

int peer_await_access(struct peer *peer)
{
    int err = message_wait(is_begun, peer, NULL);
    return err || peer_is_asked_for(peer) ? err : peer_await_lock(peer);
}

int peer_await_answer(struct peer *peer)
{
    message_lock();
    int err = peer_lock_state(peer) == LOCK_WANTED ? lock_request(peer) : 0;
    message_unlock();
    if (!err)
        err = message_wait(is_answered, peer, grant_explain);
    if (err || peer_lock_state(peer) == LOCK_HELD)
        return err;
    return peer_lock_state(peer) == LOCK_EXPOSED
               ? fail_exposed(peer->rank)
               : fail(MPI_ERR_RMA_SYNC,
                      "rank %d could not take the lock: it has freed the window",
                      peer->rank);
}

void lock_granted(int source, const void *bytes, size_t size)
{
    const struct sync_head *head = bytes;
    struct window *window =
        size < sizeof *head ? NULL : handle_object(KIND_WIN, head->window);
    struct peer *peer = window ? window_find_peer(window, head->rank) : NULL;
    if (peer == NULL || peer->job_rank != source || !peer->is_asked ||
        !is_error_class(head->error)) {
        message_refuse(source, "a lock");
        return;
    }
    if (races_are_checked())
        races_learn_clock(source, window->comm->context, ORDER_GRANT);
    peer_set_answered(peer, head->error);
    atomic_fetch_sub(&process.windows->asked_locks, 1);
    if (size > sizeof *head)
        process.windows->peer_owner->answered(source, head + 1, size - sizeof *head);
}

// The request may not have been sent, or its answer not have come, if there was an
// error.
static __attribute__((noinline)) int distant_lock_leave(struct peer *peer)
{
    message_lock();
    int err = 0;
    if (peer_lock_state(peer) == LOCK_WANTED) {
        atomic_fetch_sub(&process.windows->asked_locks, 1);
        if (process.windows->wanted == peer)
            process.windows->wanted = NULL;
    } else if (!peer->has_parted) {
        peer->is_parting = true;
        err = sync_head_send(peer);
        peer->is_parting = false;
    }
    peer->has_parted = false;
    peer_set_lock_state(peer, LOCK_NONE);
    message_unlock();
    return err;
}

// ---- of any member --------------------------------------------------------------
// The locks that this process has asked for come first.
static __attribute__((noinline)) int lock_in_turn(struct peer *peer)
{
    int err = locks_await_answers();
    if (err)
        peer_set_lock_state(peer, LOCK_NONE);
    return err;
}

int peer_lock(struct window *window, struct peer *peer)
{
    int err = unlikely(locks_are_asked()) ? lock_in_turn(peer) : 0;
    if (unlikely(err))
        return err;
    if (unlikely(peer->lock_record == NULL))
        return lock_want(peer);
    if (unlikely(
            atomic_load_explicit(&peer->lock_record->is_exposed, memory_order_relaxed)))
        return refuse_exposed(peer);
    uint32_t ticket =
        atomic_fetch_add_explicit(&peer->lock_record->next, 1, memory_order_relaxed);
    if (unlikely(!lock_record_is_served(peer->lock_record, ticket, peer->lock_type)))
        return await_service(window, peer, ticket);
    return lock_hold(window, peer);
}

int peer_unlock(struct window *window, struct peer *peer)
{
    int state = peer_lock_state(peer);
    if (likely(state == LOCK_HELD && peer->lock_record != NULL)) {
        if (races_are_checked())
            races_unlocked(window_lock_clocks(window, peer->member->node_rank),
                           peer->lock_type);
        peer_leave_lock(peer);
        return lock_tell(window, peer);
    }
    if (state != LOCK_NONE && peer->lock_record == NULL)
        return distant_lock_leave(peer);
    peer_set_lock_state(peer, LOCK_NONE);
    return 0;
}
