// SPDX-License-Identifier: BSD-3-Clause
// Accumulates at their target: requests of other processes to update elements of the
// own exposed memory.
#include "rma/batch.h"

#include <string.h>

// Does the request bring as much as its operation needs, and is it for the type?
static bool operation_is_well_formed(const struct rma_request *request)
{
    if (request->kind.basic >= basic_count)
        return false;
    const struct basic *basic = &basics[request->kind.basic];
    if (request->kind.op == COMPARE_AND_SWAP)
        return atomic_swap_of(basic) != NULL && request->kind.operands == 2 &&
               request->kind.fetches;
    const struct op *op = handle_object(KIND_OP, request->kind.op);
    if (op == NULL || !is_defined(op, basic))
        return false;
    return is_no_op(op) ? request->kind.operands == 0 && request->kind.fetches
                        : request->kind.operands == 1;
}

static bool is_padded_element(const struct rma_span *spans,
                              const struct atomic_type *type)
{
    return spans[0].bytes == type->value_bytes &&
           spans[1].bytes == type->size - type->value_bytes &&
           spans[1].offset == spans[0].offset + type->index_at;
}

bool elements_are_well_formed(const struct rma_request *request)
{
    if (!operation_is_well_formed(request))
        return false;
    const struct atomic_type *type = &atomic_types[request->kind.basic];
    uint32_t step = is_padded(type) ? 2 : 1;
    if (request->count % step != 0)
        return false;
    for (uint32_t i = 0; i < request->count; i += step) {
        const struct rma_span *span = &request->spans[i];
        if (is_padded(type) ? !is_padded_element(span, type)
                            : span->bytes % type->size != 0)
            return false;
    }
    return request->kind.op != COMPARE_AND_SWAP ||
           (request->count == 1 && request->spans[0].bytes == type->size);
}

// An element with padding: its operands and its fetched value travel without it.
static void combine_padded(const struct update *update, const char *operands,
                           uint64_t offset, char *fetched)
{
    const struct atomic_type *type = atomic_type_of(update->basic);
    size_t value_bytes = type->value_bytes, index_bytes = type->size - value_bytes;
    _Alignas(16) char origin[update->basic->bytes], result[update->basic->bytes];
    if (operands != NULL) {
        memcpy(origin, operands, value_bytes);
        memcpy(origin + type->index_at, operands + value_bytes, index_bytes);
    }
    update_elements(update, operands ? origin : NULL, offset, result, 1);
    if (fetched != NULL) {
        memcpy(fetched, result, value_bytes);
        memcpy(fetched + value_bytes, result + type->index_at, index_bytes);
    }
}

static void combine_spans(const struct update *update,
                          const struct rma_request *request, const char *operands,
                          char *fetched)
{
    const struct atomic_type *type = atomic_type_of(update->basic);
    uint32_t step = is_padded(type) ? 2 : 1;
    size_t done = 0;
    for (uint32_t i = 0; i < request->count; i += step) {
        const struct rma_span *span = &request->spans[i];
        size_t bytes = is_padded(type) ? type->size : span->bytes;
        const char *in = request->kind.operands ? operands + done : NULL;
        char *result = request->kind.fetches ? fetched + done : NULL;
        if (is_padded(type))
            combine_padded(update, in, span->offset, result);
        else
            update_elements(update, in, span->offset, result,
                            (MPI_Count)(bytes / type->size));
        done += bytes;
    }
}

void elements_combine(const struct window *window, const struct rma_request *request,
                      const char *operands, char *fetched)
{
    const struct rma_span *first = request->spans;
    struct update update = {
        .basic = &basics[request->kind.basic],
        .base = window->base,
        .lock_record = window_own_lock_record(window),
    };
    if (request->kind.op == COMPARE_AND_SWAP) {
        update_swap(&update, operands, operands + first->bytes, first->offset, fetched);
        return;
    }
    update.op = handle_object(KIND_OP, request->kind.op);
    combine_spans(&update, request, operands, fetched);
}
