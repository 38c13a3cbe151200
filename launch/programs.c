// SPDX-License-Identifier: BSD-3-Clause
// Paths of the programs, found before any process is started.
#include "launch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static char *path_join(const char *directory, size_t length, const char *name)
{
    char *path;
    if (asprintf(&path, "%.*s/%s", (int)length, directory, name) < 0) {
        say("no memory for a path");
        exit(EXIT_FAILURE);
    }
    return path;
}

// Looks for a name without a slash in directories; NULL if it is in none.
static char *find_in_path(const char *name, const char *next)
{
    while (*next != '\0') {
        size_t length = strcspn(next, ":");
        char *path =
            length > 0 ? path_join(next, length, name) : path_join(".", 1, name);
        if (is_file(path) && access(path, X_OK) == 0)
            return path;
        free(path);
        next += length;
        next += *next == ':';
    }
    return NULL;
}

static char *find_by_name(const char *name, const char *search_path)
{
    const char *path = search_path ? search_path : getenv("PATH");
    char *found = find_in_path(name, path ? path : "/usr/local/bin:/usr/bin:/bin");
    if (found)
        return found;
    const char *where = search_path ? search_path : "PATH";
    if (is_file(name))
        say("program not found: %s is not in %s; say ./%s", name, where, name);
    else
        say("program not found: %s is not in %s", name, where);
    exit(EXIT_NOT_FOUND);
}

static char *find_program(const struct section *section)
{
    const char *name = section->argv[0], *directory = section->directory;
    if (!strchr(name, '/'))
        return find_by_name(name, section->search_path);
    char *path = name[0] != '/' && directory
                     ? path_join(directory, strlen(directory), name)
                     : strdup(name);
    if (!path || access(path, F_OK) != 0) {
        say("program not found: %s: %s", name, strerror(errno));
        exit(EXIT_NOT_FOUND);
    }
    if (!is_file(path) || access(path, X_OK) != 0) {
        say("%s %s", path, is_file(path) ? "is not executable" : "is not a program");
        exit(EXIT_NOT_EXECUTABLE);
    }
    return path;
}

static void check_directory(const char *directory)
{
    struct stat status;
    int error = 0;
    if (stat(directory, &status) != 0 || access(directory, X_OK) != 0)
        error = errno;
    else if (!S_ISDIR(status.st_mode))
        error = ENOTDIR;
    if (error) {
        say("cannot run in directory %s: %s", directory, strerror(error));
        exit(EXIT_NOT_FOUND);
    }
}

// A relative path would mean something else in the section's directory.
static char *make_absolute(char *path)
{
    char *here = getcwd(NULL, 0);
    if (!here) {
        say("no current directory: %s", strerror(errno));
        exit(EXIT_FAILURE);
    }
    char *absolute = path_join(here, strlen(here), path);
    free(here);
    free(path);
    return absolute;
}

void programs_find(struct plan *plan)
{
    for (int i = 0; i < plan->section_count; i++) {
        struct section *section = &plan->sections[i];
        if (section->directory)
            check_directory(section->directory);
        section->path = find_program(section);
        if (section->directory && section->path[0] != '/')
            section->path = make_absolute(section->path);
    }
}
