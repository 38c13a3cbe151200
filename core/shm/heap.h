// SPDX-License-Identifier: BSD-3-Clause
// The allocator's view of a process's heap: blocks by address, free ones in bins by
// size, those in use in buckets by start. It knows no other process, so that a library
// that is preloaded can allocate before the process has met the others of its node.
#pragma once

#include "base/base.h"

enum {
    GRAIN = 64, // starts and sizes of blocks are multiples of it
    BIN_BITS = 4,
    BINS = 1 << BIN_BITS,           // per level
    LEVELS = 64 - 6 - BIN_BITS + 1, // level 0: up to 16 grains; then powers of two
};

struct block {
    size_t start, bytes; // `start` counts from the start of the heap
    size_t asked;        // what the caller wanted; 0: the block is free
    size_t used;         // so many bytes at its start may have pages and not be zero:
                         // of a free block, or when it was taken into use
    struct block *before, *after;   // neighbours by address
    struct block *next, **previous; // in its bin or, in use, in its bucket
};

// Bytes that may be allocated, and those that are.
struct quota {
    _Atomic(uint64_t) limit, used;
};

struct shm_heap {
    pthread_mutex_t lock;
    char *base;
    size_t bytes; // address space
    size_t page;
    size_t huge_page; // pieces of this size and more begin with one; 0: there are none
    size_t kept;      // bytes of a free block that may have pages: more are given back
    struct quota own; // of this process
    struct quota *node;       // of all heaps of the node, or NULL
    _Atomic(uint64_t) *level; // counts bytes in use for tools, or NULL
    uint64_t levels;          // bit l: some bin of level l is not empty
    uint32_t filled[LEVELS];  // bit b: that bin is not empty
    struct block *bins[LEVELS][BINS];
    struct block **buckets; // blocks in use by their start, [bucket_count]
    size_t bucket_count;    // a power of two
    size_t in_use;          // blocks
    struct block *first;    // by address
    size_t dumped;          // bytes from the heap's start that a core dump holds
};

struct bin {
    int level, index;
};
// The bin in which a free block of this size is kept.
struct bin bin_of(size_t bytes);
// The list of blocks in use that has the block with this start.
struct block **block_bucket(const struct shm_heap *heap, size_t start);

// Begins a heap over sparse shared memory, all zero. False without memory.
bool heap_open(struct shm_heap *heap, void *base, size_t bytes);
// Frees the records, not the memory.
void heap_close(struct shm_heap *heap);
// Makes the lock anew: in a forked process, whose parent may have held it.
void heap_lock_init(struct shm_heap *heap);
// From now on the heap's bytes count in these, too; NULL and NULL: in its own quota only.
void heap_join_node(struct shm_heap *heap, struct quota *node,
                    _Atomic(uint64_t) *level);
// Leaves the heap its first `bytes`; false, and no change, when more is in use.
bool heap_cut(struct shm_heap *heap, size_t bytes);

// Any thread may call these. A block in use, or NULL: `*exceeded` is then the quota
// without room for it, NULL if the heap has no such piece. `alignment` is a power of
// two; that of a page or more is at least the page.
const struct block *heap_allocate(struct shm_heap *heap, size_t bytes, size_t alignment,
                                  const struct quota **exceeded);
// Makes the memory that begins there larger or smaller in its place. False when it
// cannot grow.
bool heap_resize(struct shm_heap *heap, void *memory, size_t bytes);
// Does nothing when no block in use begins there.
void heap_free(struct shm_heap *heap, void *memory);
// The bytes asked for by who got the memory that begins there, else 0.
size_t heap_allocated(struct shm_heap *heap, const void *memory);

// Whether blocks cover the heap without gap or overlap, no two free ones are neighbours,
// and each is in the one list that it belongs to. The lock is held.
bool heap_is_valid(const struct shm_heap *heap);
