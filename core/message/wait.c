// SPDX-License-Identifier: BSD-3-Clause
// Waiting. Of the threads of a process that wait, one is the poller. It polls for
// ORIEL_SPIN microseconds, a hundred times as long in a job of several nodes, or twenty times
// with more processes than CPUs on one node. With these, or a local peer on the same core, it
// yields its core at every step. Then it sleeps on the process's doorbell. Messages that it
// handles for others make it poll that long once more, since more are likely to follow. The
// others rest until messages that were handled end their wait, or the poller leaves and one
// of them takes its place. The network wakes a sleeping poller through its thread.
#include "message/engine.h"
#include "message/long_wait.h"

#include <sched.h>

enum {
    POLLS_PER_CLOCK = 16,         // the clock costs more than a poll
    FIRST_POLLS = 32,             // of a wait, without the clock and without yields
    BACKOFF_SETTLED = 16,         // steps after which the wait is not a short one
    BACKOFF_PER_MICROSECOND = 16, // steps; one that polls the network takes it all
    BACKOFF_YIELDS = 1000,
    BACKOFF_YIELDS_OF_NODES = 20, // who is waited for may itself wait for another node
    YIELDS_PER_CLOCK = 4, // beside busy programs each takes tens of milliseconds
    NAP_DOUBLINGS = 4,    // of the nap, each after NAPS_PER_LENGTH
    NAPS_PER_LENGTH = 16,
    SPINS_OF_NODES = 100, // an answer takes longer, and bulk data come without events
    SPINS_OF_CROWD = 20,  // others have their turns on the core meanwhile
    CORE_LOOK = 64,       // polls between two looks for local peers on this core
};

static const uint64_t MICROSECOND = 1000, MILLISECOND = 1000000;
// Until a local peer on another core has answered a short wait.
static const uint64_t CORE_PATIENCE = 2000;

enum call { CALL_NONE, CALL_DONE, CALL_POLL };

// A thread that waits.
struct waiter {
    bool (*done)(void *argument); // NULL: for anything that comes
    void *argument;
    bool is_done;
    _Atomic(uint32_t) call; // enum call; futex word of one that rests
    struct waiter *next;    // among those that rest, or that sleep on the doorbell
};

// done() may take what has come, so that it is not asked again after it was true.
static bool waiter_is_done(struct waiter *waiter)
{
    if (!waiter->is_done && waiter->done != NULL)
        waiter->is_done = waiter->done(waiter->argument);
    return waiter->is_done;
}

static void waiters_add(struct waiter **list, struct waiter *waiter)
{
    waiter->next = *list;
    *list = waiter;
}

static void waiters_remove(struct waiter **list, const struct waiter *waiter)
{
    while (*list != waiter)
        list = &(*list)->next;
    *list = waiter->next;
}

// Afterwards the waiter may be gone.
static void waiter_call(struct waiter *waiter, enum call call)
{
    atomic_store(&waiter->call, call);
    futex_wake(&waiter->call, 1);
}

// The thread polls no more for the others. Callers hold the message lock.
static void poller_leave(struct messages *messages)
{
    struct waiter *next = messages->resting;
    messages->has_poller = next != NULL;
    if (next != NULL) {
        messages->resting = next->next;
        waiter_call(next, CALL_POLL);
    }
}

static void waiters_wake(struct messages *messages)
{
    struct waiter **link = &messages->resting, *waiter;
    while ((waiter = *link) != NULL) {
        if (waiter_is_done(waiter)) {
            *link = waiter->next;
            waiter_call(waiter, CALL_DONE);
        } else {
            link = &waiter->next;
        }
    }
    for (waiter = messages->sleeping; waiter != NULL; waiter = waiter->next)
        if (waiter->done == NULL || waiter_is_done(waiter))
            shm_ring_own(process.shm, SHM_BELL_CALL);
}

// A done() that completes what others wait for, too, calls this function: the lists are
// gone through once more then, and not meanwhile, when their waiters could be gone.
void message_wake(void)
{
    struct messages *messages = process.messages;
    messages->must_wake = true;
    if (messages->is_waking)
        return;
    messages->is_waking = true;
    while (messages->must_wake) {
        messages->must_wake = false;
        waiters_wake(messages);
    }
    messages->is_waking = false;
}

// ---- polling and sleeping

// Is a local peer on this core, where it may have to wait for it to answer? The kernel
// leaves two that wake each other together, even if another core is next to idle.
static bool look_at_core(struct messages *messages)
{
    bool shares = shm_shares_core(process.shm);
    atomic_store_explicit(&messages->shares_core, shares, memory_order_relaxed);
    return shares;
}

