// SPDX-License-Identifier: BSD-3-Clause
// Operations on memory that is mapped here, inline: loads, stores and atomic instructions.
// Each X_at_once does all that the call is to do and says true, or changes nothing and
// says false; then the call goes the long way. A function oriel_X_quick is the fast form
// of the C procedure X at the target used last: it has its arguments, of which nothing is
// known, and is tried before they are checked.
#pragma once

#include "rma/rma.h"

// ---- where data is ------------------------------------------------------------
// The peer of a rank if the open epoch admits it and it is mapped; else NULL.
static inline const struct peer *current_target(const struct epoch *epoch, int rank)
{
    const struct peer *peer = epoch_current(epoch);
    if (likely(peer->rank == rank))
        return peer;
    if (peer->attached == NULL) // it is not &attached_target
        return NULL;
    peer = epoch_attached(epoch);
    return peer->rank == rank && peer_is_found(peer) ? peer : NULL;
}

static inline const struct peer *quick_target(MPI_Win win, int rank)
{
    const struct window *window = handle_object(KIND_WIN, (uintptr_t)win);
    return likely(window != NULL) ? current_target(&window->epoch, rank) : NULL;
}

// *begin is the offset of so many bytes at a displacement in the memory of a target; false
// if they are not all in what is mapped of it, or in all of it if nothing is.
// MPI_PROC_NULL has no byte.
static inline bool target_offset(const struct peer *peer, MPI_Aint displacement,
                                 MPI_Count bytes, MPI_Aint *begin)
{
    return likely(!__builtin_mul_overflow(displacement, peer->unit, begin)) &&
           likely(*begin >= peer->begin) &&
           likely((uint64_t)*begin + (uint64_t)bytes <= (uint64_t)peer->end);
}

// The same as an address; the target is mapped.
static inline bool target_memory(const struct peer *peer, MPI_Aint displacement,
                                 MPI_Count bytes, char **memory)
{
    MPI_Aint begin;
    if (unlikely(!target_offset(peer, displacement, bytes, &begin)))
        return false;
    *memory = exposed_at(peer->address, (uint64_t)begin);
    return true;
}

// The same for 8 bytes, by one comparison.
static inline bool target_word(const struct peer *peer, MPI_Aint displacement,
                               char **memory)
{
    MPI_Aint begin;
    if (unlikely(__builtin_mul_overflow(displacement, peer->unit, &begin)) ||
        unlikely((uint64_t)begin - (uint64_t)peer->begin >= peer->word_places))
        return false;
    *memory = exposed_at(peer->address, (uint64_t)begin);
    return true;
}

// Bytes of `count` elements of a type, if they are one block; else 0 or less.
static inline MPI_Count block_bytes(MPI_Count count, const struct datatype *type)
{
    MPI_Count bytes;
    if (__builtin_mul_overflow(count, (MPI_Count)type->plain_size, &bytes))
        return 0;
    return bytes;
}

// ---- put and get --------------------------------------------------------------
static inline bool block_copy(const struct peer *peer, MPI_Aint displacement,
                              void *origin, MPI_Count bytes, bool is_put)
{
    char *target;
    if (unlikely(!(__builtin_constant_p(bytes) && bytes == 8
                       ? target_word(peer, displacement, &target)
                       : target_memory(peer, displacement, bytes, &target))))
        return false;
    copy_bytes(is_put ? target : origin, is_put ? origin : target, (size_t)bytes);
    if (is_put)
        order_stored();
    return true;
}

// Puts or gets elements that are one block. Sizes of single elements are one load and
// one store, which no peer sees half done.
static inline __attribute__((always_inline)) bool
move_at_once(bool is_put, const struct peer *peer, void *origin, MPI_Aint displacement,
             MPI_Count count, const struct datatype *type)
{
    MPI_Count bytes = block_bytes(count, type);
    if (unlikely(is_nowhere((uintptr_t)origin)))
        return false;
    if (likely(bytes == 8))
        return block_copy(peer, displacement, origin, 8, is_put);
    if (bytes == 4)
        return block_copy(peer, displacement, origin, 4, is_put);
    return bytes > 0 && block_copy(peer, displacement, origin, bytes, is_put);
}

