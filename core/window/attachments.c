// SPDX-License-Identifier: BSD-3-Clause
// Attached memory (MPI-4.1 12.2.4). An array in the segment, sorted by address, lists
// the memory that a member has attached. Local peers search it themselves, and keep what
// they have found only as long as the version is the same, so that a detached range is
// gone for all of them at once. Members on other nodes ask by messages; then the target
// searches.
//
// The array is a seqlock: the owner changes it while `version` is odd, and a search
// meanwhile searches again. An array that is given back stays mapped, so that a search
// of an old one reads nonsense, but no further than it was allowed to.
#include "window/attachments.h"

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

struct attachment_list attachments_own(const struct window *window)
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
    struct attachment_list list = attachments_own(window);
    uint64_t next = attachments_up_to(list, address), end = address + bytes;
    if (bytes == 0)
        return false;
    if (attachments_end(list, address, end) > address)
        return true;
    while (next < list.count && attachment_is_empty(list, next))
        next++;
    return next < list.count && word_read(&list.first[next].address) < end;
}

int attachments_add(struct window *window, const struct attachment *attachment)
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
        attachment_insert(window, attachments_up_to(attachments_own(window), address),
                          attachment);
    return err;
}

bool attachments_take(struct window *window, const void *base,
                      struct shared_pages *shared)
{
    struct attachment_list list = attachments_own(window);
    uint64_t next = attachments_up_to(list, (uintptr_t)base);
    if (next == 0 || word_read(&list.first[next - 1].address) != (uintptr_t)base)
        return false;
    *shared = attachment_pages(&list.first[next - 1]);
    attachment_erase(window, next - 1);
    return true;
}

void attachments_make(struct window *window)
{
    own_attachments(window)->segment = (uintptr_t)process.shm->base;
}