// Looks again if a local peer was on this core.
static bool shares_core_still(struct messages *messages)
{
    return atomic_load_explicit(&messages->shares_core, memory_order_relaxed) &&
           look_at_core(messages);
}

static void give_way(bool must_yield)
{
    if (must_yield || atomic_load(&process.messages->lock_waiters) > 0)
        sched_yield();
    else
        cpu_relax();
}

void message_progress_and_yield(void)
{
    if (message_progress() == 0 && process.messages->is_crowded)
        sched_yield();
}

// Polls until there are so many *polls, or another thread wants the lock. Adds the events
// to *events. A poller that is done leaves.
static bool waiter_poll(struct waiter *waiter, int limit, int *polls, int *events)
{
    struct messages *messages = process.messages;
    bool done;
    message_lock();
    do {
        *events += message_poll();
        done = waiter_is_done(waiter);
        ++*polls;
    } while (!done && *polls < limit && atomic_load(&messages->lock_waiters) == 0);
    if (done)
        poller_leave(messages);
    message_unlock();
    return done;
}

static bool waiter_poll_once(struct waiter *waiter)
{
    message_lock();
    message_poll();
    bool done = waiter_is_done(waiter);
    message_unlock();
    return done;
}

static unsigned spin_microseconds(void)
{
    unsigned spin = (unsigned)process.options.spin_microseconds;
    return process.net ? SPINS_OF_NODES * spin : spin;
}

static uint64_t spin_nanoseconds(void)
{
    uint64_t crowd = process.messages->is_crowded && !process.net ? SPINS_OF_CROWD : 1;
    return spin_microseconds() * MICROSECOND * crowd;
}

// ---- showing local peers that this process waits -------------------------------
static enum shm_wait shown_wait(void)
{
    return shm_wait_of(process.shm, process.shm->node_rank);
}

// A message may come when the wait is over, so that a process without a node thread,
// which then handles it, never shows that it waits.
static void show_wait(const struct messages *messages, enum shm_wait wait)
{
    if (messages->node_thread.is_running && shown_wait() != wait)
        shm_show_wait(process.shm, wait);
}

// Whoever sends a message after the word is cleared knows that it may be left behind.
static void stop_polling(void)
{
    if (likely(shown_wait() != SHM_WAIT_POLLS))
        return;
    shm_show_wait(process.shm, SHM_WAIT_NONE);
    while (message_progress() >= POLL_MAX) // then some may be left that came before
        ;
}

// A process that shares its core, or may have to, does not poll when a message wakes it.
static void show_sleep(const struct messages *messages)
{
    if (!messages->is_crowded &&
        !atomic_load_explicit(&messages->shares_core, memory_order_relaxed))
        show_wait(messages, SHM_WAIT_SLEEPS);
}

// The caller polls afterwards.
static void stop_sleeping(void)
{
    if (shown_wait() != SHM_WAIT_NONE)
        shm_show_wait(process.shm, SHM_WAIT_NONE);
}

// On a crowded machine a thread that yields comes back late, but one that the network
// wakes comes back soon. On another machine the progress thread of the awaited process
// may have woken on this core. While messages come, the end is put off up to the limit.
static bool waiter_spin(struct waiter *waiter, uint64_t end, uint64_t limit)
{
    struct messages *messages = process.messages;
    uint64_t spin = spin_nanoseconds();
    if (messages->is_crowded && process.net)
        return false;
    bool yields = messages->is_crowded || process.net || shares_core_still(messages);
    uint64_t now = clock_nanoseconds(), look = now + CORE_PATIENCE;
    for (; now < end; now = clock_nanoseconds()) {
        if (!yields && now >= look) {
            yields = look_at_core(messages);
            look = now + CORE_PATIENCE;
            if (!yields)
                show_wait(messages, SHM_WAIT_POLLS);
        }
        int events = 0, limit_of_polls = yields ? YIELDS_PER_CLOCK : POLLS_PER_CLOCK;
        for (int polls = 0; polls < limit_of_polls;) {
            if (waiter_poll(waiter, yields ? 1 : limit_of_polls, &polls, &events))
                return true;
            if (yields || atomic_load(&messages->lock_waiters) > 0)
                sched_yield();
        }
        if (yields && !process.net)
            continue;
        if (events > 0 && end < now + spin)
            end = now + spin;
        if (end > limit)
            end = limit;
    }
    return false;
}

