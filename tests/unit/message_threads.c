// SPDX-License-Identifier: BSD-3-Clause
// threads_wait_side_by_side: several threads of each process send and wait at once,
// each for its own answers, and none is woken too late or never; a thread whose wait ends
// may end those of others meanwhile; a thread waits for the message lock for as long as
// another one holds it, and is told if it holds the lock itself.
#include "message_job.h"

#include <pthread.h>

enum { THREADS = 3, ROUNDS = 1500 };

struct question {
    int thread, round;
};

static int answered[THREADS];
// Waits that no bell has ended, or a loaded machine has made long.
static _Atomic(int) slow;

static void handle_question(int source, const void *message, size_t bytes)
{
    CHECK(message_send(source, ANSWER, message, bytes, NULL, 0) == 0);
}

static void handle_answer(int source, const void *message, size_t bytes)
{
    struct question question;
    CHECK(source == 1 - process.rank && bytes == sizeof question);
    memcpy(&question, message, sizeof question);
    CHECK(question.round == answered[question.thread] + 1);
    answered[question.thread] = question.round;
}

static bool is_answered(void *argument)
{
    const struct question *question = argument;
    return answered[question->thread] == question->round;
}

static void *ask_often(void *argument)
{
    struct question question = {.thread = *(int *)argument};
    for (question.round = 1; question.round <= ROUNDS; question.round++) {
        message_lock();
        CHECK(message_send(1 - process.rank, QUESTION, &question, sizeof question, NULL,
                           0) == 0);
        message_unlock();
        uint64_t start = clock_nanoseconds();
        CHECK(message_wait(is_answered, &question, NULL) == 0);
        slow += clock_nanoseconds() - start > 95000000;
    }
    return NULL;
}

static int turn;

// Who takes its turn gives it to the next thread, as operations that are sent while their
// completion is looked for complete what others wait for.
static bool takes_turn(void *argument)
{
    const int *own = argument;
    if (turn == *own) {
        turn++;
        message_wake();
    }
    return turn > *own;
}

static void *take_turns(void *argument)
{
    for (int round = 0; round < ROUNDS; round++) {
        int own = round * THREADS + *(int *)argument;
        CHECK(message_wait(takes_turn, &own, NULL) == 0);
    }
    return NULL;
}

static void run_each(void *(*work)(void *argument))
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        CHECK(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

static _Atomic(bool) is_first;

static void *lock_second(void *unused)
{
    CHECK(message_lock_unless_held());
    CHECK(atomic_load(&is_first));
    CHECK(!message_lock_unless_held());
    message_unlock();
    return unused;
}

static void share_the_lock(void)
{
    pthread_t other;
    atomic_store(&is_first, false);
    CHECK(message_lock_unless_held());
    CHECK(pthread_create(&other, NULL, lock_second, NULL) == 0);
    usleep(20000); // much longer than the other thread spins
    atomic_store(&is_first, true);
    message_unlock();
    CHECK(pthread_join(other, NULL) == 0);
}

static void run_threads(void)
{
    share_the_lock();
    handle_kind(QUESTION, handle_question);
    handle_kind(ANSWER, handle_answer);
    CHECK(message_serve() == 0);
    run_each(ask_often);
    CHECK(slow <= ROUNDS / 30);
    run_each(take_turns);
    CHECK(turn == THREADS * ROUNDS);
}

int main(void)
{
    struct job job = {.nodes = 1,
                      .node_size = 2,
                      .spin_microseconds = 50,
                      .thread_level = MPI_THREAD_MULTIPLE,
                      .body = run_threads};
    job.progress_thread = true;
    int failures = run_job(job);
    job.spin_microseconds = 0;
    failures += run_job(job);
    job.nodes = 2;
    job.node_size = 1;
    failures += run_job(job);
    return failures > 0;
}
