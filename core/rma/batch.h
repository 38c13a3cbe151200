// SPDX-License-Identifier: BSD-3-Clause
// Batches: their format, how origins fill them (batch.c), how targets carry them out
// (target.c, accumulate_target.c), and the replies (reply.c).
#pragma once

#include "rma/walk.h"

#include <assert.h>
#include <stdlib.h>

// ---- format -------------------------------------------------------------------
// Kinds of messages.
enum {
    MESSAGE_RMA = WINDOW_NEXT_KIND, // operations that the target carries out
    MESSAGE_RMA_REPLY,              // their results or acknowledgement
    MESSAGE_RMA_BULK,               // a bulk accumulate (bulk.h)
    MESSAGE_RMA_BULK_REPLY,
    MESSAGE_RMA_HELP, // operations with which the target may help
};

enum {
    SPANS_MAX = 192,
    BATCH_MAX = (32 << 10) + 4 * CACHE_LINE // of batches and replies, to any process
};

// How long they may be to this process, with room for what may go in front of them.
static inline size_t batch_limit(int job_rank)
{
    size_t most = message_max(job_rank) - sizeof(struct sync_head);
    return most < BATCH_MAX ? most : BATCH_MAX;
}

struct rma_span {
    uint64_t offset, bytes; // in the exposed memory of the target
};

enum {
    PLAIN_COPY = 0,      // in place of an operation: bytes without atomicity
    COMPARE_AND_SWAP = 1 // its operands are the new element and the one to compare with
};

// All operations in a batch are of one kind.
struct batch_kind {
    uint8_t operands : 4;   // how many times the bytes of all spans follow: 0, 1 or 2
    uint8_t fetches : 2;    // 1: the reply has what the spans contained before
    uint8_t is_noticed : 2; // 1: no reply; what ends the epoch follows
    uint8_t op;             // the ABI code of an operation, or one of the above
    uint8_t basic;          // for an operation: number of the type of the elements
};

// Followed by the operands, each for all spans in their order.
struct rma_request {
    uint32_t window;   // handle at the target
    uint32_t reply_to; // handle at the origin
    int32_t origin;    // the sender's rank in the window
    struct batch_kind kind;
    uint8_t count;
    struct rma_span spans[SPANS_MAX]; // only `count` of them travel
};

static inline size_t request_bytes(uint32_t count)
{
    return offsetof(struct rma_request, spans) + count * sizeof(struct rma_span);
}

// Followed by the fetched data. Replies come in the order of their requests.
struct rma_reply {
    uint32_t window; // handle at the origin
    int32_t rank;    // the target's in the window
    uint32_t fetches;
    int32_t error; // class, 0 when the batch has been carried out
};

// Call for help with a joint copy.
struct rma_help {
    uint32_t window; // handle at the target
    int32_t origin;  // the sender's rank in the window
    struct joint_name joint;
    uint32_t fetches, count;
    struct help_span {
        struct rma_span target;
        uint64_t origin; // address in its process
    } spans[SPANS_MAX];  // only `count` of them travel
};
_Static_assert(sizeof(struct rma_help) <= MESSAGE_MAX, "all spans fit in a message");
_Static_assert((int)SPANS_MAX <= (int)JOINT_SPANS_MAX, "and in a joint copy");

static inline size_t help_bytes(uint32_t count)
{
    return offsetof(struct rma_help, spans) + count * sizeof(struct help_span);
}

// ---- at the origin ------------------------------------------------------------
// A reply that is under way, with the destinations of its data.
struct pending_reply {
    struct pending_reply *next;
    struct net_counter *counter; // of the operation's request, or NULL
    bool is_abandoned;           // see traffic_abandon
    size_t bytes;
    uint32_t count;
    struct {
        char *address;
        size_t bytes;
    } results[];
};

// A reply that is no longer pending, or NULL. The memory of one result is kept for the next.
static inline void reply_drop(struct peer_traffic *traffic, struct pending_reply *reply)
{
    if (reply == NULL || reply->count != 1 || traffic->spare_reply != NULL)
        free(reply);
    else
        traffic->spare_reply = reply;
}