// Polls, sleeps if that brings nothing, and polls again. A poll that has brought
// something may have left more, for which no doorbell rings. Adds the events to *events.
// A poller that is done leaves.
static bool waiter_sleep(struct waiter *waiter, uint64_t nanoseconds, int *events)
{
    struct messages *messages = process.messages;
    message_lock();
    waiters_add(&messages->sleeping, waiter);
    atomic_store(&messages->has_sleepers, true);
    uint32_t ticket = shm_arm(process.shm, SHM_BELL_CALL);
    int before = message_poll();
    bool must_sleep = before == 0 && !waiter_is_done(waiter);
    message_unlock();
    if (must_sleep) {
        count_shared(COUNTER_CALL_SLEEPS, 1);
        network_thread_rouse(messages);
        show_sleep(messages);
        uint64_t start = clock_nanoseconds();
        shm_sleep(process.shm, SHM_BELL_CALL, ticket, nanoseconds);
        stop_sleeping();
        raise_sleep(EVENT_CALL_SLEPT, start);
    }
    message_lock();
    waiters_remove(&messages->sleeping, waiter);
    if (messages->sleeping == NULL) {
        atomic_store(&messages->has_sleepers, false);
        shm_disarm(process.shm, SHM_BELL_CALL);
    }
    *events += before + message_poll();
    bool done = waiter_is_done(waiter);
    if (done)
        poller_leave(messages);
    message_unlock();
    return done;
}

// Without a progress thread no doorbell rings for the network, and its backlog waits
// for a poll. No doorbell rings for a message that waits for memory.
static uint64_t longest_sleep(const struct messages *messages)
{
    if (atomic_load(&messages->is_starved))
        return MILLISECOND;
    if (!process.net || atomic_load(&messages->network_thread.is_running))
        return 100 * MILLISECOND;
    return (atomic_load(&messages->network_is_busy) ? 10 : 100) * MICROSECOND;
}

// ---- one poller

// True if the thread is the poller from now on.
static bool waiter_enlist(struct waiter *waiter)
{
    struct messages *messages = process.messages;
    message_lock();
    bool has_poller = messages->has_poller;
    messages->has_poller = true;
    atomic_store(&waiter->call, CALL_NONE);
    if (has_poller && waiter_is_done(waiter))
        atomic_store(&waiter->call, CALL_DONE);
    else if (has_poller)
        waiters_add(&messages->resting, waiter);
    message_unlock();
    return !has_poller;
}

static bool poller_wait(struct waiter *waiter, uint64_t spin_end, uint64_t end)
{
    struct messages *messages = process.messages;
    bool done = waiter_spin(waiter, spin_end, end);
    stop_polling();
    while (!done && clock_nanoseconds() < end) {
        int events = 0;
        done = waiter_sleep(waiter, longest_sleep(messages), &events);
        if (!done && events > 0 && !messages->is_crowded)
            done = waiter_spin(waiter, clock_nanoseconds() + spin_nanoseconds(), end);
        stop_polling();
    }
    if (!done) {
        message_lock();
        poller_leave(messages);
        message_unlock();
    }
    return done;
}

static void waiter_stop_resting(struct waiter *waiter)
{
    message_lock();
    if (atomic_load(&waiter->call) == CALL_NONE)
        waiters_remove(&process.messages->resting, waiter);
    message_unlock();
}

static bool waiter_rest(struct waiter *waiter, uint64_t spin_end, uint64_t end)
{
    uint64_t now;
    while (atomic_load(&waiter->call) == CALL_NONE && (now = clock_nanoseconds()) < end)
        futex_wait(&waiter->call, CALL_NONE, end - now);
    if (atomic_load(&waiter->call) == CALL_NONE)
        waiter_stop_resting(waiter);
    enum call call = atomic_load(&waiter->call);
    return call == CALL_POLL ? poller_wait(waiter, spin_end, end) : call == CALL_DONE;
}

static int waiter_wait(struct waiter *waiter, wait_explainer *explain)
{
    uint64_t start = clock_nanoseconds(), look = start + LONG_WAIT;
    uint64_t spin_end = start + spin_nanoseconds();
    for (bool is_long = false;; is_long = true) {
        bool is_done = waiter_enlist(waiter) ? poller_wait(waiter, spin_end, look)
                                             : waiter_rest(waiter, spin_end, look);
        int err = is_done ? 0 : long_wait_look(explain, waiter->argument, start, &look);
        if (!is_done && !err)
            continue;
        if (is_long || err)
            long_wait_end();
        return is_done || waiter_poll_once(waiter) ? 0 : err;
    }
}

