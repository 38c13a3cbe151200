// SPDX-License-Identifier: BSD-3-Clause
// A node of forked processes for the tests of shm: no launcher, a made-up struct boot.
#pragma once

#include "check.h"
#include "shm/control.h"
#include "shm/ring.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NODE_MAX = 16, PATIENCE = 60 };

struct process process;

// Memory that processes share without Oriel.
struct board {
    char descriptor[SHM_DESCRIPTOR_MAX];
    _Atomic(uint32_t) has_descriptor;
    _Atomic(int) arrived;
    _Atomic(uint64_t) word;
};
static struct board *board;

static inline void spin_until(_Atomic(int) *count, int value)
{
    while (atomic_load(count) < value)
        usleep(50);
}

// Returns when all processes of the node have called it for the round-th time.
static inline void meet(const struct shm *shm, int round)
{
    atomic_fetch_add(&board->arrived, 1);
    spin_until(&board->arrived, round * shm->node_size);
}

static struct shm *join_node(int node_rank, int node_size, size_t heap_bytes)
{
    struct boot boot = {.node_rank = node_rank, .node_size = node_size};
    struct shm *shm;
    if (node_rank == 0) {
        CHECK(shm_create(&boot, heap_bytes, 0, &shm, board->descriptor) == 0);
        atomic_store(&board->has_descriptor, 1);
    } else {
        while (!atomic_load(&board->has_descriptor))
            usleep(50);
        CHECK(shm_attach(&boot, 0, board->descriptor, &shm) == 0);
    }
    meet(shm, 1);
    return shm;
}

static inline void board_open(void)
{
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(board != MAP_FAILED);
    alarm(PATIENCE); // a hang is a failure
}

// The exit code of the test: that of the last child that did not end with 0.
static inline int children_end(const pid_t *children, int count)
{
    int code = 0;
    for (int i = 0; i < count; i++) {
        int status;
        CHECK(waitpid(children[i], &status, 0) == children[i]);
        if (status != 0)
            code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    }
    return code;
}

// Runs `body` in node_size processes and returns the exit code of the test.
static inline int run_node(int node_size, size_t heap_bytes,
                           void (*body)(struct shm *shm))
{
    pid_t children[NODE_MAX];
    board_open();
    for (int i = 0; i < node_size; i++) {
        children[i] = fork();
        CHECK(children[i] >= 0);
        if (children[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            alarm(PATIENCE);
            struct shm *shm = join_node(i, node_size, heap_bytes);
            body(shm);
            shm_stop(shm);
            exit(0);
        }
    }
    int code = children_end(children, node_size);
    munmap(board, sizeof *board);
    return code;
}
