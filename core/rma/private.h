// SPDX-License-Identifier: BSD-3-Clause
// What a batch looks like on its way, for its origin (send.c) and its target (serve.c).
#pragma once

#include "rma/rma.h"

enum { SPANS_MAX = 192 };

struct rma_span {
    uint64_t offset, bytes; // in the target's part
};

// Followed by the data of a put, for all spans in their order.
struct rma_request {
    uint32_t window;   // handle at the target
    uint32_t reply_to; // handle at the origin
    uint32_t is_put;
    uint32_t count;
    struct rma_span spans[SPANS_MAX]; // only `count` of them travel
};

static inline size_t request_bytes(uint32_t count)
{
    return offsetof(struct rma_request, spans) + count * sizeof(struct rma_span);
}

// Followed by the data of a get. Replies come in the order of their requests.
struct rma_reply {
    uint32_t window; // handle at the origin
    int32_t rank;    // the target's in the window
    uint32_t is_put;
    int32_t error; // class, 0 when the batch has been carried out
};

// A get that is under way: where its data belongs.
struct awaited {
    struct awaited *next;
    size_t bytes;
    uint32_t count;
    struct {
        char *address;
        size_t bytes;
    } parts[];
};