// The answer of who polls comes before a poller has been chosen and the clock read, and is
// seen at once, not after a yield. The message lock is held, and free afterwards.
static int waiter_wait_locked(struct waiter *waiter, wait_explainer *explain)
{
    const struct messages *messages = process.messages;
    bool spins = process.options.spin_microseconds > 0;
    int polls = !spins || messages->is_crowded ? 1 : FIRST_POLLS;
    bool done;
    do {
        message_poll();
        done = waiter_is_done(waiter);
    } while (!done && --polls > 0 && atomic_load(&messages->lock_waiters) == 0);
    message_unlock();
    return done ? 0 : waiter_wait(waiter, explain);
}

int message_wait(bool (*done)(void *argument), void *argument, wait_explainer *explain)
{
    struct waiter waiter = {.done = done, .argument = argument};
    if (waiter_poll_once(&waiter))
        return 0;
    message_lock();
    return waiter_wait_locked(&waiter, explain);
}

int message_wait_locked(bool (*done)(void *argument), void *argument,
                        wait_explainer *explain)
{
    struct waiter waiter = {.done = done, .argument = argument};
    return waiter_wait_locked(&waiter, explain);
}

// ---- waiting for shared memory

static void backoff_nap(unsigned number, int *events)
{
    struct waiter waiter = {.done = NULL};
    unsigned length = number / NAPS_PER_LENGTH;
    unsigned doublings = length < NAP_DOUBLINGS ? length : NAP_DOUBLINGS;
    waiter_sleep(&waiter, 50 * MICROSECOND << doublings, events);
}

// Whether to yield: looks at the core now and then, and where the last look has found a
// local peer.
static bool backoff_must_yield(unsigned step)
{
    struct messages *messages = process.messages;
    if (step % CORE_LOOK == CORE_LOOK - 1)
        return look_at_core(messages);
    return step == 0
               ? shares_core_still(messages)
               : atomic_load_explicit(&messages->shares_core, memory_order_relaxed);
}

// The wait is not a short one and this process has its core for itself.
static int backoff_poll(struct messages *messages)
{
    show_wait(messages, SHM_WAIT_POLLS);
    if (atomic_load(&messages->lock_waiters) > 0)
        sched_yield();
    return message_progress();
}

static int backoff_give_way(unsigned step, bool must_yield)
{
    int events = must_yield || step % POLLS_PER_CLOCK == POLLS_PER_CLOCK - 1
                     ? message_progress()
                     : 0;
    give_way(must_yield);
    return events;
}

// The step from which on a wait naps. One that has lasted for long does so at once, for
// its yields take long.
static unsigned backoff_first_nap(unsigned step, unsigned spin)
{
    bool crowds_nodes = process.messages->is_crowded && process.net;
    if (step >= BACKOFF_SETTLED && long_wait_is_listed())
        return 0;
    return spin + (crowds_nodes ? BACKOFF_YIELDS_OF_NODES : BACKOFF_YIELDS);
}

static unsigned backoff_spins(bool crowded)
{
    if (process.net)
        return crowded ? 0 : spin_microseconds();
    return spin_microseconds() * BACKOFF_PER_MICROSECOND;
}

// A wait that handles messages for others begins anew, but for its looks.
int message_backoff(unsigned *spins, wait_explainer *explain, const void *argument)
{
    unsigned step = (*spins)++;
    bool crowded = process.messages->is_crowded, is_settled = step >= BACKOFF_SETTLED;
    unsigned spin = backoff_spins(crowded), first_nap = backoff_first_nap(step, spin);
    bool must_yield = crowded || step >= spin || backoff_must_yield(step);
    bool must_look = is_settled && must_yield && step % YIELDS_PER_CLOCK == 0;
    int events = 0;
    if (!must_yield && is_settled) {
        events = backoff_poll(process.messages);
    } else if (step < first_nap) {
        events = backoff_give_way(step, must_yield);
    } else {
        stop_polling();
        backoff_nap(step - first_nap, &events);
        must_look = true;
    }
    if (events > 0 && !crowded && is_settled) {
        *spins = BACKOFF_SETTLED;
        must_look = true;
    }
    return must_look ? long_wait_look(explain, argument, 0, &(uint64_t){0}) : 0;
}

void message_backoff_end(unsigned spins)
{
    if (spins < BACKOFF_SETTLED)
        return;
    stop_polling();
    long_wait_end();
}
