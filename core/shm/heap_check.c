// SPDX-License-Identifier: BSD-3-Clause
// The invariants of the heap's allocator.
#include "shm/heap.h"

// Sums over the blocks by address.
struct census {
    size_t free, in_use; // blocks
    size_t asked;        // bytes of those in use
};

static bool list_has(const struct block *list, const struct block *block)
{
    while (list && list != block)
        list = list->next;
    return list != NULL;
}

static bool free_block_is_valid(const struct block *block)
{
    return block->used <= block->bytes && (!block->after || block->after->asked);
}

static bool used_block_is_valid(const struct shm_heap *heap, const struct block *block)
{
    return block->asked <= block->bytes &&
           list_has(*block_bucket(heap, block->start), block);
}

static bool block_is_valid(const struct shm_heap *heap, const struct block *block)
{
    if (block->bytes == 0 || block->bytes % GRAIN != 0 || *block->previous != block)
        return false;
    return block->asked ? used_block_is_valid(heap, block) : free_block_is_valid(block);
}

// Blocks follow each other from the heap's start to its end.
static bool blocks_are_valid(const struct shm_heap *heap, struct census *census)
{
    const struct block *before = NULL;
    size_t end = 0;
    for (const struct block *block = heap->first; block; block = block->after) {
        if (block->before != before || block->start != end ||
            block->bytes > heap->bytes - end || !block_is_valid(heap, block))
            return false;
        census->free += !block->asked;
        census->in_use += block->asked != 0;
        census->asked += block->asked;
        end += block->bytes;
        before = block;
    }
    return end == heap->bytes;
}

// Each block of a bin is free and of its size; a bit tells whether there is one. Adds
// the blocks to `*count`.
static bool bin_is_valid(const struct shm_heap *heap, struct bin bin, size_t *count)
{
    const struct block *list = heap->bins[bin.level][bin.index];
    if ((list != NULL) != (heap->filled[bin.level] >> bin.index & 1))
        return false;
    for (const struct block *block = list; block; block = block->next, ++*count) {
        struct bin own = bin_of(block->bytes);
        if (block->asked || own.level != bin.level || own.index != bin.index)
            return false;
    }
    return true;
}

static bool bins_are_valid(const struct shm_heap *heap, size_t *count)
{
    for (int level = 0; level < LEVELS; level++) {
        if ((heap->filled[level] != 0) != (heap->levels >> level & 1))
            return false;
        for (int index = 0; index < BINS; index++)
            if (!bin_is_valid(heap, (struct bin){level, index}, count))
                return false;
    }
    return true;
}

bool heap_is_valid(const struct shm_heap *heap)
{
    struct census census = {0};
    size_t in_bins = 0;
    return blocks_are_valid(heap, &census) && bins_are_valid(heap, &in_bins) &&
           in_bins == census.free && heap->in_use == census.in_use &&
           heap->own.used == census.asked && heap->dumped <= heap->bytes;
}
