// SPDX-License-Identifier: BSD-3-Clause
// The locks that a member's process takes for origins on other nodes, and the operations
// that travel with their requests and releases. No process polls for those locks: a local
// peer that serves the next ticket tells the target if a distant origin waits.
#include "window/awaited.h"
#include "window/open.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// A batch that came before the lock was granted.
struct waiting_batch {
    struct waiting_batch *next;
    size_t bytes;
    _Alignas(8) char request[];
};

// A lock that an origin on another node has or waits for; kept by the target.
struct distant_lock {
    struct distant_lock *next; // in order of tickets
    int origin;                // rank in the job
    uint32_t reply_to;
    int type;
    uint32_t ticket;
    bool is_granted;
    bool releases;                 // once its batches have been carried out
    struct waiting_batch *batches; // in the order in which they came
};

// ---- grants -----------------------------------------------------------------------
static size_t batch_bytes(size_t message_bytes)
{
    return message_bytes - sizeof(struct sync_head);
}

// Carries out the batch behind a request, if there is one. The answer goes with the grant.
static void request_answer(int origin, const struct sync_head *grant, const void *batch,
                           size_t bytes)
{
    if (bytes > 0)
        process.windows->peer_owner->serve(origin, batch, bytes, grant->error, grant);
    else
        message_send(origin, MESSAGE_GRANT, grant, sizeof *grant, NULL, 0);
}

static void batches_serve(struct distant_lock *lock, const struct sync_head *grant)
{
    struct waiting_batch *batch = lock->batches, *next;
    lock->batches = NULL;
    if (batch == NULL)
        request_answer(lock->origin, grant, NULL, 0);
    for (; batch != NULL; batch = next, grant = NULL) {
        next = batch->next;
        process.windows->peer_owner->serve(lock->origin, batch->request, batch->bytes,
                                           0, grant);
        free(batch);
    }
}

// Takes the lock off the list at *at.
static void distant_lock_end(struct window *window, struct distant_lock **at)
{
    struct distant_lock *lock = *at;
    if (races_are_checked())
        races_unlocked_for(lock->origin, window->comm->context,
                           window_lock_clocks(window, window->comm->node_rank),
                           lock->type);
    lock_record_leave(window_own_lock_record(window), lock->type);
    *at = lock->next;
    free(lock);
}

static void distant_lock_grant(struct window *window, struct distant_lock *lock)
{
    struct lock_record *record = window_own_lock_record(window);
    struct sync_head grant = {.window = lock->reply_to, .rank = window->comm->rank};
    lock_record_enter(record, lock->type);
    lock->is_granted = true;
    atomic_fetch_sub(&record->distant, 1);
    if (races_are_checked())
        races_locked_for(lock->origin, window->comm->context,
                         window_lock_clocks(window, window->comm->node_rank),
                         lock->type);
    batches_serve(lock, &grant);
}

// Grants the tickets that are served by now. Tickets are in order, so the first that is
// not served ends the loop.
static void grant_served(struct window *window)
{
    const struct lock_record *record = window_own_lock_record(window);
    struct distant_lock **at = &window->distant_locks, *lock;
    assert(distant_locks_are_valid(window));
    while ((lock = *at) != NULL) {
        if (!lock->is_granted) {
            if (!lock_record_is_served(record, lock->ticket, lock->type))
                return;
            distant_lock_grant(window, lock);
        }
        if (lock->releases)
            distant_lock_end(window, at);
        else
            at = &lock->next;
    }
    assert(distant_locks_are_valid(window));
}

// ---- requests ---------------------------------------------------------------------
static struct distant_lock **find_lock(struct window *window, int origin)
{
    struct distant_lock **at = &window->distant_locks;
    while (*at != NULL && (*at)->origin != origin)
        at = &(*at)->next;
    return at;
}

// Keeps a batch until the lock is granted; false without memory.
static bool batch_keep(struct distant_lock *lock, const void *request, size_t bytes)
{
    struct waiting_batch **end = &lock->batches;
    struct waiting_batch *batch = bytes == 0 ? NULL : malloc(sizeof *batch + bytes);
    if (batch == NULL)
        return bytes == 0;
    batch->next = NULL;
    batch->bytes = bytes;
    memcpy(batch->request, request, bytes);
    while (*end != NULL)
        end = &(*end)->next;
    *end = batch;
    return true;
}

// Queues for an origin; false without memory.
static bool take_ticket(struct window *window, int origin, const struct sync_head *head,
                        size_t bytes)
{
    struct distant_lock *lock = malloc(sizeof *lock);
    if (lock == NULL)
        return false;
    *lock = (struct distant_lock){.origin = origin,
                                  .reply_to = head->reply_to,
                                  .type = head->type,
                                  .releases = head->releases};
    if (!batch_keep(lock, head + 1, bytes)) {
        free(lock);
        return false;
    }
    struct lock_record *record = window_own_lock_record(window);
    atomic_fetch_add(&record->distant, 1);
    lock->ticket = atomic_fetch_add(&record->next, 1);
    *find_lock(window, origin) = lock; // the end of the list
    atomic_thread_fence(memory_order_seq_cst);
    return true;
}

