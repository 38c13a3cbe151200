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

// Has the window some of this memory as its part, or a piece that begins there? Callers
// hold the message lock.
static bool uses(const struct window *window, const void *memory, size_t bytes)
{
    uintptr_t start = (uintptr_t)memory, base = (uintptr_t)window->base;
    size_t size = (size_t)window->size;
    if (window->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return attachments_overlap(window, start, bytes);
    bool overlaps = start < base + size && base < start + bytes && size > 0;
    return overlaps || window->allocation == memory;
}

static int check_is_unused(const void *memory, size_t bytes)
{
    message_lock();
    const struct window *window = process.windows;
    while (window != NULL && !uses(window, memory, bytes))
        window = window->next_open;
    uintptr_t handle = window ? object_handle(window) : 0;
    bool is_dynamic = window && window->flavor == MPI_WIN_FLAVOR_DYNAMIC;
    message_unlock();
    if (handle == 0)
        return 0;
    return fail(MPI_ERR_BASE,
                "base = %p: the open window with handle %#jx uses some of the %zu "
                "bytes; %s must come first",
                memory, (uintmax_t)handle, bytes,
                is_dynamic ? "MPI_Win_detach" : "MPI_Win_free");
}

int oriel_free_mem(void *base)
{
    size_t bytes = shm_allocated(process.shm, base);
    if (bytes == 0)
        return fail(MPI_ERR_BASE,
                    "base = %p: was not allocated by MPI_Alloc_mem here, or "
                    "has been freed",
                    base);
    int err = check_is_unused(base, bytes);
    if (err)
        return err;
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
