// SPDX-License-Identifier: BSD-3-Clause
// Accumulations from their origin: what may be combined, the walk over the elements of
// three buffers, and both ways to the target: its elements are updated here if they are
// mapped, else by the target itself.
#include "rma/atomic.h"
#include "rma/private.h"

#include <string.h>

// ---- checks -------------------------------------------------------------------
// MPI-4.1 12.3.4: all buffers consist of elements of one predefined datatype.
static int check_type(const struct accumulation *accumulation, const char *argument,
                      const struct datatype *type)
{
    if (type->basic != NULL && type->basic == accumulation->basic)
        return 0;
    return fail(MPI_ERR_TYPE,
                "%s: must be a predefined datatype or consist of one only, the same "
                "for all buffers",
                argument);
}

static int check_types(const struct accumulation *accumulation)
{
    const struct operation *operation = &accumulation->operation;
    int err = check_type(accumulation, "target_datatype", operation->target_type);
    if (!err && operation->is_put)
        err = check_type(accumulation, "origin_datatype", operation->origin_type);
    if (!err && accumulation->result_type != NULL)
        err = check_type(accumulation, "result_datatype", accumulation->result_type);
    return err;
}

static int check_op(const struct accumulation *accumulation)
{
    const struct op *op = accumulation->op;
    if (is_no_op(op) && accumulation->result_type == NULL)
        return fail(MPI_ERR_OP,
                    "op = %s: must be an operation that combines data, for "
                    "nothing is fetched",
                    op->name);
    if (is_defined(op, accumulation->basic))
        return 0;
    return fail(MPI_ERR_OP, "op = %s: is not defined for the elements of the buffers",
                op->name);
}

static int check_result(const struct accumulation *accumulation)
{
    const struct datatype *type = accumulation->result_type;
    MPI_Count bytes;
    if (type == NULL)
        return 0;
    if (__builtin_mul_overflow(accumulation->result_count, type->size, &bytes))
        return fail(MPI_ERR_COUNT,
                    "result_count = %jd: elements of %jd bytes are too many",
                    (intmax_t)accumulation->result_count, (intmax_t)type->size);
    if ((size_t)bytes >= accumulation->operation.bytes)
        return 0;
    return fail(MPI_ERR_TRUNCATE,
                "%zu bytes do not fit in the result buffer of %jd bytes",
                accumulation->operation.bytes, (intmax_t)bytes);
}

static int check_buffers(const struct accumulation *accumulation)
{
    const struct operation *operation = &accumulation->operation;
    int err = 0;
    if (operation->is_put)
        err = rma_check_buffer("origin_addr", operation->origin,
                               operation->origin_count, operation->origin_type);
    if (!err && accumulation->result_type != NULL)
        err = rma_check_buffer("result_addr", accumulation->result,
                               accumulation->result_count, accumulation->result_type);
    return err;
}

// ---- walk over elements -------------------------------------------------------
// One of the buffers: `left` bytes of elements follow each other at `at`.
struct strand {
    struct side side;
    MPI_Aint at;
    size_t left;
};

// Elements that follow each other in all buffers.
struct elements {
    MPI_Aint origin, result, target; // offsets from the addresses of the buffers
    size_t bytes;
};

struct element_walk {
    const struct atomic_type *type;
    bool has_origin, has_result;
    struct strand origin, result, target;
    size_t left; // bytes of the operation
};

static struct element_walk element_walk_of(const struct accumulation *accumulation)
{
    const struct operation *operation = &accumulation->operation;
    struct element_walk walk = {
        .type = atomic_type_of(accumulation->basic),
        .has_origin = operation->is_put,
        .has_result = accumulation->result_type != NULL,
        .target.side = side_of(operation->target_type, operation->target_count),
        .left = operation->bytes,
    };
    if (walk.has_origin)
        walk.origin.side = side_of(operation->origin_type, operation->origin_count);
    if (walk.has_result)
        walk.result.side =
            side_of(accumulation->result_type, accumulation->result_count);
    return walk;
}

// Elements with padding come one by one; where their second block is, is known.
static void strand_refill(struct strand *strand, const struct atomic_type *type,
                          size_t limit)
{
    if (strand->left > 0)
        return;
    if (is_padded(type))
        limit = type->size;
    strand->left = side_next(&strand->side, limit, &strand->at);
    if (is_padded(type) && strand->left < type->size)
        strand->left +=
            side_next(&strand->side, type->size - strand->left, &(MPI_Aint){0});
}

static void strand_take(struct strand *strand, size_t bytes, MPI_Aint *at)
{
    *at = strand->at;
    strand->at += (MPI_Aint)bytes;
    strand->left -= bytes;
}

static bool element_walk_next(struct element_walk *walk, struct elements *elements)
{
    struct strand *const strands[] = {&walk->target,
                                      walk->has_origin ? &walk->origin : NULL,
                                      walk->has_result ? &walk->result : NULL};
    MPI_Aint *const offsets[] = {&elements->target, &elements->origin,
                                 &elements->result};
    if (walk->left == 0)
        return false;
    elements->bytes = walk->left;
    for (int i = 0; i < 3; i++) {
        if (strands[i] == NULL)
            continue;
        strand_refill(strands[i], walk->type, walk->left);
        if (strands[i]->left < elements->bytes)
            elements->bytes = strands[i]->left;
    }
    for (int i = 0; i < 3; i++)
        if (strands[i] != NULL)
            strand_take(strands[i], elements->bytes, offsets[i]);
    walk->left -= elements->bytes;
    return true;
}

