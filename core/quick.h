// SPDX-License-Identifier: BSD-3-Clause
// The usual cases of the procedures whose records say `quick`, inline in their C entry
// points: memory that is mapped here, at the target that was used last, in an epoch that
// is open. A function oriel_X_quick has the arguments of the C procedure X, and nothing
// is known of them. Either it does all that the call is to do and says true, or it
// changes nothing and says false; then X checks all arguments and calls oriel_X. So it
// never has to find out what is wrong.
#pragma once

#include "rma/rma.h"

#include <string.h>

// ---- where data is ------------------------------------------------------------------
// The peer of a rank if the open epoch allows to load from and store to its memory;
// else NULL.
static inline const struct peer *quick_target(MPI_Win win, int rank)
{
    const struct window *window = handle_object(KIND_WIN, (uintptr_t)win);
    if (unlikely(window == NULL))
        return NULL;
    const struct peer *peer = epoch_current(&window->epoch);
    return likely(peer->rank == rank) ? peer : NULL;
}

// The address behind `bytes` at a displacement of the target; NULL if not all of them
// are in its part. `bytes` are above 0, of which MPI_PROC_NULL has none.
static inline char *quick_end(const struct peer *peer, MPI_Aint displacement,
                              MPI_Count bytes)
{
    uint64_t units = (uint64_t)displacement;
    if (unlikely(units > peer->units))
        return NULL;
    uint64_t end = units * peer->unit + (uint64_t)bytes;
    if (unlikely(end > peer->size))
        return NULL;
    char *address = peer->address + end;
    if (address == NULL)
        __builtin_unreachable(); // callers need no second test
    return address;
}

// Bytes of `count` elements of a type, if they are one block; else 0 or less.
static inline MPI_Count quick_bytes(MPI_Count count, const struct datatype *type)
{
    MPI_Count bytes;
    if (__builtin_mul_overflow(count, (MPI_Count)type->plain_size, &bytes))
        return 0;
    return bytes;
}

// ---- put and get --------------------------------------------------------------------
static inline bool quick_copy(const struct peer *peer, MPI_Aint displacement,
                              void *origin, MPI_Count bytes, bool is_put)
{
    char *end = quick_end(peer, displacement, bytes);
    if (unlikely(end == NULL))
        return false;
    char *target = end - bytes;
    memcpy(is_put ? target : origin, is_put ? origin : target, (size_t)bytes);
    if (is_put)
        order_stored();
    return true;
}

// Both buffers have the same type and count. Sizes of single elements are one load and
// one store, which no peer sees half done.
static inline bool quick_transfer(void *origin, MPI_Count count, MPI_Datatype datatype,
                                  int rank, MPI_Aint displacement, MPI_Win win,
                                  bool is_put)
{
    const struct peer *peer = quick_target(win, rank);
    if (unlikely(peer == NULL) || unlikely(is_nowhere((uintptr_t)origin)))
        return false;
    const struct datatype *type = handle_object(KIND_DATATYPE, (uintptr_t)datatype);
    if (unlikely(type == NULL))
        return false;
    MPI_Count bytes = quick_bytes(count, type);
    if (likely(bytes == 8))
        return quick_copy(peer, displacement, origin, 8, is_put);
    if (bytes == 4)
        return quick_copy(peer, displacement, origin, 4, is_put);
    return bytes > 0 && quick_copy(peer, displacement, origin, bytes, is_put);
}

static inline bool oriel_put_quick(const void *origin_addr, MPI_Count origin_count,
                                   MPI_Datatype origin_datatype, int target_rank,
                                   MPI_Aint target_disp, MPI_Count target_count,
                                   MPI_Datatype target_datatype, MPI_Win win)
{
    return likely(origin_datatype == target_datatype) &&
           likely(origin_count == target_count) &&
           quick_transfer((void *)origin_addr, origin_count, origin_datatype,
                          target_rank, target_disp, win, true);
}

static inline bool oriel_get_quick(void *origin_addr, MPI_Count origin_count,
                                   MPI_Datatype origin_datatype, int target_rank,
                                   MPI_Aint target_disp, MPI_Count target_count,
                                   MPI_Datatype target_datatype, MPI_Win win)
{
    return likely(origin_datatype == target_datatype) &&
           likely(origin_count == target_count) &&
           quick_transfer(origin_addr, origin_count, origin_datatype, target_rank,
                          target_disp, win, false);
}

