// SPDX-License-Identifier: BSD-3-Clause
// Operations of one block at a target that is reached by batches, without the walk over
// their buffers that others need. What they have to check is the address of the block.
#include "rma/bulk.h"
#include "rma/inline.h"

#include <assert.h>

// Is that memory attached, and nothing of it mapped, as far as is known without a search?
// No operation on it is a load or store, which would overtake those in batches.
static inline bool is_attached(const struct peer *peer, uint64_t address,
                               MPI_Count bytes)
{
    const struct unmapped_attachment *attachment = &peer->traffic->attachment;
    uint64_t at = address - attachment->address;
    return at < attachment->bytes && (uint64_t)bytes <= attachment->bytes - at &&
           atomic_load_explicit(&peer->attached->version, memory_order_acquire) ==
               attachment->version;
}

// *offset is the place of so many bytes in the target's exposed memory; false if they are
// not all in it, or that takes a search.
static inline bool block_offset(const struct peer *peer, MPI_Aint displacement,
                                MPI_Count bytes, uint64_t *offset)
{
    MPI_Aint begin = displacement;
    bool is_inside = peer->means == &means_attached
                         ? is_attached(peer, (uint64_t)displacement, bytes)
                         : target_offset(peer, displacement, bytes, &begin);
    *offset = (uint64_t)begin;
    return is_inside;
}

// Is the operation a batch by itself, which the target carries out at once?
static inline bool is_alone(const struct peer_traffic *traffic, MPI_Count bytes)
{
    return bytes <= SHORT_BYTES && traffic->batch == NULL && !is_joined(traffic) &&
           net_counter_pending(&traffic->counter) == 0 && !traffic->is_awaited_soon &&
           (!traffic->is_copied || target_polls(traffic));
}

// ---- put and get --------------------------------------------------------------
// Operands that are not copied yet, of a put with a request, are copied or sent now.
static int move_finish(const struct operation *operation, bool has_request)
{
    struct peer_traffic *traffic = operation->peer->traffic;
    struct batch *batch = traffic->batch;
    if (!has_request || batch == NULL || batch->copied == batch->bytes)
        return batch_finish(operation);
    batch->completes_at_once = true;
    return batch_end(traffic, true);
}

bool batch_move_at_once(bool is_put, bool has_request, struct window *window,
                        struct peer *peer, void *origin, MPI_Aint displacement,
                        MPI_Count count, const struct datatype *type, int *err)
{
    MPI_Count bytes = block_bytes(count, type);
    uint64_t offset;
    if (bytes <= 0 || (has_request && bytes >= JOINT_BYTES) ||
        unlikely(is_nowhere((uintptr_t)origin)) ||
        unlikely(!block_offset(peer, displacement, bytes, &offset)))
        return false;
    struct operation operation = {.kind = is_put ? OPERATION_PUT : OPERATION_GET,
                                  .origin.address = origin,
                                  .window = window,
                                  .peer = peer,
                                  .offset = offset};
    message_lock();
    if (is_alone(peer->traffic, bytes)) {
        struct batch_item item = {
            {offset, (size_t)bytes}, operation.origin.address, origin};
        struct batch_kind kind = {.operands = is_put, .fetches = !is_put};
        *err = batch_send_alone(&operation, kind, &item, NULL);
    } else {
        *err = batch_add_piece(&operation, &(struct piece){.bytes = (size_t)bytes});
        if (likely(*err == 0))
            *err = move_finish(&operation, has_request);
    }
    message_unlock();
    return true;
}

// ---- accumulates --------------------------------------------------------------
// With others, in one batch.
static int update_add(const struct operation *operation, struct batch_kind kind,
                      const struct batch_item *item, const char *compare)
{
    int err = compare != NULL
                  ? batch_add_swap(operation, kind, item, compare)
                  : batch_add(operation, kind, item, atomic_types[kind.basic].size);
    return err ? err : batch_finish(operation);
}

// Too few elements for a bulk, which a batch to a target of this node does not overtake.
static bool update_block(struct window *window, struct peer *peer,
                         struct batch_kind kind, MPI_Aint displacement, MPI_Count bytes,
                         const struct batch_operands *operands, int *err)
{
    uint64_t offset;
    if (bytes > SHORT_BYTES || unlikely(is_nowhere((uintptr_t)operands->origin)) ||
        unlikely(!block_offset(peer, displacement, bytes, &offset)))
        return false;
    struct operation operation = {.window = window, .peer = peer};
    struct batch_item item = {.span = {offset, (size_t)bytes},
                              .operand = operands->origin,
                              .result = kind.fetches ? operands->result
                                                     : (char *)operands->origin};
    message_lock();
    *err = is_alone(peer->traffic, bytes)
               ? batch_send_alone(&operation, kind, &item, operands->compare)
               : update_add(&operation, kind, &item, operands->compare);
    message_unlock();
    return true;
}

bool batch_update_at_once(struct window *window, struct peer *peer,
                          const struct batch_operands *operands, MPI_Aint displacement,
                          MPI_Count count, const struct datatype *type, uintptr_t op,
                          int *err)
{
    MPI_Count bytes = block_bytes(count, type);
    if (bytes <= 0 || !is_predefined_op(op) || op == (uintptr_t)MPI_NO_OP ||
        atomic_updates[kernel_row_of(type, op)] == NULL)
        return false;
    struct batch_kind kind = {.operands = 1,
                              .fetches = operands->result != NULL,
                              .op = (uint8_t)op,
                              .basic = (uint8_t)type->basic->number};
    return update_block(window, peer, kind, displacement, bytes, operands, err);
}

bool batch_swap_at_once(struct window *window, struct peer *peer,
                        const struct batch_operands *operands, MPI_Aint displacement,
                        const struct datatype *type, int *err)
{
    if (atomic_swaps[(size_t)type->kernel_row >> OP_BITS] == NULL ||
        is_nowhere((uintptr_t)operands->compare) ||
        is_nowhere((uintptr_t)operands->result))
        return false;
    struct batch_kind kind = {.operands = 2,
                              .fetches = 1,
                              .op = COMPARE_AND_SWAP,
                              .basic = (uint8_t)type->basic->number};
    return update_block(window, peer, kind, displacement, (MPI_Count)type->plain_size,
                        operands, err);
}
