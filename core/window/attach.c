// SPDX-License-Identifier: BSD-3-Clause
// Dynamic windows: MPI_Win_attach and MPI_Win_detach (MPI-4.1 12.2.4).
#include "window/attachments.h"
#include "window/hints.h"
#include "window/memory.h"
#include "window/share.h"

#include <oriel_core.h>

static int check_is_dynamic(const struct window *window)
{
    if (window->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return 0;
    return fail(MPI_ERR_RMA_FLAVOR, "the window was not opened by "
                                    "MPI_Win_create_dynamic; its memory is fixed");
}

// Shares what the window asks for, and lists the memory.
static int memory_attach(struct window *window, void *base, size_t size,
                         bool *is_mapped)
{
    struct shared_pages shared;
    int err = window_share(window, base, size, &shared);
    if (err)
        return err;
    *is_mapped = shm_contains(process.shm, base, size) || shared.bytes == size;
    if (!*is_mapped)
        shm_open_memory(process.shm);
    message_lock();
    err = attachments_add(window, &(struct attachment){
                                      .address = (uintptr_t)base,
                                      .bytes = size,
                                      .shared = (uintptr_t)shared.address,
                                      .shared_bytes = shared.bytes,
                                      .offset = shared.offset,
                                  });
    message_unlock();
    if (err)
        window_unshare(&shared);
    return err;
}

// Local peers may need this process for memory that they do not map.
int oriel_win_attach(struct window *win, void *base, MPI_Aint size)
{
    int err = check_is_dynamic(win);
    if (!err)
        err = check_memory(base, size);
    if (err)
        return err;
    bool is_mapped;
    err = memory_attach(win, base, (size_t)size, &is_mapped);
    if (!err && races_are_checked())
        races_attached(win->watched, base, (uint64_t)size);
    if (err || is_mapped)
        return err;
    win->is_mapped = false;
    return window_serve(win);
}

int oriel_win_detach(struct window *win, const void *base)
{
    int err = check_is_dynamic(win);
    if (err)
        return err;
    struct shared_pages shared = {0};
    message_lock();
    bool is_attached = attachments_take(win, base, &shared);
    message_unlock();
    if (is_attached && races_are_checked())
        races_detached(win->watched, base);
    window_unshare(&shared);
    kept_memory_free();
    if (is_attached)
        return 0;
    return fail(MPI_ERR_RMA_ATTACH,
                "base = %p: nothing that begins there is attached to the window", base);
}

void attachments_free(struct window *window)
{
    if (window->attached.list == NULL)
        return;
    struct attachment_list list = attachments_own(window);
    for (uint64_t i = 0; i < list.count; i++) {
        struct shared_pages shared = attachment_pages(&list.first[i]);
        window_unshare(&shared);
    }
    shm_free(process.shm, window->attached.list);
}
