// SPDX-License-Identifier: BSD-3-Clause
// The allocator of a process's heap. Its state is in private memory, where no stray
// store of another process reaches it. Free blocks are kept in bins by size, 16 bins
// for each power of two, so that finding a block that fits well takes a few
// instructions; neighbours by address are linked, so that free ones merge.
#include "shm/heap.h"
#include "shm/heap_pages.h"

#include <assert.h>
#include <stdlib.h>

// Of free memory that lies together less than this keeps its pages.
static const size_t KEPT_BYTES = (size_t)4 << 20;

struct bin bin_of(size_t bytes)
{
    size_t grains = bytes / GRAIN;
    if (grains < BINS)
        return (struct bin){0, (int)grains};
    int shift = 63 - __builtin_clzll(grains) - BIN_BITS;
    return (struct bin){shift + 1, (int)(grains >> shift) & (BINS - 1)};
}

static void block_link(struct block **list, struct block *block)
{
    block->next = *list;
    block->previous = list;
    if (block->next)
        block->next->previous = &block->next;
    *list = block;
}

static void block_unlink(struct block *block)
{
    *block->previous = block->next;
    if (block->next)
        block->next->previous = block->previous;
}

static void insert_free(struct shm_heap *heap, struct block *block)
{
    struct bin bin = bin_of(block->bytes);
    block->asked = 0;
    block_link(&heap->bins[bin.level][bin.index], block);
    heap->filled[bin.level] |= 1u << bin.index;
    heap->levels |= UINT64_C(1) << bin.level;
}

static void remove_free(struct shm_heap *heap, struct block *block)
{
    struct bin bin = bin_of(block->bytes);
    block_unlink(block);
    if (heap->bins[bin.level][bin.index])
        return;
    heap->filled[bin.level] &= ~(1u << bin.index);
    if (!heap->filled[bin.level])
        heap->levels &= ~(UINT64_C(1) << bin.level);
}

// Some block of the bins above that of `bytes`: all of these are large enough.
static struct block *find_larger(struct shm_heap *heap, size_t bytes)
{
    struct bin bin = bin_of(bytes);
    uint32_t filled = heap->filled[bin.level] & (~UINT32_C(1) << bin.index);
    if (!filled) {
        uint64_t levels = heap->levels & (~UINT64_C(1) << bin.level);
        if (!levels)
            return NULL;
        bin.level = __builtin_ctzll(levels);
        filled = heap->filled[bin.level];
    }
    return heap->bins[bin.level][__builtin_ctz(filled)];
}

// Where in the block an allocation can start; past its end when it does not fit.
static size_t aligned_start(const struct shm_heap *heap, const struct block *block,
                            size_t alignment)
{
    uintptr_t address = (uintptr_t)heap->base + block->start;
    return block->start + (round_up(address, alignment) - address);
}

static bool block_fits(const struct shm_heap *heap, const struct block *block,
                       size_t bytes, size_t alignment)
{
    size_t lost = aligned_start(heap, block, alignment) - block->start;
    return lost <= block->bytes && bytes <= block->bytes - lost;
}

// The block of about the size that was freed last, so that the same request finds the
// same block again; else a larger one; else one that is large enough wherever it
// starts; else, with little left, whatever fits.
static struct block *block_find(struct shm_heap *heap, size_t bytes, size_t alignment)
{
    struct bin bin = bin_of(bytes);
    struct block *block = heap->bins[bin.level][bin.index];
    if (block && block_fits(heap, block, bytes, alignment))
        return block;
    block = find_larger(heap, bytes);
    if (block && block_fits(heap, block, bytes, alignment))
        return block;
    block = find_larger(heap, bytes + alignment);
    if (block)
        return block;
    block = heap->first;
    while (block && (block->asked || !block_fits(heap, block, bytes, alignment)))
        block = block->after;
    return block;
}

