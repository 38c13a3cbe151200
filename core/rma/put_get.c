// SPDX-License-Identifier: BSD-3-Clause
// MPI_Put and MPI_Get (MPI-4.1 12.3.1, 12.3.2). Their usual case is in quick.h.
#include "rma/rma.h"

#include <oriel_core.h>

int oriel_put(const void *origin_addr, MPI_Count origin_count,
              struct datatype *origin_datatype, int target_rank, MPI_Aint target_disp,
              MPI_Count target_count, struct datatype *target_datatype,
              struct window *win)
{
    struct operation operation =
        operation_of(true, origin_addr, origin_count, origin_datatype, target_rank,
                     target_disp, target_count, target_datatype, win);
    return rma_start(&operation);
}

int oriel_get(void *origin_addr, MPI_Count origin_count,
              struct datatype *origin_datatype, int target_rank, MPI_Aint target_disp,
              MPI_Count target_count, struct datatype *target_datatype,
              struct window *win)
{
    struct operation operation =
        operation_of(false, origin_addr, origin_count, origin_datatype, target_rank,
                     target_disp, target_count, target_datatype, win);
    return rma_start(&operation);
}
