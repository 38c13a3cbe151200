// SPDX-License-Identifier: BSD-3-Clause
// Operations on dynamic windows (MPI-4.1 12.2.4): is all that they access attached, and
// by which means can this process get at it?
#include "rma/operation.h"

static int not_attached(const struct operation *operation, uint64_t address,
                        uint64_t bytes)
{
    return fail(MPI_ERR_RMA_RANGE,
                "target_disp = %#jx: rank %d has not attached all of the %ju bytes at "
                "%#jx",
                (uintmax_t)operation->target.displacement, operation->target.rank,
                (uintmax_t)bytes, (uintmax_t)address);
}

// Where address 0 of the target's process would be here.
static char *found_base(const struct found_attachment *found)
{
    return exposed_at(found->memory, -found->address);
}

// What the last operation has found, if that has the bytes and is still there.
static bool was_found(const struct peer *peer, uint64_t address, uint64_t bytes,
                      struct found_attachment *found)
{
    uint64_t begin = (uint64_t)peer->begin, size = (uint64_t)peer->end - begin;
    if (address - begin >= size || bytes > size - (address - begin) ||
        !peer_is_found(peer))
        return false;
    *found = (struct found_attachment){.version = peer->found,
                                       .address = begin,
                                       .bytes = size,
                                       .memory = exposed_at(peer->address, begin)};
    return true;
}

// Looks at a buffer with gaps block by block: are all mapped, and alike?
static int check_blocks(const struct operation *operation,
                        struct found_attachment *mapped)
{
    struct blocks blocks = blocks_of(operation->target.type, operation->target.count);
    MPI_Aint at;
    size_t bytes;
    for (bool is_first = true; (bytes = blocks_next(&blocks, SIZE_MAX, &at)) > 0;) {
        uint64_t address = operation->offset + (uint64_t)at;
        struct found_attachment found;
        int err = attachments_check(operation->peer->attached, address, bytes, &found);
        if (err == MPI_ERR_RMA_RANGE)
            return not_attached(operation, address, bytes);
        if (err)
            return err;
        if (is_first)
            *mapped = found;
        if (found.bytes == 0 || found_base(&found) != found_base(mapped))
            mapped->bytes = 0;
        is_first = false;
    }
    return 0;
}

// The same for any buffer: usually all of it is in one attachment, gaps and all.
static int check_attached(const struct operation *operation,
                          struct found_attachment *mapped)
{
    MPI_Aint first, last;
    datatype_span(operation->target.type, operation->target.count, &first, &last);
    uint64_t address = operation->offset + (uint64_t)first;
    uint64_t bytes = (uint64_t)last - (uint64_t)first;
    if (was_found(operation->peer, address, bytes, mapped))
        return 0;
    int err = attachments_check(operation->peer->attached, address, bytes, mapped);
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

// Others on the same attachment need no search (batch_block.c), but nothing is kept where
// other threads may read it meanwhile.
static void keep_unmapped(struct peer_traffic *traffic,
                          const struct unmapped_attachment *found)
{
    if (found->bytes > 0 && process.thread_level < MPI_THREAD_MULTIPLE)
        traffic->attachment = *found;
}

static int locate_attached(struct operation *operation)
{
    struct found_attachment mapped;
    operation->offset = (uint64_t)operation->target.displacement;
    int err = check_attached(operation, &mapped);
    if (err)
        return err;
    bool is_own = operation->target.rank == operation->window->comm->rank;
    if (is_own) // has all of its memory where it is
        mapped.memory = exposed_at(NULL, mapped.address);
    operation->means = is_own ? &means_load : means_of(operation, mapped.bytes > 0);
    operation->base = found_base(&mapped);
    if (operation->means != &means_load) // later ones must not overtake it
        mapped.bytes = 0;
    peer_keep_found(operation->peer, &mapped);
    if (!is_own)
        keep_unmapped(operation->peer->traffic, &mapped.unmapped);
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
