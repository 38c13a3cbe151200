// SPDX-License-Identifier: BSD-3-Clause
// Updates of elements: by the kernel of their type, or under a stripe.
#include "rma/atomic.h"

#include <string.h>

enum {
    LARGEST_ELEMENT = 32, // atomic_kernels.c asserts that it is enough
    PASS_BYTES = 2048,    // stay in the first cache for a second look
    SPELL = 512,          // elements: a change of the granularity waits no longer
};

struct element {
    _Alignas(16) char bytes[LARGEST_ELEMENT];
};

// Elements that follow each other.
struct sequence {
    const char *in; // NULL: nothing is combined
    char *result;   // NULL: nothing is fetched
    uint64_t offset;
    MPI_Count count;
};

static void sequence_advance(struct sequence *sequence, MPI_Count count, size_t bytes)
{
    size_t done = (size_t)count * bytes;
    if (sequence->in != NULL)
        sequence->in += done;
    if (sequence->result != NULL)
        sequence->result += done;
    sequence->offset += done;
    sequence->count -= count;
}

// ---- by plain loads and stores --------------------------------------------------
// Copies the data of an element but not its padding, which may not even exist behind
// the last element of a buffer.
static void element_copy(const struct atomic_type *type, void *to, const void *from)
{
    size_t at = type->index_at;
    memcpy(to, from, type->value_bytes);
    if (is_padded(type))
        memcpy((char *)to + at, (const char *)from + at,
               type->size - type->value_bytes);
}

static void combine_one(const struct update *update, const char *in, char *target,
                        char *result)
{
    const struct atomic_type *type = atomic_type_of(update->basic);
    struct element origin, element;
    if (in != NULL)
        element_copy(type, &origin, in);
    element_copy(type, &element, target);
    if (result != NULL)
        element_copy(type, result, &element);
    op_apply(update->op, update->basic, &origin, &element, 1);
    if (in != NULL)
        element_copy(type, target, &element);
}

// Loops over vectors need whole and aligned elements, in buffers that are not the same.
static bool is_for_loop(const struct update *update, const void *buffer,
                        const char *target, size_t bytes)
{
    uintptr_t at = (uintptr_t)buffer, other = (uintptr_t)target;
    return buffer == NULL || (is_aligned(buffer, update->basic) &&
                              (at + bytes <= other || other + bytes <= at));
}

static bool are_for_loop(const struct update *update, const struct sequence *sequence,
                         const char *target)
{
    size_t bytes = (size_t)sequence->count * update->basic->bytes;
    return is_aligned(target, update->basic) &&
           !is_padded(atomic_type_of(update->basic)) &&
           is_for_loop(update, sequence->in, target, bytes) &&
           is_for_loop(update, sequence->result, target, bytes);
}

static void combine_in_loop(const struct update *update, struct sequence sequence,
                            char *target)
{
    size_t bytes = update->basic->bytes;
    MPI_Count most = sequence.result ? (MPI_Count)(PASS_BYTES / bytes) : sequence.count;
    while (sequence.count > 0) {
        MPI_Count pass = sequence.count < most ? sequence.count : most;
        if (sequence.result != NULL)
            memcpy(sequence.result, target, (size_t)pass * bytes);
        op_apply(update->op, update->basic, sequence.in, target, pass);
        target += (size_t)pass * bytes;
        sequence_advance(&sequence, pass, bytes);
    }
}

// Nobody else updates these elements meanwhile.
static void combine_plainly(const struct update *update, struct sequence sequence)
{
    char *target = exposed_at(update->base, sequence.offset);
    if (are_for_loop(update, &sequence, target)) {
        combine_in_loop(update, sequence, target);
        return;
    }
    for (; sequence.count > 0; sequence_advance(&sequence, 1, update->basic->bytes))
        combine_one(update, sequence.in, exposed_at(update->base, sequence.offset),
                    sequence.result);
}

// ---- by instructions --------------------------------------------------------------
static bool is_by_instruction(const struct update *update, uint64_t offset)
{
    return is_aligned(exposed_at(update->base, offset), update->basic) &&
           (update->basic->bytes < 16 || wide_is_atomic());
}

