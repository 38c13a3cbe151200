// SPDX-License-Identifier: BSD-3-Clause
// Batches: how their origins fill them (send.c), what they look like on their way, and
// what their targets do (serve.c).
#pragma once

#include "rma/rma.h"

enum { SPANS_MAX = 192 };

struct rma_span {
    uint64_t offset, bytes; // in the target's part
};

enum {
    PLAIN_COPY = 0,      // in place of an operation: bytes without atomicity
    COMPARE_AND_SWAP = 1 // brings the new element and the one to compare with
};

// Followed by the data of the origin, for all spans in their order.
struct rma_request {
    uint32_t window;     // handle at the target
    uint32_t reply_to;   // handle at the origin
    int32_t origin;      // the sender's rank in the window
    uint8_t brings : 4;  // how many times the bytes of all spans follow: 0, 1 or 2
    uint8_t fetches : 4; // 1: the reply has what was in the spans before
    uint8_t op;          // the ABI code of an operation, or one of the above
    uint8_t basic;       // for an operation: number of the type of the elements
    uint8_t count;
    struct rma_span spans[SPANS_MAX]; // only `count` of them travel
};

static inline size_t request_bytes(uint32_t count)
{
    return offsetof(struct rma_request, spans) + count * sizeof(struct rma_span);
}

// Followed by what was fetched. Replies come in the order of their requests.
struct rma_reply {
    uint32_t window; // handle at the origin
    int32_t rank;    // the target's in the window
    uint32_t fetches;
    int32_t error; // class, 0 when the batch has been carried out
};

// ---- at the origin ------------------------------------------------------------
// A batch under construction.
struct batch {
    const struct operation *operation;
    size_t bytes;           // in all spans
    char *local[SPANS_MAX]; // where what is fetched from each span belongs
    struct rma_request request;
    char data[MESSAGE_MAX]; // that the request brings
};

// Sets up an empty batch of plain copies for the operation.
void batch_begin(struct batch *batch, const struct operation *operation);
// Adds a span with the bytes that are `brought` to it and the place for what is
// `fetched` from it; where batches are full, it is parted at a multiple of `unit` and
// they are sent.
int batch_add(struct batch *batch, struct rma_span span, const char *brought,
              char *fetched, size_t unit);
// Sends the batch unless it has room for so many more spans and bytes.
int batch_reserve(struct batch *batch, uint32_t spans, size_t bytes);
// Sends the batch if it is not empty; then it is. Counted by the peer's counter.
int batch_send(struct batch *batch);

// ---- at the target ------------------------------------------------------------
// Are the spans of a request elements that its operation is for, and does it bring what
// that needs? Its lengths have been checked.
bool elements_are_well_formed(const struct rma_request *request);
// Combines what the request brings with the elements of the window, and writes what was
// there to `fetched` if it fetches.
void elements_combine(const struct window *window, const struct rma_request *request,
                      const char *brought, char *fetched);
