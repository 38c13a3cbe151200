// SPDX-License-Identifier: BSD-3-Clause
// Batches: how their origins fill them (batch.c), what they look like on their way, and
// what their targets do (serve.c).
#pragma once

#include "rma/rma.h"

// Kinds of messages.
enum {
    MESSAGE_RMA = WINDOW_NEXT_KIND, // operations that the target carries out
    MESSAGE_RMA_REPLY,              // their results or acknowledgement
};

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
// What is alike of all that one batch carries, as in rma_request.
struct sort {
    uint8_t brings, fetches, op, basic;
};

// Adds a span with the bytes that are `brought` to it and the place for what is
// `fetched` from it to a batch of the sort; where batches are full, it is parted at a
// multiple of `unit`. The bytes are copied.
int batch_add(const struct operation *operation, struct sort sort, struct rma_span span,
              const char *brought, char *fetched, size_t unit);
// The same for two spans that stay in one batch.
int batch_add_pair(const struct operation *operation, struct sort sort,
                   const struct rma_span spans[2], const char *const brought[2],
                   char *const fetched[2]);
// The same for one element, which brings the origin's and the one to compare with.
int batch_add_swap(const struct operation *operation, struct sort sort,
                   struct rma_span span, const char *compare, char *fetched);
// The operation has added all that it moves. It is sent at once if nothing else is under
// way to the target, or if it has a request; else it waits for company until then.
int batch_finish(const struct operation *operation);

// ---- at the target ------------------------------------------------------------
// Are the spans of a request elements that its operation is for, and does it bring what
// that needs? Its lengths have been checked.
bool elements_are_well_formed(const struct rma_request *request);
// Combines what the request brings with the elements of the window, and writes what was
// there to `fetched` if it fetches.
void elements_combine(const struct window *window, const struct rma_request *request,
                      const char *brought, char *fetched);