// Cuts the block at `bytes`; the second part is returned, in no list yet. NULL without
// memory. Bytes that may not be zero are at the start of a block.
static struct block *block_split(struct block *block, size_t bytes)
{
    struct block *rest = calloc(1, sizeof *rest);
    if (!rest)
        return NULL;
    rest->start = block->start + bytes;
    rest->bytes = block->bytes - bytes;
    rest->used = block->used > bytes ? block->used - bytes : 0;
    rest->before = block;
    rest->after = block->after;
    if (rest->after)
        rest->after->before = rest;
    block->after = rest;
    block->bytes = bytes;
    if (block->used > bytes)
        block->used = bytes;
    return rest;
}

// Joins the block with the free one behind it, which is in no list.
static void block_merge(struct block *block)
{
    struct block *rest = block->after;
    if (rest->used)
        block->used = block->bytes + rest->used;
    block->bytes += rest->bytes;
    block->after = rest->after;
    if (block->after)
        block->after->before = block;
    free(rest);
}

struct block **block_bucket(const struct shm_heap *heap, size_t start)
{
    uint64_t hash = start / GRAIN * UINT64_C(0x9e3779b97f4a7c15);
    return &heap->buckets[(hash >> 32) & (heap->bucket_count - 1)];
}

static struct block *find_in_use(struct shm_heap *heap, size_t start)
{
    struct block *block = *block_bucket(heap, start);
    while (block && block->start != start)
        block = block->next;
    return block;
}

// Keeps the buckets' lists short; when there is no memory for it they get longer.
static void grow_buckets(struct shm_heap *heap)
{
    struct block **old = heap->buckets;
    size_t old_count = heap->bucket_count;
    struct block **buckets = calloc(2 * old_count, sizeof(struct block *));
    if (!buckets)
        return;
    heap->buckets = buckets;
    heap->bucket_count = 2 * old_count;
    for (size_t i = 0; i < old_count; i++)
        for (struct block *block = old[i], *next; block; block = next) {
            next = block->next;
            block_link(block_bucket(heap, block->start), block);
        }
    free(old);
}

// Cuts a free block into two; false, with nothing done, without memory.
static bool free_cut(struct shm_heap *heap, struct block *block, size_t bytes)
{
    remove_free(heap, block);
    struct block *rest = block_split(block, bytes);
    insert_free(heap, block);
    if (rest)
        insert_free(heap, rest);
    return rest != NULL;
}

// Joins a free block with the free one behind it.
static void free_join(struct shm_heap *heap, struct block *block)
{
    remove_free(heap, block->after);
    remove_free(heap, block);
    block_merge(block);
    insert_free(heap, block);
}

// Takes a block of this size out of the free ones. NULL, with nothing done, if there is
// none, or no memory for the records of what is left around it.
static struct block *block_take(struct shm_heap *heap, size_t bytes, size_t alignment)
{
    struct block *block = block_find(heap, bytes, alignment);
    if (!block)
        return NULL;
    size_t lost = aligned_start(heap, block, alignment) - block->start;
    if (lost) {
        if (!free_cut(heap, block, lost))
            return NULL;
        block = block->after;
    }
    if (block->bytes > bytes && !free_cut(heap, block, bytes)) {
        if (lost)
            free_join(heap, block->before);
        return NULL;
    }
    remove_free(heap, block);
    return block;
}

static void put_back(struct shm_heap *heap, struct block *block)
{
    block->used = block->bytes;
    if (block->after && !block->after->asked) {
        remove_free(heap, block->after);
        block_merge(block);
    }
    if (block->before && !block->before->asked) {
        block = block->before;
        remove_free(heap, block);
        block_merge(block);
    }
    pages_return(heap, block);
    insert_free(heap, block);
}

// ---- limits -------------------------------------------------------------------
static bool quota_take(struct quota *quota, size_t bytes)
{
    uint64_t used = atomic_fetch_add(&quota->used, bytes);
    if (used + bytes <= atomic_load(&quota->limit))
        return true;
    atomic_fetch_sub(&quota->used, bytes);
    return false;
}

