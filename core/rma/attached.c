// SPDX-License-Identifier: BSD-3-Clause
// Operations on dynamic windows (MPI-4.1 12.2.4): is all that they access attached, and
// by which means can this process get at it?
#include "rma/operation.h"

// Where a buffer of the target is mapped, if all of it is, and alike.
struct mapped {
    bool is_mapped;
    uint64_t shift; // from addresses of the target to offsets in the segment
};

static struct mapped mapped_at(uint64_t address, uint64_t offset)
{
    return (struct mapped){offset != NOT_MAPPED, offset - address};
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

// Looks at a buffer with gaps block by block.
static int check_blocks(const struct operation *operation, struct mapped *mapped)
{
    const struct attachments *attached = &operation->peer->lock_record->attachments;
    struct blocks blocks = blocks_of(operation->target.type, operation->target.count);
    MPI_Aint at;
    size_t bytes;
    for (bool is_first = true; (bytes = blocks_next(&blocks, SIZE_MAX, &at)) > 0;) {
        uint64_t address = operation->offset + (uint64_t)at, offset;
        int err = attachments_check(attached, address, bytes, &offset);
        if (err == MPI_ERR_RMA_RANGE)
            return not_attached(operation, address, bytes);
        if (err)
            return err;
        struct mapped block = mapped_at(address, offset);
        if (is_first)
            *mapped = block;
        mapped->is_mapped &= block.is_mapped && block.shift == mapped->shift;
        is_first = false;
    }
    return 0;
}

// The same for any buffer: usually all of it is in one attachment, gaps and all.
static int check_attached(const struct operation *operation, struct mapped *mapped)
{
    const struct attachments *attached = &operation->peer->lock_record->attachments;
    MPI_Aint first, last;
    datatype_span(operation->target.type, operation->target.count, &first, &last);
    uint64_t address = operation->offset + (uint64_t)first, offset = NOT_MAPPED;
    uint64_t bytes = (uint64_t)last - (uint64_t)first;
    int err = attachments_check(attached, address, bytes, &offset);
    *mapped = mapped_at(address, offset);
    if (err != MPI_ERR_RMA_RANGE)
        return err;
    return operation->target.type->is_contiguous
               ? not_attached(operation, address, bytes)
               : check_blocks(operation, mapped);
}

// Accumulates to one location keep their order, so that none overtakes a batch that
// is still under way to the target.
static const struct means *means_of(const struct operation *operation, bool is_mapped)
{
    if (operation->window->is_ordered && !peer_is_quiet(operation->peer))
        return &means_batch;
    return is_mapped ? &means_load : &means_batch;
}

static int locate_attached(struct operation *operation)
{
    bool is_own = operation->target.rank == operation->window->comm->rank;
    struct mapped mapped;
    operation->offset = (uint64_t)operation->target.displacement;
    int err = check_attached(operation, &mapped);
    if (err)
        return err;
    operation->means = is_own ? &means_load : means_of(operation, mapped.is_mapped);
    operation->base = is_own ? NULL : exposed_at(process.shm->base, mapped.shift);
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
