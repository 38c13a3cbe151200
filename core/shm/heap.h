// SPDX-License-Identifier: BSD-3-Clause
// The allocator's view of this process's heap: blocks by address, free ones in bins by
// size, those in use in buckets by start.
#pragma once

#include "shm/shm.h"

enum {
    GRAIN = 64, // starts and sizes of blocks are multiples of it
    BIN_BITS = 4,
    BINS = 1 << BIN_BITS,           // per level
    LEVELS = 64 - 6 - BIN_BITS + 1, // level 0: up to 16 grains; then powers of two
};

struct block {
    size_t start, bytes; // `start` counts from the start of the heap
    size_t asked;        // what the caller wanted; 0: the block is free
    size_t used;         // free block: so many bytes at its start may have pages
    struct block *before, *after;   // neighbours by address
    struct block *next, **previous; // in its bin or, in use, in its bucket
};

struct shm_heap {
    pthread_mutex_t lock;
    char *base;
    size_t page;
    uint64_t levels;         // bit l: some bin of level l is not empty
    uint32_t filled[LEVELS]; // bit b: that bin is not empty
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

int heap_open(struct shm *shm);
void heap_close(struct shm *shm);

// Whether blocks cover the heap without gap or overlap, no two free ones are neighbours,
// and each is in the one list that it belongs to. The lock is held.
bool heap_is_valid(const struct shm *shm);
