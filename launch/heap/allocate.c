// SPDX-License-Identifier: BSD-3-Clause
// malloc and its relatives: large allocations come from the shared heap, all others, and
// those for which it has no room, from the next allocator, which is the C library's or
// one that the program has brought.
#include "begin.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

// The functions behind this library.
static struct next {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*memalign)(size_t, size_t);
    size_t (*usable_size)(void *);
    void (*free)(void *);
    bool is_sought;
} next;

static void function_find(const char *name, void *function)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(function, &symbol, sizeof symbol); // ISO C has no such conversion
}

// The first allocation of a process comes before it has threads. dlsym itself may ask
// for memory, to which it prefers none to waiting.
static void next_find(void)
{
    if (next.is_sought)
        return;
    next.is_sought = true;
    function_find("free", &next.free);
    function_find("malloc_usable_size", &next.usable_size);
    function_find("memalign", &next.memalign);
    function_find("realloc", &next.realloc);
    function_find("calloc", &next.calloc);
    function_find("malloc", &next.malloc);
}

static void *memory_lacks(void)
{
    errno = ENOMEM;
    return NULL;
}

// ---- from the shared heap -----------------------------------------------------
// NULL when the allocation is small or the heap has no room for it.
static const struct block *block_allocate(size_t bytes, size_t alignment)
{
    const struct quota *exceeded;
    struct shm_heap *heap = bytes >= shared_minimum ? heap_to_allocate_from() : NULL;
    return heap ? heap_allocate(heap, bytes, alignment, &exceeded) : NULL;
}

static void *address_of(const struct block *block)
{
    return heap_to_allocate_from()->base + block->start;
}

static void *shared_allocate(size_t bytes, size_t alignment)
{
    const struct block *block = block_allocate(bytes, alignment);
    return block ? address_of(block) : NULL;
}

// A forked process leaves its parent's allocations alone.
static void shared_free(struct shm_heap *heap, void *memory)
{
    int reason = errno;
    if (heap_to_allocate_from())
        heap_free(heap, memory);
    errno = reason;
}

// ---- the interface ------------------------------------------------------------
void *malloc(size_t bytes)
{
    void *memory = shared_allocate(bytes, GRAIN);
    if (memory)
        return memory;
    next_find();
    return next.malloc ? next.malloc(bytes) : memory_lacks();
}

// Memory that has never been given out is zero, and stays without pages.
void *calloc(size_t number, size_t bytes)
{
    size_t total;
    const struct block *block = NULL;
    if (!__builtin_mul_overflow(number, bytes, &total))
        block = block_allocate(total, GRAIN);
    if (block)
        return memset(address_of(block), 0, block->used < total ? block->used : total);
    next_find();
    return next.calloc ? next.calloc(number, bytes) : memory_lacks();
}

void free(void *memory)
{
    struct shm_heap *heap = heap_of(memory);
    if (heap) {
        shared_free(heap, memory);
        return;
    }
    next_find();
    if (next.free)
        next.free(memory);
}

size_t malloc_usable_size(void *memory)
{
    struct shm_heap *heap = heap_of(memory);
    if (heap)
        return heap_allocated(heap, memory);
    next_find();
    return next.usable_size(memory);
}

// Moves the contents of `memory`, as many bytes as both have; NULL and no change without
// memory.
static void *memory_move(void *memory, void *to, size_t bytes)
{
    size_t before = malloc_usable_size(memory);
    if (!to)
        return NULL;
    memcpy(to, memory, before < bytes ? before : bytes);
    free(memory);
    return to;
}

// What becomes large moves to the shared heap; what lies there stays, however small it
// becomes.
void *realloc(void *memory, size_t bytes)
{
    struct shm_heap *heap = heap_of(memory);
    if (heap && bytes == 0) {
        free(memory);
        return NULL;
    }
    if (heap && heap_to_allocate_from() && heap_resize(heap, memory, bytes))
        return memory;
    if (heap)
        return memory_move(memory, malloc(bytes), bytes);
    void *moved = memory ? shared_allocate(bytes, GRAIN) : NULL;
    if (moved)
        return memory_move(memory, moved, bytes);
    if (!memory)
        return malloc(bytes);
    next_find();
    return next.realloc(memory, bytes);
}

void *reallocarray(void *memory, size_t number, size_t bytes)
{
    size_t total;
    if (__builtin_mul_overflow(number, bytes, &total))
        return memory_lacks();
    return realloc(memory, total);
}

void *memalign(size_t alignment, size_t bytes)
{
    bool is_power = alignment > 0 && (alignment & (alignment - 1)) == 0;
    void *memory = is_power ? shared_allocate(bytes, alignment) : NULL;
    if (memory)
        return memory;
    next_find();
    return next.memalign ? next.memalign(alignment, bytes) : memory_lacks();
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    int reason = errno;
    if (alignment % sizeof(void *) != 0 || alignment == 0 ||
        (alignment & (alignment - 1)) != 0)
        return EINVAL;
    void *aligned = memalign(alignment, bytes);
    errno = reason;
    if (!aligned)
        return ENOMEM;
    *memory = aligned;
    return 0;
}

void *valloc(size_t bytes)
{
    return memalign(page_bytes(), bytes);
}

void *pvalloc(size_t bytes)
{
    size_t pages = round_up(bytes, page_bytes());
    return pages < bytes ? memory_lacks() : memalign(page_bytes(), pages);
}
