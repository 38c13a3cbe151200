// SPDX-License-Identifier: BSD-3-Clause
// The progress threads make progress while the program computes. The node thread
// sleeps on the node's doorbell, the network thread on the network's descriptor. While
// the program polls for itself they nap instead, so that they are not woken for
// every message and do not race for it.
#include "message/deaths.h"
#include "message/engine.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { STACK_BYTES = 1 << 20 };

static const uint64_t LONG = 10000000000; // a sleep that only bells are meant to end
// Longest time until a progress thread notices that it is needed. It grows while the
// program polls often, since polls in vain take time from it.
static const uint64_t NAP = 150000, NAP_LONG = 1200000, OFTEN = 10000;
// After work, more work is likely; very likely, if the last sleep was a short one.
static const uint64_t LINGER = 20000, LINGER_LONG = 200000;
// Until the core is offered to the program again: a long operation takes several messages.
static const uint64_t MORE = 2000;
// Until a sleeping thread tries again what the network did not take: it also counts how
// long a peer has been out of reach.
enum { BUSY_MILLISECONDS = 100 };
// So many polls of the program end the sleep of the network thread. On a crowded machine
// the program sleeps soon itself.
enum { POLLS_ASLEEP = 16 };
// Pauses between polls of a network that cannot be slept on; they grow while nothing
// comes. The first are too short to sleep.
static const uint64_t PAUSE = 1000, PAUSE_ASLEEP = 10000, PAUSE_LONG = 1000000;

static int poll_locked(struct messages *messages)
{
    message_lock();
    int events = poll_once(messages, true);
    message_unlock();
    return events;
}

// Has the program polled for itself since *seen, and does none of its threads sleep
// now?
static bool is_needless(struct messages *messages, uint64_t *seen)
{
    uint64_t polls = atomic_load(&messages->program_polls);
    bool has_polled = polls != *seen;
    *seen = polls;
    return has_polled && !atomic_load(&messages->has_sleepers);
}

// Polls until nothing has come for a while. True when that is needless.
static bool thread_linger(struct messages *messages, struct progress_thread *thread,
                          uint64_t *seen)
{
    uint64_t worked = 0;
    while (!is_needless(messages, seen)) {
        int events = poll_locked(messages);
        uint64_t now = clock_nanoseconds();
        if (events > 0) {
            worked = now;
            thread->end = now + thread->patience;
            thread->pause = PAUSE;
        }
        if (now >= thread->end)
            return false;
        if (now - worked >= MORE)
            sched_yield(); // the program's own thread first
    }
    return true;
}

static void thread_woke(uint64_t start)
{
    count_shared(COUNTER_PROGRESS_THREAD_WAKEUPS, 1);
    raise_sleep(EVENT_PROGRESS_THREAD_SLEPT, start);
}

// Called after a sleep that an event has ended. Not every event is seen: the network
// carries out accesses to this process by itself when it is polled.
static void thread_woke_for_work(struct progress_thread *thread, uint64_t start)
{
    uint64_t now = clock_nanoseconds();
    thread->patience = now - start < LINGER_LONG ? LINGER_LONG : LINGER;
    thread->end = now + thread->patience;
    thread->pause = PAUSE;
    thread_woke(start);
}

// Sleeps for that long, or until the thread is roused.
static void thread_doze(struct messages *messages, struct progress_thread *thread,
                        uint64_t nanoseconds)
{
    atomic_store(&thread->naps, 1);
    if (!atomic_load(&messages->is_stopping))
        futex_wait(&thread->naps, 1, nanoseconds);
    atomic_store(&thread->naps, 0);
}

// The next nap is longer if the program has polled often since the count was `before`.
static void thread_end_nap(const struct messages *messages,
                           struct progress_thread *thread, uint64_t start,
                           uint64_t before)
{
    uint64_t polls = atomic_load(&messages->program_polls) - before;
    if (polls * OFTEN < thread->nap)
        thread->nap = NAP;
    else if (thread->nap < NAP_LONG)
        thread->nap *= 2;
    thread_woke(start);
}

