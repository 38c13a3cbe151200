// SPDX-License-Identifier: BSD-3-Clause
// Checks before data moves: the target and its epoch, the sizes of all buffers, their
// types and memory, the range. Operations without data skip all after the sizes.
#include "rma/operation.h"

// ---- sizes --------------------------------------------------------------------
// Bytes of data in `count` elements (MPI_ERR_COUNT when more than there can be).
static int data_bytes(const char *argument, MPI_Count count,
                      const struct datatype *type, size_t *bytes)
{
    MPI_Count product;
    if (unlikely(__builtin_mul_overflow(count, type->size, &product)))
        return fail(MPI_ERR_COUNT, "%s = %jd: elements of %jd bytes are too many",
                    argument, (intmax_t)count, (intmax_t)type->size);
    *bytes = (size_t)product;
    return 0;
}

static int check_sizes(struct operation *operation)
{
    const struct buffer *origin = &operation->origin;
    const struct target *target = &operation->target;
    bool is_put = origin_gives(operation);
    size_t *origin_bytes = is_put ? &operation->bytes : &operation->capacity;
    size_t *target_bytes = is_put ? &operation->capacity : &operation->bytes;
    int err = data_bytes("origin_count", origin->count, origin->type, origin_bytes);
    if (!err)
        err = data_bytes("target_count", target->count, target->type, target_bytes);
    if (err || likely(operation->bytes <= operation->capacity))
        return err;
    return fail(MPI_ERR_TRUNCATE, "%zu bytes do not fit in the %s buffer of %zu bytes",
                operation->bytes, is_put ? "target" : "origin", operation->capacity);
}

static int check_result_size(const struct operation *operation)
{
    size_t bytes = 0;
    if (operation->result.type == NULL)
        return 0;
    int err = data_bytes("result_count", operation->result.count,
                         operation->result.type, &bytes);
    if (err || bytes >= operation->bytes)
        return err;
    return fail(MPI_ERR_TRUNCATE,
                "%zu bytes do not fit in the result buffer of %zu bytes",
                operation->bytes, bytes);
}

// ---- types --------------------------------------------------------------------
// MPI-4.1 12.3.4: all buffers consist of elements of one predefined datatype.
static int check_type(const struct operation *operation, const char *argument,
                      const struct datatype *type)
{
    if (type->basic != NULL && type->basic == operation->target.type->basic)
        return 0;
    return fail(MPI_ERR_TYPE,
                "%s: must be a predefined datatype or consist of one only, the same "
                "for all buffers",
                argument);
}

static int check_types(const struct operation *operation)
{
    int err = check_type(operation, "target_datatype", operation->target.type);
    if (!err && origin_gives(operation))
        err = check_type(operation, "origin_datatype", operation->origin.type);
    if (!err && operation->result.type != NULL)
        err = check_type(operation, "result_datatype", operation->result.type);
    return err;
}

static int check_op(const struct operation *operation)
{
    const struct op *op = operation->op;
    if (is_no_op(op) && operation->result.type == NULL)
        return fail(MPI_ERR_OP,
                    "op = %s: must be an operation that combines data, for "
                    "nothing is fetched",
                    op->name);
    if (is_defined(op, operation->target.type->basic))
        return 0;
    return fail(MPI_ERR_OP, "op = %s: is not defined for the elements of the buffers",
                op->name);
}

static int check_accumulate(const struct operation *operation)
{
    int err = check_types(operation);
    if (!err)
        err = check_op(operation);
    return err ? err : check_result_size(operation);
}

static int check_compare_and_swap(const struct operation *operation)
{
    const struct datatype *type = operation->target.type;
    if (atomic_swap_of(type->basic) != NULL)
        return 0;
    return fail(MPI_ERR_TYPE,
                "datatype = %s: must be an integer, a logical, a character or MPI_BYTE",
                type->name);
}

