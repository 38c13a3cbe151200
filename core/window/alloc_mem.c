// SPDX-License-Identifier: BSD-3-Clause
// Memory for windows and addresses in it (MPI-4.1 10.2, 5.1.5). MPI_Alloc_mem allocates
// in the node's segment, so that a window on its memory is as fast as an allocated one.
#include "window/hints.h"
#include "window/memory.h"

#include <oriel_core.h>

int oriel_alloc_mem(MPI_Aint size, struct info *info, void *baseptr)
{
    communicators_collect();
    return shm_alloc(process.shm, (size_t)size, hint_alignment(info), baseptr);
}

int oriel_free_mem(void *base)
{
    if (base == NULL)
        return 0;
    size_t bytes = shm_allocated(process.shm, base);
    if (bytes == 0)
        return fail(MPI_ERR_BASE,
                    "base = %p: was not allocated by MPI_Alloc_mem here, or "
                    "has been freed",
                    base);
    bool is_kept;
    int err = kept_memory_keep(base, bytes, &is_kept);
    if (!err && !is_kept)
        shm_free(process.shm, base);
    return err;
}

// ---- addresses ----------------------------------------------------------------
int oriel_get_address(const void *location, MPI_Aint *address)
{
    *address = (MPI_Aint)location;
    return 0;
}

// The name that MPI-3.0 has removed (MPI-4.1 17.1).
int oriel_address(const void *location, MPI_Aint *address)
{
    return oriel_get_address(location, address);
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
