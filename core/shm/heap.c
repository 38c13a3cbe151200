// SPDX-License-Identifier: BSD-3-Clause
// The allocator of this process's heap. Its state is in private memory, where no stray
// store of another process reaches it. Free blocks are kept in bins by size, 16 bins
// for each power of two, so that finding a block that fits well takes a few
// instructions; neighbours by address are linked, so that free ones merge.
#include "shm/control.h"
#include "shm/heap.h"
#include "shm/room.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

// This many bytes of free memory that may have pages are given back to the machine.
static const size_t RETURN_BYTES = (size_t)4 << 20;

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
// memory. Bytes that may have pages are at the start of a free block.
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

// Takes a block out of the free ones and cuts it to size.
static struct block *block_take(struct shm_heap *heap, size_t bytes, size_t alignment)
{
    struct block *block = block_find(heap, bytes, alignment);
    if (!block)
        return NULL;
    remove_free(heap, block);
    size_t lost = aligned_start(heap, block, alignment) - block->start;
    if (lost) {
        struct block *front = block;
        block = block_split(front, lost);
        insert_free(heap, front);
        if (!block)
            return NULL;
    }
    if (block->bytes > bytes) {
        struct block *rest = block_split(block, bytes);
        if (rest) // else the caller gets more than it wanted
            insert_free(heap, rest);
    }
    return block;
}

// Gives the pages of a free block back when there are many.
static void return_pages(struct shm_heap *heap, struct block *block)
{
    if (block->used < RETURN_BYTES)
        return;
    size_t start = round_up(block->start, heap->page);
    size_t end = (block->start + block->used) & ~(heap->page - 1);
    if (madvise(heap->base + start, end - start, MADV_REMOVE) == 0)
        block->used = 0;
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
    return_pages(heap, block);
    insert_free(heap, block);
}

static int refuse_memory(size_t bytes, uint64_t limit, uint64_t allocated,
                         const char *whose)
{
    return fail(
        MPI_ERR_NO_MEM,
        "%zu bytes asked for, but of the %llu bytes of memory of the %s %llu are "
        "allocated to %s",
        bytes, (unsigned long long)limit,
        limit < machine_bytes() ? "control group" : "machine",
        (unsigned long long)allocated, whose);
}

static void bytes_unreserve(struct shm *shm, size_t bytes)
{
    atomic_fetch_sub(&shm->allocated, bytes);
    atomic_fetch_sub(&shm->control->allocated, bytes);
}

// Counts `bytes` against what this process's heap, and all heaps of the node together,
// may hold.
static int bytes_reserve(struct shm *shm, size_t bytes)
{
    struct shm_control *control = shm->control;
    uint64_t limit = atomic_load(&control->memory_limit);
    uint64_t own = atomic_fetch_add(&shm->allocated, bytes);
    uint64_t all = atomic_fetch_add(&control->allocated, bytes);
    if (own + bytes <= shm->memory_limit && all + bytes <= limit)
        return 0;
    bytes_unreserve(shm, bytes);
    return all + bytes > limit
               ? refuse_memory(bytes, limit, all, "the heaps of this node")
               : refuse_memory(bytes, shm->memory_limit, own, "this process's heap");
}

// The part of the heap that has been in use is in a core dump, as other memory of the
// process is. It grows by steps, so that few allocations pay for a system call.
static void show_in_dumps(struct shm_heap *heap, size_t bytes, size_t end)
{
    static const size_t STEP = (size_t)2 << 20;
    if (end <= heap->dumped)
        return;
    end = round_up(end, STEP);
    if (end > bytes)
        end = bytes;
    madvise(heap->base + heap->dumped, end - heap->dumped, MADV_DODUMP);
    heap->dumped = end;
}

