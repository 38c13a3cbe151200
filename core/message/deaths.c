// SPDX-License-Identifier: BSD-3-Clause
// Detection of deaths. Each process watches one other: the next of its node, and the
// last of a node the leader of the next node. Besides, a process that waits for long
// looks at all its local peers. The process that finds a death records it in the
// segment and tells one process of every other node, which does the same. The first
// death is enough: from then on no process waits for long.
#include "message/addresses.h"
#include "message/deaths.h"
#include "message/engine.h"

#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const uint64_t PATIENCE = 100000000, SECOND = 1000000000; // nanoseconds
enum { REFUSAL_SECONDS = 5 }; // until a leader that is out of reach counts as dead

// ---- telling

// The process that is told for its node: the leader, or the next one if the leader is
// dead.
static int listener_of(int node, int dead)
{
    const struct boot *boot = process.boot;
    int rank = boot_leader(boot, node);
    while (rank < boot->size && (rank == dead || boot_node(boot, rank) != node))
        rank++;
    return rank < boot->size ? rank : -1;
}

// Callers hold the message lock.
static void death_tell_locked(const struct death *death)
{
    const struct boot *boot = process.boot;
    if (!shm_tell_death(process.shm, death))
        return;
    log_verbose("rank %d %s (%s)", death->rank, death->is_lost ? "is lost" : "has died",
                death->where);
    for (int node = 0; node < boot->node_count; node++) {
        int listener = listener_of(node, death->is_lost ? -1 : death->rank);
        if (node != boot->node && listener >= 0 &&
            message_send(listener, MESSAGE_DEATH, death, sizeof *death, NULL, 0))
            log_verbose("rank %d cannot be told of it", listener);
    }
}

static void death_tell(const struct death *death)
{
    message_lock();
    death_tell_locked(death);
    message_unlock();
}

void message_lost(int rank, int error_class, const char *why)
{
    struct death death = {.rank = rank, .error_class = error_class, .is_lost = true};
    snprintf(death.where, sizeof death.where, "%s", why);
    death_tell_locked(&death);
}

static void tell_of_local_peer(int peer)
{
    struct death death = {.rank = process.boot->node_members[peer],
                          .error_class = MPI_ERR_PROC_ABORTED};
    char host[NET_HOST_MAX] = "this host";
    gethostname(host, sizeof host - 1);
    snprintf(death.where, sizeof death.where, "pid %d on %s",
             shm_pid(process.shm, peer), host);
    death_tell(&death);
}

static void tell_of_local_peers(void)
{
    for (int peer = 0; peer < process.shm->node_size; peer++)
        if (!shm_is_alive(process.shm, peer))
            tell_of_local_peer(peer);
}

static void handle_death(int source, const void *message, size_t bytes)
{
    struct death death;
    if (bytes == sizeof death)
        memcpy(&death, message, sizeof death);
    if (bytes != sizeof death || death.rank < 0 || death.rank >= process.boot->size ||
        death.error_class <= MPI_SUCCESS || death.error_class > MPI_ERR_LASTCODE) {
        message_refuse(source, "a death");
        return;
    }
    death.where[sizeof death.where - 1] = '\0';
    shm_tell_death(process.shm, &death);
}

// ---- watching

void deaths_watch(struct messages *messages)
{
    const struct boot *boot = process.boot;
    int peer = boot->node_rank + 1, node = (boot->node + 1) % boot->node_count;
    message_register(&(struct message_kind){MESSAGE_DEATH, handle_death, false}, 1);
    if (peer < boot->node_size) {
        messages->watched.rank = boot->node_members[peer];
        messages->watched.descriptor = shm_watch(process.shm, peer);
    } else {
        messages->watched.rank = boot_leader(boot, node);
        messages->watched.descriptor = node_lifeline_take(node, messages->watched.host);
    }
    if (atomic_load(&messages->watched.descriptor) == NET_LIFELINE_REFUSED) {
        messages->watched.refused = clock_nanoseconds();
        gaps_ask(messages->watched.rank);
    }
}

static void death_check_watched(struct messages *messages, int descriptor)
{
    int rank = messages->watched.rank;
    if (boot_is_local(process.boot, rank)) {
        int peer = boot_local_rank(process.boot, rank);
        if (!shm_is_alive(process.shm, peer))
            tell_of_local_peer(peer);
    } else if (net_lifeline_is_cut(descriptor)) {
        tell_of_local_peers(); // it may have ended because one of them had died
        struct death death = {.rank = rank, .error_class = MPI_ERR_PROC_ABORTED};
        snprintf(death.where, sizeof death.where, "at %s", messages->watched.host);
        death_tell(&death);
    }
}