// `peer` is NULL if there is no such target.
static inline bool quick_move(bool is_put, const struct peer *peer, void *origin,
                              MPI_Count count, MPI_Datatype datatype,
                              MPI_Aint displacement)
{
    if (unlikely(peer == NULL))
        return false;
    const struct datatype *type = handle_object(KIND_DATATYPE, (uintptr_t)datatype);
    return likely(type != NULL) &&
           move_at_once(is_put, peer, origin, displacement, count, type);
}

static inline bool oriel_put_quick(const void *origin_addr, MPI_Count origin_count,
                                   MPI_Datatype origin_datatype, int target_rank,
                                   MPI_Aint target_disp, MPI_Count target_count,
                                   MPI_Datatype target_datatype, MPI_Win win)
{
    return likely(origin_datatype == target_datatype) &&
           likely(origin_count == target_count) &&
           quick_move(true, quick_target(win, target_rank), (void *)origin_addr,
                      origin_count, origin_datatype, target_disp);
}

static inline bool oriel_get_quick(void *origin_addr, MPI_Count origin_count,
                                   MPI_Datatype origin_datatype, int target_rank,
                                   MPI_Aint target_disp, MPI_Count target_count,
                                   MPI_Datatype target_datatype, MPI_Win win)
{
    return likely(origin_datatype == target_datatype) &&
           likely(origin_count == target_count) &&
           quick_move(false, quick_target(win, target_rank), origin_addr, origin_count,
                      origin_datatype, target_disp);
}

// ORIEL_CHECK=races: the next call of a loop at a target that would be mapped, from the
// place to which the program's call returns. Each does all of it, or nothing and says false.
bool oriel_put_again(const void *origin_addr, MPI_Count origin_count,
                     MPI_Datatype origin_datatype, int target_rank,
                     MPI_Aint target_disp, MPI_Count target_count,
                     MPI_Datatype target_datatype, MPI_Win win, const void *place);
bool oriel_get_again(void *origin_addr, MPI_Count origin_count,
                     MPI_Datatype origin_datatype, int target_rank,
                     MPI_Aint target_disp, MPI_Count target_count,
                     MPI_Datatype target_datatype, MPI_Win win, const void *place);

// ---- accumulates --------------------------------------------------------------
// Predefined operations are known by their ABI codes, which are their handles: 32 to 63.
static inline bool is_predefined_op(uintptr_t op)
{
    return op >> OP_BITS == (uintptr_t)MPI_OP_NULL >> OP_BITS;
}

// Of a type and such an operation in a table of kernels.
static inline size_t kernel_row_of(const struct datatype *type, uintptr_t op)
{
    return type->kernel_row + (op - (uintptr_t)MPI_OP_NULL);
}

static inline bool are_few(MPI_Count bytes)
{
    return (uint64_t)(bytes - 1) < FEW_BYTES; // not 0 or below
}

// target_memory of elements of a predefined type; also false if they are not aligned.
static inline bool target_elements(const struct peer *peer, MPI_Aint displacement,
                                   MPI_Count bytes, const struct datatype *type,
                                   char **elements)
{
    return target_memory(peer, displacement, bytes, elements) &&
           likely(((uint8_t)(uintptr_t)*elements & type->kernel_inside) == 0);
}

// Elements of one predefined type. Instructions update few of them by element.
static inline bool accumulate_at_once(const struct peer *peer, const void *origin,
                                      MPI_Aint displacement, MPI_Count count,
                                      const struct datatype *type, uintptr_t op)
{
    MPI_Count bytes = block_bytes(count, type);
    size_t row;
    char *target;
    struct presence *own;
    if (unlikely(is_nowhere((uintptr_t)origin)) || unlikely(!is_predefined_op(op)) ||
        unlikely(!target_elements(peer, displacement, bytes, type, &target)))
        return false;
    row = kernel_row_of(type, op);
    if (unlikely(atomic_updates[row] == NULL))
        return false;
    if (likely(are_few(bytes)) && likely((own = update_enter(peer->lock_record)))) {
        atomic_updates[row](origin, target, count);
        presence_leave(own);
        return true;
    }
    if (bytes > 0)
        update_mapped(peer, origin, target, NULL, count, type, op);
    return bytes > 0;
}

// `origin` is not read by MPI_NO_OP.
static inline bool can_fetch(const void *origin, const void *result, uintptr_t op)
{
    return likely(!is_nowhere((uintptr_t)result)) && likely(is_predefined_op(op)) &&
           (likely(!is_nowhere((uintptr_t)origin)) || op == (uintptr_t)MPI_NO_OP);
}