static void network_thread_nap(struct messages *messages,
                               struct progress_thread *thread)
{
    uint64_t start = clock_nanoseconds();
    uint64_t polls = atomic_load(&messages->program_polls);
    thread_doze(messages, thread, thread->nap);
    thread_end_nap(messages, thread, start, polls);
    if (message_waiting() & MESSAGES_BUNDLED) { // the program may compute by now
        message_lock();
        burst_end(messages, true);
        message_unlock();
    }
}

// A local peer that finds the program gone from its wait ends the nap. *ticket is that of
// the last look at the bell, so that no nap is too late to be ended.
static void node_thread_nap(struct messages *messages, struct progress_thread *thread,
                            uint32_t *ticket)
{
    uint64_t start = clock_nanoseconds();
    uint64_t polls = atomic_load(&messages->program_polls);
    shm_sleep(process.shm, SHM_BELL_PROGRESS, *ticket, thread->nap);
    uint32_t now = shm_ticket(process.shm, SHM_BELL_PROGRESS);
    if (now != *ticket)
        poll_locked(messages);
    *ticket = now;
    thread_end_nap(messages, thread, start, polls);
}

static void thread_end_doze(struct progress_thread *thread)
{
    if (atomic_load(&thread->naps) && atomic_exchange(&thread->naps, 0))
        futex_wake(&thread->naps, 1);
}

// No doorbell rings for a message that waits for memory.
static void node_thread_sleep(const struct messages *messages,
                              struct progress_thread *thread, uint32_t ticket)
{
    uint64_t start = clock_nanoseconds();
    shm_sleep(process.shm, SHM_BELL_PROGRESS, ticket,
              atomic_load(&messages->is_starved) ? PAUSE_LONG : LONG);
    thread_woke_for_work(thread, start);
}

static void *node_thread_run(void *argument)
{
    struct messages *messages = argument;
    struct progress_thread *thread = &messages->node_thread;
    uint64_t seen = 0;
    uint32_t roused = shm_ticket(process.shm, SHM_BELL_PROGRESS);
    thread_run_briefly();
    while (!atomic_load(&messages->is_stopping)) {
        if (thread_linger(messages, thread, &seen)) {
            node_thread_nap(messages, thread, &roused);
            continue;
        }
        uint32_t ticket = shm_arm(process.shm, SHM_BELL_PROGRESS);
        if (poll_locked(messages) == 0 && !atomic_load(&messages->is_stopping))
            node_thread_sleep(messages, thread, ticket);
    }
    return NULL;
}

// Who adds to a backlog while the thread sleeps ends the sleep, by this word, and so does
// the program that polls for itself.
static bool network_thread_may_sleep(struct messages *messages)
{
    message_lock();
    bool is_busy = atomic_load(&messages->network_is_busy);
    bool may = messages->bundle.bytes == 0 && net_may_sleep(process.net, is_busy) &&
               (!is_busy || backlogs_send(messages) == 0);
    messages->network_thread_sleeps = may;
    messages->sleep_end = messages->is_crowded
                              ? UINT64_MAX
                              : atomic_load(&messages->program_polls) + POLLS_ASLEEP;
    message_unlock();
    return may;
}

// Something may just have come, there is a backlog, or the network has no descriptor.
static void network_thread_pause(struct messages *messages,
                                 struct progress_thread *thread)
{
    if (thread->pause < PAUSE_ASLEEP)
        sched_yield();
    else
        thread_doze(messages, thread, thread->pause);
    if (thread->pause < PAUSE_LONG)
        thread->pause *= 2;
}

// Places in the array that poll() gets.
enum { POLL_NETWORK, POLL_CONNECTIONS, POLL_WAKEUP, POLL_WATCHED, POLL_SOURCES };

