// SPDX-License-Identifier: BSD-3-Clause
// The pages of a heap: which are huge, which go back to the machine, which are in a core
// dump.
#include "shm/heap_pages.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// ---- huge pages (Documentation/admin-guide/mm/transhuge.rst) --------------------
static bool read_setting(const char *folder, const char *name, char *text, size_t room)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t length = read(file, text, room - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

// The value in use is the one in brackets, as in "always within_size [advise] never".
size_t huge_page_bytes(const char *folder)
{
    const char *where = folder ? folder : "/sys/kernel/mm/transparent_hugepage";
    char text[128];
    if (!read_setting(where, "shmem_enabled", text, sizeof text) ||
        strstr(text, "[never]") || strstr(text, "[deny]") ||
        !read_setting(where, "hpage_pmd_size", text, sizeof text))
        return 0;
    size_t bytes = strtoull(text, NULL, 10);
    return (bytes & (bytes - 1)) == 0 ? bytes : 0;
}

// The rest behind the last whole one has small pages, so that no memory is lost by it.
void pages_make_huge(const struct shm_heap *heap, const struct block *block)
{
    madvise(heap->base + block->start, block->bytes & ~(heap->huge_page - 1),
            MADV_HUGEPAGE);
}

// ---- pages that nobody needs ----------------------------------------------------
void pages_return(const struct shm_heap *heap, struct block *block)
{
    if (block->used < heap->kept)
        return;
    size_t start = round_up(block->start, heap->page);
    size_t used_end = block->start + block->used, end = used_end & ~(heap->page - 1);
    if (madvise(heap->base + start, end - start, MADV_REMOVE) != 0)
        return;
    memset(heap->base + block->start, 0, start - block->start);
    memset(heap->base + end, 0, used_end - end);
    block->used = 0;
}

// ---- core dumps -----------------------------------------------------------------
// By steps, so that few allocations pay for a system call.
void pages_show_in_dumps(struct shm_heap *heap, size_t end)
{
    static const size_t STEP = (size_t)2 << 20;
    if (end <= heap->dumped)
        return;
    end = round_up(end, STEP);
    if (end > heap->bytes)
        end = heap->bytes;
    madvise(heap->base + heap->dumped, end - heap->dumped, MADV_DODUMP);
    heap->dumped = end;
}