// A lock that is free, and released by the message that asks for it, needs no memory.
static void lock_begin(struct window *window, int source, const struct sync_head *head,
                       size_t bytes)
{
    struct lock_record *record = window_own_lock_record(window);
    struct sync_head grant = {.window = head->reply_to, .rank = head->rank};
    if (window_is_exposed(window)) {
        grant.error = MPI_ERR_RMA_CONFLICT;
        request_answer(source, &grant, head + 1, bytes);
    } else if (head->releases && lock_record_try(record, head->type)) {
        request_answer(source, &grant, head + 1, bytes);
        lock_record_leave(record, head->type);
    } else if (!take_ticket(window, source, head, bytes)) {
        message_defer();
    } else {
        grant_served(window);
    }
}

// More operations of an origin that has asked for the lock before. Without a lock it has
// been refused.
static void lock_continue(struct window *window, int source,
                          const struct sync_head *head, size_t bytes)
{
    struct distant_lock *lock = *find_lock(window, source);
    if (lock != NULL && !lock->is_granted) {
        if (!batch_keep(lock, head + 1, bytes))
            message_defer();
        else
            lock->releases |= head->releases != 0;
        return;
    }
    int error = lock == NULL ? MPI_ERR_RMA_CONFLICT : 0;
    if (bytes > 0)
        process.windows->peer_owner->serve(source, head + 1, bytes, error, NULL);
    if (lock != NULL && head->releases) {
        lock->releases = true;
        grant_served(window);
    }
}

// A process has one lock of a window at a time.
static bool makes_sense(struct window *window, int source, const struct sync_head *head)
{
    bool is_type = head->type == MPI_LOCK_SHARED || head->type == MPI_LOCK_EXCLUSIVE;
    return head->rank == window->comm->rank &&
           window_has_member(window, head->origin, source) &&
           (head->type == 0 || (is_type && *find_lock(window, source) == NULL));
}

static void handle_lock(int source, const void *bytes, size_t size)
{
    const struct sync_head *head = bytes;
    struct window *window =
        size < sizeof *head ? NULL : handle_object(KIND_WIN, head->window);
    if (size < sizeof *head || (window == NULL && head->type == 0) ||
        (window != NULL && !makes_sense(window, source, head))) {
        message_refuse(source, "a request for a lock");
    } else if (window == NULL) { // has been freed
        struct sync_head grant = {
            .window = head->reply_to, .rank = head->rank, .error = MPI_ERR_WIN};
        request_answer(source, &grant, head + 1, batch_bytes(size));
    } else if (head->type != 0) {
        lock_begin(window, source, head, batch_bytes(size));
    } else {
        lock_continue(window, source, head, batch_bytes(size));
    }
}

// Releases only a lock of the origin, whatever a message says.
static void handle_unlock(int source, const void *bytes, size_t size)
{
    const struct sync_head *head = bytes;
    if (size != sizeof *head) {
        message_refuse(source, "the release of a lock");
        return;
    }
    struct window *window = handle_object(KIND_WIN, head->window);
    if (window == NULL)
        return; // freed meanwhile
    struct distant_lock *lock = *find_lock(window, source);
    if (head->type != 0 && lock != NULL)
        lock->releases = true;
    grant_served(window);
}

bool distant_locks_explain(const struct window *window, int origin,
                           struct explanation *explanation)
{
    bool is_waiting = false;
    for (const struct distant_lock *lock = window->distant_locks; lock != NULL;
         lock = lock->next) {
        is_waiting |= lock->origin == origin && !lock->is_granted;
        if (lock->is_granted && !lock->releases)
            awaited_add(explanation,
                        awaited_of_lock(window, lock->origin, window->comm->rank,
                                        AWAITED_RELEASE));
    }
    return !is_waiting;
}

// ---- the state --------------------------------------------------------------------
bool distant_locks_are_valid(const struct window *window)
{
    uint32_t waiting = 0;
    const struct distant_lock *lock = window->distant_locks;
    for (; lock != NULL; lock = lock->next) {
        const struct distant_lock *next = lock->next;
        waiting += !lock->is_granted;
        if (lock->is_granted && lock->batches != NULL)
            return false;
        if (next != NULL && ((int32_t)(next->ticket - lock->ticket) <= 0 ||
                             (next->is_granted && !lock->is_granted)))
            return false;
        for (; next != NULL; next = next->next)
            if (next->origin == lock->origin)
                return false;
    }
    return waiting == atomic_load(&window_own_lock_record(window)->distant);
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
        while (lock->batches != NULL) {
            struct waiting_batch *batch = lock->batches;
            lock->batches = batch->next;
            free(batch);
        }
        free(lock);
    }
}

static const struct message_kind kinds[] = {
    {MESSAGE_LOCK, handle_lock, .can_fail = true},
    {MESSAGE_GRANT, lock_granted, false},
    {MESSAGE_UNLOCK, handle_unlock, false},
};

void locks_start(void)
{
    message_register(kinds, sizeof kinds / sizeof *kinds);
    awaited_locks_start();
}

void locks_stop(void)
{
    message_unregister(kinds, sizeof kinds / sizeof *kinds);
}