// ---- carrying it out ----------------------------------------------------------
static int update_mapped(const struct accumulation *accumulation)
{
    const struct operation *operation = &accumulation->operation;
    const struct peer *peer = operation->peer;
    struct update update = {
        .basic = accumulation->basic,
        .op = accumulation->op,
        .part = operation->part,
        .lock_record = peer->lock_record,
        .updater = updater_program(),
        .is_excluding = peer_lock_state(peer) == LOCK_HELD &&
                        peer->lock_type == MPI_LOCK_EXCLUSIVE &&
                        process.thread_level < MPI_THREAD_MULTIPLE,
    };
    struct element_walk walk = element_walk_of(accumulation);
    size_t size = walk.type->size;
    struct elements elements = {0};
    while (element_walk_next(&walk, &elements))
        update_elements(&update,
                        walk.has_origin ? operation->origin + elements.origin : NULL,
                        operation->offset + (uint64_t)elements.target,
                        walk.has_result ? accumulation->result + elements.result : NULL,
                        (MPI_Count)(elements.bytes / size));
    order_stored();
    return 0;
}

// An element with padding travels as two spans in one batch.
static int add_padded(const struct operation *operation, struct sort sort,
                      const struct atomic_type *type, uint64_t offset,
                      const char *brought, char *fetched)
{
    size_t value_bytes = type->value_bytes, at = type->index_at;
    struct rma_span spans[] = {{offset, value_bytes},
                               {offset + at, type->size - value_bytes}};
    return batch_add_pair(operation, sort, spans,
                          (const char *const[]){brought, brought + at},
                          (char *const[]){fetched, fetched + at});
}

static int add_elements(struct sort sort, const struct accumulation *accumulation,
                        const struct element_walk *walk,
                        const struct elements *elements)
{
    // A buffer that there is not is not used either.
    const struct operation *operation = &accumulation->operation;
    char *origin = operation->origin + elements->origin;
    char *result = walk->has_result ? accumulation->result + elements->result : origin;
    const char *brought = walk->has_origin ? origin : result;
    uint64_t offset = operation->offset + (uint64_t)elements->target;
    if (is_padded(walk->type))
        return add_padded(operation, sort, walk->type, offset, brought, result);
    struct rma_span span = {offset, elements->bytes};
    return batch_add(operation, sort, span, brought, result, walk->type->size);
}

static int update_by_message(const struct accumulation *accumulation)
{
    struct sort sort = {
        .brings = accumulation->operation.is_put,
        .fetches = accumulation->result_type != NULL,
        .op = (uint8_t)accumulation->op->code,
        .basic = (uint8_t)accumulation->basic->number,
    };
    struct element_walk walk = element_walk_of(accumulation);
    struct elements elements = {0};
    int err = 0;
    while (!err && element_walk_next(&walk, &elements))
        err = add_elements(sort, accumulation, &walk, &elements);
    return err ? err : batch_finish(&accumulation->operation);
}

int rma_accumulate(struct accumulation *accumulation)
{
    struct operation *operation = &accumulation->operation;
    int err = rma_measure(operation);
    if (err || operation->bytes == 0)
        return err;
    accumulation->basic = operation->target_type->basic;
    err = check_types(accumulation);
    if (!err)
        err = check_op(accumulation);
    if (!err)
        err = check_result(accumulation);
    if (!err)
        err = check_buffers(accumulation);
    if (!err)
        err = rma_locate(operation);
    if (err)
        return err;
    return operation->reach == REACH_LOAD ? update_mapped(accumulation)
                                          : update_by_message(accumulation);
}

// ---- compare and swap ---------------------------------------------------------
static int check_swap_buffers(const struct operation *operation, const char *compare,
                              const char *result)
{
    const char *const buffers[] = {operation->origin, compare, result};
    const char *const names[] = {"origin_addr", "compare_addr", "result_addr"};
    int err = 0;
    for (int i = 0; !err && i < 3; i++)
        err = rma_check_buffer(names[i], buffers[i], 1, operation->target_type);
    return err;
}

// One element each at origin, for comparison and as the result.
int rma_compare_and_swap(struct operation *operation, const char *compare, char *result)
{
    const struct basic *basic = operation->target_type->basic;
    int err = rma_measure(operation);
    if (err || operation->bytes == 0)
        return err;
    if (atomic_swap_of(basic) == NULL)
        return fail(MPI_ERR_TYPE,
                    "datatype = %s: must be an integer, a logical, a "
                    "character or MPI_BYTE",
                    operation->target_type->name);
    err = check_swap_buffers(operation, compare, result);
    if (!err)
        err = rma_locate(operation);
    if (err)
        return err;
    if (operation->reach == REACH_LOAD) {
        struct update update = {.basic = basic,
                                .part = operation->part,
                                .lock_record = operation->peer->lock_record};
        update_swap(&update, operation->origin, compare, operation->offset, result);
        order_stored();
        return 0;
    }
    struct sort sort = {.brings = 2,
                        .fetches = 1,
                        .op = COMPARE_AND_SWAP,
                        .basic = (uint8_t)basic->number};
    struct rma_span span = {operation->offset, basic->bytes};
    err = batch_add_swap(operation, sort, span, compare, result);
    return err ? err : batch_finish(operation);
}
