// SPDX-License-Identifier: BSD-3-Clause
// Operations that the target carries out: on memory of a local process that the kernel
// does not let others copy, and on attached memory of another node.
#include "rma/batch.h"
#include "rma/walk.h"

int batch_move(const struct operation *operation)
{
    struct walk walk;
    struct piece piece;
    int err = 0;
    walk_begin(&walk, operation);
    while (!err && walk_next(&walk, &piece))
        err = batch_add_piece(operation, &piece);
    return err ? err : batch_finish(operation);
}

const struct means means_message = {
    .locate = locate_in_window,
    .start = {[OPERATION_PUT] = batch_move,
              [OPERATION_GET] = batch_move,
              [OPERATION_ACCUMULATE] = batch_accumulate,
              [OPERATION_GET_ACCUMULATE] = batch_accumulate,
              [OPERATION_COMPARE_AND_SWAP] = batch_compare_and_swap},
};