static void level_count(const struct shm_heap *heap, uint64_t bytes)
{
    if (heap->level)
        atomic_fetch_add_explicit(heap->level, bytes, memory_order_relaxed);
}

static void heap_unreserve(struct shm_heap *heap, size_t bytes)
{
    atomic_fetch_sub(&heap->own.used, bytes);
    if (heap->node)
        atomic_fetch_sub(&heap->node->used, bytes);
    level_count(heap, -(uint64_t)bytes);
}

// Counts `bytes` against what this process's heap, and all heaps of the node together,
// may hold; NULL or the quota that they would exceed.
static const struct quota *heap_reserve(struct shm_heap *heap, size_t bytes)
{
    if (!quota_take(&heap->own, bytes))
        return &heap->own;
    if (heap->node && !quota_take(heap->node, bytes)) {
        atomic_fetch_sub(&heap->own.used, bytes);
        return heap->node;
    }
    level_count(heap, bytes);
    return NULL;
}

// ---- allocation ---------------------------------------------------------------
// False when this thread has it already: the heap's own records are being allocated by
// a malloc that this heap is behind.
static bool heap_lock(struct shm_heap *heap)
{
    if (pthread_mutex_lock(&heap->lock) != 0)
        return false;
    assert(heap_is_valid(heap));
    return true;
}

static void heap_unlock(struct shm_heap *heap)
{
    assert(heap_is_valid(heap));
    pthread_mutex_unlock(&heap->lock);
}

static void take_into_use(struct shm_heap *heap, struct block *block, size_t asked)
{
    block->asked = asked;
    block_link(block_bucket(heap, block->start), block);
    if (++heap->in_use > heap->bucket_count)
        grow_buckets(heap);
    pages_show_in_dumps(heap, block->start + block->bytes);
}

// Sizes and starts of a page or more are whole pages.
static size_t grain_of(const struct shm_heap *heap, size_t asked)
{
    return asked >= heap->page ? heap->page : GRAIN;
}

// A large block begins with a huge page where the heap has such a place.
static struct block *take_piece(struct shm_heap *heap, size_t bytes, size_t alignment)
{
    size_t huge = heap->huge_page;
    struct block *block = NULL;
    if (huge && bytes >= huge)
        block = block_take(heap, bytes, alignment > huge ? alignment : huge);
    if (!block)
        return block_take(heap, bytes, alignment);
    pages_make_huge(heap, block);
    return block;
}

const struct block *heap_allocate(struct shm_heap *heap, size_t bytes, size_t alignment,
                                  const struct quota **exceeded)
{
    size_t asked = bytes ? bytes : 1, grain = grain_of(heap, asked);
    *exceeded = NULL;
    if (alignment < grain)
        alignment = grain;
    if (asked > heap->bytes || alignment > heap->bytes || !heap_lock(heap))
        return NULL;
    struct block *block = NULL;
    *exceeded = heap_reserve(heap, asked);
    if (!*exceeded) {
        block = take_piece(heap, round_up(asked, grain), alignment);
        if (block)
            take_into_use(heap, block, asked);
        else
            heap_unreserve(heap, asked);
    }
    heap_unlock(heap);
    return block;
}

static struct block *block_at(struct shm_heap *heap, const void *memory)
{
    return find_in_use(heap, (size_t)((const char *)memory - heap->base));
}

void heap_free(struct shm_heap *heap, void *memory)
{
    heap_lock(heap);
    struct block *block = block_at(heap, memory);
    if (block) {
        heap_unreserve(heap, block->asked);
        block_unlink(block);
        heap->in_use--;
        put_back(heap, block);
    }
    heap_unlock(heap);
}

size_t heap_allocated(struct shm_heap *heap, const void *memory)
{
    heap_lock(heap);
    const struct block *block = block_at(heap, memory);
    size_t asked = block ? block->asked : 0;
    heap_unlock(heap);
    return asked;
}

