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
static const uint64_t LINGER = 20000;     // after work, more work is likely
static const uint64_t NAP = 150000; // how late a server may notice that it is needed

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
    message_lock();
    uint64_t polls =
        atomic_load_explicit(&messages->program_polls, memory_order_relaxed);
    bool has_polled = polls != *seen, sleeps = messages->sleeping != NULL;
    message_unlock();
    *seen = polls;
    return has_polled && !sleeps;
}

// Polls until nothing has come for a while. True when that was needless.
static bool linger(struct messages *messages, uint64_t *seen)
{
    uint64_t end = 0, now;
    do {
        int events = poll_locked(messages);
        if (is_needless(messages, seen))
            return true;
        now = clock_nanoseconds();
        if (events > 0)
            end = now + LINGER;
        sched_yield(); // the program's own thread first
    } while (now < end);
    return false;
}

static void woke(uint64_t start)
{
    count_shared(COUNTER_SERVER_WAKEUPS, 1);
    raise_sleep(EVENT_SERVER_SLEPT, start);
}

static void nap(struct messages *messages, struct server *server)
{
    uint64_t start = clock_nanoseconds();
    atomic_store(&server->naps, 1);
    if (!atomic_load(&messages->is_stopping))
        futex_wait(&server->naps, 1, NAP);
    atomic_store(&server->naps, 0);
    woke(start);
}

static void end_nap(struct server *server)
{
    if (atomic_load(&server->naps) && atomic_exchange(&server->naps, 0))
        futex_wake(&server->naps, 1);
}

static void sleep_on_bell(uint32_t ticket)
{
    uint64_t start = clock_nanoseconds();
    shm_sleep(process.shm, SHM_BELL_SERVER, ticket, LONG);
    woke(start);
}

static void *serve_node(void *argument)
{
    struct messages *messages = argument;
    uint64_t seen = 0;
    thread_run_briefly();
    while (!atomic_load(&messages->is_stopping)) {
        if (linger(messages, &seen)) {
            nap(messages, &messages->node_server);
            continue;
        }
        uint32_t ticket = shm_arm(process.shm, SHM_BELL_SERVER);
        if (poll_locked(messages) == 0 && !atomic_load(&messages->is_stopping))
            sleep_on_bell(ticket);
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

// Places in the array that poll() gets.
enum { POLL_NETWORK, POLL_WAKEUP, POLL_WATCHED, POLL_SOURCES };

// Without a descriptor of the network, only for a moment.
static void sleep_on_network(struct messages *messages,
                             struct pollfd sources[POLL_SOURCES])
{
    uint64_t start = clock_nanoseconds();
    int milliseconds = sources[POLL_NETWORK].fd >= 0 ? -1 : 1;
    sources[POLL_WATCHED].fd = atomic_load(&messages->watched.descriptor);
    if (poll(sources, POLL_SOURCES, milliseconds) > 0 && sources[POLL_WATCHED].revents)
        deaths_look(messages);
    woke(start);
}

static void *serve_network(void *argument)
{
    struct messages *messages = argument;
    struct pollfd sources[POLL_SOURCES] = {
        [POLL_NETWORK] = {.fd = net_descriptor(process.net), .events = POLLIN},
        [POLL_WAKEUP] = {.fd = messages->wakeup, .events = POLLIN},
        [POLL_WATCHED] = {.events = POLLIN},
    };
    uint64_t seen = 0;
    thread_run_briefly();
    while (!atomic_load(&messages->is_stopping)) {
        if (linger(messages, &seen))
            nap(messages, &messages->network_server);
        else if (!may_sleep(messages))
            sched_yield();
        else
            sleep_on_network(messages, sources);
    }
    return NULL;
}

void network_server_rouse(struct messages *messages)
{
    end_nap(&messages->network_server);
}

// ---- start and stop

// Signals are the program's: its own threads get them.
static int start_thread(struct messages *messages, struct server *server,
                        const char *name, void *(*serve)(void *))
{
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
    end_nap(&messages->node_server);
    end_nap(&messages->network_server);
    stop_server(&messages->node_server);
    stop_server(&messages->network_server);
    if (messages->wakeup >= 0)
        close(messages->wakeup);
}
