// SPDX-License-Identifier: BSD-3-Clause
// waiting_wakes_for_every_message, although each wait sleeps at once; a message to the
// process itself is handled by a later poll and not inside the send; what comes before
// its handler is registered keeps its order; a blocked process uses next to no CPU.
#include "message_job.h"

#include <sys/resource.h>

enum { ROUNDS = 5000 };

static int received;

static void count(int source, const void *message, size_t bytes)
{
    (void)source, (void)message, (void)bytes;
    received++;
}

static bool has_received(void *argument)
{
    return received >= *(int *)argument;
}

static void send_to(int rank, enum message_kind kind, int value)
{
    message_lock();
    CHECK(message_send(rank, kind, &value, sizeof value, NULL, 0) == 0);
    message_unlock();
}

// A sleeper looks by itself after 100 ms, so that a lost wake-up would not hang but
// take that long; a loaded machine may once or twice, too.
static void ping_pong(void)
{
    message_register(MESSAGE_EAGER, count);
    int peer = process.boot->size - 1 - process.rank, slow = 0;
    for (int round = 1; round <= ROUNDS; round++) {
        if (process.rank < peer)
            send_to(peer, MESSAGE_EAGER, round);
        uint64_t start = clock_nanoseconds();
        CHECK(message_wait(has_received, &round) == 0);
        slow += clock_nanoseconds() - start > 95000000;
        if (process.rank > peer)
            send_to(peer, MESSAGE_EAGER, round);
    }
    CHECK(slow <= 3);
}

static void to_myself(void)
{
    message_register(MESSAGE_EAGER, count);
    send_to(process.rank, MESSAGE_EAGER, 0);
    CHECK(received == 0);
    int one = 1;
    CHECK(message_wait(has_received, &one) == 0);
}

static int order[6];

static void note(int source, const void *message, size_t bytes)
{
    (void)source;
    CHECK(bytes == sizeof(int) && received < 6);
    memcpy(&order[received++], message, sizeof(int));
}

static void register_late(void)
{
    static const enum message_kind kinds[] = {MESSAGE_OFFER, MESSAGE_EAGER,
                                              MESSAGE_PULL};
    int all = 6;
    for (int i = 0; i < 3; i++)
        send_to(process.rank, kinds[i], i);
    CHECK(message_progress() == 3);
    message_register(MESSAGE_EAGER, note);
    CHECK(received == 0); // the offer was sent before
    for (int i = 3; i < 6; i++)
        send_to(process.rank, kinds[i - 3], i);
    message_register(MESSAGE_OFFER, note);
    CHECK(received == 2);
    CHECK(message_progress() == 3);
    message_register(MESSAGE_PULL, note);
    CHECK(message_wait(has_received, &all) == 0);
    for (int i = 0; i < 6; i++)
        CHECK(order[i] == i);
}

static double cpu_seconds(void)
{
    struct rusage usage;
    CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

// Rank 0 sleeps outside the library for a second, the others in it.
static void idle(void)
{
    int one = 1;
    message_register(MESSAGE_EAGER, count);
    CHECK(message_serve() == 0);
    meet();
    double before = cpu_seconds();
    if (process.rank == 0) {
        usleep(1000000);
        CHECK(cpu_seconds() - before < 0.01);
        for (int rank = 1; rank < process.boot->size; rank++)
            send_to(rank, MESSAGE_EAGER, 0);
    } else {
        CHECK(message_wait(has_received, &one) == 0);
        CHECK(cpu_seconds() - before < 0.01);
    }
}

int main(void)
{
    struct job alone = {.nodes = 1, .node_size = 1, .body = to_myself};
    struct job pair = {.nodes = 1, .node_size = 2, .body = ping_pong};
    int failures = run_job(alone);
    alone.body = register_late;
    failures += run_job(alone);
    failures += run_job(pair);
    pair.progress_thread = true;
    failures += run_job(pair);
    pair.nodes = 2;
    failures += run_job(pair);
    pair.body = idle;
    failures += run_job(pair);
    return failures > 0;
}
