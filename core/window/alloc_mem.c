// SPDX-License-Identifier: BSD-3-Clause
// Memory for windows and addresses in it (MPI-4.1 10.2, 5.1.5). MPI_Alloc_mem allocates
// in the node's segment, so that a window on its memory is as fast as an allocated one.
#include "window/attachments.h"
#include "window/hints.h"
#include "window/memory.h"

#include <oriel_core.h>
#include <stdlib.h>

int oriel_alloc_mem(MPI_Aint size, struct info *info, void *baseptr)
{
    communicators_collect();
    return shm_alloc(process.shm, (size_t)size, hint_alignment(info), baseptr);
}

// Whether the window exposes some of this memory. Callers hold the message lock.
static bool window_uses(const struct window *window, const void *memory, size_t bytes)
{
    uintptr_t start = (uintptr_t)memory, base = (uintptr_t)window->base;
    size_t size = (size_t)window->size;
    if (window->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return attachments_overlap(window, start, bytes);
    return start < base + size && base < start + bytes && size > 0;
}

const struct window *window_user_of(const void *memory, size_t bytes)
{
    const struct window *window = process.windows->open;
    while (window != NULL && !window_uses(window, memory, bytes))
        window = window->next_open;
    return window;
}

// ---- memory that the program frees before its windows -------------------------
// Memory that the program has freed and a window still uses.
struct kept_memory {
    struct kept_memory *next;
    void *address;
    size_t bytes;
};

// Memory that is kept already, or that a window has allocated, is not the program's.
// Callers hold the message lock.
static int check_is_programs(const void *memory)
{
    const struct kept_memory *kept = process.windows->kept;
    while (kept != NULL && kept->address != memory)
        kept = kept->next;
    if (kept != NULL)
        return fail(MPI_ERR_BASE, "base = %p: has been freed", memory);
    const struct window *window = process.windows->open;
    while (window != NULL && window->allocation != memory)
        window = window->next_open;
    if (window == NULL)
        return 0;
    return fail(MPI_ERR_BASE,
                "base = %p: belongs to the open window with handle %#jx; MPI_Win_free "
                "frees it",
                memory, (uintmax_t)object_handle(window));
}

// Callers hold the message lock.
static int kept_memory_add(void *memory, size_t bytes, const struct window *user)
{
    struct kept_memory *kept = malloc(sizeof *kept);
    if (kept == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory to note that %p is to be freed", memory);
    *kept = (struct kept_memory){process.windows->kept, memory, bytes};
    process.windows->kept = kept;
    if (!process.windows->has_kept)
        log_verbose("MPI_Free_mem: the open window with handle %#jx uses some of the "
                    "%zu bytes at %p; they are freed when no window uses them",
                    (uintmax_t)object_handle(user), bytes, memory);
    process.windows->has_kept = true;
    return 0;
}

static int keep_if_used(void *memory, size_t bytes, bool *is_kept)
{
    message_lock();
    const struct window *user = window_user_of(memory, bytes);
    int err = check_is_programs(memory);
    *is_kept = user != NULL;
    if (!err && user != NULL)
        err = kept_memory_add(memory, bytes, user);
    message_unlock();
    return err;
}

void kept_memory_free(void)
{
    message_lock();
    for (struct kept_memory **at = &process.windows->kept; *at != NULL;) {
        struct kept_memory *kept = *at;
        if (window_user_of(kept->address, kept->bytes) != NULL) {
            at = &kept->next;
            continue;
        }
        *at = kept->next;
        shm_free(process.shm, kept->address);
        free(kept);
    }
    message_unlock();
}

void kept_memory_forget(void)
{
    while (process.windows->kept != NULL) {
        struct kept_memory *kept = process.windows->kept;
        process.windows->kept = kept->next;
        free(kept);
    }
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
    int err = keep_if_used(base, bytes, &is_kept);
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
