// SPDX-License-Identifier: BSD-3-Clause
// Accumulates at their origin: the walk over the elements of three buffers, and both
// ways to the target: its elements are updated here if they are mapped, else by the
// target.
#include "rma/bulk.h"

// ---- walk over elements -------------------------------------------------------
// The elements of one buffer: the next `left` bytes of them follow each other at `at`.
struct stream {
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
    struct stream origin, result, target;
    size_t left; // bytes of the operation
};

static void stream_begin(struct stream *stream, const struct datatype *type,
                         MPI_Count count)
{
    side_begin(&stream->side, type, count);
    stream->left = 0;
}

static void element_walk_begin(struct element_walk *walk,
                               const struct operation *operation)
{
    const struct buffer *origin = &operation->origin, *result = &operation->result;
    const struct target *target = &operation->target;
    walk->type = atomic_type_of(target->type->basic);
    walk->has_origin = origin_gives(operation);
    walk->has_result = result->type != NULL;
    walk->left = operation->bytes;
    stream_begin(&walk->target, target->type, target->count);
    if (walk->has_origin)
        stream_begin(&walk->origin, origin->type, origin->count);
    if (walk->has_result)
        stream_begin(&walk->result, result->type, result->count);
}

// Elements with padding come one by one; where their second block is, is known.
static void stream_refill(struct stream *stream, const struct atomic_type *type,
                          size_t limit)
{
    if (stream->left > 0)
        return;
    if (is_padded(type))
        limit = type->size;
    stream->left = side_next(&stream->side, limit, &stream->at);
    if (is_padded(type) && stream->left < type->size)
        stream->left +=
            side_next(&stream->side, type->size - stream->left, &(MPI_Aint){0});
}

static void stream_take(struct stream *stream, size_t bytes, MPI_Aint *at)
{
    *at = stream->at;
    stream->at += (MPI_Aint)bytes;
    stream->left -= bytes;
}

static bool element_walk_next(struct element_walk *walk, struct elements *elements)
{
    struct stream *const streams[] = {&walk->target,
                                      walk->has_origin ? &walk->origin : NULL,
                                      walk->has_result ? &walk->result : NULL};
    MPI_Aint *const offsets[] = {&elements->target, &elements->origin,
                                 &elements->result};
    if (walk->left == 0)
        return false;
    elements->bytes = walk->left;
    for (int i = 0; i < 3; i++) {
        if (streams[i] == NULL)
            continue;
        stream_refill(streams[i], walk->type, walk->left);
        if (streams[i]->left < elements->bytes)
            elements->bytes = streams[i]->left;
    }
    for (int i = 0; i < 3; i++)
        if (streams[i] != NULL)
            stream_take(streams[i], elements->bytes, offsets[i]);
    walk->left -= elements->bytes;
    return true;
}

// ---- mapped elements ----------------------------------------------------------
static bool is_excluding(const struct peer *peer)
{
    return peer_lock_state(peer) == LOCK_HELD &&
           peer->lock_type == MPI_LOCK_EXCLUSIVE &&
           process.thread_level < MPI_THREAD_MULTIPLE;
}

static struct update update_of(const struct operation *operation)
{
    const struct peer *peer = operation->peer;
    return (struct update){
        .basic = operation->target.type->basic,
        .op = operation->op,
        .base = operation->base,
        .lock_record = peer->lock_record,
        .is_excluding = is_excluding(peer),
    };
}

void update_mapped(const struct peer *peer, const void *in, char *target, void *result,
                   MPI_Count count, const struct datatype *type, uintptr_t op)
{
    struct update update = {
        .basic = type->basic,
        .op = handle_object(KIND_OP, op),
        .base = peer->address,
        .lock_record = peer->lock_record,
        .is_excluding = is_excluding(peer),
    };
    update_elements(&update, in, offset_from(peer->address, target), result, count);
    order_stored();
}

void swap_mapped(const struct peer *peer, const void *origin, const void *compare,
                 char *target, void *result, const struct datatype *type)
{
    struct update update = {
        .basic = type->basic, .base = peer->address, .lock_record = peer->lock_record};
    update_swap(&update, origin, compare, offset_from(peer->address, target), result);
    order_stored();
}

static void elements_update(const struct operation *operation,
                            const struct update *update,
                            const struct element_walk *walk,
                            const struct elements *elements)
{
    char *origin = operation->origin.address, *result = operation->result.address;
    update_elements(update, walk->has_origin ? origin + elements->origin : NULL,
                    operation->offset + (uint64_t)elements->target,
                    walk->has_result ? result + elements->result : NULL,
                    (MPI_Count)(elements->bytes / walk->type->size));
}

int load_accumulate(const struct operation *operation)
{
    struct update update = update_of(operation);
    struct element_walk walk;
    element_walk_begin(&walk, operation);
    struct elements elements = {0};
    while (element_walk_next(&walk, &elements))
        elements_update(operation, &update, &walk, &elements);
    order_stored();
    return 0;
}

int load_compare_and_swap(const struct operation *operation)
{
    struct update update = update_of(operation);
    update_swap(&update, operation->origin.address, operation->compare,
                operation->offset, operation->result.address);
    order_stored();
    return 0;
}

