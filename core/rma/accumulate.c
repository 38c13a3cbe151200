// SPDX-License-Identifier: BSD-3-Clause
// MPI_Accumulate and the operations that fetch (MPI-4.1 12.3.4). At a target that is
// mapped, elements of one predefined type that instructions update are updated by the
// bodies of the fast forms. The rest is for the means of the target.
#include "rma/inline.h"
#include "rma/operation.h"

#include <oriel_core.h>

int oriel_accumulate(const void *origin_addr, MPI_Count origin_count,
                     struct datatype *origin_datatype, int target_rank,
                     MPI_Aint target_disp, MPI_Count target_count,
                     struct datatype *target_datatype, struct op *op,
                     struct window *win)
{
    struct peer *peer;
    int err = target_peer(win, target_rank, &peer);
    if (err || peer == NULL)
        return err;
    if (peer->address != NULL && origin_datatype == target_datatype &&
        origin_count == target_count &&
        accumulate_at_once(peer, origin_addr, target_disp, origin_count,
                           origin_datatype, (uintptr_t)op->code))
        return 0;
    if (may_take_batches(peer) && origin_datatype == target_datatype &&
        origin_count == target_count &&
        batch_update_at_once(win, peer, &(struct batch_operands){.origin = origin_addr},
                             target_disp, origin_count, origin_datatype,
                             (uintptr_t)op->code, &err))
        return err;
    struct operation operation = {
        .kind = OPERATION_ACCUMULATE,
        .origin = {(char *)origin_addr, origin_count, origin_datatype},
        .target = {target_rank, target_disp, target_count, target_datatype},
        .window = win,
        .op = op,
        .peer = peer,
    };
    err = operation_check(&operation);
    return err ? err : operation.means->start[OPERATION_ACCUMULATE](&operation);
}

static bool fetch_in_batch(struct window *window, struct peer *peer, const void *origin,
                           void *result, MPI_Aint displacement, MPI_Count count,
                           const struct datatype *type, const struct op *op, int *err)
{
    struct batch_operands operands = {.origin = origin, .result = result};
    return !is_nowhere((uintptr_t)result) &&
           batch_update_at_once(window, peer, &operands, displacement, count, type,
                                (uintptr_t)op->code, err);
}

struct operation get_accumulate_of(const void *origin_addr, MPI_Count origin_count,
                                   struct datatype *origin_datatype, void *result_addr,
                                   MPI_Count result_count,
                                   struct datatype *result_datatype, int target_rank,
                                   MPI_Aint target_disp, MPI_Count target_count,
                                   struct datatype *target_datatype, struct op *op,
                                   struct window *win)
{
    struct buffer origin = {(char *)origin_addr, origin_count, origin_datatype};
    struct buffer result = {result_addr, result_count, result_datatype};
    return (struct operation){
        .kind = OPERATION_GET_ACCUMULATE,
        .origin = is_no_op(op) ? result : origin,
        .target = {target_rank, target_disp, target_count, target_datatype},
        .window = win,
        .op = op,
        .result = result,
    };
}

int oriel_get_accumulate(const void *origin_addr, MPI_Count origin_count,
                         struct datatype *origin_datatype, void *result_addr,
                         MPI_Count result_count, struct datatype *result_datatype,
                         int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                         struct datatype *target_datatype, struct op *op,
                         struct window *win)
{
    struct peer *peer;
    int err = target_peer(win, target_rank, &peer);
    if (err || peer == NULL)
        return err;
    if (peer->address != NULL && result_datatype == target_datatype &&
        result_count == target_count && origin_datatype == target_datatype &&
        origin_count == target_count &&
        fetch_at_once(peer, origin_addr, result_addr, target_disp, target_count,
                      target_datatype, (uintptr_t)op->code))
        return 0;
    if (may_take_batches(peer) && result_datatype == target_datatype &&
        result_count == target_count && origin_datatype == target_datatype &&
        origin_count == target_count &&
        fetch_in_batch(win, peer, origin_addr, result_addr, target_disp, target_count,
                       target_datatype, op, &err))
        return err;
    struct operation operation =
        get_accumulate_of(origin_addr, origin_count, origin_datatype, result_addr,
                          result_count, result_datatype, target_rank, target_disp,
                          target_count, target_datatype, op, win);
    operation.peer = peer;
    err = operation_check(&operation);
    return err ? err : operation.means->start[OPERATION_GET_ACCUMULATE](&operation);
}

int oriel_fetch_and_op(const void *origin_addr, void *result_addr,
                       struct datatype *datatype, int target_rank, MPI_Aint target_disp,
                       struct op *op, struct window *win)
{
    struct peer *peer;
    int err = target_peer(win, target_rank, &peer);
    if (err || peer == NULL)
        return err;
    if (peer->address != NULL &&
        fetch_at_once(peer, origin_addr, result_addr, target_disp, 1, datatype,
                      (uintptr_t)op->code))
        return 0;
    if (may_take_batches(peer) && fetch_in_batch(win, peer, origin_addr, result_addr,
                                                 target_disp, 1, datatype, op, &err))
        return err;
    struct operation operation =
        get_accumulate_of(origin_addr, 1, datatype, result_addr, 1, datatype,
                          target_rank, target_disp, 1, datatype, op, win);
    operation.peer = peer;
    err = operation_check(&operation);
    return err ? err : operation.means->start[OPERATION_GET_ACCUMULATE](&operation);
}

int oriel_compare_and_swap(const void *origin_addr, const void *compare_addr,
                           void *result_addr, struct datatype *datatype,
                           int target_rank, MPI_Aint target_disp, struct window *win)
{
    struct peer *peer;
    int err = target_peer(win, target_rank, &peer);
    if (err || peer == NULL)
        return err;
    atomic_swap *swap;
    char *target;
    if (peer->address != NULL && swap_find(peer, origin_addr, compare_addr, result_addr,
                                           target_disp, datatype, &swap, &target)) {
        swap_mapped(peer, origin_addr, compare_addr, target, result_addr, datatype);
        return 0;
    }
    struct batch_operands operands = {origin_addr, compare_addr, result_addr};
    if (may_take_batches(peer) &&
        batch_swap_at_once(win, peer, &operands, target_disp, datatype, &err))
        return err;
    struct operation operation = {
        .kind = OPERATION_COMPARE_AND_SWAP,
        .origin = {(char *)origin_addr, 1, datatype},
        .target = {target_rank, target_disp, 1, datatype},
        .window = win,
        .result = {result_addr, 1, datatype},
        .compare = compare_addr,
        .peer = peer,
    };
    err = operation_check(&operation);
    return err ? err : operation.means->start[OPERATION_COMPARE_AND_SWAP](&operation);
}
