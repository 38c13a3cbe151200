// SPDX-License-Identifier: BSD-3-Clause
// The servers: threads that make progress while the program computes. The node server
// sleeps on the node's doorbell, the network server on the network's descriptor. While
// the program polls for itself they nap instead, so that they are not woken for every
// message and do not race for it.
#include "message/private.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { STACK_BYTES = 1 << 20 };

static const uint64_t LONG = 10000000000; // a sleep that only bells are meant to end
// How late a server may notice that it is needed; the longer the program has polled
// often, the later, for to look in vain takes time from it.
static const uint64_t NAP = 150000, NAP_LONG = 1200000, OFTEN = 10000;
// After work, more work is likely; very likely, if the last sleep was a short one.
static const uint64_t LINGER = 20000, LINGER_LONG = 200000;
// Between polls of a network that cannot be slept on; the longer it has brought nothing,
// the longer. The first are too short to sleep.
static const uint64_t PAUSE = 1000, PAUSE_ASLEEP = 10000, PAUSE_LONG = 1000000;

static int poll_locked(struct messages *messages)
{
    message_lock();
    int events = poll_once(messages, true);
    message_unlock();
    return events;
}

// Has the program polled for itself since *seen, and does none of its threads sleep now?
static bool is_needless(struct messages *messages, uint64_t *seen)
{
    uint64_t polls = atomic_load(&messages->program_polls);
    bool has_polled = polls != *seen;
    *seen = polls;
    return has_polled && !atomic_load(&messages->has_sleepers);
}

// Polls until nothing has come for a while. True when that is needless.
static bool linger(struct messages *messages, struct server *server, uint64_t *seen)
{
    while (!is_needless(messages, seen)) {
        int events = poll_locked(messages);
        uint64_t now = clock_nanoseconds();
        if (events > 0) {
            server->end = now + server->patience;
            server->pause = PAUSE;
        }
        if (now >= server->end)
            return false;
        sched_yield(); // the program's own thread first
    }
    return true;
}

static void woke(uint64_t start)
{
    count_shared(COUNTER_SERVER_WAKEUPS, 1);
    raise_sleep(EVENT_SERVER_SLEPT, start);
}

// By something that came. Not all of it is seen: the network carries out accesses to
// this process by itself when it is polled.
static void woke_for_work(struct server *server, uint64_t start)
{
    uint64_t now = clock_nanoseconds();
    server->patience = now - start < LINGER_LONG ? LINGER_LONG : LINGER;
    server->end = now + server->patience;
    server->pause = PAUSE;
    woke(start);
}

// Until that is over or the server is roused.
static void doze(struct messages *messages, struct server *server, uint64_t nanoseconds)
{
    atomic_store(&server->naps, 1);
    if (!atomic_load(&messages->is_stopping))
        futex_wait(&server->naps, 1, nanoseconds);
    atomic_store(&server->naps, 0);
}

static void nap(struct messages *messages, struct server *server)
{
    uint64_t start = clock_nanoseconds();
    uint64_t polls = atomic_load(&messages->program_polls);
    doze(messages, server, server->nap);
    polls = atomic_load(&messages->program_polls) - polls;
    if (polls * OFTEN < server->nap)
        server->nap = NAP;
    else if (server->nap < NAP_LONG)
        server->nap *= 2;
    woke(start);
}

static void end_doze(struct server *server)
{
    if (atomic_load(&server->naps) && atomic_exchange(&server->naps, 0))
        futex_wake(&server->naps, 1);
}

// Nobody rings for what waits for memory.
static void sleep_on_bell(const struct messages *messages, struct server *server,
                          uint32_t ticket)
{
    uint64_t start = clock_nanoseconds();
    shm_sleep(process.shm, SHM_BELL_SERVER, ticket,
              atomic_load(&messages->is_starved) ? PAUSE_LONG : LONG);
    woke_for_work(server, start);
}

static void *serve_node(void *argument)
{
    struct messages *messages = argument;
    struct server *server = &messages->node_server;
    uint64_t seen = 0;
    thread_run_briefly();
    while (!atomic_load(&messages->is_stopping)) {
        if (linger(messages, server, &seen)) {
            nap(messages, server);
            continue;
        }
        uint32_t ticket = shm_arm(process.shm, SHM_BELL_SERVER);
        if (poll_locked(messages) == 0 && !atomic_load(&messages->is_stopping))
            sleep_on_bell(messages, server, ticket);
    }
    return NULL;
}

