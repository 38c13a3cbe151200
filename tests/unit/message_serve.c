// SPDX-License-Identifier: BSD-3-Clause
// a_computing_process_is_served: its handlers run although it calls nothing, in one
// node and between nodes, also just after it has been in blocked calls.
#include "message_job.h"

enum { ROUNDS = 300 };

enum { COMPUTES_UNTIL, HANDLED }; // words of the board

static int answers;

static void handle_question(int source, const void *message, size_t bytes)
{
    atomic_fetch_add(&board->words[HANDLED], 1);
    CHECK(message_send(source, MESSAGE_FETCHED, message, bytes, NULL, 0) == 0);
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
    CHECK(message_send(rank, MESSAGE_EAGER, &value, sizeof value, NULL, 0) == 0);
    message_unlock();
    CHECK(message_wait(is_answered, &value) == 0);
}

// The last rank computes; before that it has been in a blocked call of its own.
static void be_busy(void)
{
    int busy = process.boot->size - 1;
    message_register(MESSAGE_EAGER, handle_question);
    message_register(MESSAGE_FETCHED, handle_answer);
    CHECK(message_serve() == 0);
    ask(process.rank == busy ? 0 : busy, -1);
    meet();
    int before = atomic_load(&board->words[HANDLED]);
    if (process.rank == 0)
        for (int round = 1; round <= ROUNDS; round++)
            ask(busy, round);
    if (process.rank == 0) {
        CHECK(atomic_load(&board->words[HANDLED]) >= before + ROUNDS);
        atomic_store(&board->words[COMPUTES_UNTIL], 1);
    }
    while (process.rank == busy && !atomic_load(&board->words[COMPUTES_UNTIL]))
        cpu_relax();
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
    job.nodes = 2;
    job.node_size = 1;
    failures += run_job(job);
    job.node_size = 2;
    failures += run_job(job);
    return failures > 0;
}
