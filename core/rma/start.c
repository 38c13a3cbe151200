// SPDX-License-Identifier: BSD-3-Clause
// What precedes the moving of data: the target, the sizes of both buffers, the range.
// Where nothing is to be moved, all that follows the sizes is skipped.
#include "rma/rma.h"

// Bytes of data in `count` elements; false when they are more than there can be.
static bool data_bytes(MPI_Count count, const struct datatype *type, size_t *bytes)
{
    MPI_Count product;
    if (__builtin_mul_overflow(count, type->size, &product))
        return false;
    *bytes = (size_t)product;
    return true;
}

static int check_sizes(struct operation *operation)
{
    size_t origin, target;
    if (!data_bytes(operation->origin_count, operation->origin_type, &origin))
        return fail(
            MPI_ERR_COUNT, "origin_count = %jd: elements of %jd bytes are too many",
            (intmax_t)operation->origin_count, (intmax_t)operation->origin_type->size);
    if (!data_bytes(operation->target_count, operation->target_type, &target))
        return fail(
            MPI_ERR_COUNT, "target_count = %jd: elements of %jd bytes are too many",
            (intmax_t)operation->target_count, (intmax_t)operation->target_type->size);
    operation->bytes = operation->is_put ? origin : target;
    operation->room = operation->is_put ? target : origin;
    if (likely(operation->bytes <= operation->room))
        return 0;
    return fail(MPI_ERR_TRUNCATE, "%zu bytes do not fit in the %s buffer of %zu bytes",
                operation->bytes, operation->is_put ? "target" : "origin",
                operation->room);
}

// Does [offset + first, offset + last) lie in [0, size)? The offset itself need not.
static bool is_within(uint64_t offset, MPI_Aint first, MPI_Aint last, uint64_t size)
{
    int64_t start, end;
    return !__builtin_add_overflow(offset, first, &start) &&
           !__builtin_add_overflow(offset, last, &end) && start >= 0 &&
           (uint64_t)end <= size;
}

int rma_locate(struct operation *operation)
{
    const struct peer *peer = operation->peer;
    MPI_Aint first, last;
    operation->reach = peer->reach;
    operation->part = peer->address;
    if (unlikely(operation->window->flavor == MPI_WIN_FLAVOR_DYNAMIC))
        return rma_find_attached(operation);
    datatype_span(operation->target_type, operation->target_count, &first, &last);
    if (!__builtin_mul_overflow((uint64_t)operation->displacement, peer->unit,
                                &operation->offset) &&
        is_within(operation->offset, first, last, peer->size))
        return 0;
    return fail(MPI_ERR_RMA_RANGE,
                "target_disp = %td in units of %ju bytes: bytes %td to "
                "%td from there are not all within the %ju bytes of "
                "rank %d",
                operation->displacement, (uintmax_t)peer->unit, first, last,
                (uintmax_t)peer->size, peer->rank);
}

int rma_measure(struct operation *operation)
{
    operation->bytes = 0;
    if (operation->rank == MPI_PROC_NULL)
        return 0;
    int err = window_target(operation->window, operation->rank, &operation->peer);
    return err ? err : check_sizes(operation);
}

// A buffer that begins below 0 ends above it.
int rma_check_buffer(const char *argument, const char *buffer, MPI_Count count,
                     const struct datatype *type)
{
    MPI_Aint first, last;
    datatype_span(type, count, &first, &last);
    uintptr_t begin = (uintptr_t)buffer + (uintptr_t)first;
    uintptr_t end = (uintptr_t)buffer + (uintptr_t)last;
    if (likely(!is_nowhere(begin) && begin < end))
        return 0;
    return fail(MPI_ERR_BUFFER, "%s = %p: there is no memory for its %jd bytes",
                argument, (const void *)buffer, (intmax_t)(last - first));
}

int rma_start(struct operation *operation)
{
    static int (*const carry[REACH_COUNT])(const struct operation *) = {
        [REACH_LOAD] = rma_load,
        [REACH_COPY] = rma_copy,
        [REACH_MESSAGE] = rma_send,
        [REACH_NET] = rma_send,
    };
    int err = rma_measure(operation);
    if (err || operation->bytes == 0)
        return err;
    err = rma_check_buffer("origin_addr", operation->origin, operation->origin_count,
                           operation->origin_type);
    if (!err)
        err = rma_locate(operation);
    return err ? err : carry[operation->reach](operation);
}
