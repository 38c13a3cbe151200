// SPDX-License-Identifier: BSD-3-Clause
// Puts and gets on memory of another node: a long piece by a remote access of the
// network, short ones in batches that the target carries out. The peer's traffic counts
// both.
#include "rma/batch.h"
#include "rma/walk.h"

enum {
    ACCESS_BYTES = 2048, // a piece of so many bytes is worth an access of its own,
    ACCESS_BYTES_OF_CALLS = 6144, // where each is calls of the system, one of so many,
    ACCESS_BYTES_OF_MANY = 12288, // or of so many while others are under way,
    AWAIT_BYTES = 7168            // and so many are worth a round trip more
};

static bool is_worth_access(size_t bytes)
{
    return bytes >= ACCESS_BYTES_OF_CALLS ||
           (bytes >= ACCESS_BYTES && net_has_cheap_access(process.net));
}

// Where each access is calls of the system, an operation is aggregated with those
// that follow it while others are under way. The first one leaves at once unless a wait
// is expected.
static bool is_to_aggregate(const struct operation *operation)
{
    const struct peer_traffic *traffic = operation->peer->traffic;
    return operation->counter == NULL && operation->bytes < ACCESS_BYTES_OF_MANY &&
           (traffic->is_awaited_soon || net_counter_pending(&traffic->counter) > 0) &&
           !net_has_cheap_access(process.net);
}

static struct net_access access_of(const struct operation *operation,
                                   const struct piece *piece)
{
    const struct peer *peer = operation->peer;
    struct net_counter *own = operation->counter, *total = &peer->traffic->counter;
    if (own != NULL)
        own->total = total;
    struct net_access access = {
        .rank = peer->job_rank,
        .is_write = operation->kind == OPERATION_PUT,
        .local = operation->origin.address + piece->origin,
        .bytes = piece->bytes,
        .target = peer->member->net,
        .counter = own ? own : total,
    };
    access.target.address += operation->offset + (uint64_t)piece->target;
    return access;
}

// The network was busy; the message lock is free.
static int await_network(unsigned *spins)
{
    return message_progress() > 0 ? 0 : message_backoff(spins, NULL, NULL);
}

static inline __attribute__((always_inline)) int
access_piece(const struct operation *operation, const struct piece *piece)
{
    struct net_access access = access_of(operation, piece);
    unsigned spins = 0;
    int err;
    do {
        message_lock();
        epoch_begin_pending(&operation->window->epoch);
        err = net_access(process.net, &access);
        message_unlock();
    } while (!err && unlikely(access.bytes > 0) && !(err = await_network(&spins)));
    if (unlikely(spins > 0))
        message_backoff_end(spins);
    return err;
}

// Short pieces go by batches.
static int move_pieces(const struct operation *operation)
{
    struct walk walk;
    struct piece piece;
    int err = 0;
    walk_begin(&walk, operation);
    while (!err && walk_next(&walk, &piece)) {
        if (is_worth_access(piece.bytes)) {
            err = access_piece(operation, &piece);
            continue;
        }
        message_lock();
        err = batch_add_piece(operation, &piece);
        message_unlock();
    }
    if (err)
        return err;
    message_lock();
    err = batch_finish(operation);
    message_unlock();
    return err;
}

// An access is to complete before the notice that ends the epoch; a batch is not.
static bool goes_with_notice(const struct operation *operation)
{
    return operation->kind == OPERATION_PUT &&
           epoch_access(&operation->window->epoch) == ACCESS_START;
}

static int network_move(const struct operation *operation);

// While the lock is not held yet a batch goes with the request, or after it, but an
// access awaits the lock.
static __attribute__((noinline)) int move_asking(const struct operation *operation)
{
    if (operation->bytes < AWAIT_BYTES)
        return batch_move(operation);
    int err = peer_await_lock(operation->peer);
    return err ? err : network_move(operation);
}

static int network_move(const struct operation *operation)
{
    if (unlikely(peer_is_asked_for(operation->peer)))
        return move_asking(operation);
    if ((operation->bytes < AWAIT_BYTES && goes_with_notice(operation)) ||
        is_to_aggregate(operation))
        return batch_move(operation);
    if (!is_contiguous(operation))
        return move_pieces(operation);
    return access_piece(operation, &(struct piece){.bytes = operation->bytes});
}

const struct means means_network = {
    .locate = locate_in_window,
    .start = {[OPERATION_PUT] = network_move,
              [OPERATION_GET] = network_move,
              [OPERATION_ACCUMULATE] = batch_accumulate,
              [OPERATION_GET_ACCUMULATE] = batch_accumulate,
              [OPERATION_COMPARE_AND_SWAP] = batch_compare_and_swap},
};