// Operations of one kind that have not been sent yet.
struct batch {
    struct net_counter *counter; // of the request that all of it is for, or NULL
    size_t bytes;                // in all spans
    size_t copied;               // bytes of `operands` in use
    uint64_t begun;              // time of the second addition
    uint64_t additions;
    bool completes_at_once; // its operands are the program's again when it is carried
    bool is_left;           // to a target that ends the epoch
    char
        *local[SPANS_MAX]; // of each span: destination of fetched data, origin of a put
    _Alignas(8) struct sync_head head; // what goes in front of the request, if anything
    struct rma_request request;
    char operands[BATCH_MAX];
};
static_assert(offsetof(struct batch, request) ==
                  offsetof(struct batch, head) + sizeof(struct sync_head),
              "the request follows the head");

enum {
    SHORT_BYTES = 512,      // operands up to this are copied into the batch
    JOINT_BYTES = 64 << 10, // from here on the target's help is worth its messages
    COPY_BYTES = 512 << 10, // then the kernel's copy of a batch is not put off
    EPOCH_BYTES = 48 << 10, // spans up to this are left to a target that ends the epoch
    EPOCH_MESSAGES = 16,    // as long as these are not more
};

// Does the target end the epoch as well? Then it takes at its end, at the latest, what it
// has been sent. Members of this node have then come together; towards others a fence
// waits for answers.
static inline bool is_joined(const struct peer_traffic *traffic)
{
    enum access access = epoch_access(&traffic->peer->window->epoch);
    bool is_local = traffic->peer->lock_record != NULL;
    return access == ACCESS_START || (access == ACCESS_FENCE_USED && is_local);
}
// Has the batch no reply? What ends the epoch follows; on attached memory of another node,
// where the target finds the errors, replies tell them.
static inline bool is_unanswered(const struct peer_traffic *traffic,
                                 const struct batch *batch)
{
    const struct peer *peer = traffic->peer;
    return is_joined(traffic) && !batch->request.kind.fetches &&
           (peer->lock_record != NULL ||
            peer->window->flavor != MPI_WIN_FLAVOR_DYNAMIC);
}
static inline bool is_in_fence(const struct peer_traffic *traffic)
{
    return epoch_access(&traffic->peer->window->epoch) == ACCESS_FENCE_USED;
}

// One span of an operation. The operand is copied into the batch if it is short or the
// target must carry the operation out; fetched data goes to the result.
struct batch_item {
    struct rma_span span;
    const char *operand;
    char *result;
};

// How many bytes another span may add to a batch that is to fit in a message, as its reply.
static inline size_t message_room(const struct peer_traffic *traffic,
                                  const struct batch *batch)
{
    size_t head = batch->request.kind.operands ? request_bytes(batch->request.count + 1)
                                               : sizeof(struct rma_reply);
    size_t used = head + batch->bytes;
    return used < traffic->batch_max ? traffic->batch_max - used : 0;
}

// ---- carriers, at the origin --------------------------------------------------
// Callers of this and the following hold the message lock.
// What the local peer does in a wait, if it is in one.
enum shm_wait target_wait(const struct peer_traffic *traffic);
// Is it going to handle messages at once?
bool target_polls(const struct peer_traffic *traffic);
// Is the kernel to copy the batch, for all that is known of the target now?
bool goes_by_kernel(const struct peer_traffic *traffic, const struct batch *batch);
// Is the kernel to copy a put or get of so many bytes, and need that not be timed?
bool is_copied_untimed(struct peer_traffic *traffic, size_t bytes);
// Before a message to the target: does it wait, so that it must be looked at again?
bool target_has_waited(const struct peer_traffic *traffic);
// After the message to one that has: it is roused if it waits no more, at once where only
// the counter of a request is waited for.
void target_look_again(struct peer_traffic *traffic, const struct net_counter *counter);
// Has the batch copied or sends it. With `may_unlock` the message lock may be given away
// during a copy.
int batch_carry(struct peer_traffic *traffic, struct batch *batch, bool may_unlock,
                bool *is_copied);
