// SPDX-License-Identifier: BSD-3-Clause
// Who the processes of the node are, and whether they still live. A process is known by
// its pid and its start time, so that a reused pid is not mistaken for a living mate.
#include "shm/private.h"

#include <fcntl.h>
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

// Reads fields 3, 4, 20 and 22 of /proc/<pid>/stat; false when there is no such process.
static bool read_life(int pid, struct life *life)
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

void mate_enter(struct shm *shm)
{
    struct shm_line *line = line_of(shm, shm->node_rank);
    struct life life;
    line->pid = (int)getpid();
    line->start_time = read_life(line->pid, &life) ? life.start_time : 0;
    atomic_store(&line->state, MATE_ALIVE);
}

bool shm_is_alive(const struct shm *shm, int node_rank)
{
    const struct shm_line *line = line_of(shm, node_rank);
    if (atomic_load(&line->state) != MATE_ALIVE)
        return true;
    struct life life;
    if (!read_life(line->pid, &life) || life.start_time != line->start_time)
        // It may have said goodbye between the two looks.
        return atomic_load(&line->state) != MATE_ALIVE;
    // A dead process that its parent has not yet noticed; but a main thread may also
    // have ended before its process.
    bool is_dead = (life.state == 'Z' || life.state == 'X') && life.threads <= 1;
    return !is_dead || atomic_load(&line->state) != MATE_ALIVE;
}

// A line is written when the core is another one than before only, for mates read it
// whenever they send.
bool shm_shares_core(struct shm *shm)
{
    int core = 1 + sched_getcpu(); // 0 where the system does not tell
    _Atomic(int) *own = &line_of(shm, shm->node_rank)->core;
    if (atomic_load_explicit(own, memory_order_relaxed) != core)
        atomic_store_explicit(own, core, memory_order_relaxed);
    for (int mate = 0; mate < shm->node_size && core > 0; mate++) {
        const struct shm_line *line = line_of(shm, mate);
        if (mate != shm->node_rank && atomic_load(&line->core) == core &&
            atomic_load(&line->state) == MATE_ALIVE &&
            !atomic_load(&line->bells[SHM_BELL_CALL].is_armed))
            return true;
    }
    return false;
}

int shm_pid(const struct shm *shm, int node_rank)
{
    const struct shm_line *line = line_of(shm, node_rank);
    return atomic_load(&line->state) == MATE_ABSENT ? 0 : line->pid;
}

// 0 if there is none that can be seen.
static int parent_of(int pid)
{
    struct life life;
    return read_life(pid, &life) ? life.parent : 0;
}

static bool descends(int pid, int ancestor)
{
    while (pid > 0 && pid != ancestor)
        pid = parent_of(pid);
    return pid > 0;
}

// A mate that has ended will not come back.
static bool is_ancestor(const struct shm *shm, int pid)
{
    bool is_common = true;
    for (int mate = 0; mate < shm->node_size && is_common; mate++)
        is_common = descends(shm_pid(shm, mate), pid) || !shm_is_alive(shm, mate);
    return is_common;
}

int mates_ancestor(const struct shm *shm)
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