static void network_thread_sleep(struct messages *messages,
                                 struct pollfd sources[POLL_SOURCES])
{
    uint64_t start = clock_nanoseconds();
    int longest = atomic_load(&messages->network_is_busy) ? BUSY_MILLISECONDS : -1;
    sources[POLL_WATCHED].fd = atomic_load(&messages->watched.descriptor);
    if (poll(sources, POLL_SOURCES, longest) > 0 && sources[POLL_WATCHED].revents)
        deaths_look(messages);
    messages->network_thread_sleeps = false;
    if (sources[POLL_WAKEUP].revents)
        eventfd_read(messages->wakeup, &(eventfd_t){0});
    thread_woke_for_work(&messages->network_thread, start);
}

static void *network_thread_run(void *argument)
{
    struct messages *messages = argument;
    struct pollfd sources[POLL_SOURCES] = {
        [POLL_NETWORK] = {.fd = net_descriptor(process.net), .events = POLLIN},
        [POLL_CONNECTIONS] = {.fd = net_event_descriptor(process.net),
                              .events = POLLIN},
        [POLL_WAKEUP] = {.fd = messages->wakeup, .events = POLLIN},
        [POLL_WATCHED] = {.events = POLLIN},
    };
    struct progress_thread *thread = &messages->network_thread;
    uint64_t seen = 0;
    thread_run_briefly();
    while (!atomic_load(&messages->is_stopping)) {
        if (thread_linger(messages, thread, &seen))
            network_thread_nap(messages, thread);
        else if (network_thread_may_sleep(messages))
            network_thread_sleep(messages, sources);
        else
            network_thread_pause(messages, thread);
    }
    return NULL;
}

void network_thread_wake(struct messages *messages)
{
    if (atomic_exchange(&messages->network_thread_sleeps, false))
        eventfd_write(messages->wakeup, 1);
}

void network_thread_rouse(struct messages *messages)
{
    thread_end_doze(&messages->network_thread);
}

// ---- start and stop

// Signals are the program's: its own threads get them, but for that of a fault of the thread
// itself, which ends the process unseen if it is blocked.
static int progress_thread_start(struct messages *messages,
                                 struct progress_thread *thread, const char *name,
                                 void *(*serve)(void *))
{
    thread->nap = NAP;
    thread->pause = PAUSE;
    if (!messages->has_threads)
        messages->has_threads = true;
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&thread->handle, &attributes, serve, messages);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (code)
        return fail(MPI_ERR_OTHER,
                    "no progress thread: pthread_create: %s; without one, "
                    "ORIEL_PROGRESS=off",
                    strerror(code));
    pthread_setname_np(thread->handle, name);
    shm_use_all_cores(process.shm, thread->handle); // though the program may be bound
    thread->is_running = true;
    return 0;
}

int network_thread_start(struct messages *messages)
{
    if (!process.options.progress_thread)
        return 0;
    messages->wakeup = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (messages->wakeup < 0)
        return fail(MPI_ERR_OTHER, "no progress thread: eventfd: %s", strerror(errno));
    return progress_thread_start(messages, &messages->network_thread, "oriel-network",
                                 network_thread_run);
}

int message_serve(void)
{
    struct messages *messages = process.messages;
    if (!process.options.progress_thread || process.shm->node_size == 1 ||
        messages->node_thread.is_running)
        return 0;
    return progress_thread_start(messages, &messages->node_thread, "oriel-node",
                                 node_thread_run);
}

int message_threads(void)
{
    const struct messages *messages = process.messages;
    return messages->node_thread.is_running + messages->network_thread.is_running;
}

static void progress_thread_stop(struct progress_thread *thread)
{
    if (thread->is_running)
        pthread_join(thread->handle, NULL);
    thread->is_running = false;
}

void progress_threads_stop(struct messages *messages)
{
    atomic_store(&messages->is_stopping, true);
    if (process.shm)
        shm_rouse(process.shm, process.shm->node_rank);
    if (messages->wakeup >= 0)
        eventfd_write(messages->wakeup, 1);
    thread_end_doze(&messages->network_thread);
    progress_thread_stop(&messages->node_thread);
    progress_thread_stop(&messages->network_thread);
    if (messages->wakeup >= 0)
        close(messages->wakeup);
}
