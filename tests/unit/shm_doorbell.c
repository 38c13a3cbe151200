// SPDX-License-Identifier: BSD-3-Clause
// no_wake_up_is_lost: two processes that sleep for every message exchange many; a
// progress thread is left asleep while a call sleeps, and only then.
#include "shm_node.h"

enum { ROUNDS = 20000, STORMS = 2000 };

static const uint64_t LONG = UINT64_C(20000000000);

static int received;

static bool receive(int sender, uint16_t kind, const void *message, size_t bytes)
{
    (void)sender, (void)kind, (void)message, (void)bytes;
    received++;
    return true;
}

// Sleeps until the round-th message has come; a sleep of 10 s is a lost wake-up.
static void await(struct shm *shm, enum shm_bell bell, int round)
{
    while (received < round) {
        uint32_t ticket = shm_arm(shm, bell);
        if (shm_receive(shm, 64, receive) > 0)
            continue; // there may be more
        uint64_t start = clock_nanoseconds();
        shm_sleep(shm, bell, ticket, LONG);
        CHECK(clock_nanoseconds() - start < LONG / 2);
    }
}

static void ping_pong(struct shm *shm)
{
    enum shm_bell bell = shm->node_rank ? SHM_BELL_PROGRESS : SHM_BELL_CALL;
    received = 0;
    for (int round = 1; round <= ROUNDS; round++) {
        if (shm->node_rank == 1)
            await(shm, bell, round);
        CHECK(shm_send(shm, 1 - shm->node_rank, 0, &round, sizeof round, NULL, 0));
        if (shm->node_rank == 0)
            await(shm, bell, round);
    }
}

// Many senders at once, at random moments: the receiver gets all and never oversleeps.
static void storm(struct shm *shm)
{
    received = 0;
    if (shm->node_rank == 0) {
        await(shm, SHM_BELL_CALL, STORMS * (shm->node_size - 1));
        return;
    }
    unsigned seed = (unsigned)shm->node_rank;
    for (int i = 0; i < STORMS; i++) {
        while (!shm_send(shm, 0, 0, &i, sizeof i, NULL, 0))
            usleep(10);
        for (int pause = rand_r(&seed) % 3000; pause > 0; pause--)
            cpu_relax();
    }
}

// Long enough that a loaded machine does not look like a sleeper.
static bool slept_through(struct shm *shm, enum shm_bell bell, uint32_t ticket)
{
    static const uint64_t nap = 300000000;
    uint64_t start = clock_nanoseconds();
    shm_sleep(shm, bell, ticket, nap);
    return clock_nanoseconds() - start >= nap;
}

static void one_bell(struct shm *shm)
{
    uint32_t call = shm_arm(shm, SHM_BELL_CALL),
             thread = shm_arm(shm, SHM_BELL_PROGRESS);
    shm_ring(shm, 0);
    CHECK(!slept_through(shm, SHM_BELL_CALL, call));
    CHECK(slept_through(shm, SHM_BELL_PROGRESS, thread));
    shm_ring(shm, 0);
    CHECK(!slept_through(shm, SHM_BELL_PROGRESS, thread));
    call = shm_arm(shm, SHM_BELL_CALL);
    thread = shm_arm(shm, SHM_BELL_PROGRESS);
    shm_disarm(shm, SHM_BELL_CALL);
    shm_ring(shm, 0);
    CHECK(slept_through(shm, SHM_BELL_CALL, call));
    CHECK(!slept_through(shm, SHM_BELL_PROGRESS, thread));
}

int main(void)
{
    return run_node(2, 1 << 20, ping_pong) || run_node(4, 1 << 20, storm) ||
           run_node(1, 1 << 20, one_bell);
}