static bool may_sleep(const struct messages *messages)
{
    message_lock();
    bool may = !atomic_load(&messages->network_is_busy) && net_may_sleep(process.net);
    message_unlock();
    return may;
}

// Something may just have come, there is a backlog, or the network has no descriptor.
static void pause_briefly(struct messages *messages, struct server *server)
{
    if (server->pause < PAUSE_ASLEEP)
        sched_yield();
    else
        doze(messages, server, server->pause);
    if (server->pause < PAUSE_LONG)
        server->pause *= 2;
}

// Places in the array that poll() gets.
enum { POLL_NETWORK, POLL_WAKEUP, POLL_WATCHED, POLL_SOURCES };

static void sleep_on_network(struct messages *messages,
                             struct pollfd sources[POLL_SOURCES])
{
    uint64_t start = clock_nanoseconds();
    sources[POLL_WATCHED].fd = atomic_load(&messages->watched.descriptor);
    if (poll(sources, POLL_SOURCES, -1) > 0 && sources[POLL_WATCHED].revents)
        deaths_look(messages);
    if (sources[POLL_WAKEUP].revents)
        eventfd_read(messages->wakeup, &(eventfd_t){0});
    woke_for_work(&messages->network_server, start);
}

static void *serve_network(void *argument)
{
    struct messages *messages = argument;
    struct pollfd sources[POLL_SOURCES] = {
        [POLL_NETWORK] = {.fd = net_descriptor(process.net), .events = POLLIN},
        [POLL_WAKEUP] = {.fd = messages->wakeup, .events = POLLIN},
        [POLL_WATCHED] = {.events = POLLIN},
    };
    struct server *server = &messages->network_server;
    uint64_t seen = 0;
    thread_run_briefly();
    while (!atomic_load(&messages->is_stopping)) {
        if (linger(messages, server, &seen))
            nap(messages, server);
        else if (may_sleep(messages))
            sleep_on_network(messages, sources);
        else
            pause_briefly(messages, server);
    }
    return NULL;
}

void network_server_rouse(struct messages *messages)
{
    end_doze(&messages->network_server);
    if (atomic_load(&messages->network_is_busy) && messages->wakeup >= 0)
        eventfd_write(messages->wakeup, 1);
}

// ---- start and stop

// Signals are the program's: its own threads get them.
static int start_thread(struct messages *messages, struct server *server,
                        const char *name, void *(*serve)(void *))
{
    server->nap = NAP;
    server->pause = PAUSE;
    if (!messages->has_threads)
        messages->has_threads = true;
    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&server->thread, &attributes, serve, messages);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (code)
        return fail(MPI_ERR_OTHER,
                    "no progress thread: pthread_create: %s; without one, "
                    "ORIEL_PROGRESS=off",
                    strerror(code));
    pthread_setname_np(server->thread, name);
    shm_use_all_cores(process.shm, server->thread); // though the program may be bound
    server->is_running = true;
    return 0;
}

int network_server_start(struct messages *messages)
{
    if (!process.options.progress_thread)
        return 0;
    messages->wakeup = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (messages->wakeup < 0)
        return fail(MPI_ERR_OTHER, "no progress thread: eventfd: %s", strerror(errno));
    return start_thread(messages, &messages->network_server, "oriel-network",
                        serve_network);
}

int message_serve(void)
{
    struct messages *messages = process.messages;
    if (!process.options.progress_thread || process.shm->node_size == 1 ||
        messages->node_server.is_running)
        return 0;
    return start_thread(messages, &messages->node_server, "oriel-node", serve_node);
}

static void stop_server(struct server *server)
{
    if (server->is_running)
        pthread_join(server->thread, NULL);
    server->is_running = false;
}

void servers_stop(struct messages *messages)
{
    atomic_store(&messages->is_stopping, true);
    if (process.shm)
        shm_ring_own(process.shm, SHM_BELL_SERVER);
    if (messages->wakeup >= 0)
        eventfd_write(messages->wakeup, 1);
    end_doze(&messages->node_server);
    end_doze(&messages->network_server);
    stop_server(&messages->node_server);
    stop_server(&messages->network_server);
    if (messages->wakeup >= 0)
        close(messages->wakeup);
}
