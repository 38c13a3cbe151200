// SPDX-License-Identifier: BSD-3-Clause
// Dynamic windows (MPI-4.1 12.2.4). An array in the segment, sorted by address, lists
// the memory that a member has attached. Local peers search it themselves, and keep what
// they have found only as long as the version is the same, so that a detached range is
// gone for all of them at once. Members on other nodes ask by messages; then the target
// searches.
//
// The array is a seqlock: the owner changes it while `version` is odd, and a search
// meanwhile searches again. An array that is given back stays mapped, so that a search
// of an old one reads nonsense, but no further than it was allowed to.
#include "window/attachments.h"
#include "window/hints.h"
#include "window/memory.h"
#include "window/share.h"

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
    word_write(&to->shared, word_read(&from->shared));
    word_write(&to->shared_bytes, word_read(&from->shared_bytes));
    word_write(&to->offset, word_read(&from->offset));
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

static void attachment_insert(struct window *window, uint64_t at,
                              const struct attachment *attachment)
{
    struct attachments *attached = own_attachments(window);
    struct attachment *list = window->attached.list;
    uint64_t count = word_read(&attached->count);
    change_begin(attached);
    for (uint64_t i = count; i > at; i--)
        attachment_assign(&list[i], &list[i - 1]);
    attachment_assign(&list[at], attachment);
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

static int attachment_add(struct window *window, const struct attachment *attachment)
{
    uint64_t address = word_read(&attachment->address);
    uint64_t bytes = word_read(&attachment->bytes);
    if (bytes > UINT64_MAX - address)
        return fail(MPI_ERR_SIZE, "size = %ju: no memory at %#jx is that large",
                    (uintmax_t)bytes, (uintmax_t)address);
    if (attachments_overlap(window, address, bytes))
        return fail(MPI_ERR_RMA_ATTACH,
                    "some of the %ju bytes at %#jx are already attached to the window",
                    (uintmax_t)bytes, (uintmax_t)address);
    int err = make_room(window);
    if (!err)
        attachment_insert(window, attachments_up_to(own_list(window), address),
                          attachment);
    return err;
}

static int check_is_dynamic(const struct window *window)
{
    if (window->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return 0;
    return fail(MPI_ERR_RMA_FLAVOR, "the window was not opened by "
                                    "MPI_Win_create_dynamic; its memory is fixed");
}

static struct shared_pages attachment_pages(const struct attachment *attachment)
{
    return (struct shared_pages){
        .address = (char *)(uintptr_t)word_read(&attachment->shared),
        .bytes = word_read(&attachment->shared_bytes),
        .offset = word_read(&attachment->offset),
    };
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
    err = attachment_add(window, &(struct attachment){
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
    message_lock();
    struct attachment_list list = own_list(win);
    uint64_t next = attachments_up_to(list, (uintptr_t)base);
    bool is_attached =
        next > 0 && word_read(&list.first[next - 1].address) == (uintptr_t)base;
    struct shared_pages shared = {0};
    if (is_attached) {
        shared = attachment_pages(&list.first[next - 1]);
        attachment_erase(win, next - 1);
    }
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

// ---- with the window ----------------------------------------------------------
void attachments_make(struct window *window)
{
    own_attachments(window)->segment = (uintptr_t)process.shm->base;
}

void attachments_free(struct window *window)
{
    if (window->attached.list == NULL)
        return;
    struct attachment_list list = own_list(window);
    for (uint64_t i = 0; i < list.count; i++) {
        struct shared_pages shared = attachment_pages(&list.first[i]);
        window_unshare(&shared);
    }
    shm_free(process.shm, window->attached.list);
}
