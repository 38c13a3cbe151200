// SPDX-License-Identifier: BSD-3-Clause
// The locks of a window's members. Members on the target's node work on its lock record
// directly; for origins on other nodes the target does, asked by messages. No process
// polls for those: a local peer that serves the next ticket tells the target if a
// distant origin waits.
#include "window/open.h"

#include <assert.h>
#include <stdlib.h>

// One format for all messages about locks.
struct lock_message {
    uint32_t window;   // handle at the receiver
    uint32_t reply_to; // LOCK: handle of the window at the origin
    int32_t rank;      // LOCK, GRANT: the target's in the window
    int32_t origin;    // LOCK: the sender's
    int32_t type;  // LOCK: MPI_LOCK_*; UNLOCK: 0 when a local peer has served the next
    int32_t error; // GRANT: why not, or 0
};

// A lock that an origin on another node has or waits for; kept by the target.
struct distant_lock {
    struct distant_lock *next; // in order of tickets
    int origin;                // rank in the job
    uint32_t reply_to;
    int type;
    uint32_t ticket;
    bool is_granted;
};

// ---- at the origin ------------------------------------------------------------
static int lock_send(const struct peer *peer, int kind,
                     const struct lock_message *message)
{
    message_lock();
    int err = message_send(peer->job_rank, kind, message, sizeof *message, NULL, 0);
    message_unlock();
    return err;
}

static __attribute__((noinline)) int send_release(const struct peer *peer)
{
    struct lock_message message = {.window = peer->member->handle,
                                   .type = peer->lock_type};
    return lock_send(peer, MESSAGE_UNLOCK, &message);
}

// The fence pairs with that of take_ticket (Dekker): either the target sees the new
// state of the lock record, or this process sees that an origin waits.
static __attribute__((noinline)) int lock_tell_if_distant(const struct peer *peer)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&peer->lock_record->distant, memory_order_relaxed) == 0)
        return 0;
    struct lock_message message = {.window = peer->member->handle};
    return lock_send(peer, MESSAGE_UNLOCK, &message);
}

// After the next ticket has been served.
static inline int lock_tell(const struct window *window, const struct peer *peer)
{
    return likely(!window_has(window, TRAIT_NODES)) ? 0 : lock_tell_if_distant(peer);
}

// No lock is taken before the answer has come, also by the fast forms of calls.
static void forget_locked_targets(void)
{
    message_lock();
    for (struct window *window = process.windows->open; window != NULL;
         window = window->next_open)
        epoch_forget_locked(&window->epoch);
    message_unlock();
}

static __attribute__((noinline)) int distant_lock_ask(const struct window *window,
                                                      struct peer *peer)
{
    struct lock_message message = {.window = peer->member->handle,
                                   .reply_to = (uint32_t)object_handle(window),
                                   .rank = peer->rank,
                                   .origin = window->comm->rank,
                                   .type = peer->lock_type};
    if (atomic_fetch_add(&process.windows->asked_locks, 1) == 0)
        forget_locked_targets();
    int err = lock_send(peer, MESSAGE_LOCK, &message);
    if (err) {
        atomic_fetch_sub(&process.windows->asked_locks, 1);
        peer_set_lock_state(peer, LOCK_NONE);
    }
    return err;
}

// The ticket is served.
static inline int lock_hold(const struct window *window, struct peer *peer)
{
    lock_record_enter(peer->lock_record, peer->lock_type);
    peer_hold_lock(peer, peer->lock_type);
    return peer->lock_type == MPI_LOCK_SHARED ? lock_tell(window, peer) : 0;
}

