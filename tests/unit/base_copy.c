// SPDX-License-Identifier: BSD-3-Clause
// copies_are_whole_and_touch_nothing_else: of every length about the limits between the
// ways to copy, from and to every place in a cache line.
#include "base/base.h"
#include "check.h"

#include <stdlib.h>

enum { AROUND = 256, LINE = CACHE_LINE };
static const size_t LARGE = ((size_t)8 << 20) + LINE;

struct process process;
static char *from, *to;

static void fill_buffers(size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        from[i] = (char)(i * 31 + i / 251);
}

static bool is_untouched(const char *start, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (start[i] != -1)
            return false;
    return true;
}

static void copy_once(size_t to_at, size_t from_at, size_t bytes)
{
    char *start = to + AROUND + to_at;
    memset(start - AROUND, -1, bytes + (size_t)2 * AROUND);
    copy_bytes(start, from + from_at, bytes);
    CHECK(memcmp(start, from + from_at, bytes) == 0);
    CHECK(is_untouched(start - AROUND, AROUND));
    CHECK(is_untouched(start + bytes, AROUND));
}

int main(void)
{
    from = malloc(LARGE + LINE);
    to = malloc(LARGE + LINE + (size_t)2 * AROUND);
    CHECK(from != NULL && to != NULL);
    fill_buffers(LARGE + LINE);
    for (size_t to_at = 0; to_at < LINE; to_at++)
        for (size_t from_at = 0; from_at < LINE; from_at += 5)
            for (size_t more = 0; more < AROUND; more += 1 + to_at % 7)
                copy_once(to_at, from_at, COPY_LONG - 64 + more);
    for (size_t less = 0; less <= (size_t)2 * LINE; less += 13)
        copy_once(less % LINE, LINE - less % LINE, LARGE - less);
    copy_once(0, 0, 0);
    free(from);
    free(to);
    return 0;
}