static struct block *take_in_use(const struct shm *shm, size_t asked, size_t bytes,
                                 size_t alignment)
{
    struct shm_heap *heap = shm->heap;
    pthread_mutex_lock(&heap->lock);
    assert(heap_is_valid(shm));
    struct block *block = block_take(heap, bytes, alignment);
    if (block) {
        block->asked = asked;
        block_link(block_bucket(heap, block->start), block);
        if (++heap->in_use > heap->bucket_count)
            grow_buckets(heap);
        show_in_dumps(heap, shm->heap_bytes, block->start + block->bytes);
    }
    assert(heap_is_valid(shm));
    pthread_mutex_unlock(&heap->lock);
    return block;
}

int shm_alloc(struct shm *shm, size_t bytes, size_t alignment, void **memory)
{
    struct shm_heap *heap = shm->heap;
    size_t asked = bytes ? bytes : 1;
    size_t grain = asked >= heap->page ? heap->page : GRAIN;
    if (alignment < grain)
        alignment = grain;
    if (asked > shm->heap_bytes || alignment > shm->heap_bytes)
        return fail(MPI_ERR_NO_MEM,
                    "%zu bytes asked for, but a process's heap has %zu by %s", bytes,
                    shm->heap_bytes, room_reason(shm->control->bound));
    int err = bytes_reserve(shm, asked);
    if (err)
        return err;
    struct block *block = take_in_use(shm, asked, round_up(asked, grain), alignment);
    if (!block) {
        bytes_unreserve(shm, asked);
        return fail(MPI_ERR_NO_MEM,
                    "no piece of %zu bytes is left in this process's heap, which has "
                    "%zu by %s",
                    bytes, shm->heap_bytes, room_reason(shm->control->bound));
    }
    count_shared(COUNTER_HEAP_BYTES, asked);
    *memory = heap->base + block->start;
    return 0;
}

void shm_free(struct shm *shm, void *memory)
{
    struct shm_heap *heap = shm->heap;
    pthread_mutex_lock(&heap->lock);
    assert(heap_is_valid(shm));
    struct block *block = find_in_use(heap, (size_t)((char *)memory - heap->base));
    if (block) {
        bytes_unreserve(shm, block->asked);
        count_shared(COUNTER_HEAP_BYTES, -(uint64_t)block->asked);
        block_unlink(block);
        heap->in_use--;
        put_back(heap, block);
    }
    assert(heap_is_valid(shm));
    pthread_mutex_unlock(&heap->lock);
}

size_t shm_allocated(struct shm *shm, const void *memory)
{
    struct shm_heap *heap = shm->heap;
    pthread_mutex_lock(&heap->lock);
    const struct block *block =
        find_in_use(heap, (size_t)((const char *)memory - heap->base));
    size_t asked = block ? block->asked : 0;
    pthread_mutex_unlock(&heap->lock);
    return asked;
}

int heap_open(struct shm *shm)
{
    struct shm_heap *heap = calloc(1, sizeof *heap);
    if (!heap)
        goto no_memory;
    shm->heap = heap;
    heap->bucket_count = 256;
    heap->buckets = calloc(heap->bucket_count, sizeof(struct block *));
    heap->first = calloc(1, sizeof *heap->first);
    if (!heap->buckets || !heap->first)
        goto no_memory;
    heap->base =
        shm->base + shm->control_bytes + (size_t)shm->node_rank * shm->heap_bytes;
    heap->page = page_bytes();
    heap->first->bytes = shm->heap_bytes;
    pthread_mutex_init(&heap->lock, NULL);
    insert_free(heap, heap->first);
    assert(heap_is_valid(shm));
    return 0;

no_memory:
    heap_close(shm);
    return fail(MPI_ERR_NO_MEM, "no memory for the allocator of the heap");
}

void heap_close(struct shm *shm)
{
    struct shm_heap *heap = shm->heap;
    if (!heap)
        return;
    for (struct block *block = heap->first, *after; block; block = after) {
        after = block->after;
        free(block);
    }
    counter_reset(COUNTER_HEAP_BYTES);
    free(heap->buckets);
    free(heap);
    shm->heap = NULL;
}
