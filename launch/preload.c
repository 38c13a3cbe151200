// SPDX-License-Identifier: BSD-3-Clause
// The libraries that the ranks load before all others.
#include "launch.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *path_beside(const char *name)
{
    char own[PATH_MAX], *path;
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length <= 0)
        return NULL;
    own[length] = '\0';
    *strrchr(own, '/') = '\0';
    return asprintf(&path, "%s/%s", own, name) < 0 ? NULL : path;
}

void library_preload(const char *name)
{
    const char *others = getenv("LD_PRELOAD");
    char *library = path_beside(name), *list;
    bool has_others = others && *others != '\0';
    if (!library || asprintf(&list, "%s%s%s", library, has_others ? ":" : "",
                             has_others ? others : "") < 0)
        return;
    setenv("LD_PRELOAD", list, 1);
    free(list);
    free(library);
}
