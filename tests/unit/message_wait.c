// SPDX-License-Identifier: BSD-3-Clause
// waiting_wakes_for_every_message, although each wait sleeps at once; a message to the
// process itself is handled by a later poll and not inside the send; what comes before
// its handler is registered keeps its order; a blocked process uses next to no CPU.
#include "message_job.h"

#include <dirent.h>
#include <sys/resource.h>

enum { ROUNDS = 3000 };

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

// How long the threads of this process have been ready to run without a CPU.
static uint64_t starved_nanoseconds(void)
{
    DIR *threads = opendir("/proc/self/task");
    CHECK(threads);
    uint64_t sum = 0;
    for (const struct dirent *entry; (entry = readdir(threads));) {
        char path[300];
        unsigned long long running, waiting;
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", entry->d_name);
        FILE *file = fopen(path, "r");
        if (file && fscanf(file, "%llu %llu", &running, &waiting) == 2)
            sum += waiting;
        if (file)
            fclose(file);
    }
    closedir(threads);
    return sum;
}

static uint64_t sent_at, handled_at;

static void note_time(int source, const void *message, size_t bytes)
{
    CHECK(bytes == sizeof sent_at);
    memcpy(&sent_at, message, sizeof sent_at);
    handled_at = clock_nanoseconds();
    count(source, message, bytes);
}

static void send_time(int rank)
{
    uint64_t now = clock_nanoseconds();
    message_lock();
    CHECK(message_send(rank, MESSAGE_EAGER, &now, sizeof now, NULL, 0) == 0);
    message_unlock();
}

// A sleeper looks by itself after 100 ms, so that a lost wake-up does not hang but takes
// that long without being short of a CPU.
static void ping_pong(void)
{
    message_register(MESSAGE_EAGER, note_time);
    int peer = process.boot->size - 1 - process.rank, slow = 0;
    for (int round = 1; round <= ROUNDS; round++) {
        if (process.rank < peer)
            send_time(peer);
        uint64_t start = clock_nanoseconds(), starved = starved_nanoseconds();
        CHECK(message_wait(has_received, &round) == 0);
        starved = starved_nanoseconds() - starved;
        uint64_t since = sent_at > start ? sent_at : start;
        slow += handled_at > since + starved + 90000000;
        if (process.rank > peer)
            send_time(peer);
    }
    CHECK(slow <= 2);
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
