// SPDX-License-Identifier: BSD-3-Clause
// bursts_arrive_whole_and_in_order: messages to another node that leave in bundles, beside
// others that may not, and of which handlers defer some. a_bundle_leaves_without_a_poll of
// the program that has sent it. a_long_burst_ends_the_trust: the next one is not kept back;
// slow_sends_do_not.
// polls_of_threads_count_for_nothing: they do not tell when the program will poll.
// bundles_that_make_no_sense are refused.
#include "message/engine.h"

#include "message_job.h"

enum { BURSTS = 200, BURST = 40, TRUSTED = 2 };

struct head {
    int index;
    int seed;
};

static unsigned char pattern[MESSAGE_MAX + 256];
static int taken[JOB_MAX], sent[JOB_MAX];
static bool was_deferred[JOB_MAX];
static _Atomic(bool) has_left = true;

static size_t body_size(int index)
{
    return (size_t)index * 2503 % (index % 3 == 0 ? 3000 : 100);
}

static void handle(int source, const void *message, size_t bytes)
{
    struct head head;
    CHECK((uintptr_t)message % 8 == 0);
    if (taken[source] % 7 == 3 && !was_deferred[source]) {
        was_deferred[source] = true;
        message_defer();
        return;
    }
    was_deferred[source] = false;
    memcpy(&head, message, sizeof head);
    CHECK(head.index == taken[source]);
    CHECK(bytes == sizeof head + body_size(head.index));
    CHECK(memcmp((const char *)message + sizeof head, pattern + head.seed,
                 bytes - sizeof head) == 0);
    taken[source]++;
}

static void send_next(int rank, int kind)
{
    int index = sent[rank]++;
    struct head head = {.index = index, .seed = index % 256};
    message_lock();
    CHECK(message_send(rank, kind, &head, sizeof head, pattern + head.seed,
                       body_size(index)) == 0);
    message_unlock();
}

static void begin(void)
{
    for (size_t i = 0; i < sizeof pattern; i++)
        pattern[i] = (unsigned char)(i * 7);
    handle_kind(QUESTION, handle);
    handle_kind(OTHER, handle);
    message_bundle_kind(QUESTION, &has_left);
}

static bool is_all_there(void *argument)
{
    int count = *(const int *)argument;
    for (int rank = 0; rank < process.boot->size; rank++)
        if (!boot_is_local(process.boot, rank) && taken[rank] < count)
            return false;
    return true;
}

static void bursts_arrive_whole_and_in_order(void)
{
    begin();
    for (int burst = 1; burst <= BURSTS; burst++) {
        process.messages->bundle.trust = TRUSTED;
        for (int rank = 0; rank < process.boot->size; rank++)
            for (int i = 0; i < BURST && !boot_is_local(process.boot, rank); i++)
                send_next(rank, i % 9 == 8 ? OTHER : QUESTION);
        int count = burst * BURST;
        CHECK(message_wait(is_all_there, &count, NULL) == 0);
        CHECK(atomic_load(&has_left) && message_waiting() == 0);
    }
}

// The other process's messages are taken meanwhile.
static void await_taken(int rank)
{
    while (taken[rank] < sent[rank])
        message_progress();
    meet();
}

// Sends bursts until one is kept back, which is so when the network thread naps.
static void keep_some(int rank)
{
    while (!(message_waiting() & MESSAGES_BUNDLED)) {
        message_progress();
        process.messages->bundle.trust = TRUSTED;
        for (int i = 0; i < 8; i++)
            send_next(rank, QUESTION);
    }
    message_lock();
    CHECK(atomic_load(&has_left) == !(message_waiting() & MESSAGES_BUNDLED));
    message_unlock();
}

