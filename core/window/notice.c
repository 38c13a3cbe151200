// SPDX-License-Identifier: BSD-3-Clause
// Notices of general active target synchronisation (MPI-4.1 12.5.2): one message from a
// target to each origin when it posts, one back when the origin completes. The process
// that waits for a notice receives it itself, so that it does not depend on a peer that
// computes. Notices are counted per peer and never reset: those of the next epoch may
// come early.
#include "window/open.h"

#include <stdlib.h>

struct notice_message {
    uint32_t window; // handle at the receiver
    int32_t rank;    // the sender's in the window
    uint32_t kind;   // enum notice
};

// A notice from a process that is no peer yet.
struct early_notice {
    struct early_notice *next;
    int rank;
    enum notice kind;
};

int peer_notify(const struct window *window, const struct peer *peer, enum notice kind)
{
    struct notice_message message = {peer->member->handle, window->comm->rank, kind};
    message_lock();
    int err =
        message_send(peer->job_rank, MESSAGE_NOTICE, &message, sizeof message, NULL, 0);
    message_unlock();
    return err;
}

static void early_notice_keep(struct window *window, int rank, enum notice kind)
{
    struct early_notice *notice = malloc(sizeof *notice);
    if (notice == NULL) {
        message_defer();
        return;
    }
    *notice = (struct early_notice){window->early_notices, rank, kind};
    window->early_notices = notice;
}

static void handle_notice(int source, const void *bytes, size_t size)
{
    const struct notice_message *message = bytes;
    struct window *window =
        size == sizeof *message ? handle_object(KIND_WIN, message->window) : NULL;
    if (window == NULL || !window_has_member(window, message->rank, source) ||
        message->kind >= NOTICES) {
        message_refuse(source, "a notice");
        return;
    }
    struct peer *peer = window_find_peer(window, message->rank);
    if (peer != NULL)
        peer_count_notice(peer, message->kind);
    else
        early_notice_keep(window, message->rank, message->kind);
}

void window_count_early(struct window *window)
{
    message_lock();
    struct early_notice **at = &window->early_notices, *notice;
    while ((notice = *at) != NULL) {
        struct peer *peer = window_find_peer(window, notice->rank);
        if (peer == NULL) {
            at = &notice->next;
            continue;
        }
        peer_count_notice(peer, notice->kind);
        *at = notice->next;
        free(notice);
    }
    message_unlock();
}

static bool is_posted(void *peer)
{
    return peer_has_notice(peer, NOTICE_POST);
}

int peer_await_post(struct peer *peer)
{
    return message_wait(is_posted, peer);
}

void notices_free(struct window *window)
{
    while (window->early_notices != NULL) {
        struct early_notice *notice = window->early_notices;
        window->early_notices = notice->next;
        free(notice);
    }
}

static const struct message_kind notice_kind = {MESSAGE_NOTICE, handle_notice, false};

void notices_start(void)
{
    message_register(&notice_kind, 1);
}

void notices_stop(void)
{
    message_unregister(&notice_kind, 1);
}
