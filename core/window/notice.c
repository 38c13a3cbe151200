// SPDX-License-Identifier: BSD-3-Clause
// Notices of general active target synchronisation (MPI-4.1 12.5.2): one message from a
// target to each origin when it posts, one back when the origin completes, with its last
// operations. The process that waits for a notice receives it itself, so that it does not depend on a peer that
// computes. Notices are counted per peer and never reset: those of the next epoch may
// come early.
#include "window/awaited.h"
#include "window/open.h"

#include <stdlib.h>

// A notice from a process that is no peer yet.
struct early_notice {
    struct early_notice *next;
    int rank;
    enum notice kind;
};

int peer_notify(const struct window *window, const struct peer *peer, enum notice kind)
{
    struct sync_head head = {.window = peer->member->handle,
                             .rank = window->comm->rank,
                             .type = (int16_t)kind};
    message_lock();
    int err = message_send(peer->job_rank, MESSAGE_NOTICE, &head, sizeof head, NULL, 0);
    message_unlock();
    return err;
}

// False without memory.
static bool early_notice_keep(struct window *window, int rank, enum notice kind)
{
    struct early_notice *notice = malloc(sizeof *notice);
    if (notice == NULL)
        return false;
    *notice = (struct early_notice){window->early_notices, rank, kind};
    window->early_notices = notice;
    return true;
}

// The operations in front of which the notice comes are carried out before it counts for
// a wait, which looks when the handler has returned.
static void handle_notice(int source, const void *bytes, size_t size)
{
    const struct sync_head *head = bytes;
    struct window *window =
        size < sizeof *head ? NULL : handle_object(KIND_WIN, head->window);
    if (window == NULL || !window_has_member(window, head->rank, source) ||
        head->type < 0 || head->type >= NOTICES) {
        message_refuse(source, "a notice");
        return;
    }
    struct peer *peer = window_find_peer(window, head->rank);
    if (peer == NULL && !early_notice_keep(window, head->rank, head->type)) {
        message_defer();
        return;
    }
    if (size > sizeof *head)
        process.windows->peer_owner->serve(source, head + 1, size - sizeof *head, 0,
                                           NULL);
    if (peer != NULL)
        peer_count_notice(peer, head->type);
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
    return message_wait(is_posted, peer, post_explain);
}

void notices_free(struct window *window)
{
    while (window->early_notices != NULL) {
        struct early_notice *notice = window->early_notices;
        window->early_notices = notice->next;
        free(notice);
    }
}

static const struct message_kind kinds[] = {
    {MESSAGE_NOTICE, handle_notice, false},
    {MESSAGE_LAST, handle_notice, .can_fail = true},
};

void notices_start(void)
{
    message_register(kinds, sizeof kinds / sizeof *kinds);
}

void notices_stop(void)
{
    message_unregister(kinds, sizeof kinds / sizeof *kinds);
}