// The same with the elements' values before.
static inline bool fetch_at_once(const struct peer *peer, const void *origin,
                                 void *result, MPI_Aint displacement, MPI_Count count,
                                 const struct datatype *type, uintptr_t op)
{
    MPI_Count bytes = block_bytes(count, type);
    size_t row;
    char *target;
    struct presence *own;
    if (!can_fetch(origin, result, op) ||
        unlikely(!target_elements(peer, displacement, bytes, type, &target)))
        return false;
    row = kernel_row_of(type, op);
    if (unlikely(atomic_fetches[row] == NULL))
        return false;
    if (likely(are_few(bytes)) && likely((own = update_enter(peer->lock_record)))) {
        atomic_fetches[row](origin, result, target, count);
        presence_leave(own);
        order_count();
        return true;
    }
    if (bytes > 0)
        update_mapped(peer, op == (uintptr_t)MPI_NO_OP ? NULL : origin, target, result,
                      count, type, op);
    return bytes > 0;
}

// One element, by element.
static inline bool fetch_by_instruction(const struct peer *peer, const void *origin,
                                        void *result, MPI_Aint displacement,
                                        const struct datatype *type, uintptr_t op)
{
    size_t row;
    char *target;
    struct presence *own;
    if (!can_fetch(origin, result, op) ||
        unlikely(!target_elements(peer, displacement, type->plain_size, type, &target)))
        return false;
    row = kernel_row_of(type, op);
    if (unlikely(atomic_fetches[row] == NULL) ||
        unlikely((own = update_enter(peer->lock_record)) == NULL))
        return false;
    atomic_fetches[row](origin, result, target, 1);
    presence_leave(own);
    order_count();
    return true;
}

// The kernel of a type and the element of a target that is mapped.
static inline bool swap_find(const struct peer *peer, const void *origin,
                             const void *compare, const void *result,
                             MPI_Aint displacement, const struct datatype *type,
                             atomic_swap **swap, char **target)
{
    if (unlikely(is_nowhere((uintptr_t)origin)) ||
        unlikely(is_nowhere((uintptr_t)compare)) ||
        unlikely(is_nowhere((uintptr_t)result)) ||
        unlikely(!target_elements(peer, displacement, type->plain_size, type, target)))
        return false;
    *swap = atomic_swaps[(size_t)type->kernel_row >> OP_BITS];
    return likely(*swap != NULL);
}

static inline bool swap_by_instruction(const struct peer *peer, const void *origin,
                                       const void *compare, void *result,
                                       MPI_Aint displacement,
                                       const struct datatype *type)
{
    atomic_swap *swap;
    char *target;
    struct presence *own;
    if (!swap_find(peer, origin, compare, result, displacement, type, &swap, &target) ||
        unlikely((own = update_enter(peer->lock_record)) == NULL))
        return false;
    swap(origin, compare, result, target);
    presence_leave(own);
    order_count();
    return true;
}

// `peer` is NULL if there is no such target.
static inline bool quick_accumulate(const struct peer *peer, const void *origin,
                                    MPI_Count count, MPI_Datatype datatype,
                                    MPI_Aint displacement, MPI_Op op)
{
    if (unlikely(peer == NULL))
        return false;
    const struct datatype *type = handle_object(KIND_DATATYPE, (uintptr_t)datatype);
    return likely(type != NULL) &&
           accumulate_at_once(peer, origin, displacement, count, type, (uintptr_t)op);
}

static inline bool oriel_accumulate_quick(const void *origin_addr,
                                          MPI_Count origin_count,
                                          MPI_Datatype origin_datatype, int target_rank,
                                          MPI_Aint target_disp, MPI_Count target_count,
                                          MPI_Datatype target_datatype, MPI_Op op,
                                          MPI_Win win)
{
    return likely(origin_datatype == target_datatype) &&
           likely(origin_count == target_count) &&
           quick_accumulate(quick_target(win, target_rank), origin_addr, origin_count,
                            origin_datatype, target_disp, op);
}

