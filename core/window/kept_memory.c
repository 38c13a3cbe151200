// SPDX-License-Identifier: BSD-3-Clause
// Memory of MPI_Alloc_mem that the program frees before its windows: it is kept until no
// window uses it (MPI-4.1 10.2).
#include "window/attachments.h"
#include "window/memory.h"

#include <stdlib.h>

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

int kept_memory_keep(void *memory, size_t bytes, bool *is_kept)
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
