// SPDX-License-Identifier: BSD-3-Clause
// Pages that are shared in place: whole pages of the program's own memory become pages
// of this process's heap, at the same addresses and with the same contents, so that
// local peers get at them by loads and stores.
//
// The contents are written to the segment's file, and then that part of the file is
// mapped over the pages. What does not see the mappings of this process keeps the old
// pages: devices that have pinned them. So it is done on request only.
#include "shm/heap.h"
#include "shm/mappings.h"
#include "shm/room.h"
#include "shm/shared_pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Memory that is there twice for a moment.
static const size_t PIECE_BYTES = (size_t)64 << 20;

// Pages that are shared, for one or more windows.
struct shared_range {
    struct shared_range *next;
    struct shared_pages pages;
    unsigned uses;
};

static size_t piece_of(size_t bytes)
{
    return bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
}

// ---- private again ----------------------------------------------------------------
static int protection_of(const struct mapping *mapping)
{
    return (mapping->access[0] == 'r' ? PROT_READ : 0) |
           (mapping->access[1] == 'w' ? PROT_WRITE : 0) |
           (mapping->access[2] == 'x' ? PROT_EXEC : 0);
}

// Puts a copy of the pages in their place. The program sees their contents all the time.
static bool pages_replace(const struct shm *shm, char *address, uint64_t offset,
                          size_t bytes, int access)
{
    void *copy =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        return false;
    memcpy(copy, shm_at(shm, offset), bytes);
    if (mprotect(copy, bytes, access) == 0 &&
        mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, address) == address)
        return true;
    munmap(copy, bytes);
    return false;
}

// Replaces the mapping. `is_last`: nobody needs the pages in the segment then.
static bool mapping_make_private(const struct shm *shm, const struct mapping *mapping,
                                 bool is_last)
{
    size_t bytes = mapping->end - mapping->start, piece;
    for (size_t done = 0; done < bytes; done += piece) {
        piece = piece_of(bytes - done);
        if (!pages_replace(shm, (char *)mapping->start + done, mapping->offset + done,
                           piece, protection_of(mapping)))
            return false;
        if (is_last)
            madvise(shm_at(shm, mapping->offset + done), piece, MADV_REMOVE);
    }
    return true;
}

// Wherever the program has moved them meanwhile; those that it has unmapped are gone.
static bool pages_make_private(const struct shm *shm, const struct shared_pages *pages,
                               bool is_last)
{
    struct mapping mapping;
    bool is_done = true;
    while (is_done && mappings_find(shm, pages->offset, pages->bytes, &mapping))
        is_done = mapping_make_private(shm, &mapping, is_last);
    return is_done;
}

// ---- shared -----------------------------------------------------------------------
// The program may have closed the descriptor, and opened another file by its number.
static bool has_file(const struct shm *shm)
{
    struct stat status;
    return fstat(shm->heap_file.number, &status) == 0 &&
           status.st_ino == shm->heap_file.inode &&
           status.st_dev == shm->heap_file.device;
}

static off_t file_offset(const struct shm *shm, uint64_t offset)
{
    return (off_t)(offset - shm->heap_file.start);
}

// A copy to the file takes half as long as one to memory, which has a fault per page.
static bool contents_write(const struct shm *shm, const char *address, uint64_t offset,
                           size_t bytes)
{
    while (bytes > 0) {
        ssize_t written =
            pwrite(shm->heap_file.number, address, bytes, file_offset(shm, offset));
        if (written <= 0)
            return false;
        address += written;
        offset += (uint64_t)written;
        bytes -= (size_t)written;
    }
    return true;
}

static bool piece_share(const struct shm *shm, char *address, uint64_t offset,
                        size_t bytes)
{
    return contents_write(shm, address, offset, bytes) &&
           mmap(address, bytes, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_FIXED | MAP_NORESERVE | MAP_POPULATE,
                shm->heap_file.number, file_offset(shm, offset)) == address;
}

static int pages_share(const struct shm *shm, const struct shared_pages *pages)
{
    struct rlimit limit;
    bool is_raised = file_limit_raise(shm->bytes, &limit), is_shared = true;
    size_t piece;
    for (size_t done = 0; done < pages->bytes && is_shared; done += piece) {
        piece = piece_of(pages->bytes - done);
        is_shared =
            piece_share(shm, pages->address + done, pages->offset + done, piece);
    }
    int reason = errno;
    if (is_raised)
        setrlimit(RLIMIT_FSIZE, &limit);
    if (is_shared)
        return 0;
    pages_make_private(shm, pages, true);
    return fail(MPI_ERR_NO_MEM, "%zu bytes could not be mapped: %s", pages->bytes,
                strerror(reason));
}

// ---- ranges -----------------------------------------------------------------------
static struct shared_pages whole_pages(const void *memory, size_t bytes)
{
    uintptr_t page = page_bytes(), start = round_up((uintptr_t)memory, page);
    uintptr_t end = ((uintptr_t)memory + bytes) & ~(page - 1);
    return (struct shared_pages){.address = (char *)start,
                                 .bytes = end > start ? end - start : 0};
}

