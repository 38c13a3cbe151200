// SPDX-License-Identifier: BSD-3-Clause
// MPI_Put and MPI_Get (MPI-4.1 12.3.1, 12.3.2). The usual case, one piece of the same
// type on both sides, a target that is mapped here and was the last one, is done in
// this file.
#include "rma/rma.h"

#include <oriel_core.h>
#include <string.h>

// Out of line, so that the usual case needs no stack frame.
static __attribute__((noinline)) int copy_block(void *to, const void *from,
                                                size_t bytes)
{
    memcpy(to, from, bytes);
    return 0;
}

// Sizes of single elements are one load and one store, which no peer sees half done.
static inline int copy(void *to, const void *from, size_t bytes)
{
    if (bytes == 8)
        memcpy(to, from, 8);
    else if (bytes == 4)
        memcpy(to, from, 4);
    else
        return copy_block(to, from, bytes);
    return 0;
}

static __attribute__((noinline)) int
put_unusual(const void *origin_addr, MPI_Count origin_count,
            struct datatype *origin_datatype, int target_rank, MPI_Aint target_disp,
            MPI_Count target_count, struct datatype *target_datatype,
            struct window *win)
{
    struct operation operation =
        operation_of(true, origin_addr, origin_count, origin_datatype, target_rank,
                     target_disp, target_count, target_datatype, win);
    return rma_start(&operation);
}

int oriel_put(const void *origin_addr, MPI_Count origin_count,
              struct datatype *origin_datatype, int target_rank, MPI_Aint target_disp,
              MPI_Count target_count, struct datatype *target_datatype,
              struct window *win)
{
    char *address;
    size_t bytes;
    if (likely(origin_datatype == target_datatype) &&
        likely(origin_count == target_count) &&
        likely(find_mapped(win, target_rank, target_disp, target_count, target_datatype,
                           &address, &bytes)))
        return copy(address, origin_addr, bytes);
    return put_unusual(origin_addr, origin_count, origin_datatype, target_rank,
                       target_disp, target_count, target_datatype, win);
}

static __attribute__((noinline)) int
get_unusual(void *origin_addr, MPI_Count origin_count, struct datatype *origin_datatype,
            int target_rank, MPI_Aint target_disp, MPI_Count target_count,
            struct datatype *target_datatype, struct window *win)
{
    struct operation operation =
        operation_of(false, origin_addr, origin_count, origin_datatype, target_rank,
                     target_disp, target_count, target_datatype, win);
    return rma_start(&operation);
}

int oriel_get(void *origin_addr, MPI_Count origin_count,
              struct datatype *origin_datatype, int target_rank, MPI_Aint target_disp,
              MPI_Count target_count, struct datatype *target_datatype,
              struct window *win)
{
    char *address;
    size_t bytes;
    if (likely(origin_datatype == target_datatype) &&
        likely(origin_count == target_count) &&
        likely(find_mapped(win, target_rank, target_disp, target_count, target_datatype,
                           &address, &bytes)))
        return copy(origin_addr, address, bytes);
    return get_unusual(origin_addr, origin_count, origin_datatype, target_rank,
                       target_disp, target_count, target_datatype, win);
}
