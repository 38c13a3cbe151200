// SPDX-License-Identifier: BSD-3-Clause
// Bulk accumulates: many elements, by one request that says where the operands and the
// results are. The target reads the operands chunk by chunk, combines them with its
// elements and writes what it fetches to the results (bulk_target.c). For a target on
// another node the origin registers both (bulk_origin.c) until the reply comes
// (bulk_reply.c); a local peer has the kernel read the operands, and fetches nothing.
#pragma once

#include "rma/batch.h"

// Follows the head of a request of one span.
struct bulk_places {
    uint64_t number; // of the request, the same in its reply
    struct net_remote operands, results;
};

struct bulk_reply {
    struct rma_reply head;
    uint64_t number;
};

// ---- at the origin ------------------------------------------------------------
// A bulk accumulate under way.
struct bulk {
    struct bulk *next;
    struct net_counter *counter; // of the operation's request, or NULL
    uint64_t number;
    struct net_region operands, results;
};

// Is an accumulate of so many bytes for a bulk request?
bool bulk_is_worth(const struct operation *operation, struct batch_kind kind,
                   const struct atomic_type *type, size_t bytes);
// Sends requests for an item, and takes off it what is sent. Not all is where operands or
// results cannot be registered, and where batches take a local peer less time; these are
// to be used for the rest. Callers of this and the next hold the message lock, which is
// given away while the call waits.
int bulk_try(const struct operation *operation, struct batch_kind kind,
             struct batch_item *item, const struct atomic_type *type);
// Waits until accumulates that are to follow in order may be sent.
int bulks_await(const struct operation *operation);
void bulk_free(struct bulk *bulk);
void bulks_free(struct peer_traffic *traffic);
message_handler bulk_reply_handle;

// ---- at the target ------------------------------------------------------------
message_handler bulk_serve;
void bulks_stop(void);
