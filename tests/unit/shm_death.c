// SPDX-License-Identifier: BSD-3-Clause
// death_is_seen_and_leaves_nothing: a killed local peer is known to be dead, before and
// after its parent has noticed; a stopped one is not taken for dead, and a process with
// a reused pid not for the local peer. The segment has no name that could be left
// behind.
#include "shm_node.h"

#include <dirent.h>

enum { DIES, STOPS, REUSED, WATCHES, PROCESSES };

static int entries(const char *folder)
{
    int count = 0;
    DIR *stream = opendir(folder);
    CHECK(stream);
    for (const struct dirent *entry; (entry = readdir(stream));)
        count += strstr(entry->d_name, "oriel") != NULL;
    closedir(stream);
    return count;
}

// Rank 0 forks a local peer that the test may kill and reap.
static pid_t fork_peer(int node_rank, void (*body)(struct shm *shm))
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(PATIENCE);
        struct shm *shm = join_node(node_rank, PROCESSES, 1 << 20);
        body(shm);
        exit(0);
    }
    return child;
}

static void stop_at_once(struct shm *shm)
{
    shm_stop(shm);
}

static void sleep_long(struct shm *shm)
{
    (void)shm;
    pause();
}

static void await_state(pid_t child, int options)
{
    siginfo_t info;
    CHECK(waitid(P_PID, (id_t)child, &info, WEXITED | options) == 0);
}

static void check_zombies(struct shm *shm, const pid_t *children)
{
    await_state(children[STOPS], WNOWAIT);
    CHECK(shm_is_alive(shm, STOPS));
    CHECK(shm_is_alive(shm, DIES));
    CHECK(shm_pid(shm, DIES) == children[DIES]);
    CHECK(kill(children[DIES], SIGKILL) == 0);
    await_state(children[DIES], WNOWAIT); // dead, but its pid still exists
    CHECK(!shm_is_alive(shm, DIES));
    await_state(children[DIES], 0);
    CHECK(!shm_is_alive(shm, DIES));
    await_state(children[STOPS], 0);
    CHECK(shm_is_alive(shm, STOPS));
}

int main(void)
{
    pid_t children[PROCESSES];
    int before = entries("/dev/shm");
    board_open();
    children[DIES] = fork_peer(DIES, sleep_long); // the leader dies, too
    children[STOPS] = fork_peer(STOPS, stop_at_once);
    children[REUSED] = fork_peer(REUSED, sleep_long);
    struct shm *shm = join_node(WATCHES, PROCESSES, 1 << 20);

    check_zombies(shm, children);
    CHECK(shm_is_alive(shm, REUSED));
    peer_record_of(shm, REUSED)->start_time++; // as if another process had this pid now
    CHECK(!shm_is_alive(shm, REUSED));
    CHECK(shm_is_alive(shm, WATCHES));

    uint64_t word = 0;
    int expected =
        shm_can_copy(shm) ? MPI_ERR_PROC_ABORTED : MPI_ERR_UNSUPPORTED_OPERATION;
    CHECK(shm_copy_from(shm, DIES, &word, (uint64_t)(uintptr_t)&word, 8) == expected);
    CHECK(entries("/dev/shm") == before);
    kill(children[REUSED], SIGKILL);
    await_state(children[REUSED], 0);
    shm_stop(shm);
    return 0;
}
