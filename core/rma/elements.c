// SPDX-License-Identifier: BSD-3-Clause
// Accumulations at their target: what a request of another process asks to be done with
// elements of this one's part.
#include "rma/atomic.h"
#include "rma/private.h"

#include <string.h>

// Does the request bring as much as its operation needs, and is it for the type?
static bool operation_is_well_formed(const struct rma_request *request)
{
    if (request->basic >= basic_count)
        return false;
    const struct basic *basic = &basics[request->basic];
    if (request->op == COMPARE_AND_SWAP)
        return atomic_swap_of(basic) != NULL && request->brings == 2 &&
               request->fetches;
    const struct op *op = handle_object(KIND_OP, request->op);
    if (op == NULL || !is_defined(op, basic))
        return false;
    return is_no_op(op) ? request->brings == 0 && request->fetches
                        : request->brings == 1;
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
    const struct atomic_type *type = &atomic_types[request->basic];
    uint32_t step = is_padded(type) ? 2 : 1;
    if (request->count % step != 0)
        return false;
    for (uint32_t i = 0; i < request->count; i += step) {
        const struct rma_span *span = &request->spans[i];
        if (is_padded(type) ? !is_padded_element(span, type)
                            : span->bytes % type->size != 0)
            return false;
    }
    return request->op != COMPARE_AND_SWAP ||
           (request->count == 1 && request->spans[0].bytes == type->size);
}

// An element with padding: what is brought and fetched has none.
static void combine_padded(const struct update *update, const char *brought,
                           uint64_t offset, char *fetched)
{
    const struct atomic_type *type = atomic_type_of(update->basic);
    size_t value_bytes = type->value_bytes, index_bytes = type->size - value_bytes;
    _Alignas(16) char origin[update->basic->bytes], result[update->basic->bytes];
    if (brought != NULL) {
        memcpy(origin, brought, value_bytes);
        memcpy(origin + type->index_at, brought + value_bytes, index_bytes);
    }
    update_elements(update, brought ? origin : NULL, offset, result, 1);
    if (fetched != NULL) {
        memcpy(fetched, result, value_bytes);
        memcpy(fetched + value_bytes, result + type->index_at, index_bytes);
    }
}

static void combine_spans(const struct update *update,
                          const struct rma_request *request, const char *brought,
                          char *fetched)
{
    const struct atomic_type *type = atomic_type_of(update->basic);
    uint32_t step = is_padded(type) ? 2 : 1;
    size_t done = 0;
    for (uint32_t i = 0; i < request->count; i += step) {
        const struct rma_span *span = &request->spans[i];
        size_t bytes = is_padded(type) ? type->size : span->bytes;
        const char *in = request->brings ? brought + done : NULL;
        char *result = request->fetches ? fetched + done : NULL;
        if (is_padded(type))
            combine_padded(update, in, span->offset, result);
        else
            update_elements(update, in, span->offset, result,
                            (MPI_Count)(bytes / type->size));
        done += bytes;
    }
}

void elements_combine(const struct window *window, const struct rma_request *request,
                      const char *brought, char *fetched)
{
    const struct rma_span *first = request->spans;
    struct update update = {
        .basic = &basics[request->basic],
        .part = window->base,
        .lock_record = window_own_lock_record(window),
        .updater = updater_target(),
    };
    updater_join(update.lock_record, update.updater);
    if (request->op == COMPARE_AND_SWAP) {
        update_swap(&update, brought, brought + first->bytes, first->offset, fetched);
        return;
    }
    update.op = handle_object(KIND_OP, request->op);
    combine_spans(&update, request, brought, fetched);
}