static void a_bundle_leaves_without_a_poll(void)
{
    begin();
    meet();
    if (process.rank == 0) {
        keep_some(1);
        while (message_waiting() & MESSAGES_BUNDLED)
            usleep(100); // no poll
        CHECK(atomic_load(&has_left));
        atomic_store(&board->words[0], sent[1]);
    } else {
        while (atomic_load(&board->words[0]) == 0 ||
               taken[0] < atomic_load(&board->words[0]))
            message_progress();
    }
}

static void a_long_burst_ends_the_trust(void)
{
    begin();
    meet();
    if (process.rank == 0) {
        do {
            keep_some(1);
            usleep(5000); // longer than any burst of eight messages may last
            message_progress();
        } while (process.messages->bundle.trust > 0); // the thread was there at once
        CHECK(process.messages->bundle.trust < 0);
        for (int i = 0; i < 8; i++)
            send_next(1, QUESTION);
        CHECK(message_waiting() == 0);
        atomic_store(&board->words[0], sent[1]);
    } else {
        while (atomic_load(&board->words[0]) == 0 ||
               taken[0] < atomic_load(&board->words[0]))
            message_progress();
    }
}

static void polls_of_threads_count_for_nothing(void)
{
    for (int i = 0; i < 8; i++)
        send_next(1, QUESTION);
    message_lock();
    poll_once(process.messages, true);
    CHECK(process.messages->bundle.trust == 0);
    message_unlock();
}

// What counts is when the poll follows.
static void slow_sends_do_not(void)
{
    begin();
    meet();
    for (int i = 0; process.rank == 0 && i < TRUSTED; i++)
        polls_of_threads_count_for_nothing();
    while (process.rank == 0 && process.messages->bundle.trust < TRUSTED) {
        for (int i = 0; i < 8; i++) {
            uint64_t end = clock_nanoseconds() + 20000;
            while (clock_nanoseconds() < end)
                ;
            send_next(1, QUESTION);
        }
        message_progress();
    }
    if (process.rank == 0)
        atomic_store(&board->words[0], sent[1]);
    while (process.rank == 1 && (atomic_load(&board->words[0]) == 0 ||
                                 taken[0] < atomic_load(&board->words[0])))
        message_progress();
}

// A whole message, and one whose kind, length or head makes no sense.
static void bundles_that_make_no_sense(void)
{
    static const uint32_t bundles[][6] = {
        {QUESTION, 9},      {QUESTION, 1 << 30}, {QUESTION, UINT32_MAX},
        {MESSAGE_KINDS, 0}, {MESSAGE_BUNDLE, 0}, {UINT32_MAX, 0},
    };
    enum { BUNDLES = sizeof bundles / sizeof *bundles };
    int other = 1 - process.rank;
    begin();
    meet();
    for (int i = 0; i < BUNDLES; i++) {
        message_lock();
        CHECK(message_send(other, MESSAGE_BUNDLE, bundles[i], 8 + (i == 0 ? 8 : 0),
                           NULL, 0) == 0);
        message_unlock();
    }
    message_lock();
    CHECK(message_send(other, MESSAGE_BUNDLE, bundles[0], 4, NULL, 0) == 0);
    message_unlock();
    send_next(other, OTHER);
    await_taken(other);
    CHECK(counter_value(COUNTER_MESSAGES_REFUSED) == BUNDLES + 1);
}

int main(void)
{
    struct job job = {.nodes = 2,
                      .node_size = 1,
                      .spin_microseconds = 50,
                      .progress_thread = true,
                      .body = bursts_arrive_whole_and_in_order};
    int failures = run_job(job);
    job.node_size = 2;
    failures += run_job(job);
    job.progress_thread = false;
    failures += run_job(job);
    job.node_size = 1;
    job.body = bundles_that_make_no_sense;
    failures += run_job(job);
    job.progress_thread = true;
    job.body = a_bundle_leaves_without_a_poll;
    failures += run_job(job);
    job.body = a_long_burst_ends_the_trust;
    failures += run_job(job);
    job.body = slow_sends_do_not;
    failures += run_job(job);
    return failures > 0;
}
