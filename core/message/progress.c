// SPDX-License-Identifier: BSD-3-Clause
// The message lock, progress, and waiting for it. Who waits polls for ORIEL_SPIN
// microseconds, handing its core to others at every step when the node has more
// processes than CPUs; then it sleeps on its doorbell. Events of the network reach a
// sleeper through the network server, which rings the process's own bell.
#include "message/private.h"

#include <sched.h>

enum {
    BATCH = 64,           // messages of one sender per poll
    POLLS_PER_CLOCK = 16, // the clock costs more than a poll
    BACKOFF_PER_MICROSECOND = 16,
    BACKOFF_YIELDS = 1000,
    BACKOFF_CHECK = 128, // naps between two looks for deaths
};

static const uint64_t MICROSECOND = 1000, MILLISECOND = 1000000;

// ---- the message lock

void message_lock(void)
{
    struct messages *messages = process.messages;
    if (!messages->has_threads)
        return;
    if (likely(pthread_mutex_trylock(&messages->lock) == 0))
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

void message_wake(void)
{
    if (process.messages->sleepers > 0)
        shm_ring_own(process.shm, SHM_BELL_CALL);
}

int poll_once(struct messages *messages, bool is_server)
{
    int events = 0;
    if (unlikely(messages->first_backlog))
        events += backlogs_send(messages);
    events += shm_receive(process.shm, BATCH, deliver_from_mate);
    if (process.net)
        events += net_poll(process.net);
    if (messages->follower)
        events += messages->follower(is_server);
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
    struct messages *messages = process.messages;
    if (messages->has_threads && pthread_mutex_trylock(&messages->lock) != 0)
        return 0; // who holds the lock makes progress
    int events = message_poll();
    message_unlock();
    return events;
}

// ---- waiting

static bool is_crowded(void)
{
    int size = process.shm->node_size;
    return size > 1 && size > shm_cores(process.shm);
}

static void give_way(bool is_crowded)
{
    if (is_crowded || atomic_load(&process.messages->lock_waiters) > 0)
        sched_yield();
    else
        cpu_relax();
}

void message_progress_and_yield(void)
{
    if (message_progress() == 0 && is_crowded())
        sched_yield();
}

static bool poll_for(bool (*done)(void *argument), void *argument)
{
    message_lock();
    message_poll();
    bool is_done = done(argument);
    message_unlock();
    return is_done;
}

// Polls, sleeps if that does not bring what is waited for, and polls again.
static bool sleep_for(bool (*done)(void *argument), void *argument,
                      uint64_t nanoseconds)
{
    struct messages *messages = process.messages;
    message_lock();
    messages->sleepers++;
    uint32_t ticket = shm_arm(process.shm, SHM_BELL_CALL);
    message_poll();
    bool is_done = done(argument);
    message_unlock();
    if (!is_done) {
        count_shared(COUNTER_CALL_SLEEPS, 1);
        network_server_rouse(messages);
        shm_sleep(process.shm, SHM_BELL_CALL, ticket, nanoseconds);
    }
    message_lock();
    if (--messages->sleepers == 0)
        shm_disarm(process.shm, SHM_BELL_CALL);
    message_poll();
    is_done = is_done || done(argument);
    message_unlock();
    return is_done;
}

static bool spin_for(bool (*done)(void *argument), void *argument, uint64_t end)
{
    bool crowded = is_crowded();
    do {
        for (int i = 0; i < POLLS_PER_CLOCK; i++) {
            if (poll_for(done, argument))
                return true;
            give_way(crowded);
        }
    } while (clock_nanoseconds() < end);
    return false;
}

// Without a server nobody rings for the network, and what it did not take waits for a
// poll.
static uint64_t longest_sleep(const struct messages *messages)
{
    if (atomic_load(&messages->network_is_busy))
        return 10 * MICROSECOND;
    if (process.net && !atomic_load(&messages->network_server.is_running))
        return 100 * MICROSECOND;
    return 100 * MILLISECOND;
}

// Looks for deaths after 100 ms, then ever less often, at last once a second.
static int wait_long(bool (*done)(void *argument), void *argument)
{
    uint64_t start = clock_nanoseconds(), look = start + 100 * MILLISECOND;
    uint64_t spin = (uint64_t)process.options.spin_microseconds * MICROSECOND;
    if (spin_for(done, argument, start + spin))
        return 0;
    for (;;) {
        if (sleep_for(done, argument, longest_sleep(process.messages)))
            return 0;
        uint64_t now = clock_nanoseconds();
        if (now < look)
            continue;
        int err = message_check_deaths();
        if (err)
            return poll_for(done, argument) ? 0 : err;
        look =
            now + (now - start < 1000 * MILLISECOND ? now - start : 1000 * MILLISECOND);
    }
}

int message_wait(bool (*done)(void *argument), void *argument)
{
    return poll_for(done, argument) ? 0 : wait_long(done, argument);
}

static bool is_never_done(void *argument)
{
    (void)argument;
    return false;
}

static int nap(unsigned count)
{
    unsigned doublings = count / 16 < 4 ? count / 16 : 4;
    sleep_for(is_never_done, NULL, 50 * MICROSECOND << doublings);
    return count % BACKOFF_CHECK == BACKOFF_CHECK - 1 ? message_check_deaths() : 0;
}

int message_backoff(unsigned *spins)
{
    unsigned step = (*spins)++;
    unsigned spin =
        (unsigned)process.options.spin_microseconds * BACKOFF_PER_MICROSECOND;
    if (step < spin + BACKOFF_YIELDS) {
        bool crowded = step >= spin || is_crowded();
        if (crowded || step % POLLS_PER_CLOCK == POLLS_PER_CLOCK - 1)
            message_progress();
        give_way(crowded);
        return 0;
    }
    return nap(step - spin - BACKOFF_YIELDS);
}
