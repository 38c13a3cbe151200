// SPDX-License-Identifier: BSD-3-Clause
// waiting_wakes_for_every_message, although each wait sleeps at once; a message to the
// process itself is handled by a later poll and not inside the send; what comes before
// its handler is registered keeps its order; nobody sleeps while messages lie there; a
// blocked process uses next to no CPU, even if the network does not take its messages; one
// that handles messages while it waits for a word looks at the launcher now and then only;
// processes that share a core do not sleep while the others have their turns.
#include "message/engine.h"
#include "message_job.h"

#include <dirent.h>
#include <sched.h>
#include <sys/resource.h>

enum { ROUNDS = 3000, CROWD_SPIN = 200000 };

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

static void send_to(int rank, int kind, int value)
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
    CHECK(message_send(rank, QUESTION, &now, sizeof now, NULL, 0) == 0);
    message_unlock();
}

// A sleeper looks by itself after 100 ms, so that a lost wake-up does not hang but takes
// that long without being short of a CPU.
static void ping_pong(void)
{
    handle_kind(QUESTION, note_time);
    int peer = process.boot->size - 1 - process.rank, slow = 0;
    for (int round = 1; round <= ROUNDS; round++) {
        if (process.rank < peer)
            send_time(peer);
        uint64_t start = clock_nanoseconds(), starved = starved_nanoseconds();
        CHECK(message_wait(has_received, &round, NULL) == 0);
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
    handle_kind(QUESTION, count);
    send_to(process.rank, QUESTION, 0);
    CHECK(received == 0);
    int one = 1;
    CHECK(message_wait(has_received, &one, NULL) == 0);
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
    static const int kinds[] = {OTHER, QUESTION, LAST};
    int all = 6;
    for (int i = 0; i < 3; i++)
        send_to(process.rank, kinds[i], i);
    CHECK(message_progress() == 3);
    handle_kind(QUESTION, note);
    CHECK(received == 0); // the offer was sent before
    for (int i = 3; i < 6; i++)
        send_to(process.rank, kinds[i - 3], i);
    handle_kind(OTHER, note);
    CHECK(received == 2);
    CHECK(message_progress() == 3);
    handle_kind(LAST, note);
    CHECK(message_wait(has_received, &all, NULL) == 0);
    for (int i = 0; i < 6; i++)
        CHECK(order[i] == i);
}

// It holds nothing up: what is sent behind it is handled.
static void unregister(void)
{
    int one = 1;
    const struct message_kind other = {OTHER, note, false};
    message_register(&other, 1);
    message_unregister(&other, 1);
    send_to(process.rank, OTHER, 0);
    handle_kind(QUESTION, count);
    send_to(process.rank, QUESTION, 0);
    CHECK(message_wait(has_received, &one, NULL) == 0);
    CHECK(received == 1);
}

// More than one poll takes, sent before the receiver waits: for them nobody rings.
static void many_at_once(void)
{
    int many = 500;
    handle_kind(QUESTION, count);
    for (int i = 0; i < many && process.rank == 1; i++)
        send_to(0, QUESTION, i);
    CHECK(boot_fence(process.boot) == 0);
    if (process.rank == 0)
        CHECK(message_wait(has_received, &many, NULL) == 0);
    CHECK(counter_value(COUNTER_CALL_SLEEPS) == 0);
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
    handle_kind(QUESTION, count);
    CHECK(message_serve() == 0);
    meet();
    double before = cpu_seconds();
    if (process.rank == 0) {
        usleep(1000000);
        CHECK(cpu_seconds() - before < 0.01);
        for (int rank = 1; rank < process.boot->size; rank++)
            send_to(rank, QUESTION, 0);
    } else {
        CHECK(message_wait(has_received, &one, NULL) == 0);
        CHECK(cpu_seconds() - before < 0.01);
    }
}

static void go_on_in_a_second(pid_t pid)
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (child > 0)
        return;
    usleep(1000000);
    kill(pid, SIGCONT);
    _exit(0);
}

static void answer(int source, const void *message, size_t bytes)
{
    count(source, message, bytes);
    if (received == ROUNDS)
        CHECK(message_send(1, QUESTION, message, bytes, NULL, 0) == 0);
}