// Of several threads that notice the end of the watched process, one looks at it.
void deaths_look(struct messages *messages)
{
    int descriptor = atomic_load(&messages->watched.descriptor);
    struct pollfd end = {descriptor, POLLIN, 0};
    if (descriptor < 0 || poll(&end, 1, 0) <= 0 ||
        !atomic_compare_exchange_strong(&messages->watched.descriptor, &descriptor, -1))
        return;
    death_check_watched(messages, descriptor);
    close(descriptor);
}

// A leader that refuses its lifeline may have died. If a firewall has refused it, the
// leader answers all the same.
static void check_refusal(const struct messages *messages)
{
    uint64_t refused = messages->watched.refused;
    int rank = messages->watched.rank;
    if (likely(refused == 0) ||
        clock_nanoseconds() - refused < REFUSAL_SECONDS * SECOND)
        return;
    message_lock();
    bool has_answered = messages->numbers[rank].taken > 0;
    message_unlock();
    if (has_answered)
        return;
    struct death death = {.rank = rank, .error_class = MPI_ERR_PROC_ABORTED};
    snprintf(death.where, sizeof death.where, "at %s, out of reach",
             messages->watched.host);
    death_tell(&death);
}

// Another thread may take the descriptor once the watched process has ended.
static bool do_others_live(const struct messages *messages)
{
    struct pollfd end = {atomic_load(&messages->watched.descriptor), POLLIN, 0};
    bool does_one = end.fd >= 0 && poll(&end, 1, 0) == 0;
    for (int peer = 0; peer < process.shm->node_size && !does_one; peer++)
        does_one = peer != process.shm->node_rank && shm_is_alive(process.shm, peer);
    return does_one;
}

void deaths_await_others(const struct messages *messages)
{
    enum { LOOKS = 400, NANOSECONDS = 5000000 };
    for (int look = 0; look < LOOKS && do_others_live(messages); look++)
        nanosleep(&(struct timespec){.tv_nsec = NANOSECONDS}, NULL);
}

// Tools are told when a call fails with the death for the first time.
static int fail_of(const struct death *death)
{
    if (event_is_wanted(EVENT_PROCESS_DIED) &&
        !atomic_exchange(&process.messages->death_is_told, true))
        event_raise(EVENT_PROCESS_DIED, (MPI_Count[]){death->rank});
    return death->is_lost ? fail(death->error_class, "rank %d is lost: %s", death->rank,
                                 death->where)
                          : fail(MPI_ERR_PROC_ABORTED, "rank %d (%s) has died",
                                 death->rank, death->where);
}

int deaths_check(int rank)
{
    const struct death *death = shm_death(process.shm);
    return death && death->rank == rank ? fail_of(death) : 0;
}

int message_known_death(void)
{
    const struct death *death = shm_death(process.shm);
    return death ? fail_of(death) : 0;
}

static int check_network(void)
{
    if (!process.net || !net_is_starved(process.net))
        return 0;
    return fail(MPI_ERR_NO_MEM, "the network has no memory to send messages");
}

int message_check_deaths(void)
{
    deaths_look(process.messages);
    check_refusal(process.messages);
    late_reads_look();
    tell_of_local_peers();
    int err = message_known_death();
    if (!err && atomic_load(&process.messages->is_starved))
        err = fail(MPI_ERR_NO_MEM, "no memory to handle messages of other processes");
    return err ? err : check_network();
}

// The first test in vain begins the wait.
int message_looked(bool has_found)
{
    _Atomic(uint64_t) *next_look = &process.messages->next_look;
    uint64_t look = atomic_load_explicit(next_look, memory_order_relaxed);
    if (has_found) {
        if (look != 0)
            atomic_store_explicit(next_look, 0, memory_order_relaxed);
        return 0;
    }
    uint64_t now = clock_nanoseconds();
    if (look != 0 && now < look)
        return 0;
    int err = look != 0 ? message_check_deaths() : 0;
    if (!err)
        atomic_store_explicit(next_look, now + (look != 0 ? SECOND : PATIENCE),
                              memory_order_relaxed);
    return err;
}
