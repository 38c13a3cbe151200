// SPDX-License-Identifier: BSD-3-Clause
// Sizes of this machine's memory.
#include "base/base.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES_AT_ONCE = 4096 };

size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

size_t machine_bytes(void)
{
    return (size_t)sysconf(_SC_PHYS_PAGES) * page_bytes();
}

// How many pages there are before the first that is not mapped. mincore only looks, for
// about a nanosecond at each; tools such as valgrind take msync, which looks at mappings,
// for a read of the bytes and report those that nobody has set.
static size_t mapped_pages(char *first, size_t pages)
{
    unsigned char residence[PAGES_AT_ONCE];
    size_t page = page_bytes(), done = 0, most = PAGES_AT_ONCE;
    int saved = errno;
    while (done < pages && most > 0) {
        size_t count = pages - done < most ? pages - done : most;
        if (mincore(first + done * page, count * page, residence) == 0 ||
            errno != ENOMEM)
            done += count;
        else
            most = count / 2;
    }
    errno = saved;
    return done;
}

bool memory_has_holes(const void *memory, size_t bytes, size_t *mapped)
{
    size_t page = page_bytes(), within = (uintptr_t)memory % page;
    size_t pages = (within + bytes + page - 1) / page;
    size_t good = bytes > 0 ? mapped_pages((char *)memory - within, pages) : pages;
    if (good == pages)
        return false;
    *mapped = good > 0 ? good * page - within : 0;
    return true;
}
