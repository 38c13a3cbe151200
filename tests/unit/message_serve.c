// SPDX-License-Identifier: BSD-3-Clause
// a_computing_process_is_served: its handlers run although it calls nothing, in one
// node and between nodes, also just after it has been in blocked calls.
#include "message_job.h"
#include "shm/control.h"

enum { ROUNDS = 300, TURNS = 5000 };

enum { COMPUTES, HANDLED, DONE }; // words of the board

static int answers;

static void handle_question(int source, const void *message, size_t bytes)
{
    atomic_fetch_add(&board->words[HANDLED], 1);
    CHECK(message_send(source, ANSWER, message, bytes, NULL, 0) == 0);
}

static void handle_answer(int source, const void *message, size_t bytes)
{
    (void)source, (void)bytes;
    memcpy(&answers, message, sizeof answers);
}

static bool is_answered(void *argument)
{
    return answers == *(int *)argument;
}

static void ask(int rank, int value)
{
    message_lock();
    CHECK(message_send(rank, QUESTION, &value, sizeof value, NULL, 0) == 0);
    message_unlock();
    CHECK(message_wait(is_answered, &value, NULL) == 0);
}

// The last rank computes; before that it has been in a blocked call of its own.
static void be_busy(void)
{
    int busy = process.boot->size - 1;
    handle_kind(QUESTION, handle_question);
    handle_kind(ANSWER, handle_answer);
    CHECK(message_serve() == 0);
    ask(process.rank == busy ? 0 : busy, -1);
    meet();
    int before = atomic_load(&board->words[HANDLED]);
    if (process.rank == 0)
        for (int round = 1; round <= ROUNDS; round++)
            ask(busy, round);
    if (process.rank == 0) {
        CHECK(atomic_load(&board->words[HANDLED]) >= before + ROUNDS);
        atomic_store(&board->words[DONE], 1);
    }
    while (process.rank == busy && !atomic_load(&board->words[DONE]))
        cpu_relax();
}

// The peer's question may come before, in or just after the blocked call; then it must
// be served while this process computes. A progress thread looks by itself every 10 s.
static void go_in_and_out(void)
{
    int slow = 0;
    handle_kind(QUESTION, handle_question);
    handle_kind(ANSWER, handle_answer);
    CHECK(message_serve() == 0);
    meet();
    for (int turn = 1; turn <= TURNS; turn++) {
        ask(1 - process.rank, turn);
        uint64_t start = clock_nanoseconds();
        while (atomic_load(&board->words[HANDLED]) < 2 * turn)
            sched_yield();
        slow += clock_nanoseconds() - start > UINT64_C(5000000000);
        atomic_fetch_add(&board->words[DONE], 1);
        while (atomic_load(&board->words[DONE]) < 2 * turn)
            sched_yield();
        CHECK(slow == 0);
    }
}

static bool is_about_to_sleep(void *argument)
{
    (void)argument;
    return atomic_load(&peer_record_of(process.shm, 1)->bells[SHM_BELL_CALL].is_armed);
}

static void change_its_mind(void)
{
    const struct doorbell *thread =
        &peer_record_of(process.shm, 1)->bells[SHM_BELL_PROGRESS];
    handle_kind(QUESTION, handle_question);
    handle_kind(ANSWER, handle_answer);
    CHECK(message_serve() == 0);
    if (process.rank == 1) {
        CHECK(message_wait(is_about_to_sleep, NULL, NULL) == 0);
        while (!atomic_load(&thread->is_armed))
            sched_yield();
        atomic_store(&board->words[COMPUTES], 1);
        while (!atomic_load(&board->words[DONE]))
            sched_yield();
        return;
    }
    while (!atomic_load(&board->words[COMPUTES]))
        sched_yield();
    uint64_t start = clock_nanoseconds();
    ask(1, 1);
    CHECK(clock_nanoseconds() - start < UINT64_C(5000000000));
    atomic_store(&board->words[DONE], 1);
}

int main(void)
{
    struct job job = {.nodes = 1,
                      .node_size = 2,
                      .spin_microseconds = 50,
                      .progress_thread = true,
                      .body = be_busy};
    int failures = run_job(job);
    job.spin_microseconds = 0;
    failures += run_job(job);
    job.body = go_in_and_out;
    failures += run_job(job);
    job.spin_microseconds = 50;
    failures += run_job(job);
    job.body = change_its_mind;
    failures += run_job(job);
    job.body = be_busy;
    job.nodes = 2;
    job.node_size = 1;
    failures += run_job(job);
    job.node_size = 2;
    failures += run_job(job);
    return failures > 0;
}
