// SPDX-License-Identifier: BSD-3-Clause
// messages_arrive_whole_and_in_order, and so do the replies that handlers send: in one
// node, between nodes, with threads that serve and without, with waits that spin and
// waits that sleep at once, and however much more is sent than rings and network take.
#include "message_job.h"

enum { COUNT = 3000 };

struct question {
    int index;
    unsigned char seed, padding[3];
};

static unsigned char bytes_upwards[MESSAGE_MAX_BETWEEN_NODES + 256];
static int questions[JOB_MAX], answers[JOB_MAX];

// A few are as long as those between nodes may be.
static size_t body_size(int peer, int source, int index)
{
    size_t most = index % 32 == 0 ? message_max(peer) : MESSAGE_MAX;
    return ((size_t)index * 2503 + (size_t)source * 31) %
           (most - sizeof(struct question) + 1);
}

static void check_message(int peer, int source, int index, const void *message,
                          size_t bytes)
{
    struct question question;
    CHECK((uintptr_t)message % 8 == 0);
    memcpy(&question, message, sizeof question);
    CHECK(question.index == index);
    CHECK(bytes == sizeof question + body_size(peer, source, index));
    CHECK(memcmp((const char *)message + sizeof question, bytes_upwards + question.seed,
                 bytes - sizeof question) == 0);
}

static void send_indexed(int rank, int kind, int from, int index)
{
    struct question question = {.index = index, .seed = (unsigned char)(index + from)};
    CHECK(message_send(rank, kind, &question, sizeof question,
                       bytes_upwards + question.seed,
                       body_size(rank, from, index)) == 0);
}

static void handle_question(int source, const void *message, size_t bytes)
{
    check_message(source, source, questions[source], message, bytes);
    send_indexed(source, ANSWER, source, questions[source]);
    questions[source]++;
}

static void handle_answer(int source, const void *message, size_t bytes)
{
    check_message(source, process.rank, answers[source], message, bytes);
    answers[source]++;
}

static bool is_all_there(void *argument)
{
    (void)argument;
    for (int rank = 0; rank < process.boot->size; rank++)
        if (questions[rank] < COUNT || answers[rank] < COUNT)
            return false;
    return true;
}

static void ask_everyone(void)
{
    handle_kind(QUESTION, handle_question);
    handle_kind(ANSWER, handle_answer);
    CHECK(message_serve() == 0);
    for (int index = 0; index < COUNT; index++) {
        message_lock();
        for (int rank = 0; rank < process.boot->size; rank++)
            send_indexed(rank, QUESTION, process.rank, index);
        message_unlock();
        if (index % 100 == process.rank)
            message_progress();
    }
    CHECK(message_wait(is_all_there, NULL, NULL) == 0);
}

int main(void)
{
    for (size_t i = 0; i < sizeof bytes_upwards; i++)
        bytes_upwards[i] = (unsigned char)i;
    struct job job = {.nodes = 1,
                      .node_size = 1,
                      .spin_microseconds = 50,
                      .progress_thread = true,
                      .body = ask_everyone};
    int failures = run_job(job);
    job.node_size = 2;
    failures += run_job(job);
    job.spin_microseconds = 0;
    failures += run_job(job);
    job.progress_thread = false;
    failures += run_job(job);
    job.nodes = 2;
    failures += run_job(job);
    job.progress_thread = true;
    failures += run_job(job);
    job.spin_microseconds = 50;
    job.node_size = 1;
    failures += run_job(job);
    return failures > 0;
}
