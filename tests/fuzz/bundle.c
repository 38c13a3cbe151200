// SPDX-License-Identifier: BSD-3-Clause
// A bundle of messages, as another process may send it: messages that are handed on lie
// within it one after the other, also when handlers defer some of them.
#include "fuzz.h"
#include "message/engine.h"

static struct messages messages;
struct process process = {.messages = &messages};

static const char *bundle, *end, *last_end; // of the bundle; of the message before
static bool was_deferred, is_refused;

bool deliver_message(int source, int kind, const void *message, size_t bytes)
{
    const char *first = message;
    must(source == 1 && kind >= 0 && kind < MESSAGE_KINDS && kind != MESSAGE_BUNDLE);
    must((first - bundle) % 8 == 0 && first > last_end && first <= end);
    must(bytes <= (size_t)(end - first) && !is_refused);
    unsigned sum = 0;
    for (size_t i = 0; i < bytes; i++)
        sum += (unsigned char)first[i];
    was_deferred = !was_deferred && sum % 3 == 1;
    if (!was_deferred)
        last_end = first + bytes;
    return !was_deferred;
}

void message_refuse(int source, const char *what)
{
    must(source == 1 && what != NULL && !is_refused);
    is_refused = true;
}

// What bundle.c calls besides, where bundles are sent.
int message_send(int rank, int kind, const void *head, size_t head_bytes,
                 const void *body, size_t body_bytes)
{
    (void)rank, (void)kind, (void)head, (void)head_bytes, (void)body, (void)body_bytes;
    abort();
}

size_t message_max(int rank)
{
    (void)rank;
    abort();
}

void message_lock(void)
{
}

void message_unlock(void)
{
}

bool net_has_cheap_access(const struct net *net)
{
    (void)net;
    abort();
}

// Copied to an allocation of exactly its size, so that the sanitizer sees each byte beside
// it.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    char *copy = malloc(count > 0 ? count : 1);
    must(copy != NULL);
    memcpy(copy, bytes, count);
    bundle = copy;
    last_end = copy;
    end = copy + count;
    was_deferred = is_refused = false;
    while (!bundle_deliver(&messages, 1, copy, count))
        must(was_deferred && messages.bundle.handled < count);
    must(messages.bundle.handled == 0);
    free(copy);
    return 0;
}
