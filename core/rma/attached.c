// SPDX-License-Identifier: BSD-3-Clause
// Operations on dynamic windows (MPI-4.1 12.2.4): is all that they access attached, and
// by which means can this process get at it?
#include "rma/rma.h"

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
                (uintmax_t)operation->displacement, operation->rank, (uintmax_t)bytes,
                (uintmax_t)address);
}

// Looks at a buffer with gaps block by block. *is_mapped: all of it lies in the segment.
static int check_blocks(const struct operation *operation, bool *is_mapped)
{
    const struct attachments *attached = &operation->peer->lock_record->attachments;
    struct blocks blocks = blocks_of(operation->target_type, operation->target_count);
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
    datatype_span(operation->target_type, operation->target_count, &first, &last);
    uint64_t address = operation->offset + (uint64_t)first;
    uint64_t bytes = (uint64_t)last - (uint64_t)first;
    *is_mapped = is_in_segment(attached, address, bytes);
    int err = attachments_check(attached, address, bytes);
    if (err != MPI_ERR_RMA_RANGE)
        return err;
    return operation->target_type->is_contiguous
               ? not_attached(operation, address, bytes)
               : check_blocks(operation, is_mapped);
}

// Messages that are still under way to the target must not be overtaken, for
// accumulates to one location keep their order.
static enum reach reach_of(const struct operation *operation, bool is_mapped)
{
    if (operation->rank == operation->window->comm->rank)
        return REACH_LOAD;
    if (operation->window->is_ordered &&
        net_counter_pending(&operation->peer->counter) > 0)
        return REACH_MESSAGE;
    if (is_mapped)
        return REACH_LOAD;
    return shm_can_copy(process.shm) ? REACH_COPY : REACH_MESSAGE;
}

// On another node only the target knows what it has attached.
int rma_find_attached(struct operation *operation)
{
    struct peer *peer = operation->peer;
    operation->offset = (uint64_t)operation->displacement;
    if (peer->reach != REACH_ATTACHED)
        return 0;
    bool is_mapped;
    int err = check_attached(operation, &is_mapped);
    if (err)
        return err;
    operation->reach = reach_of(operation, is_mapped);
    operation->part =
        (char *)((uintptr_t)process.shm->base - peer->lock_record->attachments.segment);
    return 0;
}
