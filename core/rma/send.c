// SPDX-License-Identifier: BSD-3-Clause
// Moving data that this process cannot touch: long pieces by the network's remote
// access, short or otherwise unreachable ones in batches that the target carries out.
// Both are counted by the peer's counter.
#include "rma/private.h"

enum { DIRECT_BYTES = 2048 }; // a piece of so many bytes is worth an access of its own

static int access_remotely(const struct operation *operation, const struct piece *piece)
{
    struct peer *peer = operation->peer;
    struct net_counter *own = operation->counter;
    struct net_access access = {
        .rank = peer->job_rank,
        .is_write = operation->is_put,
        .local = operation->origin + piece->origin,
        .bytes = piece->bytes,
        .target = peer->member->net,
        .counter = own ? own : &peer->counter,
    };
    access.target.address += operation->offset + (uint64_t)piece->target;
    if (own != NULL)
        own->total = &peer->counter;
    for (unsigned spins = 0;;) {
        message_lock();
        window_expect_pending(operation->window);
        int err = net_access(process.net, &access);
        message_unlock();
        if (err || likely(access.bytes == 0))
            return err;
        err = message_progress() > 0 ? 0 : message_backoff(&spins);
        if (err)
            return err;
    }
}

static struct sort sort_of(const struct operation *operation)
{
    return (struct sort){
        .brings = operation->is_put, .fetches = !operation->is_put, .op = PLAIN_COPY};
}

static int send_whole(const struct operation *operation)
{
    struct rma_span span = {operation->offset, operation->bytes};
    char *local = operation->origin;
    int err = batch_add(operation, sort_of(operation), span, local, local, 1);
    return err ? err : batch_finish(operation);
}

static int send_pieces(const struct operation *operation)
{
    bool has_access = operation->reach == REACH_NET;
    struct walk walk = walk_of(operation);
    struct piece piece;
    int err = 0;
    while (!err && walk_next(&walk, &piece)) {
        char *local = operation->origin + piece.origin;
        uint64_t offset = operation->offset + (uint64_t)piece.target;
        struct rma_span span = {offset, piece.bytes};
        err = !has_access || piece.bytes < DIRECT_BYTES
                  ? batch_add(operation, sort_of(operation), span, local, local, 1)
                  : access_remotely(operation, &piece);
    }
    return err ? err : batch_finish(operation);
}

// Where each access is a call of the system, a short one goes with those that follow it
// while others are under way. The first one leaves at once unless a wait is expected.
static bool is_to_be_gathered(const struct operation *operation)
{
    const struct peer *peer = operation->peer;
    return operation->bytes < DIRECT_BYTES && operation->counter == NULL &&
           (peer->is_awaited_soon || net_counter_pending(&peer->counter) > 0) &&
           !net_has_cheap_access(process.net);
}

int rma_send(const struct operation *operation)
{
    struct piece whole = {0, 0, operation->bytes};
    if (!is_plain(operation))
        return send_pieces(operation);
    if (operation->reach != REACH_NET || is_to_be_gathered(operation))
        return send_whole(operation);
    return access_remotely(operation, &whole);
}
