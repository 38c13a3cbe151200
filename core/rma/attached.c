// SPDX-License-Identifier: BSD-3-Clause
// Operations on dynamic windows (MPI-4.1 12.2.4): is all that they access attached, and
// by which means can this process get at it?
#include "rma/operation.h"

static bool is_in_segment(const struct attachments *attached, uint64_t address,
                          uint64_t bytes)
{
    uint64_t offset = address - attached->segment, size = process.shm->bytes;
    return offset < size && bytes <= size - offset;
}

static int not_attached(const struct operation *operation, uint64_t address,
                        uint64_t bytes)
{
    return fail(MPI_ERR_RMA_RANGE,
                "target_disp = %#jx: rank %d has not attached all of the %ju bytes at "
                "%#jx",
                (uintmax_t)operation->target.displacement, operation->target.rank,
                (uintmax_t)bytes, (uintmax_t)address);
}

// Looks at a buffer with gaps block by block. *is_mapped: all of it lies in the
// segment.
static int check_blocks(const struct operation *operation, bool *is_mapped)
{
    const struct attachments *attached = &operation->peer->lock_record->attachments;
    struct blocks blocks = blocks_of(operation->target.type, operation->target.count);
    MPI_Aint at;
    size_t bytes;
    *is_mapped = true;
    while ((bytes = blocks_next(&blocks, SIZE_MAX, &at)) > 0) {
        uint64_t address = operation->offset + (uint64_t)at;
        int err = attachments_check(attached, address, bytes);
        if (err == MPI_ERR_RMA_RANGE)
            return not_attached(operation, address, bytes);
        if (err)
            return err;
        *is_mapped &= is_in_segment(attached, address, bytes);
    }
    return 0;
}

// The same for any buffer: usually all of it is in one attachment, gaps and all.
static int check_attached(const struct operation *operation, bool *is_mapped)
{
    const struct attachments *attached = &operation->peer->lock_record->attachments;
    MPI_Aint first, last;
    datatype_span(operation->target.type, operation->target.count, &first, &last);
    uint64_t address = operation->offset + (uint64_t)first;
    uint64_t bytes = (uint64_t)last - (uint64_t)first;
    *is_mapped = is_in_segment(attached, address, bytes);
    int err = attachments_check(attached, address, bytes);
    if (err != MPI_ERR_RMA_RANGE)
        return err;
    return operation->target.type->is_contiguous
               ? not_attached(operation, address, bytes)
               : check_blocks(operation, is_mapped);
}

// Accumulates to one location keep their order, so that none overtakes a batch that
// is still under way to the target.
static const struct means *means_of(const struct operation *operation, bool is_mapped)
{
    if (operation->target.rank == operation->window->comm->rank)
        return &means_load;
    if (operation->window->is_ordered && !peer_is_quiet(operation->peer))
        return &means_batch;
    return is_mapped ? &means_load : &means_batch;
}

static int locate_attached(struct operation *operation)
{
    const struct attachments *attached = &operation->peer->lock_record->attachments;
    bool is_mapped;
    operation->offset = (uint64_t)operation->target.displacement;
    int err = check_attached(operation, &is_mapped);
    if (err)
        return err;
    operation->means = means_of(operation, is_mapped);
    operation->base = (char *)((uintptr_t)process.shm->base - attached->segment);
    return 0;
}

const struct means means_attached = {.locate = locate_attached};

// On another node only the target knows what it has attached.
static int locate_distant(struct operation *operation)
{
    operation->offset = (uint64_t)operation->target.displacement;
    return 0;
}

const struct means means_distant_attached = {
    .locate = locate_distant,
    .start = {[OPERATION_PUT] = batch_move,
              [OPERATION_GET] = batch_move,
              [OPERATION_ACCUMULATE] = batch_accumulate,
              [OPERATION_GET_ACCUMULATE] = batch_accumulate,
              [OPERATION_COMPARE_AND_SWAP] = batch_compare_and_swap},
};