// MPI_NO_OP goes the long way: it has no origin buffer.
static inline bool oriel_get_accumulate_quick(
    const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
    void *result_addr, MPI_Count result_count, MPI_Datatype result_datatype,
    int target_rank, MPI_Aint target_disp, MPI_Count target_count,
    MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
{
    if (unlikely(origin_datatype != target_datatype) ||
        unlikely(result_datatype != target_datatype) ||
        unlikely(origin_count != target_count) ||
        unlikely(result_count != target_count))
        return false;
    const struct peer *peer = quick_target(win, target_rank);
    if (unlikely(peer == NULL))
        return false;
    const struct datatype *type =
        handle_object(KIND_DATATYPE, (uintptr_t)target_datatype);
    return likely(type != NULL) &&
           fetch_at_once(peer, origin_addr, result_addr, target_disp, target_count,
                         type, (uintptr_t)op);
}

static inline bool oriel_fetch_and_op_quick(const void *origin_addr, void *result_addr,
                                            MPI_Datatype datatype, int target_rank,
                                            MPI_Aint target_disp, MPI_Op op,
                                            MPI_Win win)
{
    const struct datatype *type = handle_object(KIND_DATATYPE, (uintptr_t)datatype);
    if (unlikely(type == NULL))
        return false;
    const struct peer *peer = quick_target(win, target_rank);
    return likely(peer != NULL) &&
           fetch_by_instruction(peer, origin_addr, result_addr, target_disp, type,
                                (uintptr_t)op);
}

static inline bool oriel_compare_and_swap_quick(const void *origin_addr,
                                                const void *compare_addr,
                                                void *result_addr,
                                                MPI_Datatype datatype, int target_rank,
                                                MPI_Aint target_disp, MPI_Win win)
{
    const struct datatype *type = handle_object(KIND_DATATYPE, (uintptr_t)datatype);
    if (unlikely(type == NULL))
        return false;
    const struct peer *peer = quick_target(win, target_rank);
    return likely(peer != NULL) && swap_by_instruction(peer, origin_addr, compare_addr,
                                                       result_addr, target_disp, type);
}

// ---- operations with a request ------------------------------------------------
// The same as quick_target, in the epochs that admit operations with a request.
static inline const struct peer *quick_locked_target(MPI_Win win, int rank)
{
    const struct window *window = handle_object(KIND_WIN, (uintptr_t)win);
    return likely(window != NULL) && likely(epoch_admits_requests(&window->epoch))
               ? current_target(&window->epoch, rank)
               : NULL;
}

// The request of an operation that is done.
static inline void request_make_done(MPI_Request *request)
{
    *request = (MPI_Request)object_handle(&request_done);
}

static inline bool oriel_rput_quick(const void *origin_addr, MPI_Count origin_count,
                                    MPI_Datatype origin_datatype, int target_rank,
                                    MPI_Aint target_disp, MPI_Count target_count,
                                    MPI_Datatype target_datatype, MPI_Win win,
                                    MPI_Request *request)
{
    if (unlikely(request == NULL) || unlikely(origin_datatype != target_datatype) ||
        unlikely(origin_count != target_count) ||
        !quick_move(true, quick_locked_target(win, target_rank), (void *)origin_addr,
                    origin_count, origin_datatype, target_disp))
        return false;
    request_make_done(request);
    return true;
}

static inline bool oriel_rget_quick(void *origin_addr, MPI_Count origin_count,
                                    MPI_Datatype origin_datatype, int target_rank,
                                    MPI_Aint target_disp, MPI_Count target_count,
                                    MPI_Datatype target_datatype, MPI_Win win,
                                    MPI_Request *request)
{
    if (unlikely(request == NULL) || unlikely(origin_datatype != target_datatype) ||
        unlikely(origin_count != target_count) ||
        !quick_move(false, quick_locked_target(win, target_rank), origin_addr,
                    origin_count, origin_datatype, target_disp))
        return false;
    order_count();
    request_make_done(request);
    return true;
}

static inline bool oriel_raccumulate_quick(
    const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
    int target_rank, MPI_Aint target_disp, MPI_Count target_count,
    MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request)
{
    if (unlikely(request == NULL) || unlikely(origin_datatype != target_datatype) ||
        unlikely(origin_count != target_count) ||
        !quick_accumulate(quick_locked_target(win, target_rank), origin_addr,
                          origin_count, origin_datatype, target_disp, op))
        return false;
    request_make_done(request);
    return true;
}
