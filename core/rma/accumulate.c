// SPDX-License-Identifier: BSD-3-Clause
// MPI_Accumulate and the operations that fetch (MPI-4.1 12.3.4). Their usual case,
// elements of one predefined type that instructions update, is in quick.h.
#include "rma/rma.h"

#include <oriel_core.h>

int oriel_accumulate(const void *origin_addr, MPI_Count origin_count,
                     struct datatype *origin_datatype, int target_rank,
                     MPI_Aint target_disp, MPI_Count target_count,
                     struct datatype *target_datatype, struct op *op,
                     struct window *win)
{
    struct accumulation accumulation = {
        .operation =
            operation_of(true, origin_addr, origin_count, origin_datatype, target_rank,
                         target_disp, target_count, target_datatype, win),
        .op = op,
    };
    return rma_accumulate(&accumulation);
}

struct accumulation fetching_accumulation(
    const void *origin_addr, MPI_Count origin_count, struct datatype *origin_datatype,
    void *result_addr, MPI_Count result_count, struct datatype *result_datatype,
    int target_rank, MPI_Aint target_disp, MPI_Count target_count,
    struct datatype *target_datatype, struct op *op, struct window *win)
{
    return (struct accumulation){
        .operation = is_no_op(op)
                         ? operation_of(false, result_addr, result_count,
                                        result_datatype, target_rank, target_disp,
                                        target_count, target_datatype, win)
                         : operation_of(true, origin_addr, origin_count,
                                        origin_datatype, target_rank, target_disp,
                                        target_count, target_datatype, win),
        .op = op,
        .result = result_addr,
        .result_count = result_count,
        .result_type = result_datatype,
    };
}

int oriel_get_accumulate(const void *origin_addr, MPI_Count origin_count,
                         struct datatype *origin_datatype, void *result_addr,
                         MPI_Count result_count, struct datatype *result_datatype,
                         int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                         struct datatype *target_datatype, struct op *op,
                         struct window *win)
{
    struct accumulation accumulation =
        fetching_accumulation(origin_addr, origin_count, origin_datatype, result_addr,
                              result_count, result_datatype, target_rank, target_disp,
                              target_count, target_datatype, op, win);
    return rma_accumulate(&accumulation);
}

int oriel_fetch_and_op(const void *origin_addr, void *result_addr,
                       struct datatype *datatype, int target_rank, MPI_Aint target_disp,
                       struct op *op, struct window *win)
{
    return oriel_get_accumulate(origin_addr, 1, datatype, result_addr, 1, datatype,
                                target_rank, target_disp, 1, datatype, op, win);
}

int oriel_compare_and_swap(const void *origin_addr, const void *compare_addr,
                           void *result_addr, struct datatype *datatype,
                           int target_rank, MPI_Aint target_disp, struct window *win)
{
    struct operation operation = operation_of(
        true, origin_addr, 1, datatype, target_rank, target_disp, 1, datatype, win);
    return rma_compare_and_swap(&operation, compare_addr, result_addr);
}
