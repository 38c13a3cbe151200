// SPDX-License-Identifier: BSD-3-Clause
// Updates of elements: by the kernel of their type, or under a stripe.
#include "rma/atomic.h"

#include <string.h>

enum {
    LARGEST_ELEMENT = 32, // atomic_kernels.c asserts that it is enough
    PASS_BYTES = 4096,    // stay in the first cache for a second look
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

static MPI_Count at_most(MPI_Count count, MPI_Count most)
{
    return count < most ? count : most;
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
// No byte of two buffers of this size is shared if neither distance is shorter.
static bool is_for_loop(const struct update *update, const void *buffer,
                        const char *target, size_t bytes)
{
    uintptr_t distance = (uintptr_t)buffer - (uintptr_t)target;
    return buffer == NULL || (is_aligned(buffer, update->basic) &&
                              distance - bytes <= (uintptr_t)0 - 2 * bytes);
}

static bool are_for_loop(const struct update *update, const struct sequence *sequence,
                         const char *target, size_t bytes)
{
    return is_aligned(target, update->basic) &&
           !is_padded(atomic_type_of(update->basic)) &&
           is_for_loop(update, sequence->in, target, bytes) &&
           is_for_loop(update, sequence->result, target, bytes);
}

// The values before are copied while the first cache has them.
static __attribute__((noinline)) void fetch_in_loop(const struct update *update,
                                                    const struct sequence *sequence,
                                                    char *target, MPI_Count count)
{
    size_t bytes = update->basic->bytes;
    MPI_Count most = PASS_BYTES / (unsigned)bytes;
    struct sequence left = *sequence;
    for (MPI_Count pass; count > 0; count -= pass) {
        pass = at_most(count, most);
        copy_bytes(left.result, target, (size_t)pass * bytes);
        op_apply(update->op, update->basic, left.in, target, pass);
        target += (size_t)pass * bytes;
        sequence_advance(&left, pass, bytes);
    }
}

static __attribute__((noinline)) void
combine_one_by_one(const struct update *update, const struct sequence *sequence,
                   MPI_Count count)
{
    struct sequence left = *sequence;
    for (; count > 0; count--, sequence_advance(&left, 1, update->basic->bytes))
        combine_one(update, left.in, exposed_at(update->base, left.offset),
                    left.result);
}

// The first `count` elements, which nobody else updates meanwhile.
static void combine_plainly(const struct update *update,
                            const struct sequence *sequence, MPI_Count count)
{
    size_t bytes = (size_t)count * update->basic->bytes;
    char *target = exposed_at(update->base, sequence->offset);
    if (unlikely(!are_for_loop(update, sequence, target, bytes)))
        combine_one_by_one(update, sequence, count);
    else if (sequence->result != NULL)
        fetch_in_loop(update, sequence, target, count);
    else
        op_apply(update->op, update->basic, sequence->in, target, count);
}

// ---- by instructions --------------------------------------------------------------
static bool is_for_instructions(const struct update *update, uint64_t offset)
{
    return is_aligned(exposed_at(update->base, offset), update->basic) &&
           (update->basic->bytes < 16 || wide_is_atomic());
}

// Some instruction does the operation, too.
static bool is_by_instruction(const struct update *update, uint64_t offset)
{
    unsigned row = basic_row(update->basic) + (unsigned)op_index(update->op);
    return atomic_fetches[row] != NULL && is_for_instructions(update, offset);
}

static void combine_by_instruction(const struct update *update,
                                   const struct sequence *sequence, MPI_Count count)
{
    unsigned row = basic_row(update->basic) + (unsigned)op_index(update->op);
    char *target = exposed_at(update->base, sequence->offset);
    if (sequence->result != NULL)
        atomic_fetches[row](sequence->in, sequence->result, target, count);
    else
        atomic_updates[row](sequence->in, target, count);
}

// ---- both -------------------------------------------------------------------------
// How many of the elements lie in the block of the first. One of which the first bytes do
// belongs to it.
static MPI_Count count_in_block(const struct sequence *sequence, size_t bytes)
{
    uint64_t rest = BLOCK_BYTES - sequence->offset % BLOCK_BYTES;
    if (likely((uint64_t)sequence->count * bytes <= rest))
        return sequence->count;
    return (MPI_Count)((rest + bytes - 1) / bytes);
}

// The following two update the first elements of a sequence, and return how many. A thread
// without a presence holds a stripe while it uses instructions, too.
static MPI_Count combine_under_stripe(const struct update *update,
                                      const struct sequence *sequence)
{
    struct stripe stripe = stripe_lock(update->lock_record, sequence->offset);
    bool is_by_block = stripe.granularity == BY_BLOCK;
    MPI_Count count = 1;
    if (is_by_block)
        count = count_in_block(sequence, update->basic->bytes);
    if (is_by_block || !is_by_instruction(update, sequence->offset))
        combine_plainly(update, sequence, count);
    else
        combine_by_instruction(update, sequence, count);
    stripe_unlock(stripe.word);
    return count;
}

static MPI_Count combine_some(const struct update *update,
                              const struct sequence *sequence)
{
    struct presence *own = NULL;
    if (unlikely(granularity_of(update->lock_record) == BY_ELEMENT) &&
        is_by_instruction(update, sequence->offset))
        own = update_enter(update->lock_record);
    if (own == NULL)
        return combine_under_stripe(update, sequence);
    MPI_Count count = at_most(sequence->count, SPELL);
    combine_by_instruction(update, sequence, count);
    presence_leave(own);
    return count;
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
        combine_plainly(update, &sequence, count);
        return;
    }
    update_prepare(update, count);
    for (;;) {
        MPI_Count done = combine_some(update, &sequence);
        if (likely(done == sequence.count))
            return;
        sequence_advance(&sequence, done, update->basic->bytes);
    }
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
    bool by_instruction = is_for_instructions(update, offset);
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
