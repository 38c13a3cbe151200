// SPDX-License-Identifier: BSD-3-Clause
// Puts and gets on memory of a local process that is not mapped here, by copies of the
// kernel between address spaces. All spans of a batch share one call of the system. The
// kernel knows no atomic update, so that accumulates are left to the target.
#include "rma/batch.h"

static int copy_rank(const struct peer *peer)
{
    return process.boot->node_rank_of[peer->job_rank];
}

static struct iovec remote_span(const struct peer *peer, uint64_t offset, size_t bytes)
{
    return (struct iovec){(void *)(uintptr_t)(peer->member->place + offset), bytes};
}

// The stores of the kernel are in the target's memory before a flush returns: see
// order.h.
int batch_copy(const struct peer_traffic *traffic, const struct batch *batch)
{
    const struct peer *peer = traffic->peer;
    const struct rma_request *request = &batch->request;
    struct iovec remote[SPANS_MAX], local[SPANS_MAX];
    for (uint32_t i = 0; i < request->count; i++) {
        const struct rma_span *span = &request->spans[i];
        remote[i] = remote_span(peer, span->offset, span->bytes);
        local[i] = (struct iovec){batch->local[i], span->bytes};
    }
    if (request->kind.fetches)
        return shm_copy_spans_from(process.shm, copy_rank(peer), local, remote,
                                   request->count);
    int err =
        shm_copy_spans_to(process.shm, copy_rank(peer), remote, local, request->count);
    atomic_thread_fence(memory_order_seq_cst);
    return err;
}

int piece_copy(const struct operation *operation, const struct piece *piece)
{
    const struct peer *peer = operation->peer;
    uint64_t offset = operation->offset + (uint64_t)piece->target;
    struct iovec remote = remote_span(peer, offset, piece->bytes);
    struct iovec local = {operation->origin.address + piece->origin, piece->bytes};
    if (operation->kind == OPERATION_GET)
        return shm_copy_spans_from(process.shm, copy_rank(peer), &local, &remote, 1);
    int err = shm_copy_spans_to(process.shm, copy_rank(peer), &remote, &local, 1);
    order_stored();
    return err;
}
