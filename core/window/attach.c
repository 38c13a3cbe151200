// SPDX-License-Identifier: BSD-3-Clause
// Dynamic windows (MPI-4.1 12.2.4). An array in the segment, sorted by address, lists
// the memory that a member has attached. Local peers search it themselves at every
// access, so that a detached range is gone for all of them at once. Members on other
// nodes ask by messages; then the target searches.
//
// The array is a seqlock: the owner changes it while `version` is odd, and a search
// meanwhile searches again. An array that is given back stays mapped, so that a search
// of an old one reads nonsense, but no further than it was allowed to.
#include "window/attachments.h"
#include "window/hints.h"
#include "window/memory.h"

#include <oriel_core.h>

enum { FIRST_ROOM = 32 };

static void word_write(_Atomic(uint64_t) *word, uint64_t value)
{
    atomic_store_explicit(word, value, memory_order_relaxed);
}

// Callers hold the message lock, so that there is one writer and no handler sees a
// change half done.
static void change_begin(struct attachments *attached)
{
    word_write(&attached->version, word_read(&attached->version) + 1);
    atomic_thread_fence(memory_order_release);
}

static void change_end(struct attachments *attached)
{
    atomic_store_explicit(&attached->version, word_read(&attached->version) + 1,
                          memory_order_release);
}

static void attachment_assign(struct attachment *to, const struct attachment *from)
{
    word_write(&to->address, word_read(&from->address));
    word_write(&to->bytes, word_read(&from->bytes));
}

static struct attachments *own_attachments(const struct window *window)
{
    return &window_own_lock_record(window)->attachments;
}

static struct attachment_list own_list(const struct window *window)
{
    return (struct attachment_list){window->attached.list,
                                    word_read(&own_attachments(window)->count)};
}

// Makes room for one more in an array twice as large.
static int make_room(struct window *window)
{
    struct attachments *attached = own_attachments(window);
    uint64_t count = word_read(&attached->count);
    size_t room = window->attached.room ? 2 * window->attached.room : FIRST_ROOM;
    struct attachment *old = window->attached.list, *list;
    if (count < window->attached.room)
        return 0;
    int err = shm_alloc(process.shm, room * sizeof *list, CACHE_LINE, (void **)&list);
    if (err)
        return err;
    for (uint64_t i = 0; i < count; i++)
        attachment_assign(&list[i], &old[i]);
    change_begin(attached);
    word_write(&attached->place, shm_offset(process.shm, list));
    change_end(attached);
    window->attached.list = list;
    window->attached.room = room;
    if (old != NULL)
        shm_free(process.shm, old);
    return 0;
}

static void attachment_insert(struct window *window, uint64_t at, uint64_t address,
                              uint64_t bytes)
{
    struct attachments *attached = own_attachments(window);
    struct attachment *list = window->attached.list;
    uint64_t count = word_read(&attached->count);
    change_begin(attached);
    for (uint64_t i = count; i > at; i--)
        attachment_assign(&list[i], &list[i - 1]);
    word_write(&list[at].address, address);
    word_write(&list[at].bytes, bytes);
    word_write(&attached->count, count + 1);
    change_end(attached);
}

static void attachment_erase(struct window *window, uint64_t at)
{
    struct attachments *attached = own_attachments(window);
    struct attachment *list = window->attached.list;
    uint64_t count = word_read(&attached->count) - 1;
    change_begin(attached);
    for (uint64_t i = at; i < count; i++)
        attachment_assign(&list[i], &list[i + 1]);
    word_write(&attached->count, count);
    change_end(attached);
}

bool attachments_overlap(const struct window *window, uint64_t address, uint64_t bytes)
{
    struct attachment_list list = own_list(window);
    uint64_t next = attachments_up_to(list, address), end = address + bytes;
    if (bytes == 0)
        return false;
    if (attachments_end(list, address, end) > address)
        return true;
    while (next < list.count && attachment_is_empty(list, next))
        next++;
    return next < list.count && word_read(&list.first[next].address) < end;
}

static int attachment_add(struct window *window, uint64_t address, uint64_t bytes)
{
    if (bytes > UINT64_MAX - address)
        return fail(MPI_ERR_SIZE, "size = %ju: no memory at %#jx is that large",
                    (uintmax_t)bytes, (uintmax_t)address);
    if (attachments_overlap(window, address, bytes))
        return fail(MPI_ERR_RMA_ATTACH,
                    "some of the %ju bytes at %#jx are already attached to the window",
                    (uintmax_t)bytes, (uintmax_t)address);
    int err = make_room(window);
    if (!err)
        attachment_insert(window, attachments_up_to(own_list(window), address), address,
                          bytes);
    return err;
}

static int check_is_dynamic(const struct window *window)
{
    if (window->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return 0;
    return fail(MPI_ERR_RMA_FLAVOR, "the window was not opened by "
                                    "MPI_Win_create_dynamic; its memory is fixed");
}

// Local peers may need this process for memory that they do not map.
int oriel_win_attach(struct window *win, void *base, MPI_Aint size)
{
    int err = check_is_dynamic(win);
    if (!err)
        err = check_memory(base, size);
    if (err)
        return err;
    bool is_mapped = shm_contains(process.shm, base, (size_t)size);
    if (!is_mapped)
        shm_open_memory(process.shm);
    message_lock();
    err = attachment_add(win, (uintptr_t)base, (uint64_t)size);
    message_unlock();
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
    message_lock();
    struct attachment_list list = own_list(win);
    uint64_t next = attachments_up_to(list, (uintptr_t)base);
    bool is_attached =
        next > 0 && word_read(&list.first[next - 1].address) == (uintptr_t)base;
    if (is_attached)
        attachment_erase(win, next - 1);
    message_unlock();
    kept_memory_free();
    if (is_attached)
        return 0;
    return fail(MPI_ERR_RMA_ATTACH,
                "base = %p: nothing that begins there is attached to the window", base);
}

// ---- with the window ----------------------------------------------------------
void attachments_make(struct window *window)
{
    own_attachments(window)->segment = (uintptr_t)process.shm->base;
}

void attachments_free(struct window *window)
{
    if (window->attached.list != NULL)
        shm_free(process.shm, window->attached.list);
}