// Out of line, so that a free lock is taken without a stack frame.
static __attribute__((noinline)) int await_service(const struct window *window,
                                                   struct peer *peer, uint32_t ticket)
{
    unsigned spins = 0;
    int err = 0;
    while (!err && !lock_record_is_served(peer->lock_record, ticket, peer->lock_type))
        err = message_backoff(&spins);
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

int peer_lock(struct window *window, struct peer *peer)
{
    if (unlikely(peer->lock_record == NULL))
        return distant_lock_ask(window, peer);
    if (unlikely(
            atomic_load_explicit(&peer->lock_record->is_exposed, memory_order_relaxed)))
        return refuse_exposed(peer);
    uint32_t ticket =
        atomic_fetch_add_explicit(&peer->lock_record->next, 1, memory_order_relaxed);
    if (unlikely(!lock_record_is_served(peer->lock_record, ticket, peer->lock_type)))
        return await_service(window, peer, ticket);
    return lock_hold(window, peer);
}

static bool are_all_answered(void *unused)
{
    (void)unused;
    return atomic_load(&process.windows->asked_locks) == 0;
}

int locks_await_answers(void)
{
    return message_wait(are_all_answered, NULL);
}

static bool is_answered(void *peer)
{
    return peer_lock_state(peer) != LOCK_ASKED;
}

int peer_await_answer(struct peer *peer)
{
    int err = message_wait(is_answered, peer);
    if (err || peer_lock_state(peer) == LOCK_HELD)
        return err;
    return peer_lock_state(peer) == LOCK_EXPOSED
               ? fail_exposed(peer->rank)
               : fail(MPI_ERR_RMA_SYNC,
                      "rank %d could not take the lock: it has freed the window",
                      peer->rank);
}

int peer_unlock(struct window *window, struct peer *peer)
{
    bool is_held = peer_lock_state(peer) == LOCK_HELD;
    if (likely(is_held && peer->lock_record != NULL)) {
        peer_leave_lock(peer);
        return lock_tell(window, peer);
    }
    peer_set_lock_state(peer, LOCK_NONE);
    return is_held ? send_release(peer) : 0;
}

// ---- at the target, on behalf of other nodes ----------------------------------
static void distant_lock_grant(int origin, uint32_t window, int rank, int error)
{
    struct lock_message message = {.window = window, .rank = rank, .error = error};
    message_send(origin, MESSAGE_GRANT, &message, sizeof message, NULL, 0);
}

// Grants the tickets that are served by now. Tickets are in order, so the first that is
// not served ends the loop.
static void grant_served(struct window *window)
{
    struct lock_record *record = window_own_lock_record(window);
    assert(distant_locks_are_valid(window));
    for (struct distant_lock *lock = window->distant_locks; lock; lock = lock->next) {
        if (lock->is_granted)
            continue;
        if (!lock_record_is_served(record, lock->ticket, lock->type))
            return;
        lock_record_enter(record, lock->type);
        lock->is_granted = true;
        atomic_fetch_sub(&record->distant, 1);
        distant_lock_grant(lock->origin, lock->reply_to, window->comm->rank, 0);
    }
    assert(distant_locks_are_valid(window));
}

// Queues for an origin; false without memory.
static bool take_ticket(struct window *window, int origin,
                        const struct lock_message *message)
{
    struct distant_lock *lock = malloc(sizeof *lock), **end = &window->distant_locks;
    if (lock == NULL)
        return false;
    struct lock_record *record = window_own_lock_record(window);
    atomic_fetch_add(&record->distant, 1);
    *lock = (struct distant_lock){.origin = origin,
                                  .reply_to = message->reply_to,
                                  .type = message->type,
                                  .ticket = atomic_fetch_add(&record->next, 1)};
    while (*end != NULL)
        end = &(*end)->next;
    *end = lock;
    atomic_thread_fence(memory_order_seq_cst);
    return true;
}

// A process has one lock of a window at a time.
static bool has_asked(const struct window *window, int origin)
{
    const struct distant_lock *lock = window->distant_locks;
    while (lock != NULL && lock->origin != origin)
        lock = lock->next;
    return lock != NULL;
}

static bool makes_sense(const struct window *window, int source,
                        const struct lock_message *message)
{
    return (message->type == MPI_LOCK_SHARED || message->type == MPI_LOCK_EXCLUSIVE) &&
           message->rank == window->comm->rank &&
           window_has_member(window, message->origin, source) &&
           !has_asked(window, source);
}

bool distant_locks_are_valid(const struct window *window)
{
    uint32_t waiting = 0;
    const struct distant_lock *lock = window->distant_locks;
    for (; lock != NULL; lock = lock->next) {
        const struct distant_lock *next = lock->next;
        waiting += !lock->is_granted;
        if (next != NULL && ((int32_t)(next->ticket - lock->ticket) <= 0 ||
                             (next->is_granted && !lock->is_granted)))
            return false;
        for (; next != NULL; next = next->next)
            if (next->origin == lock->origin)
                return false;
    }
    return waiting == atomic_load(&window_own_lock_record(window)->distant);
}

static void handle_lock(int source, const void *bytes, size_t size)
{
    const struct lock_message *message = bytes;
    struct window *window =
        size == sizeof *message ? handle_object(KIND_WIN, message->window) : NULL;
    if (size != sizeof *message ||
        (window != NULL && !makes_sense(window, source, message)))
        message_refuse(source, "a request for a lock");
    else if (window == NULL) // has been freed
        distant_lock_grant(source, message->reply_to, message->rank, MPI_ERR_WIN);
    else if (window_is_exposed(window))
        distant_lock_grant(source, message->reply_to, message->rank,
                           MPI_ERR_RMA_CONFLICT);
    else if (!take_ticket(window, source, message))
        message_defer();
    else
        grant_served(window);
}

static void handle_grant(int source, const void *bytes, size_t size)
{
    const struct lock_message *message = bytes;
    struct window *window =
        size == sizeof *message ? handle_object(KIND_WIN, message->window) : NULL;
    struct peer *peer = window ? window_find_peer(window, message->rank) : NULL;
    if (peer == NULL || peer->job_rank != source || peer->lock_record != NULL ||
        peer_lock_state(peer) != LOCK_ASKED || !is_error_class(message->error)) {
        message_refuse(source, "a lock");
        return;
    }
    peer_set_lock_state(peer, message->error == 0                      ? LOCK_HELD
                              : message->error == MPI_ERR_RMA_CONFLICT ? LOCK_EXPOSED
                                                                       : LOCK_REFUSED);
    atomic_fetch_sub(&process.windows->asked_locks, 1);
}

// Releases only a lock that the origin holds, whatever a message says.
static void distant_lock_release(struct window *window, int origin)
{
    struct distant_lock **at = &window->distant_locks, *lock;
    while ((lock = *at) != NULL && !(lock->origin == origin && lock->is_granted))
        at = &lock->next;
    if (lock == NULL)
        return;
    lock_record_leave(window_own_lock_record(window), lock->type);
    *at = lock->next;
    free(lock);
}

static void handle_unlock(int source, const void *bytes, size_t size)
{
    const struct lock_message *message = bytes;
    if (size != sizeof *message) {
        message_refuse(source, "the release of a lock");
        return;
    }
    struct window *window = handle_object(KIND_WIN, message->window);
    if (window == NULL)
        return; // freed meanwhile
    if (message->type != 0)
        distant_lock_release(window, source);
    grant_served(window);
}

bool window_is_locked(struct window *window)
{
    const struct lock_record *record = window_own_lock_record(window);
    message_lock();
    bool is_locked = atomic_load(&record->next) != atomic_load(&record->serving) ||
                     atomic_load(&record->entered) != atomic_load(&record->left);
    bool is_known = window->distant_locks == NULL;
    message_unlock();
    return is_locked && is_known;
}

void distant_locks_free(struct window *window)
{
    while (window->distant_locks != NULL) {
        struct distant_lock *lock = window->distant_locks;
        window->distant_locks = lock->next;
        free(lock);
    }
}

static const struct message_kind kinds[] = {
    {MESSAGE_LOCK, handle_lock, .can_fail = true},
    {MESSAGE_GRANT, handle_grant, false},
    {MESSAGE_UNLOCK, handle_unlock, false},
};

void locks_start(void)
{
    message_register(kinds, sizeof kinds / sizeof *kinds);
}

void locks_stop(void)
{
    message_unregister(kinds, sizeof kinds / sizeof *kinds);
}
