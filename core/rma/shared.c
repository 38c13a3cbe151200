// SPDX-License-Identifier: BSD-3-Clause
// Operations on memory of which only the shared pages are mapped here. What touches the
// ends of the memory, outside of them, goes the way of memory that is not mapped. The
// kernel copies and the target itself work on the same pages, and the target by the same
// instructions and stripes, so that updates of both ways are atomic together. One way
// leads to each element, so that its updates keep their order.
#include "rma/operation.h"

// Elements of both parts, or one that lies in both.
static const struct means means_partly = {
    .start = {[OPERATION_PUT] = batch_move,
              [OPERATION_GET] = batch_move,
              [OPERATION_ACCUMULATE] = partly_accumulate,
              [OPERATION_GET_ACCUMULATE] = partly_accumulate,
              [OPERATION_COMPARE_AND_SWAP] = batch_compare_and_swap},
};

static int locate_shared(struct operation *operation)
{
    const struct shared_part *part = &operation->peer->member->local.shared;
    uint64_t shared = part->begin, shared_end = shared + part->bytes;
    MPI_Aint first, last;
    int err = locate_in_window(operation);
    if (err)
        return err;
    datatype_span(operation->target.type, operation->target.count, &first, &last);
    uint64_t begin = operation->offset + (uint64_t)first;
    uint64_t end = operation->offset + (uint64_t)last;
    if (begin >= shared && end <= shared_end)
        operation->means = &means_load;
    else if (end <= shared || begin >= shared_end)
        operation->means = &means_batch;
    else
        operation->means = &means_partly;
    return 0;
}

const struct means means_shared = {.locate = locate_shared};
