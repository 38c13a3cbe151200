// SPDX-License-Identifier: BSD-3-Clause
// Memory for windows and addresses in it (MPI-4.1 10.2, 5.1.5). What MPI_Alloc_mem
// gives lies in the node's segment, so that a window on it is as fast as an allocated
// one.
#include "window/private.h"

#include <oriel_core.h>

int oriel_alloc_mem(MPI_Aint size, struct info *info, void *baseptr)
{
    return shm_alloc(process.shm, (size_t)size, hint_alignment(info), baseptr);
}

int oriel_free_mem(void *base)
{
    if (shm_allocated(process.shm, base) == 0)
        return fail(MPI_ERR_BASE,
                    "base = %p: was not allocated by MPI_Alloc_mem here, or "
                    "has been freed",
                    base);
    shm_free(process.shm, base);
    return 0;
}

int oriel_get_address(const void *location, MPI_Aint *address)
{
    *address = (MPI_Aint)location;
    return 0;
}

// Addresses are unsigned, so the arithmetic wraps instead of overflowing.
MPI_Aint oriel_aint_add(MPI_Aint base, MPI_Aint disp)
{
    return (MPI_Aint)((uintptr_t)base + (uintptr_t)disp);
}

MPI_Aint oriel_aint_diff(MPI_Aint addr1, MPI_Aint addr2)
{
    return (MPI_Aint)((uintptr_t)addr1 - (uintptr_t)addr2);
}
