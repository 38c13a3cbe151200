// SPDX-License-Identifier: BSD-3-Clause
// Detection of messages that the network has lost without saying which. Messages
// between nodes are numbered, so that the next one of the same process shows the gap; a
// process in doubt exchanges one message with each process of the other nodes.
#include "message/deaths.h"
#include "message/engine.h"

static const uint64_t PAUSE =
    100000000; // between two doubts, for strangers can cause one

struct echo {
    uint64_t is_question;
};

static void echo_send(int rank, bool is_question)
{
    struct echo echo = {is_question};
    message_send(rank, MESSAGE_ECHO, &echo, sizeof echo, NULL, 0);
}

static void handle_echo(int source, const void *message, size_t bytes)
{
    const struct echo *echo = message;
    if (bytes != sizeof *echo)
        message_refuse(source, "an echo");
    else if (echo->is_question)
        echo_send(source, false);
}

void gaps_ask(int rank)
{
    message_lock();
    echo_send(rank, true);
    message_unlock();
}

void gaps_start(void)
{
    message_register(&(struct message_kind){MESSAGE_ECHO, handle_echo, false}, 1);
}

void gaps_look(struct messages *messages)
{
    const struct boot *boot = process.boot;
    uint64_t now = clock_nanoseconds();
    if (now < messages->next_echo)
        return;
    messages->has_doubt = false;
    messages->next_echo = now + PAUSE;
    for (int rank = 0; rank < boot->size; rank++)
        if (!boot_is_local(boot, rank))
            echo_send(rank, true);
}
