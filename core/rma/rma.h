// SPDX-License-Identifier: BSD-3-Clause
// rma: operations on the windows of other processes (MPI-4.1 12.3).
//
// Glossary
//   operation  descriptor of a put, get, accumulate or compare and swap (operation.h)
//   means      how operations get at a target's memory: loads and stores, batches, the
//              network; a table of functions that a peer has
//   piece      bytes that are contiguous at the origin and at the target
//   walk       the pieces of an operation, in the order of the type maps (walk.h)
//   batch      short operations in one message, which the target carries out, or in one
//              copy of the kernel (batch.h)
//   traffic    operations under way to a peer whose memory is not mapped here
//   aggregate  to keep short operations back until several make a batch
//
// A put moves all data that the origin buffer describes, a get all that the target
// buffer describes; the other buffer may be larger, as in a receive. If it is smaller,
// nothing moves and the error is MPI_ERR_TRUNCATE.
#pragma once

#include "rma/atomic.h"
#include "rma/timed_message.h"
#include "rma/order.h"
#include "window/window.h"

// Operations under way to one peer. The message lock guards the members that are not
// atomic.
struct peer_traffic {
    struct net_counter counter; // accesses and batches
    struct peer *peer;
    bool is_copied;      // the kernel copies the peer's memory
    size_t batch_max;    // bytes of a batch that is a message, and of its reply
    struct batch *batch; // operations that are aggregated, or NULL
    struct batch *spare; // memory for the next batch, or NULL
    _Atomic(bool) is_awaited_soon; // a wait has come soon after the last batch
    bool is_lone;                  // the last wait was for one operation
    int32_t order_then;            // order_left after the last lone copy
    int batches;                   // sent and not answered
    unsigned in_epoch;             // messages since the last wait: of an active epoch
    bool has_left;                 // some of a fence epoch, for the target's own fence
    int polls_to_rouse;            // 0: the target needs not be roused
    int copies_in_row;             // by the kernel while the target slept in a wait
    uint64_t last_copy;            // time of the last of these
    struct carrier_times times[TIMED_CLASSES]; // of lone operations, by size
    struct timed_message timed;
    struct pending_reply *replies; // to batches that fetch, in the order of those
    struct pending_reply **replies_end;
    struct pending_reply *spare_reply; // memory for that to one operation, or NULL
    struct bulk *bulks;                // bulk accumulates under way
    int bulk_count;                    // of them
    uint64_t bulk_number;              // of the last one
    int slow_parts;                    // of accumulates, in a row (bulk_origin.c)
    int bulks_in_row;                  // since the last part
    struct joint_batch *joints;        // joint copies that are not complete
    // Of a dynamic window on this node: where the last batches have gone (attached.c).
    struct unmapped_attachment attachment;
};

extern const struct peer_owner rma_peers; // for windows_start
// From now on this process carries out operations of others, until it stops to.
void rma_start_serving(void);
void rma_stop_serving(void);

// Is nothing under way to the peer?
static inline bool peer_is_quiet(const struct peer *peer)
{
    return peer->traffic == NULL || net_counter_pending(&peer->traffic->counter) == 0;
}

// The same, and has no operation failed since the last flush?
static inline bool peer_has_none_left(const struct peer *peer)
{
    return peer_is_quiet(peer) &&
           (peer->traffic == NULL || atomic_load_explicit(&peer->traffic->counter.error,
                                                          memory_order_relaxed) == 0);
}

// Is everything that has been sent in batches, which messages do not overtake? Callers hold
// the message lock.
static inline bool traffic_is_in_order(const struct peer_traffic *traffic)
{
    return net_counter_pending(&traffic->counter) ==
           (uint64_t)traffic->batches + (traffic->batch != NULL);
}
// The same, and the batch that is being filled is to be a message, which can take along
// what ends the epoch.
bool traffic_can_part(const struct peer_traffic *traffic);
// Has the fence epoch sent messages that the target takes in its own fence? Once. Callers
// hold the message lock.
static inline bool traffic_take_left(struct peer_traffic *traffic)
{
    bool has_left = traffic->has_left;
    traffic->has_left = false;
    return has_left;
}

// The error class of the first operation that has failed since the last call, or 0.
static inline int traffic_take_error(struct peer_traffic *traffic)
{
    return net_counter_take_error(&traffic->counter);
}

// Ends the batch that is being filled, if any is. An error is also counted for the
// next flush. Callers hold the message lock; one that is no handler may have it given
// away during a kernel copy, for other threads.
int traffic_send(struct peer_traffic *traffic, bool may_unlock);
// One more poll of a wait for the traffic was in vain. Callers hold the message lock.
void traffic_await(struct peer_traffic *traffic);
// Ends a wait that has failed: replies that are under way are not written to the
// program's buffers any more, except those of a request. Callers hold the message lock.
void traffic_abandon(struct peer_traffic *traffic);
