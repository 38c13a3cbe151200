// SPDX-License-Identifier: BSD-3-Clause
// Identity and life of the processes of the node. Pid and start time identify a
// process, so that a reused pid is not mistaken for a living local peer.
#include "shm/control.h"
#include "shm/local_peer.h"
#include "shm/ring.h"
#include "shm/shared_heap.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct life {
    char state; // as ps shows it: R, S, Z ...
    int parent;
    long threads;
    unsigned long long start_time;
};

// Reads fields 3, 4, 20 and 22 of /proc/<pid>/stat; false when there is no such
// process.
static bool life_read(int pid, struct life *life)
{
    char path[32], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0)
        return false;
    text[length] = '\0';
    const char *fields = strrchr(text, ')'); // the name before it may hold anything
    return fields &&
           sscanf(fields,
                  ") %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d "
                  "%*d %*d %*d %ld %*d %llu",
                  &life->state, &life->parent, &life->threads, &life->start_time) == 4;
}

void peer_record_fill(struct shm *shm)
{
    struct peer_record *record = peer_record_of(shm, shm->node_rank);
    struct life life;
    record->pid = (int)getpid();
    record->start_time = life_read(record->pid, &life) ? life.start_time : 0;
    shared_heap_announce(shm, record);
    atomic_store(&record->state, PEER_ALIVE);
}

long shm_threads(void)
{
    struct life life;
    return life_read((int)getpid(), &life) ? life.threads : LONG_MAX;
}

bool shm_is_alive(const struct shm *shm, int node_rank)
{
    const struct peer_record *record = peer_record_of(shm, node_rank);
    if (atomic_load(&record->state) != PEER_ALIVE)
        return true;
    struct life life;
    if (!life_read(record->pid, &life) || life.start_time != record->start_time)
        // It may have said goodbye between the two looks.
        return atomic_load(&record->state) != PEER_ALIVE;
    // A dead process that its parent has not yet noticed; but a main thread may also
    // have ended before its process.
    bool is_dead = (life.state == 'Z' || life.state == 'X') && life.threads <= 1;
    return !is_dead || atomic_load(&record->state) != PEER_ALIVE;
}

// The record is written only when the core has changed, because local peers read it
// whenever they send.
bool shm_shares_core(struct shm *shm)
{
    int core = 1 + sched_getcpu(); // 0 where the system does not tell
    _Atomic(int) *own = &peer_record_of(shm, shm->node_rank)->core;
    if (atomic_load_explicit(own, memory_order_relaxed) != core)
        atomic_store_explicit(own, core, memory_order_relaxed);
    for (int peer = 0; peer < shm->node_size && core > 0; peer++) {
        const struct peer_record *record = peer_record_of(shm, peer);
        if (peer != shm->node_rank && atomic_load(&record->core) == core &&
            atomic_load(&record->state) == PEER_ALIVE &&
            !atomic_load(&record->bells[SHM_BELL_CALL].is_armed))
            return true;
    }
    return false;
}

int shm_pid(const struct shm *shm, int node_rank)
{
    const struct peer_record *record = peer_record_of(shm, node_rank);
    return atomic_load(&record->state) == PEER_ABSENT ? 0 : record->pid;
}

// 0 if there is none that can be seen.
static int parent_of(int pid)
{
    struct life life;
    return life_read(pid, &life) ? life.parent : 0;
}

static bool pid_descends(int pid, int ancestor)
{
    while (pid > 0 && pid != ancestor)
        pid = parent_of(pid);
    return pid > 0;
}

// A local peer that has ended will not come back.
static bool is_ancestor(const struct shm *shm, int pid)
{
    bool is_common = true;
    for (int peer = 0; peer < shm->node_size && is_common; peer++)
        is_common = pid_descends(shm_pid(shm, peer), pid) || !shm_is_alive(shm, peer);
    return is_common;
}

int local_peers_ancestor(const struct shm *shm)
{
    int pid = getppid();
    while (pid > 0 && !is_ancestor(shm, pid))
        pid = parent_of(pid);
    return pid;
}

int shm_watch(const struct shm *shm, int node_rank)
{
    return (int)syscall(SYS_pidfd_open, shm_pid(shm, node_rank), 0);
}

bool shm_tell_death(struct shm *shm, const struct death *death)
{
    struct shm_control *control = shm->control;
    int unknown = DEATH_UNKNOWN;
    if (!atomic_compare_exchange_strong(&control->death_state, &unknown,
                                        DEATH_BEING_TOLD))
        return false;
    control->death = *death;
    atomic_store(&control->death_state, DEATH_KNOWN);
    return true;
}

const struct death *shm_death(const struct shm *shm)
{
    const struct shm_control *control = shm->control;
    return atomic_load(&control->death_state) == DEATH_KNOWN ? &control->death : NULL;
}