// Takes the start of the free block behind this one.
static bool block_grow(struct shm_heap *heap, struct block *block, size_t bytes)
{
    struct block *after = block->after;
    size_t more = bytes - block->bytes;
    if (!after || after->asked || after->bytes < more)
        return false;
    if (after->bytes > more && !free_cut(heap, after, more))
        return false;
    remove_free(heap, after);
    block_merge(block);
    pages_show_in_dumps(heap, block->start + block->bytes);
    return true;
}

static void block_shrink(struct shm_heap *heap, struct block *block, size_t bytes)
{
    struct block *rest = bytes < block->bytes ? block_split(block, bytes) : NULL;
    if (rest)
        put_back(heap, rest);
}

// Resizes the block in use at `memory`; returns what was asked for before, 0 if it
// cannot grow.
static size_t resize_at(struct shm_heap *heap, const void *memory, size_t bytes)
{
    struct block *block = block_at(heap, memory);
    size_t asked = block->asked, wanted = round_up(bytes, grain_of(heap, bytes));
    if (wanted > block->bytes && !block_grow(heap, block, wanted))
        return 0;
    block_shrink(heap, block, wanted);
    block->asked = bytes;
    return asked;
}

bool heap_resize(struct shm_heap *heap, void *memory, size_t bytes)
{
    heap_lock(heap);
    size_t before = 0;
    if (bytes <= heap->bytes && !heap_reserve(heap, bytes)) {
        before = resize_at(heap, memory, bytes);
        heap_unreserve(heap, before ? before : bytes);
    }
    heap_unlock(heap);
    return before != 0;
}

// ---- the whole heap -----------------------------------------------------------
bool heap_cut(struct shm_heap *heap, size_t bytes)
{
    heap_lock(heap);
    struct block *last = heap->first;
    while (last->after)
        last = last->after;
    bool is_free = !last->asked && last->start < bytes;
    if (is_free) {
        remove_free(heap, last);
        heap->bytes = bytes;
        last->bytes = bytes - last->start;
        if (last->used > last->bytes)
            last->used = last->bytes;
        if (heap->dumped > bytes)
            heap->dumped = bytes;
        insert_free(heap, last);
    }
    heap_unlock(heap);
    return is_free;
}

void heap_join_node(struct shm_heap *heap, struct quota *node, _Atomic(uint64_t) *level)
{
    heap_lock(heap);
    heap->node = node;
    heap->level = level;
    if (node)
        atomic_fetch_add(&node->used, heap->own.used);
    level_count(heap, heap->own.used);
    heap_unlock(heap);
}

// A thread that asks for the lock it holds learns so (heap_lock).
void heap_lock_init(struct shm_heap *heap)
{
    pthread_mutexattr_t checking;
    pthread_mutexattr_init(&checking);
    pthread_mutexattr_settype(&checking, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&heap->lock, &checking);
    pthread_mutexattr_destroy(&checking);
}

bool heap_open(struct shm_heap *heap, void *base, size_t bytes)
{
    *heap = (struct shm_heap){.base = base,
                              .bytes = bytes,
                              .page = page_bytes(),
                              .huge_page = huge_page_bytes(NULL),
                              .kept = KEPT_BYTES,
                              .own.limit = SIZE_MAX,
                              .bucket_count = 256};
    heap->buckets = calloc(heap->bucket_count, sizeof(struct block *));
    heap->first = calloc(1, sizeof *heap->first);
    if (!heap->buckets || !heap->first) {
        free(heap->buckets);
        free(heap->first);
        return false;
    }
    heap->first->bytes = bytes;
    heap_lock_init(heap);
    insert_free(heap, heap->first);
    assert(heap_is_valid(heap));
    return true;
}

void heap_close(struct shm_heap *heap)
{
    for (struct block *block = heap->first, *after; block; block = after) {
        after = block->after;
        free(block);
    }
    free(heap->buckets);
}