// ---- accumulates --------------------------------------------------------------------
// Predefined operations are known by their handles.
static inline uintptr_t quick_op_index(MPI_Op op)
{
    return (uintptr_t)op - (uintptr_t)MPI_OP_NULL;
}
static inline bool quick_is_predefined(MPI_Op op)
{
    return quick_op_index(op) < 1 << OP_BITS;
}

// The address of elements at a displacement of the target; NULL if they are not all in
// its part or not aligned. Their type is predefined, `count` is above 0.
static inline char *quick_elements(const struct peer *peer, MPI_Aint displacement,
                                   MPI_Count bytes, const struct datatype *type)
{
    const char *end = quick_end(peer, displacement, bytes);
    if (unlikely(end == NULL))
        return NULL;
    uintptr_t inside = (uintptr_t)type->plain_size - 1;
    const char *target = end - bytes;
    if (unlikely(((uintptr_t)target & inside) != 0))
        return NULL;
    if (target == NULL)
        __builtin_unreachable();
    return (char *)target;
}

static inline bool oriel_accumulate_quick(const void *origin_addr,
                                          MPI_Count origin_count,
                                          MPI_Datatype origin_datatype, int target_rank,
                                          MPI_Aint target_disp, MPI_Count target_count,
                                          MPI_Datatype target_datatype, MPI_Op op,
                                          MPI_Win win)
{
    if (unlikely(origin_datatype != target_datatype) ||
        unlikely(origin_count != target_count))
        return false;
    const struct peer *peer = quick_target(win, target_rank);
    if (unlikely(peer == NULL) || unlikely(is_nowhere((uintptr_t)origin_addr)))
        return false;
    const struct datatype *type =
        handle_object(KIND_DATATYPE, (uintptr_t)origin_datatype);
    if (unlikely(type == NULL) || unlikely(!quick_is_predefined(op)))
        return false;
    atomic_update *update = atomic_updates[type->quick_row + quick_op_index(op)];
    MPI_Count bytes = quick_bytes(origin_count, type);
    if (unlikely(update == NULL) ||
        unlikely((uint64_t)(bytes - 1) >= BULK_BYTES - 1)) // 0 and below are large, too
        return false;
    char *target = quick_elements(peer, target_disp, bytes, type);
    if (unlikely(target == NULL))
        return false;
    update(origin_addr, target, origin_count);
    return true;
}

static inline bool oriel_fetch_and_op_quick(const void *origin_addr, void *result_addr,
                                            MPI_Datatype datatype, int target_rank,
                                            MPI_Aint target_disp, MPI_Op op,
                                            MPI_Win win)
{
    const struct datatype *type = handle_object(KIND_DATATYPE, (uintptr_t)datatype);
    if (unlikely(type == NULL))
        return false;
    if (unlikely(!quick_is_predefined(op)))
        return false;
    atomic_fetch *fetch = atomic_fetches[type->quick_row + quick_op_index(op)];
    if (unlikely(fetch == NULL))
        return false;
    const struct peer *peer = quick_target(win, target_rank);
    if (unlikely(peer == NULL) || unlikely(is_nowhere((uintptr_t)result_addr)) ||
        (unlikely(is_nowhere((uintptr_t)origin_addr)) && op != MPI_NO_OP))
        return false;
    char *target = quick_elements(peer, target_disp, type->plain_size, type);
    if (unlikely(target == NULL))
        return false;
    fetch(origin_addr, result_addr, target, 1);
    return true;
}

static inline bool oriel_compare_and_swap_quick(const void *origin_addr,
                                                const void *compare_addr,
                                                void *result_addr,
                                                MPI_Datatype datatype, int target_rank,
                                                MPI_Aint target_disp, MPI_Win win)
{
    const struct peer *peer = quick_target(win, target_rank);
    if (unlikely(peer == NULL))
        return false;
    const struct datatype *type = handle_object(KIND_DATATYPE, (uintptr_t)datatype);
    if (unlikely(type == NULL))
        return false;
    atomic_swap *swap = atomic_swaps[type->quick_row >> OP_BITS];
    if (unlikely(swap == NULL) || unlikely(is_nowhere((uintptr_t)origin_addr)) ||
        unlikely(is_nowhere((uintptr_t)compare_addr)) ||
        unlikely(is_nowhere((uintptr_t)result_addr)))
        return false;
    char *target = quick_elements(peer, target_disp, type->plain_size, type);
    if (unlikely(target == NULL))
        return false;
    swap(origin_addr, compare_addr, result_addr, target);
    return true;
}
