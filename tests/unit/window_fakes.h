// SPDX-License-Identifier: BSD-3-Clause
// Messages that go nowhere: what a unit of window/ or rma/ sends is kept for the test,
// and the handlers it registers are called by the test. For tests of one process and
// tests whose processes share no more than a mapping.
#pragma once

#include "check.h"
#include "window/window.h"

#include <sched.h>
#include <string.h>

struct process process = {.windows = &(struct windows){.asked_locks = 0}};

static message_handler *handlers[MESSAGE_KINDS];

static struct sent {
    int count; // the test sets it back
    int rank;  // the last one
    int kind;
    size_t bytes;
    _Alignas(8) char data[MESSAGE_MAX];
} sent;
static int (*look_at_message)(void); // what the test does with each one, or NULL

void message_register(const struct message_kind kinds[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        handlers[kinds[i].number] = kinds[i].handler;
}

void message_unregister(const struct message_kind kinds[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        handlers[kinds[i].number] = NULL;
}

int message_send(int rank, int kind, const void *head, size_t head_bytes,
                 const void *body, size_t body_bytes)
{
    CHECK(head_bytes + body_bytes <= MESSAGE_MAX);
    sent.count++;
    sent.rank = rank;
    sent.kind = kind;
    sent.bytes = head_bytes + body_bytes;
    memcpy(sent.data, head, head_bytes);
    if (body_bytes > 0)
        memcpy(sent.data + head_bytes, body, body_bytes);
    return look_at_message != NULL ? look_at_message() : 0;
}

static int refused; // messages

void message_refuse(int source, const char *what)
{
    (void)source, (void)what;
    refused++;
}

void message_defer(void)
{
    CHECK(false); // there is memory
}

void message_starve(void)
{
    CHECK(false);
}

void message_lock(void)
{
}

void message_wake(void)
{
}

int message_progress(void)
{
    return 0;
}

bool message_try_lock(void)
{
    return true;
}

void message_unlock(void)
{
}

int message_backoff(unsigned *spins)
{
    if (++*spins % 64 == 0)
        sched_yield();
    return 0;
}

void message_backoff_end(unsigned spins)
{
    (void)spins;
}

// Nothing comes, so what is waited for must be true already.
int message_wait(bool (*done)(void *argument), void *argument)
{
    CHECK(done(argument));
    return 0;
}