// NULL: no instruction does the operation.
static atomic_fetch *fetch_of(const struct update *update)
{
    return atomic_fetches[basic_row(update->basic) + (unsigned)op_index(update->op)];
}

static void combine_by_instruction(const struct update *update,
                                   const struct sequence *sequence)
{
    unsigned row = basic_row(update->basic) + (unsigned)op_index(update->op);
    char *target = exposed_at(update->base, sequence->offset);
    if (sequence->result != NULL)
        atomic_fetches[row](sequence->in, sequence->result, target, sequence->count);
    else
        atomic_updates[row](sequence->in, target, sequence->count);
}

// ---- both -------------------------------------------------------------------------
// Elements of which the first bytes lie in a block belong to it.
static MPI_Count rest_of_block(uint64_t offset, size_t bytes)
{
    uint64_t rest = BLOCK_BYTES - offset % BLOCK_BYTES;
    return (MPI_Count)((rest + bytes - 1) / bytes);
}

static struct sequence sequence_first(const struct sequence *sequence, MPI_Count most)
{
    struct sequence first = *sequence;
    if (first.count > most)
        first.count = most;
    return first;
}

// A thread without a presence holds a stripe while it uses instructions, too.
static MPI_Count combine_under_stripe(const struct update *update,
                                      const struct sequence *sequence,
                                      bool is_by_instruction)
{
    struct stripe stripe = stripe_lock(update->lock_record, sequence->offset);
    bool is_by_block = stripe.granularity == BY_BLOCK;
    MPI_Count most =
        is_by_block ? rest_of_block(sequence->offset, update->basic->bytes) : 1;
    struct sequence first = sequence_first(sequence, most);
    if (is_by_block || !is_by_instruction)
        combine_plainly(update, first);
    else
        combine_by_instruction(update, &first);
    stripe_unlock(stripe.word);
    return first.count;
}

static MPI_Count combine_some(const struct update *update,
                              const struct sequence *sequence, bool is_by_instruction)
{
    struct presence *own = is_by_instruction ? update_enter(update->lock_record) : NULL;
    if (own == NULL)
        return combine_under_stripe(update, sequence, is_by_instruction);
    struct sequence first = sequence_first(sequence, SPELL);
    combine_by_instruction(update, &first);
    presence_leave(own);
    return first.count;
}

// Chooses how the elements are updated.
static void update_prepare(const struct update *update, MPI_Count count)
{
    if (unlikely(presence_own == &no_presence))
        shm_make_presence(process.shm);
    if ((size_t)count * update->basic->bytes > FEW_BYTES)
        granularity_favour_blocks(update->lock_record, count);
    else
        granularity_favour_elements(update->lock_record);
}

void update_elements(const struct update *update, const void *in, uint64_t offset,
                     void *result, MPI_Count count)
{
    struct sequence sequence = {in, result, offset, count};
    if (update->is_excluding) {
        combine_plainly(update, sequence);
        return;
    }
    update_prepare(update, count);
    bool by_instruction = fetch_of(update) != NULL && is_by_instruction(update, offset);
    while (sequence.count > 0)
        sequence_advance(&sequence, combine_some(update, &sequence, by_instruction),
                         update->basic->bytes);
}

static void swap_plainly(const struct update *update, const void *origin,
                         const void *compare, char *target, void *result)
{
    size_t bytes = update->basic->bytes;
    memcpy(result, target, bytes);
    if (memcmp(target, compare, bytes) == 0)
        memcpy(target, origin, bytes);
}

void update_swap(const struct update *update, const void *origin, const void *compare,
                 uint64_t offset, void *result)
{
    char *target = exposed_at(update->base, offset);
    bool by_instruction = is_by_instruction(update, offset);
    update_prepare(update, 1);
    struct presence *own = by_instruction ? update_enter(update->lock_record) : NULL;
    if (own != NULL) {
        atomic_swap_of(update->basic)(origin, compare, result, target);
        presence_leave(own);
        return;
    }
    struct stripe stripe = stripe_lock(update->lock_record, offset);
    if (stripe.granularity == BY_ELEMENT && by_instruction)
        atomic_swap_of(update->basic)(origin, compare, result, target);
    else
        swap_plainly(update, origin, compare, target, result);
    stripe_unlock(stripe.word);
}
