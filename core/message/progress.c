// SPDX-License-Identifier: BSD-3-Clause
// The message lock and progress.
#include "message/addresses.h"
#include "message/deaths.h"
#include "message/engine.h"

enum { LOCK_TRIES = 100 }; // before a thread sleeps

// ---- the message lock

enum { LOCK_FREE, LOCK_TAKEN, LOCK_WANTED };

static const uint64_t LONG = 10000000000; // a sleep that only message_unlock ends

// This thread has taken the lock.
static _Thread_local bool is_held __attribute__((tls_model("initial-exec")));

static inline bool lock_try(struct messages *messages)
{
    uint32_t free = LOCK_FREE;
    if (!atomic_compare_exchange_strong_explicit(&messages->lock, &free, LOCK_TAKEN,
                                                 memory_order_acquire,
                                                 memory_order_relaxed))
        return false;
    is_held = true;
    return true;
}

// Who has slept takes the lock as wanted, since others may sleep, too.
static __attribute__((noinline)) void lock_await(struct messages *messages)
{
    atomic_fetch_add(&messages->lock_waiters, 1);
    int tries = LOCK_TRIES;
    while (tries > 0 && !lock_try(messages)) {
        cpu_relax();
        tries--;
    }
    while (tries == 0 && atomic_exchange_explicit(&messages->lock, LOCK_WANTED,
                                                  memory_order_acquire) != LOCK_FREE)
        futex_wait(&messages->lock, LOCK_WANTED, LONG);
    is_held = true;
    atomic_fetch_sub(&messages->lock_waiters, 1);
}

bool message_try_lock(void)
{
    struct messages *messages = process.messages;
    return !messages->has_threads || likely(lock_try(messages));
}

void message_lock(void)
{
    if (unlikely(!message_try_lock()))
        lock_await(process.messages);
}

bool message_lock_unless_held(void)
{
    if (is_held)
        return false;
    message_lock();
    return true;
}

void message_unlock(void)
{
    struct messages *messages = process.messages;
    if (!messages->has_threads)
        return;
    is_held = false;
    if (unlikely(atomic_exchange_explicit(&messages->lock, LOCK_FREE,
                                          memory_order_release) == LOCK_WANTED))
        futex_wake(&messages->lock, 1);
}

// ---- progress

// The kernel wakes a thread that sleeps on the network for each message, also for those
// that the program has taken before it looks; the thread then sleeps on inside the kernel.
// So a program that goes on polling sends it to its nap.
static inline void network_thread_excuse(struct messages *messages)
{
    if (unlikely(atomic_load_explicit(&messages->network_thread_sleeps,
                                      memory_order_relaxed)) &&
        atomic_load_explicit(&messages->program_polls, memory_order_relaxed) >=
            messages->sleep_end &&
        !atomic_load(&messages->has_sleepers))
        network_thread_wake(messages);
}

// A rank counts as dead when a message to it is lost, since others may wait for the
// answer. Apart from the poll, which is that of one node too.
static __attribute__((noinline)) int
poll_network(struct messages *messages, struct net *net, bool is_progress_thread)
{
    int events = 0;
    network_thread_excuse(messages);
    if (messages->bundle.burst > 0)
        events += burst_end(messages, is_progress_thread);
    events += net_poll(net);
    int lost = net_take_lost(net), wanted;
    while (unlikely((wanted = net_take_wanted(net)) >= 0))
        addresses_find(wanted);
    if (unlikely(lost >= 0))
        message_lost(lost, MPI_ERR_PROC_ABORTED, "the network does not reach it");
    if (unlikely(net_take_doubt(net)))
        messages->has_doubt = true;
    if (unlikely(messages->has_doubt))
        gaps_look(messages);
    if (events == 0 && messages->seals.pads_due)
        seals_prepare(messages);
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
    events += shm_receive(process.shm, POLL_MAX, deliver_from_node);
    if (process.net)
        events += poll_network(messages, process.net, is_progress_thread);
    if (messages->follower)
        events += messages->follower(is_progress_thread);
    bool is_awaited = messages->resting != NULL || messages->sleeping != NULL;
    if (unlikely(events > 0 && is_awaited)) // by another thread of this process
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

// ---- all that has come

static bool is_fed(void *argument)
{
    (void)argument;
    return !atomic_load_explicit(&process.messages->is_starved, memory_order_relaxed);
}

// What a full poll has left comes with the next; a message that waits for memory stays
// with all that its sender has sent after it.
int message_drain(void)
{
    for (;;) {
        message_lock();
        while (message_poll() >= POLL_MAX)
            ;
        bool is_drained = is_fed(NULL);
        message_unlock();
        int err = is_drained ? 0 : message_wait(is_fed, NULL, NULL);
        if (is_drained || err)
            return err;
    }
}
