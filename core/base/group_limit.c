// SPDX-License-Identifier: BSD-3-Clause
// The limit of memory of this process's control group, of either version of these
// groups (cgroups(7)). A process that exceeds it is killed.
#include "base/base.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// One of the hierarchies that may limit memory.
struct hierarchy {
    const char *type;       // of the file system
    const char *controller; // among the mount's options and before the group's path
    const char *file;       // with the limit
};
static const struct hierarchy hierarchies[] = {
    {"cgroup2", "", "memory.max"},
    {"cgroup", "memory", "memory.limit_in_bytes"},
};

struct place {
    char mount[PATH_MAX]; // where the hierarchy is mounted
    char root[PATH_MAX];  // the group that is seen there
    char group[PATH_MAX]; // of this process
};

// Is `word` one of the words of a list with commas, of `length` characters?
static bool has_word(const char *list, size_t length, const char *word)
{
    const char *end = list + length;
    while (list <= end) {
        const char *comma = memchr(list, ',', (size_t)(end - list));
        const char *after = comma ? comma : end;
        if ((size_t)(after - list) == strlen(word) &&
            memcmp(list, word, strlen(word)) == 0)
            return true;
        list = after + 1;
    }
    return false;
}

// A line of mountinfo: "... root mount ... - type source options" (proc(5)).
static bool take_mount(const char *line, const struct hierarchy *hierarchy,
                       struct place *place)
{
    char type[64], options[1024];
    const char *rest = strstr(line, " - ");
    return rest && sscanf(rest, " - %63s %*s %1023s", type, options) == 2 &&
           strcmp(type, hierarchy->type) == 0 &&
           (*hierarchy->controller == '\0' ||
            has_word(options, strlen(options), hierarchy->controller)) &&
           sscanf(line, "%*s %*s %*s %4095s %4095s", place->root, place->mount) == 2;
}

// A line of the process's groups: "number:controllers:path".
static bool hierarchy_take_group(const char *line, const struct hierarchy *hierarchy,
                                 struct place *place)
{
    const char *controllers = strchr(line, ':');
    const char *path = controllers ? strchr(controllers + 1, ':') : NULL;
    return path &&
           has_word(controllers + 1, (size_t)(path - controllers - 1),
                    hierarchy->controller) &&
           sscanf(path, ":%4095[^\n]", place->group) == 1;
}

typedef bool take_function(const char *line, const struct hierarchy *hierarchy,
                           struct place *place);

// Is there a line that `take` takes?
static bool find_line(const char *root, const char *file, take_function *take,
                      const struct hierarchy *hierarchy, struct place *place)
{
    char path[PATH_MAX], *line = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "%s%s", root, file);
    FILE *lines = fopen(path, "re");
    bool is_found = false;
    while (lines && !is_found && getline(&line, &room, lines) > 0)
        is_found = take(line, hierarchy, place);
    free(line);
    if (lines)
        fclose(lines);
    return is_found;
}

// False when there is none, such as for the word "max".
static bool read_limit(const char *folder, const char *name, size_t *bytes)
{
    char path[3 * PATH_MAX + 64], text[32] = "", *end;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    bool has_text = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (!has_text || end == text || errno)
        return false;
    *bytes = number;
    return true;
}

// Of equal limits that of the upper group counts: more processes share it.
static void limit_lower(struct group_limit *limit, const char *folder, const char *name)
{
    size_t bytes;
    struct stat status;
    if (!read_limit(folder, name, &bytes) || bytes > limit->bytes ||
        stat(folder, &status) != 0)
        return;
    limit->bytes = bytes;
    limit->identity = (uint64_t)status.st_dev << 40 ^ (uint64_t)status.st_ino;
}

// The part of the group's path that is below what is mounted; a group that is not seen
// there counts as its root.
static const char *path_below(const struct place *place)
{
    size_t skipped = strcmp(place->root, "/") == 0 ? 0 : strlen(place->root);
    if (strncmp(place->group, place->root, skipped) != 0 ||
        (place->group[skipped] != '/' && place->group[skipped] != '\0') ||
        strstr(place->group, "/.."))
        return "";
    return place->group + skipped;
}

// From the group of the process up to the root.
static void lower_by_groups(struct group_limit *limit, const char *root,
                            const struct place *place, const char *name)
{
    char folder[3 * PATH_MAX];
    size_t top = (size_t)snprintf(folder, sizeof folder, "%s%s", root, place->mount);
    snprintf(folder + top, sizeof folder - top, "%s", path_below(place));
    for (;;) {
        limit_lower(limit, folder, name);
        char *slash = strrchr(folder, '/');
        if (!slash || slash < folder + top)
            return;
        *slash = '\0';
    }
}

struct group_limit group_limit_find(const char *root)
{
    struct group_limit limit = {.bytes = SIZE_MAX};
    struct place *place = malloc(sizeof *place);
    for (size_t i = 0; place && i < sizeof hierarchies / sizeof *hierarchies; i++) {
        const struct hierarchy *hierarchy = &hierarchies[i];
        if (find_line(root, "/proc/self/mountinfo", take_mount, hierarchy, place) &&
            find_line(root, "/proc/self/cgroup", hierarchy_take_group, hierarchy,
                      place))
            lower_by_groups(&limit, root, place, hierarchy->file);
    }
    free(place);
    return limit;
}
