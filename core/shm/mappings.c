// SPDX-License-Identifier: BSD-3-Clause
// The mappings of this process. The short list is /proc/self/maps; the long one, smaps,
// tells in its flags which memory is locked, huge, or kept from children.
#include "shm/mappings.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

// Reads a line such as "7f00-7f40 rw-p 00000000 00:01 7 /memfd:oriel".
static bool mapping_parse(const char *line, struct mapping *mapping)
{
    unsigned long start, end, offset, inode;
    if (sscanf(line, "%lx-%lx %4s %lx %x:%x %lu", &start, &end, mapping->access,
               &offset, &mapping->major, &mapping->minor, &inode) != 7)
        return false;
    mapping->start = start;
    mapping->end = end;
    mapping->offset = offset;
    mapping->inode = inode;
    return true;
}

// ---- memory of this process alone -----------------------------------------------
// Flags of memory whose pages may not be replaced.
static const struct {
    char flag[3];
    const char *name;
} held[] = {
    {"gd", "a stack"},
    {"lo", "locked (mlock)"},
    {"ht", "of huge pages (hugetlbfs)"},
    {"dc", "kept from children (MADV_DONTFORK)"},
    {"wf", "empty in children (MADV_WIPEONFORK)"},
    {"io", "of a device"},
    {"pf", "of a device"},
    {"mm", "of a device"},
    {"de", "of a device"},
    {"um", "watched by userfaultfd"},
    {"uw", "watched by userfaultfd"},
};

static const char *held_as(const char *flags)
{
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        if (strstr(flags, held[i].flag) != NULL)
            return held[i].name;
    return NULL;
}

static int check_flags(const struct mapping *mapping, const char *flags)
{
    const char *reason = held_as(flags);
    if (reason == NULL && strcmp(mapping->access, "rw-p") != 0)
        reason = mapping->access[3] == 's'   ? "shared with other processes"
                 : mapping->access[2] == 'x' ? "code"
                                             : "not readable and writable";
    return reason == NULL ? 0
                          : fail(MPI_ERR_OTHER, "the memory at %#lx is %s",
                                 (unsigned long)mapping->start, reason);
}

// Looks at the mappings in the order of their addresses, as far as `end`.
static int check_entries(FILE *smaps, uintptr_t start, uintptr_t end, char **line,
                         size_t *room)
{
    static const char FLAGS[] = "VmFlags:";
    struct mapping mapping = {0};
    while (start < end && getline(line, room, smaps) > 0) {
        bool has_flags = strncmp(*line, FLAGS, sizeof FLAGS - 1) == 0;
        if (!has_flags)
            mapping_parse(*line, &mapping);
        if (!has_flags || mapping.end <= start)
            continue;
        int err = mapping.start <= start
                      ? check_flags(&mapping, *line + sizeof FLAGS - 1)
                      : fail(MPI_ERR_OTHER, "there is no memory at %#lx",
                             (unsigned long)start);
        if (err)
            return err;
        start = mapping.end;
    }
    return start >= end
               ? 0
               : fail(MPI_ERR_OTHER, "the system does not tell what memory is at %#lx",
                      (unsigned long)start);
}

// The stack of a thread looks like other memory.
int mappings_check_private(uintptr_t start, uintptr_t end)
{
    uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
    if (stack >= start && stack < end)
        return fail(MPI_ERR_OTHER, "the memory is this thread's stack");
    FILE *smaps = fopen("/proc/self/smaps", "re");
    if (smaps == NULL)
        return fail(MPI_ERR_OTHER, "/proc/self/smaps cannot be read");
    char *line = NULL;
    size_t room = 0;
    int err = check_entries(smaps, start, end, &line, &room);
    free(line);
    fclose(smaps);
    return err;
}

// ---- mappings of the heap ----------------------------------------------------------
static bool is_of_heap(const struct shm *shm, const struct mapping *mapping)
{
    return mapping->inode == shm->heap_file.inode &&
           makedev(mapping->major, mapping->minor) == shm->heap_file.device &&
           !shm_contains(shm, (void *)mapping->start, 0);
}

// Cuts the mapping to [offset, offset + bytes) of its file; false if nothing is left.
static bool mapping_cut(struct mapping *mapping, uint64_t offset, size_t bytes)
{
    uint64_t first = mapping->offset;
    uint64_t last = first + (mapping->end - mapping->start), end = offset + bytes;
    if (first >= end || last <= offset)
        return false;
    if (last > end)
        mapping->end -= last - end;
    if (first < offset) {
        mapping->start += offset - first;
        mapping->offset = offset;
    }
    return true;
}

bool mappings_find(const struct shm *shm, uint64_t offset, size_t bytes,
                   struct mapping *found)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char *line = NULL;
    size_t room = 0;
    bool is_found = false;
    while (maps != NULL && !is_found && getline(&line, &room, maps) > 0)
        is_found = mapping_parse(line, found) && is_of_heap(shm, found) &&
                   mapping_cut(found, offset - shm->heap_file.start, bytes);
    if (is_found)
        found->offset += shm->heap_file.start;
    free(line);
    if (maps != NULL)
        fclose(maps);
    return is_found;
}

bool mappings_hold(const struct shm *shm, const struct shared_pages *pages)
{
    struct mapping found;
    return mappings_find(shm, pages->offset, pages->bytes, &found) &&
           found.start == (uintptr_t)pages->address &&
           found.end - found.start == pages->bytes;
}
