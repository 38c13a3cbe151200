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
// Would a batch have this operation alone, since the program waits for each or its operand
// is to be copied now? A wait between two of them has changed order_left. Nothing is under
// way that a copy would overtake.
static inline bool is_lone(struct peer_traffic *traffic, bool is_copied_now)
{
    if (traffic->is_lone)
        traffic->is_lone = traffic->order_then != order_left;
    return (traffic->is_lone || is_copied_now) &&
           net_counter_pending(&traffic->counter) == 0 && !is_joined(traffic) &&
           process.thread_level < MPI_THREAD_MULTIPLE;
}

// Has the kernel copy a lone operation, without a batch. One that fails goes the long way,
// too, which finds and counts the error.
static bool copy_alone(bool is_put, const struct peer *peer, char *origin,
                       uint64_t offset, size_t bytes)
{
    struct peer_traffic *traffic = peer->traffic;
    if (!is_copied_untimed(traffic, bytes))
        return false;
    int partner = peer_node_rank(peer);
    uint64_t place = peer->member->local.place + offset;
    int err = is_put ? shm_copy_to(process.shm, partner, place, origin, bytes)
                     : shm_copy_from(process.shm, partner, origin, place, bytes);
    if (is_put)
        order_stored();
    traffic->order_then = order_left;
    return err == 0;
}

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

// By a batch: its own, or the one that others have begun.
static inline int move_block(const struct operation *operation, size_t bytes,
                             bool has_request)
{
    char *origin = operation->origin.address;
    if (is_alone(operation->peer->traffic, (MPI_Count)bytes)) {
        bool is_put = operation->kind == OPERATION_PUT;
        struct batch_item item = {{operation->offset, bytes}, origin, origin};
        struct batch_kind kind = {.operands = is_put, .fetches = !is_put};
        return batch_send_alone(operation, kind, &item, NULL);
    }
    int err = batch_add_piece(operation, &(struct piece){.bytes = bytes});
    return err ? err : move_finish(operation, has_request);
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
    message_lock();
    if (is_lone(peer->traffic, has_request && bytes > SHORT_BYTES) &&
        copy_alone(is_put, peer, origin, offset, (size_t)bytes))
        *err = 0;
    else
        *err = move_block(
            &(struct operation){.kind = is_put ? OPERATION_PUT : OPERATION_GET,
                                .origin.address = origin,
                                .window = window,
                                .peer = peer,
                                .offset = offset},
            (size_t)bytes, has_request);
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
