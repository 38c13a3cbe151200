// SPDX-License-Identifier: BSD-3-Clause
// Bundles. Where each message to another node is a call of the system, the messages of a
// burst leave together: the first one at once, the others when the process polls, the
// bundle is full, or a message to the same process follows that cannot join.
//
// A program that computes after its burst would keep its peer waiting. So messages are
// kept only while bursts are short: polls have followed soon on the last ones, and those
// that had a bundle took no longer than sends of their own. After a mistake the network
// thread sends the bundle when its nap ends; without one, or while it sleeps, nothing is
// kept.
#include "message/engine.h"

#include <string.h>

enum {
    BURST_LEAST = 4, // messages
    TRUST = 2,       // short bursts after which messages are kept
    MISTAKE = -16,   // trust in bursts of which one was long and had a bundle
};
// Nanoseconds that a message of its own takes, besides one for each byte, and until a poll
// follows on the last one.
static const uint64_t SEND_TIME = 4000, POLL_TIME = 20000;

// A message in a bundle, in whole words.
struct bundled {
    uint32_t kind, bytes;
    char message[];
};

static size_t bundled_bytes(size_t message_bytes)
{
    return sizeof(struct bundled) + ((message_bytes + 7) & ~(size_t)7);
}

void message_bundle_kind(int kind, _Atomic(bool) *has_left)
{
    struct bundle *bundle = &process.messages->bundle;
    message_lock();
    bundle->kinds |= UINT32_C(1) << kind;
    bundle->has_left = has_left;
    message_unlock();
}

// ---- bursts

// Counts a message. False when it is the first one or the burst goes to another process.
static bool burst_goes_on(struct bundle *bundle, int rank, size_t bytes)
{
    if (bundle->rank != rank && bundle->bytes > 0)
        return false;
    if (bundle->rank != rank) {
        bundle->burst = 0;
        bundle->has_kept = false;
    }
    bundle->rank = rank;
    bundle->burst++;
    if (bundle->burst == 1 || bundle->trust < TRUST)
        bundle->limit = clock_nanoseconds() + POLL_TIME;
    else
        bundle->limit += SEND_TIME + bytes;
    return bundle->burst > 1;
}

// ---- the origin

static bool may_keep(const struct messages *messages)
{
    return messages->bundle.trust >= TRUST && messages->network_thread.is_running &&
           !messages->network_thread_sleeps && !net_has_cheap_access(process.net);
}

static void bundle_add(struct bundle *bundle, int kind, const void *head,
                       size_t head_bytes, const void *body, size_t body_bytes)
{
    struct bundled *bundled = (struct bundled *)(bundle->data + bundle->bytes);
    bundled->kind = (uint32_t)kind;
    bundled->bytes = (uint32_t)(head_bytes + body_bytes);
    memcpy(bundled->message, head, head_bytes);
    if (body_bytes > 0)
        memcpy(bundled->message + head_bytes, body, body_bytes);
    bundle->bytes += bundled_bytes(head_bytes + body_bytes);
}

bool bundle_take(struct messages *messages, int rank, int kind, const void *head,
                 size_t head_bytes, const void *body, size_t body_bytes)
{
    struct bundle *bundle = &messages->bundle;
    size_t bytes = bundled_bytes(head_bytes + body_bytes), most = message_max(rank);
    if (!burst_goes_on(bundle, rank, bytes) || bytes > BUNDLE_MAX || bytes > most ||
        !may_keep(messages))
        return false;
    if (bundle->bytes + bytes > BUNDLE_MAX || bundle->bytes + bytes > most)
        bundle_leave(messages);
    atomic_store(bundle->has_left, false);
    bundle_add(bundle, kind, head, head_bytes, body, body_bytes);
    bundle->has_kept = true;
    waiting_set(messages, MESSAGES_BUNDLED, true);
    return true;
}

// An error is that of a process that is lost, of which all are told.
void bundle_leave(struct messages *messages)
{
    struct bundle *bundle = &messages->bundle;
    size_t bytes = bundle->bytes;
    bundle->bytes = 0;
    message_send(bundle->rank, MESSAGE_BUNDLE, bundle->data, bytes, NULL, 0);
    waiting_set(messages, MESSAGES_BUNDLED, false);
    atomic_store(bundle->has_left, true);
}

// That a progress thread polls says nothing of the program.
int burst_end(struct messages *messages, bool is_progress_thread)
{
    struct bundle *bundle = &messages->bundle;
    bool is_burst = bundle->has_kept || bundle->burst >= BURST_LEAST;
    int count = bundle->bytes > 0;
    if (is_burst && clock_nanoseconds() > bundle->limit)
        bundle->trust = bundle->has_kept ? MISTAKE : 0;
    else if (is_burst && bundle->trust < TRUST && !is_progress_thread)
        bundle->trust++;
    if (bundle->bytes > 0)
        bundle_leave(messages);
    bundle->burst = 0;
    bundle->has_kept = false;
    return count;
}

// ---- the target

static bool bundled_makes_sense(const struct bundled *bundled, size_t rest)
{
    return rest >= sizeof *bundled && bundled->kind < MESSAGE_KINDS &&
           bundled->kind != MESSAGE_BUNDLE && bundled_bytes(bundled->bytes) <= rest;
}

bool bundle_deliver(struct messages *messages, int source, const char *bundle,
                    size_t bytes)
{
    size_t at = messages->bundle.handled;
    for (size_t rest; (rest = bytes - at) > 0;) {
        const struct bundled *bundled = (const struct bundled *)(bundle + at);
        if (!bundled_makes_sense(bundled, rest)) {
            message_refuse(source, "a bundle");
            break;
        }
        if (!deliver_message(source, (int)bundled->kind, bundled->message,
                             bundled->bytes)) {
            messages->bundle.handled = at;
            return false;
        }
        at += bundled_bytes(bundled->bytes);
    }
    messages->bundle.handled = 0;
    return true;
}