// ---- elements that the target updates -----------------------------------------
// An element with padding travels as two spans in one batch.
static int add_padded(const struct operation *operation, struct batch_kind kind,
                      const struct atomic_type *type, const struct batch_item *item)
{
    size_t value_bytes = type->value_bytes, at = type->index_at;
    uint64_t offset = item->span.offset;
    struct batch_item items[] = {
        {{offset, value_bytes}, item->operand, item->result},
        {{offset + at, type->size - value_bytes},
         item->operand + at,
         item->result + at},
    };
    return batch_add_pair(operation, kind, items);
}

// A buffer that there is not is not used either.
static int add_elements(const struct operation *operation, struct batch_kind kind,
                        const struct element_walk *walk, struct elements *elements)
{
    char *origin = operation->origin.address + elements->origin;
    char *result =
        walk->has_result ? operation->result.address + elements->result : origin;
    struct batch_item item = {
        .span = {operation->offset + (uint64_t)elements->target, elements->bytes},
        .operand = walk->has_origin ? origin : result,
        .result = result,
    };
    int err = bulk_is_worth(operation, kind, walk->type, elements->bytes)
                  ? bulk_try(operation, kind, &item, walk->type)
                  : 0;
    if (err || item.span.bytes == 0)
        return err;
    err = bulks_await(operation);
    if (err)
        return err;
    return is_padded(walk->type) ? add_padded(operation, kind, walk->type, &item)
                                 : batch_add(operation, kind, &item, walk->type->size);
}

static struct batch_kind kind_of(const struct operation *operation,
                                 const struct element_walk *walk)
{
    return (struct batch_kind){
        .operands = walk->has_origin,
        .fetches = walk->has_result,
        .op = (uint8_t)operation->op->code,
        .basic = (uint8_t)operation->target.type->basic->number,
    };
}

// How a run of elements is added to a batch.
typedef int run_update(const struct operation *operation, struct batch_kind kind,
                       const struct element_walk *walk, struct elements *run);

// Updates all elements of an accumulate, run by run.
static inline int update_runs(const struct operation *operation, run_update *update)
{
    struct element_walk walk;
    element_walk_begin(&walk, operation);
    struct batch_kind kind = kind_of(operation, &walk);
    struct elements elements = {0};
    int err = 0;
    message_lock();
    while (!err && element_walk_next(&walk, &elements))
        err = update(operation, kind, &walk, &elements);
    if (!err)
        err = batch_finish(operation);
    message_unlock();
    return err;
}

int batch_accumulate(const struct operation *operation)
{
    return update_runs(operation, add_elements);
}

int batch_compare_and_swap(const struct operation *operation)
{
    const struct basic *basic = operation->target.type->basic;
    struct batch_kind kind = {.operands = 2,
                              .fetches = 1,
                              .op = COMPARE_AND_SWAP,
                              .basic = (uint8_t)basic->number};
    struct batch_item item = {{operation->offset, basic->bytes},
                              operation->origin.address,
                              operation->result.address};
    message_lock();
    int err = bulks_await(operation);
    if (!err)
        err = batch_add_swap(operation, kind, &item, operation->compare);
    if (!err)
        err = batch_finish(operation);
    message_unlock();
    return err;
}

// ---- elements of which some are mapped ------------------------------------------
// Cuts `count` elements off the front of a run.
static struct elements elements_take(struct elements *run, size_t size, uint64_t count)
{
    struct elements taken = *run;
    MPI_Aint bytes = (MPI_Aint)(count * size);
    taken.bytes = (size_t)bytes;
    run->origin += bytes;
    run->result += bytes;
    run->target += bytes;
    run->bytes -= taken.bytes;
    return taken;
}

// How many elements at the front of a run that begins at `offset` touch what lies before
// the shared part, and how many end in it or before.
static void elements_divide(const struct operation *operation,
                            const struct element_walk *walk, uint64_t offset,
                            uint64_t count, uint64_t *before, uint64_t *within)
{
    const struct atomic_type *type = walk->type;
    const struct shared_part *shared = &operation->peer->member->local.shared;
    uint64_t begin = shared->begin, end = begin + shared->bytes;
    uint64_t size = type->size;
    uint64_t span = is_padded(type) ? type->index_at + size - type->value_bytes : size;
    *before = offset < begin ? (begin - offset + size - 1) / size : 0;
    *within = offset + span <= end ? (end - offset - span) / size + 1 : 0;
    if (*before > count)
        *before = count;
    if (*within > count)
        *within = count;
    if (*within < *before)
        *within = *before;
}

static int partly_update(const struct operation *operation, struct batch_kind kind,
                         const struct element_walk *walk, struct elements *run)
{
    struct update update = update_of(operation);
    size_t size = walk->type->size;
    uint64_t count = run->bytes / size, before, within;
    elements_divide(operation, walk, operation->offset + (uint64_t)run->target, count,
                    &before, &within);
    struct elements front = elements_take(run, size, before);
    struct elements inside = elements_take(run, size, within - before);
    int err = front.bytes > 0 ? add_elements(operation, kind, walk, &front) : 0;
    if (inside.bytes > 0)
        elements_update(operation, &update, walk, &inside);
    return err || run->bytes == 0 ? err : add_elements(operation, kind, walk, run);
}

int partly_accumulate(const struct operation *operation)
{
    int err = update_runs(operation, partly_update);
    order_stored();
    return err;
}
