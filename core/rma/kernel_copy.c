// SPDX-License-Identifier: BSD-3-Clause
// Puts and gets on memory of a local process that is not mapped here: copies of the
// kernel between address spaces, complete on return. Accumulates go by messages, since
// the kernel knows no atomic update.
#include "rma/walk.h"

static int kernel_copy_move(const struct operation *operation)
{
    const struct peer *peer = operation->peer;
    int node_rank = process.boot->node_rank_of[peer->job_rank];
    uint64_t target = peer->member->place + operation->offset;
    bool is_put = operation->kind == OPERATION_PUT;
    struct walk walk;
    struct piece piece;
    int err = 0;
    walk_begin(&walk, operation);
    while (!err && walk_next(&walk, &piece)) {
        uint64_t remote = target + (uint64_t)piece.target;
        char *local = operation->origin.address + piece.origin;
        err = is_put
                  ? shm_copy_to(process.shm, node_rank, remote, local, piece.bytes)
                  : shm_copy_from(process.shm, node_rank, local, remote, piece.bytes);
    }
    if (is_put)
        order_stored();
    return err;
}

const struct means means_kernel_copy = {
    .locate = locate_in_window,
    .start = {[OPERATION_PUT] = kernel_copy_move,
              [OPERATION_GET] = kernel_copy_move,
              [OPERATION_ACCUMULATE] = batch_accumulate,
              [OPERATION_GET_ACCUMULATE] = batch_accumulate,
              [OPERATION_COMPARE_AND_SWAP] = batch_compare_and_swap},
};