// The answer to a message that is timed may have come.
void message_timed(struct peer_traffic *traffic);
// Sends a batch, which fits in a message.
int batch_send(struct peer_traffic *traffic, struct batch *batch);
// Sends a batch of puts or gets of any length.
int batch_send_in_parts(struct peer_traffic *traffic, const struct batch *batch);

// ---- filling a batch, at the origin -------------------------------------------
// Adds an item to a batch of the kind; where batches are full, it is divided at a
// multiple of `unit`. This and the following give the message lock away while they wait.
int batch_add(const struct operation *operation, struct batch_kind kind,
              const struct batch_item *item, size_t unit);
// The same for two items that stay in one batch.
int batch_add_pair(const struct operation *operation, struct batch_kind kind,
                   const struct batch_item items[2]);
// The same for one element of MPI_Compare_and_swap, with both operands.
int batch_add_swap(const struct operation *operation, struct batch_kind kind,
                   const struct batch_item *item, const char *compare);
// Sends a batch of one item, which is short. `compare` is the other operand of
// MPI_Compare_and_swap, else NULL.
int batch_send_alone(const struct operation *operation, struct batch_kind kind,
                     const struct batch_item *item, const char *compare);
// Adds a piece of a put or get.
int batch_add_piece(const struct operation *operation, const struct piece *piece);
// The operation has added all that it moves. The batch ends at once if the operation has
// a request, or if nothing else is under way to a target that is to carry it out; else
// it aggregates those that follow.
int batch_finish(const struct operation *operation);
// Ends the batch that is being filled, if any is, as traffic_send does.
int batch_end(struct peer_traffic *traffic, bool may_unlock);

static inline int peer_node_rank(const struct peer *peer)
{
    return boot_local_rank(process.boot, peer->job_rank);
}

// ---- kernel copies, at the origin ---------------------------------------------
// Carries a batch of puts or gets out.
int batch_copy(const struct peer_traffic *traffic, const struct batch *batch);
// MPI_ERR_RMA_RANGE if the kernel has not found the target's memory, or the error of the
// copy.
static inline int copy_error(int error)
{
    return unlikely(error == MPI_ERR_OTHER) ? MPI_ERR_RMA_RANGE : error;
}
// The memory of its spans at both ends.
void batch_spans(const struct peer_traffic *traffic, const struct batch *batch,
                 struct iovec remote[SPANS_MAX], struct iovec local[SPANS_MAX]);
// Carries a batch out with the target's help, as a joint copy, which counts its completion
// itself. False, with nothing done: it cannot be one. The message lock is held, and may be
// given away during the copy if that is said.
bool batch_copy_jointly(struct peer_traffic *traffic, const struct batch *batch,
                        bool may_unlock);
// Gives the joint copies up that are under way: waits until the target copies no more.
void traffic_leave_joints(struct peer_traffic *traffic);

// May the kernel copy what operations of the kind move?
static inline bool is_copyable(const struct peer_traffic *traffic,
                               struct batch_kind kind)
{
    return traffic->is_copied && kind.op == PLAIN_COPY;
}

// For assertions; the message lock is held.
bool traffic_is_valid(const struct peer_traffic *traffic);

// ---- at the target ------------------------------------------------------------
// Are all spans of a request in the exposed memory?
bool spans_are_inside(const struct window *window, const struct rma_request *request);
// As peer_owner.serve.
void request_serve(int source, const void *message, size_t bytes, int error,
                   const struct sync_head *grant);
// Are the spans of a request elements that its operation is for, with the operands that
// it needs? Its lengths have been checked.
bool elements_are_well_formed(const struct rma_request *request);
// Combines the operands of a request with the elements of the window, and writes what
// was there to `fetched` if it fetches.
void elements_combine(const struct window *window, const struct rma_request *request,
                      const char *operands, char *fetched);

// ---- replies ------------------------------------------------------------------
message_handler reply_handle; // at the origin
// The traffic that a reply belongs to; NULL if its source has none of that window.
struct peer_traffic *traffic_of(int source, const struct rma_reply *reply);
