// SPDX-License-Identifier: BSD-3-Clause
// The library with which the ranks take large allocations from shared memory.
#include "launch.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *heap_library(void)
{
    char own[PATH_MAX], *path;
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length <= 0)
        return NULL;
    own[length] = '\0';
    *strrchr(own, '/') = '\0';
    return asprintf(&path, "%s/%s", own, ORIEL_HEAP_LIBRARY) < 0 ? NULL : path;
}

void heap_library_preload(void)
{
    const char *others = getenv("LD_PRELOAD");
    char *library = heap_library(), *list;
    bool has_others = others && *others != '\0';
    if (!library || asprintf(&list, "%s%s%s", library, has_others ? ":" : "",
                             has_others ? others : "") < 0)
        return;
    setenv("LD_PRELOAD", list, 1);
    free(list);
    free(library);
}
