// SPDX-License-Identifier: BSD-3-Clause
// Heaps of preloaded libraries as parts of the segment.
#include "shm/shared_heap.h"
#include "shm/control.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int pieces_of(const struct shm *shm, struct piece pieces[PIECES])
{
    if (!shm->shared) {
        pieces[0] = (struct piece){0, shm->bytes};
        return 1;
    }
    const struct shm_heap *heap = &shm->shared->heap;
    size_t start = (size_t)(heap->base - shm->base), end = start + heap->bytes;
    pieces[0] = (struct piece){0, start};
    pieces[1] = (struct piece){end, shm->bytes - end};
    return end < shm->bytes ? 2 : 1;
}

// Is it the descriptor of this file?
static bool descriptor_is_of(int file, uint64_t inode)
{
    struct stat status;
    return fstat(file, &status) == 0 && status.st_ino == inode;
}

static struct shared_heap *shared_heap_find(void)
{
    shared_heap_function *function;
    void *symbol = dlsym(RTLD_DEFAULT, SHARED_HEAP_FUNCTION);
    if (!symbol)
        return NULL;
    memcpy(&function, &symbol, sizeof function); // ISO C has no such conversion
    struct shared_heap *shared = function();
    const char *reason = !shared ? "it could not be made, or was made before a fork"
                         : shared->layout != SHARED_HEAP_LAYOUT
                             ? "its library is of another build of Oriel"
                         : !descriptor_is_of(shared->file, shared->inode)
                             ? "its file has been closed"
                             : NULL;
    if (reason)
        log_verbose("the heap of the process stays private: %s", reason);
    return reason ? NULL : shared;
}

// Leaves the heap the space that the segment has for it.
static bool heap_fits(struct shm_heap *heap, size_t bytes)
{
    size_t before = heap->bytes;
    if (before <= bytes)
        return true;
    if (!heap_cut(heap, bytes))
        return false;
    munmap(heap->base + bytes, before - bytes);
    return true;
}

// Maps a piece of the segment's file in its place if nothing else is there. Kernels
// before 4.17 take the place for a wish.
static bool piece_map(const struct shm *shm, struct piece piece, int file)
{
    char *place = shm->base + piece.offset;
    void *mapped = mmap(place, piece.bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, file,
                        (off_t)piece.offset);
    if (mapped != MAP_FAILED && mapped != place)
        munmap(mapped, piece.bytes);
    return mapped == place;
}

static bool pieces_map(const struct shm *shm, int file)
{
    struct piece pieces[PIECES];
    int count = pieces_of(shm, pieces), done = 0;
    while (done < count && piece_map(shm, pieces[done], file))
        done++;
    for (int i = 0; i < done && done < count; i++)
        munmap(shm->base + pieces[i].offset, pieces[i].bytes);
    return done == count;
}

bool shared_heap_enclose(struct shm *shm, int file)
{
    struct shared_heap *shared = shared_heap_find();
    if (!shared)
        return false;
    size_t place = shm->control_bytes + (size_t)shm->node_rank * shm->heap_bytes;
    bool fits = (uintptr_t)shared->heap.base > place &&
                heap_fits(&shared->heap, shm->heap_bytes);
    if (fits) {
        shm->shared = shared;
        shm->heap = &shared->heap;
        shm->base = shared->heap.base - place;
        if (pieces_map(shm, file))
            return true;
        shm->shared = NULL;
        shm->heap = NULL;
    }
    log_verbose("the heap of the process stays private: %s",
                fits ? "the addresses around it are in use"
                     : "more is in use than the segment has room for");
    return false;
}

void shared_heap_announce(const struct shm *shm, struct peer_record *record)
{
    const struct shared_heap *shared = shm->shared;
    if (!shared)
        return;
    record->heap_file = shared->file;
    record->heap_inode = shared->inode;
    record->heap_bytes = shared->heap.bytes;
}

// Maps the heap of a local peer over the place that the node's file has for it.
static int shared_heap_attach(const struct shm *shm, int node_rank)
{
    const struct peer_record *record = peer_record_of(shm, node_rank);
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", record->pid, record->heap_file);
    char *place = shm->base + shm->control_bytes + (size_t)node_rank * shm->heap_bytes;
    void *mapped = MAP_FAILED;
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file >= 0 && descriptor_is_of(file, record->heap_inode))
        mapped = mmap(place, record->heap_bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file, 0);
    int reason = errno;
    if (file >= 0)
        close(file);
    if (mapped == MAP_FAILED)
        return fail(MPI_ERR_OTHER,
                    "the heap of process %d on this node (pid %d) cannot be mapped: %s",
                    node_rank, record->pid,
                    file < 0 ? strerror(reason) : "no address space, or closed");
    madvise(place, record->heap_bytes, MADV_DONTDUMP);
    return 0;
}

int shared_heaps_attach(const struct shm *shm)
{
    int err = 0;
    for (int peer = 0; peer < shm->node_size && !err; peer++)
        if (peer != shm->node_rank && peer_record_of(shm, peer)->heap_bytes > 0)
            err = shared_heap_attach(shm, peer);
    return err;
}
