// SPDX-License-Identifier: BSD-3-Clause
// Updates of elements: by the kernel of their type, or under a stripe.
#include "rma/atomic.h"

#include <sched.h>
#include <string.h>

enum {
    LARGEST_ELEMENT = 32,    // atomic_kernels.c asserts that it is enough
    TRIES_BEFORE_YIELD = 64, // a holder needs some nanoseconds if it runs
    TRIES_BEFORE_DOUBT = 1 << 14
};

struct element {
    _Alignas(16) char bytes[LARGEST_ELEMENT];
};

static bool is_by_instruction(const struct basic *basic, const void *target)
{
    return is_aligned(target, basic) && (basic->bytes < 16 || wide_is_atomic());
}

// ---- stripes ------------------------------------------------------------------
// A holder that has died leaves its element as it is; the process that finds it dead
// takes the stripe.
static bool stripe_inherit(_Atomic(uint32_t) *stripe, uint32_t holder, uint32_t own)
{
    return !shm_is_alive(process.shm, (int)holder - 1) &&
           atomic_compare_exchange_strong(stripe, &holder, own);
}

static void stripe_lock(_Atomic(uint32_t) *stripe)
{
    uint32_t own = (uint32_t)process.shm->node_rank + 1, holder = 0;
    for (unsigned tries = 1; !atomic_compare_exchange_weak_explicit(
             stripe, &holder, own, memory_order_acquire, memory_order_relaxed);
         tries++) {
        if (tries % TRIES_BEFORE_DOUBT == 0 && holder != 0 &&
            stripe_inherit(stripe, holder, own))
            return;
        if (tries % TRIES_BEFORE_YIELD == 0)
            sched_yield();
        else
            cpu_relax();
        holder = 0;
    }
}

static void stripe_unlock(_Atomic(uint32_t) *stripe)
{
    atomic_store_explicit(stripe, 0, memory_order_release);
}

static _Atomic(uint32_t) *stripe_of(const struct update *update, uint64_t offset)
{
    return &update->lock_record->stripes[offset / CACHE_LINE % LOCK_STRIPES];
}

// ---- elements under a stripe ----------------------------------------------------
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

static void update_element(const struct update *update, const void *in, uint64_t offset,
                           void *result)
{
    const struct atomic_type *type = atomic_type_of(update->basic);
    _Atomic(uint32_t) *stripe = stripe_of(update, offset);
    char *target = exposed_at(update->base, offset);
    struct element origin, element;
    if (in != NULL)
        element_copy(type, &origin, in);
    stripe_lock(stripe);
    element_copy(type, &element, target);
    if (result != NULL)
        element_copy(type, result, &element);
    op_apply(update->op, update->basic, &origin, &element, 1);
    if (in != NULL)
        element_copy(type, target, &element);
    stripe_unlock(stripe);
}

// ---- many elements at once --------------------------------------------------------
enum { PASS_BYTES = 2048 }; // stay in the first cache for a second look

// Loops over vectors need aligned elements, in buffers that are not the same.
static bool is_for_loop(const struct basic *basic, const void *buffer,
                        const char *target, size_t bytes)
{
    uintptr_t at = (uintptr_t)buffer, other = (uintptr_t)target;
    return buffer == NULL ||
           (is_aligned(buffer, basic) && (at + bytes <= other || other + bytes <= at));
}

static void combine_plainly(const struct update *update, const char *in, char *target,
                            char *result, size_t bytes)
{
    while (bytes > 0) {
        size_t pass = result && bytes > PASS_BYTES ? PASS_BYTES : bytes;
        if (result != NULL) {
            memcpy(result, target, pass);
            result += pass;
        }
        op_apply(update->op, update->basic, in, target,
                 (MPI_Count)(pass / update->basic->bytes));
        if (in != NULL)
            in += pass;
        target += pass;
        bytes -= pass;
    }
}

// False when atomicity needs more than plain loops.
static bool update_in_bulk(const struct update *update, const void *in, char *target,
                           void *result, size_t bytes)
{
    if (!is_aligned(target, update->basic) ||
        !is_for_loop(update->basic, in, target, bytes) ||
        !is_for_loop(update->basic, result, target, bytes))
        return false;
    if (update->is_excluding) {
        combine_plainly(update, in, target, result, bytes);
        return true;
    }
    if (!updater_begin_alone(update->lock_record, update->updater))
        return false;
    combine_plainly(update, in, target, result, bytes);
    updater_end(update->lock_record);
    return true;
}

void update_elements(const struct update *update, const void *in, uint64_t offset,
                     void *result, MPI_Count count)
{
    const struct basic *basic = update->basic;
    unsigned row = basic_row(basic) + (unsigned)op_index(update->op);
    char *target = exposed_at(update->base, offset);
    size_t bytes = (size_t)count * basic->bytes;
    if (bytes >= BULK_BYTES && update_in_bulk(update, in, target, result, bytes))
        return;
    if (likely(atomic_fetches[row] != NULL && is_by_instruction(basic, target))) {
        if (result != NULL)
            atomic_fetches[row](in, result, target, count);
        else
            atomic_updates[row](in, target, count);
        return;
    }
    for (MPI_Count i = 0; i < count; i++) {
        size_t at = (size_t)i * basic->bytes;
        update_element(update, in ? (const char *)in + at : NULL, offset + at,
                       result ? (char *)result + at : NULL);
    }
}

void update_swap(const struct update *update, const void *origin, const void *compare,
                 uint64_t offset, void *result)
{
    size_t bytes = update->basic->bytes;
    char *target = exposed_at(update->base, offset);
    if (likely(is_by_instruction(update->basic, target))) {
        atomic_swap_of(update->basic)(origin, compare, result, target);
        return;
    }
    _Atomic(uint32_t) *stripe = stripe_of(update, offset);
    stripe_lock(stripe);
    memcpy(result, target, bytes);
    if (memcmp(target, compare, bytes) == 0)
        memcpy(target, origin, bytes);
    stripe_unlock(stripe);
}
