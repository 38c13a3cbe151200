// SPDX-License-Identifier: BSD-3-Clause
// Puts and gets on memory of a local process that is not mapped here, by copies of the
// kernel between address spaces. All spans of a batch share one call of the system. The
// kernel knows no atomic update, so that accumulates are left to the target.
#include "rma/batch.h"

void batch_spans(const struct peer_traffic *traffic, const struct batch *batch,
                 struct iovec remote[SPANS_MAX], struct iovec local[SPANS_MAX])
{
    uint64_t place = traffic->peer->member->local.place;
    for (uint32_t i = 0; i < batch->request.count; i++) {
        const struct rma_span *span = &batch->request.spans[i];
        remote[i].iov_base = (void *)(uintptr_t)(place + span->offset);
        local[i].iov_base = batch->local[i];
        remote[i].iov_len = local[i].iov_len = (size_t)span->bytes;
    }
}

// The stores of the kernel are in the target's memory before a flush returns: see
// order.h.
int batch_copy(const struct peer_traffic *traffic, const struct batch *batch)
{
    int partner = peer_node_rank(traffic->peer);
    size_t count = batch->request.count;
    struct iovec remote[SPANS_MAX], local[SPANS_MAX];
    batch_spans(traffic, batch, remote, local);
    if (batch->request.kind.fetches)
        return copy_error(
            shm_copy_spans_from(process.shm, partner, local, remote, count));
    int err = shm_copy_spans_to(process.shm, partner, remote, local, count);
    atomic_thread_fence(memory_order_seq_cst);
    return copy_error(err);
}
