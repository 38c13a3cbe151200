// SPDX-License-Identifier: BSD-3-Clause
// The heap of large allocations, begun with the first of them.
#include "begin.h"

#include "shm/room.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// In the middle of the address space, where neither programs nor the kernel place
// anything: there MPI_Init can map the heaps of the other processes around this one. It
// is a wish.
static void *const WISH = (void *)((uintptr_t)48 << 40);

// Programs that allocate and free an array in every step find its pages again, as they do
// with the C library, which keeps as much.
static const size_t KEPT_BYTES = (size_t)64 << 20;

static struct shared_heap shared = {.layout = SHARED_HEAP_LAYOUT, .file = -1};
static bool is_begun;     // and may be allocated from
static bool is_inherited; // this is a forked process; the heap is its parent's

// Descriptors with low numbers are the program's: it may count on the next free one, or
// close a range of them.
static int move_descriptor(int file)
{
    enum { HIGH = 512 };
    int moved = fcntl(file, F_DUPFD_CLOEXEC, HIGH);
    if (moved < 0)
        return file;
    close(file);
    return moved;
}

// A file that nobody can shorten is one whose mapped pages do not vanish.
static bool make_file(size_t bytes)
{
    struct stat status;
    int file = memfd_create("oriel-heap", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0)
        return false;
    shared.file = move_descriptor(file);
    if (!file_set_length(shared.file, bytes) || fstat(shared.file, &status) != 0 ||
        fcntl(shared.file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return false;
    shared.inode = status.st_ino;
    return true;
}

static size_t heap_size(void)
{
    struct options options = {0};
    size_t wanted = options_read(&options) == 0 ? options.heap_bytes : 0;
    size_t room = room_find().bytes;
    wanted = wanted ? wanted : machine_bytes();
    return round_up(wanted < room ? wanted : room - page_bytes(), page_bytes());
}

static bool make_heap(void)
{
    size_t bytes = heap_size(), machine = machine_bytes();
    if (!make_file(bytes))
        return false;
    void *base = mmap(WISH, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                      shared.file, 0);
    if (base == MAP_FAILED)
        return false;
    madvise(base, bytes, MADV_DONTDUMP); // but for what is allocated
    if (!heap_open(&shared.heap, base, bytes)) {
        munmap(base, bytes);
        return false;
    }
    shared.heap.kept = KEPT_BYTES;
    size_t group = group_limit_find("").bytes;
    atomic_store(&shared.heap.own.limit, group < machine ? group : machine);
    return true;
}

// A forked process finds its parent's records as they are between two allocations.
static void before_fork(void)
{
    pthread_mutex_lock(&shared.heap.lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&shared.heap.lock);
}

static void in_child(void)
{
    heap_lock_init(&shared.heap);
    is_inherited = true;
}

static void heap_begin(void)
{
    is_begun = make_heap() && pthread_atfork(before_fork, after_fork, in_child) == 0;
    if (!is_begun && shared.file >= 0) {
        close(shared.file);
        shared.file = -1;
    }
}

struct shm_heap *heap_to_allocate_from(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (is_inherited)
        return NULL;
    pthread_once(&once, heap_begin);
    return is_begun ? &shared.heap : NULL;
}

struct shm_heap *heap_of(const void *memory)
{
    size_t offset = (size_t)((const char *)memory - shared.heap.base);
    return offset < shared.heap.bytes ? &shared.heap : NULL;
}

struct shared_heap *oriel_shared_heap(void)
{
    return heap_to_allocate_from() ? &shared : NULL;
}
