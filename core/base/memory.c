// SPDX-License-Identifier: BSD-3-Clause
// Sizes of this machine's memory.
#include "base/base.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

size_t machine_bytes(void)
{
    return (size_t)sysconf(_SC_PHYS_PAGES) * page_bytes();
}

// MS_ASYNC starts nothing: since Linux 2.6.19 such a call only looks whether the pages
// are mapped.
static bool pages_are_mapped(uintptr_t first, size_t bytes)
{
    int saved = errno;
    bool are_mapped = msync((void *)first, bytes, MS_ASYNC) == 0 || errno != ENOMEM;
    errno = saved;
    return are_mapped;
}

bool memory_has_holes(const void *memory, size_t bytes, size_t *mapped)
{
    size_t page = page_bytes(), within = (uintptr_t)memory % page;
    uintptr_t first = (uintptr_t)memory - within;
    if (bytes == 0 || pages_are_mapped(first, within + bytes))
        return false;
    size_t good = 0, bad = (within + bytes + page - 1) / page; // numbers of pages
    while (bad - good > 1) {
        size_t middle = good + (bad - good) / 2;
        if (pages_are_mapped(first, middle * page))
            good = middle;
        else
            bad = middle;
    }
    *mapped = good > 0 ? good * page - within : 0;
    return true;
}