// Rank 0 stands still for a second while rank 1 waits for its answer.
static void clogged(void)
{
    int one = 1, rounds = ROUNDS;
    handle_kind(QUESTION, process.rank == 0 ? answer : count);
    meet();
    if (process.rank == 0) {
        go_on_in_a_second(getpid());
        raise(SIGSTOP);
        CHECK(message_wait(has_received, &rounds, NULL) == 0);
        return;
    }
    usleep(100000);
    double before = cpu_seconds();
    for (int round = 1; round <= ROUNDS; round++)
        send_to(0, QUESTION, round);
    CHECK(message_wait(has_received, &one, NULL) == 0);
    CHECK(cpu_seconds() - before < 0.3);
}

// Rank 1 waits for a word for a third of a second, and handles messages all the time.
static void serve_in_backoff(void)
{
    handle_kind(QUESTION, count);
    meet();
    uint64_t end = clock_nanoseconds() + 330000000;
    unsigned spins = 0;
    while (process.rank == 0 && clock_nanoseconds() < end) {
        send_to(1, QUESTION, 0);
        usleep(10);
    }
    atomic_fetch_add(&board->words[0], process.rank == 0);
    while (process.rank == 1 && atomic_load(&board->words[0]) == 0)
        CHECK(message_backoff(&spins, NULL, NULL) == 0);
    message_backoff_end(spins);
    CHECK(process.rank == 0 || (received > 100 && looks_at_launcher > 0));
    CHECK(looks_at_launcher < 10);
}

// ---- the first polls of a wait
static int calls;
static bool has_had_poller;

static bool is_third_call(void *argument)
{
    (void)argument;
    has_had_poller |= process.messages->has_poller;
    return ++calls == 3;
}

static void wait_for_third_call(bool is_crowded, bool becomes_poller)
{
    process.messages->is_crowded = is_crowded;
    calls = 0;
    has_had_poller = false;
    CHECK(message_wait(is_third_call, NULL, NULL) == 0 && calls == 3);
    CHECK(has_had_poller == becomes_poller);
}

// A short wait makes nobody the poller, unless another process may need this core.
static void short_waits(void)
{
    wait_for_third_call(false, false);
    wait_for_third_call(true, true);
    message_lock();
    calls = 2;
    CHECK(message_wait_locked(is_third_call, NULL, NULL) == 0 && calls == 3);
    message_lock(); // which is free
    message_unlock();
}

// Rank 0 waits for longer than it would poll on a core of its own.
static void wait_in_crowd(void)
{
    int one = 1;
    CHECK(message_is_crowded());
    handle_kind(QUESTION, count);
    meet();
    uint64_t sleeps = counter_value(COUNTER_CALL_SLEEPS);
    if (process.rank == 1) {
        usleep(2 * CROWD_SPIN);
        send_to(0, QUESTION, one);
    } else {
        CHECK(message_wait(has_received, &one, NULL) == 0);
        CHECK(counter_value(COUNTER_CALL_SLEEPS) == sleeps);
    }
}

static int run_crowd(void)
{
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(sched_getcpu(), &first);
    CHECK(sched_setaffinity(0, sizeof first, &first) == 0);
    return run_job((struct job){.nodes = 1,
                                .node_size = 2,
                                .spin_microseconds = CROWD_SPIN,
                                .body = wait_in_crowd});
}

int main(void)
{
    struct job alone = {.nodes = 1, .node_size = 1, .body = to_myself};
    struct job pair = {.nodes = 1, .node_size = 2, .body = ping_pong};
    int failures = run_job(alone);
    alone.body = register_late;
    failures += run_job(alone);
    alone.body = unregister;
    failures += run_job(alone);
    alone.body = short_waits;
    alone.spin_microseconds = 50;
    failures += run_job(alone);
    failures += run_job(pair);
    pair.body = many_at_once;
    failures += run_job(pair);
    pair.body = serve_in_backoff;
    pair.spin_microseconds = 50;
    failures += run_job(pair);
    pair.spin_microseconds = 0;
    pair.body = ping_pong;
    pair.progress_thread = true;
    failures += run_job(pair);
    pair.nodes = 2;
    failures += run_job(pair);
    pair.body = idle;
    failures += run_job(pair);
    pair.body = clogged;
    pair.node_size = 1;
    failures += run_job(pair);
    failures += run_crowd();
    return failures > 0;
}
