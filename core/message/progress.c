// SPDX-License-Identifier: BSD-3-Clause
// The message lock and progress.
#include "message/deaths.h"
#include "message/engine.h"

enum { BATCH = 64 }; // messages of one sender per poll

// ---- the message lock

bool message_try_lock(void)
{
    struct messages *messages = process.messages;
    return !messages->has_threads || pthread_mutex_trylock(&messages->lock) == 0;
}

void message_lock(void)
{
    struct messages *messages = process.messages;
    if (likely(message_try_lock()))
        return;
    atomic_fetch_add(&messages->lock_waiters, 1);
    pthread_mutex_lock(&messages->lock);
    atomic_fetch_sub(&messages->lock_waiters, 1);
}

void message_unlock(void)
{
    struct messages *messages = process.messages;
    if (messages->has_threads)
        pthread_mutex_unlock(&messages->lock);
}

// ---- progress

// A rank counts as dead when a message to it is lost, since others may wait for the
// answer.
static int poll_network(struct messages *messages, struct net *net)
{
    int events = net_poll(net), lost = net_take_lost(net);
    if (unlikely(lost >= 0))
        message_lost(lost, MPI_ERR_PROC_ABORTED, "the network does not reach it");
    if (unlikely(net_take_doubt(net)))
        messages->has_doubt = true;
    if (unlikely(messages->has_doubt))
        gaps_look(messages);
    return events;
}

int poll_once(struct messages *messages, bool is_progress_thread)
{
    int events = 0;
    if (unlikely(atomic_load_explicit(&messages->is_starved, memory_order_relaxed)))
        atomic_store_explicit(&messages->is_starved, false, memory_order_relaxed);
    if (unlikely(messages->early.first))
        events += deliver_early(messages);
    if (unlikely(messages->first_backlog))
        events += backlogs_send(messages);
    events += shm_receive(process.shm, BATCH, deliver_from_node);
    if (process.net)
        events += poll_network(messages, process.net);
    if (messages->follower)
        events += messages->follower(is_progress_thread);
    if (events > 0) // may be what another thread of this process sleeps for
        message_wake();
    return events;
}

int message_poll(void)
{
    struct messages *messages = process.messages;
    uint64_t polls =
        atomic_load_explicit(&messages->program_polls, memory_order_relaxed);
    atomic_store_explicit(&messages->program_polls, polls + 1, memory_order_relaxed);
    return poll_once(messages, false);
}

void message_follow(message_follower *follower)
{
    process.messages->follower = follower;
}

int message_progress(void)
{
    if (!message_try_lock())
        return 0; // who holds the lock makes progress
    int events = message_poll();
    message_unlock();
    return events;
}