static bool pages_overlap(const struct shared_pages *a, const struct shared_pages *b)
{
    return a->address < b->address + b->bytes && b->address < a->address + a->bytes;
}

// The first range that has some of these pages, or NULL.
static struct shared_range *range_find(const struct shm *shm,
                                       const struct shared_pages *pages)
{
    struct shared_range *range = shm->ranges;
    while (range != NULL && !pages_overlap(&range->pages, pages))
        range = range->next;
    return range;
}

static int check_shareable(const struct shm *shm, const struct shared_pages *pages)
{
    if (!has_file(shm))
        return fail(MPI_ERR_OTHER,
                    "the program has closed descriptor %d, the node's "
                    "segment",
                    shm->file);
    return mappings_check_private((uintptr_t)pages->address,
                                  (uintptr_t)pages->address + pages->bytes);
}

static int range_make(struct shm *shm, struct shared_pages pages,
                      struct shared_range **made)
{
    void *room;
    int err = check_shareable(shm, &pages);
    if (!err)
        err = shm_alloc(shm, pages.bytes, page_bytes(), &room);
    if (err)
        return err;
    pages.offset = shm_offset(shm, room);
    struct shared_range *range = malloc(sizeof *range);
    err = range ? pages_share(shm, &pages)
                : fail(MPI_ERR_NO_MEM, "no memory to note shared pages");
    if (err) {
        shm_free(shm, room);
        free(range);
        return err;
    }
    *range = (struct shared_range){.next = shm->ranges, .pages = pages};
    shm->ranges = *made = range;
    return 0;
}

// The pages of both.
static struct shared_pages pages_common(const struct shared_pages *range,
                                        const struct shared_pages *pages)
{
    char *end = range->address + range->bytes, *wanted = pages->address + pages->bytes;
    char *start = range->address > pages->address ? range->address : pages->address;
    return (struct shared_pages){
        .address = start,
        .bytes = (size_t)((end < wanted ? end : wanted) - start),
        .offset = range->offset + (uint64_t)(start - range->address),
    };
}

bool shm_has_shared(const struct shm *shm, const void *memory, size_t bytes)
{
    struct shared_pages pages = whole_pages(memory, bytes);
    return range_find(shm, &pages) != NULL;
}

int shm_share(struct shm *shm, const void *memory, size_t bytes,
              struct shared_pages *shared)
{
    struct shared_pages pages = whole_pages(memory, bytes);
    if (pages.bytes == 0)
        return fail(MPI_ERR_OTHER, "the %zu bytes at %p have no whole page", bytes,
                    memory);
    struct shared_range *range = range_find(shm, &pages);
    int err = range == NULL ? range_make(shm, pages, &range) : 0;
    if (err)
        return err;
    pages = pages_common(&range->pages, &pages);
    if (range->uses > 0 && !mappings_hold(shm, &pages))
        return fail(MPI_ERR_OTHER,
                    "the program has unmapped pages at %p that another "
                    "window uses",
                    (void *)pages.address);
    range->uses++;
    *shared = pages;
    return 0;
}

// Pages for which there is no memory stay shared, and their room taken.
static void range_free(struct shm *shm, struct shared_range **at)
{
    struct shared_range *range = *at;
    *at = range->next;
    if (pages_make_private(shm, &range->pages, true))
        shm_free(shm, shm_at(shm, range->pages.offset));
    else
        log_error("%zu bytes at %p stay shared: there is no memory to make them "
                  "private again",
                  range->pages.bytes, (void *)range->pages.address);
    free(range);
}

void shm_unshare(struct shm *shm, const struct shared_pages *shared)
{
    struct shared_range **at = &shm->ranges;
    while (*at != NULL && !pages_overlap(&(*at)->pages, shared))
        at = &(*at)->next;
    if (*at != NULL && --(*at)->uses == 0)
        range_free(shm, at);
}

// A child that touches pages for which there is no memory ends, instead of its parent's
// getting what it stores.
static void pages_hide(const struct shm *shm, const struct shared_pages *pages)
{
    struct mapping found;
    bool is_hidden = true;
    while (is_hidden && mappings_find(shm, pages->offset, pages->bytes, &found))
        is_hidden = mmap((void *)found.start, found.end - found.start, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
                         0) != MAP_FAILED;
}

void shm_unshare_in_child(const struct shm *shm)
{
    for (const struct shared_range *range = shm->ranges; range; range = range->next)
        if (!pages_make_private(shm, &range->pages, false))
            pages_hide(shm, &range->pages);
}

void shared_ranges_forget(struct shm *shm)
{
    for (struct shared_range *range = shm->ranges, *next; range; range = next) {
        next = range->next;
        free(range);
    }
    shm->ranges = NULL;
}
