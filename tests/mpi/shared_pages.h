// SPDX-License-Identifier: BSD-3-Clause
// For tests of shared pages: windows that ask for them, and what pages are.
#pragma once

#include "window_test.h"

#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 6 };

static size_t page;
static int node_size;

static MPI_Info info_of(const char *value)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "oriel_share_pages", value);
    return info;
}

static MPI_Win open_window(void *base, size_t bytes, int unit, const char *value)
{
    MPI_Win win;
    MPI_Info info = info_of(value);
    MPI_Win_create(base, (MPI_Aint)bytes, unit, info, MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    return_errors(win);
    return win;
}

// The value in use of a key, or "".
__attribute__((unused)) static const char *shown(MPI_Win win, const char *key)
{
    static char value[MPI_MAX_INFO_VAL];
    int length = sizeof value, flag;
    MPI_Info info;
    value[0] = '\0';
    MPI_Win_get_info(win, &info);
    MPI_Info_get_string(info, key, &length, value, &flag);
    MPI_Info_free(&info);
    return value;
}

__attribute__((unused)) static bool is_shared(MPI_Win win)
{
    return strcmp(shown(win, "oriel_share_pages"), "false") != 0;
}

// Alone on its node a process has nobody to share with.
__attribute__((unused)) static bool is_refused(MPI_Win win, const char *reason)
{
    if (is_shared(win))
        return false;
    return node_size == 1 ||
           strstr(shown(win, "oriel_share_pages_refused"), reason) != NULL;
}

static unsigned char *map_pages(size_t count, int flags)
{
    unsigned char *memory =
        mmap(NULL, count * page, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    return memory;
}

// Is the page there, as one of the segment?
__attribute__((unused)) static bool is_of_segment(const void *address)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    bool is_found = false;
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long start, end, at = (unsigned long)address;
        sscanf(line, "%lx-%lx", &start, &end);
        if (at >= start && at < end)
            is_found = strstr(line, "memfd:oriel") != NULL;
    }
    fclose(maps);
    return is_found;
}

__attribute__((unused)) static void start_with_pages(int *argc, char ***argv)
{
    start(argc, argv);
    page = (size_t)sysconf(_SC_PAGESIZE);
    MPI_Comm node = node_comm();
    MPI_Comm_size(node, &node_size);
    MPI_Comm_free(&node);
}