static int check_elements(const struct operation *operation)
{
    switch (operation->kind) {
    case OPERATION_ACCUMULATE:
    case OPERATION_GET_ACCUMULATE:
        return check_accumulate(operation);
    case OPERATION_COMPARE_AND_SWAP:
        return check_compare_and_swap(operation);
    default:
        return 0; // any bytes
    }
}

// ---- memory -------------------------------------------------------------------
// MPI_ERR_BUFFER where no memory can be, as with NULL and relative displacements. A
// buffer that begins below 0 ends above it.
static int check_buffer(const char *argument, const char *address, MPI_Count count,
                        const struct datatype *type)
{
    MPI_Aint first, last;
    datatype_span(type, count, &first, &last);
    uintptr_t begin = (uintptr_t)address + (uintptr_t)first;
    uintptr_t end = (uintptr_t)address + (uintptr_t)last;
    if (likely(!is_nowhere(begin) && begin < end))
        return 0;
    return fail(MPI_ERR_BUFFER, "%s = %p: there is no memory for its %jd bytes",
                argument, (const void *)address, (intmax_t)(last - first));
}

// MPI_NO_OP reads no origin buffer.
static int check_buffers(const struct operation *operation)
{
    const struct buffer *origin = &operation->origin, *result = &operation->result;
    int err = 0;
    if (operation->kind == OPERATION_GET || origin_gives(operation))
        err = check_buffer("origin_addr", origin->address, origin->count, origin->type);
    if (!err && operation->kind == OPERATION_COMPARE_AND_SWAP)
        err = check_buffer("compare_addr", operation->compare, 1, origin->type);
    if (!err && result->type != NULL)
        err = check_buffer("result_addr", result->address, result->count, result->type);
    return err;
}

// Does [offset + first, offset + last) lie in [0, size)? The offset itself need not.
static bool is_within(uint64_t offset, MPI_Aint first, MPI_Aint last, uint64_t size)
{
    int64_t start, end;
    return !__builtin_add_overflow(offset, first, &start) &&
           !__builtin_add_overflow(offset, last, &end) && start >= 0 &&
           (uint64_t)end <= size;
}

int locate_in_window(struct operation *operation)
{
    const struct peer *peer = operation->peer;
    const struct target *target = &operation->target;
    MPI_Aint first, last;
    datatype_span(target->type, target->count, &first, &last);
    operation->base = peer->base;
    if (!__builtin_mul_overflow((uint64_t)target->displacement, (uint64_t)peer->unit,
                                &operation->offset) &&
        is_within(operation->offset, first, last, peer->member->size))
        return 0;
    return fail(MPI_ERR_RMA_RANGE,
                "target_disp = %td in units of %ju bytes: bytes %td to "
                "%td from there are not all within the %ju bytes of "
                "rank %d",
                target->displacement, (uintmax_t)peer->unit, first, last,
                (uintmax_t)peer->member->size, peer->rank);
}

static int move_nothing(const struct operation *operation)
{
    (void)operation;
    return 0;
}

static const struct means means_none = {
    .start = {[OPERATION_PUT] = move_nothing,
              [OPERATION_GET] = move_nothing,
              [OPERATION_ACCUMULATE] = move_nothing,
              [OPERATION_GET_ACCUMULATE] = move_nothing,
              [OPERATION_COMPARE_AND_SWAP] = move_nothing},
};

int operation_check(struct operation *operation)
{
    operation->means = &means_none;
    if (operation->target.rank == MPI_PROC_NULL)
        return 0;
    int err = 0;
    if (operation->peer == NULL)
        err =
            window_target(operation->window, operation->target.rank, &operation->peer);
    if (!err)
        err = check_sizes(operation);
    if (err || operation->bytes == 0)
        return err;
    err = check_elements(operation);
    if (!err)
        err = check_buffers(operation);
    if (err)
        return err;
    operation->means = operation->peer->means;
    return operation->means->locate(operation);
}
