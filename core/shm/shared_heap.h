// SPDX-License-Identifier: BSD-3-Clause
// A heap that exists before the segment: a preloaded library has begun it with the
// process's first large allocation, as a memory file of its own (heap/). The segment is
// then mapped around it, so that the process's addresses stay valid, and the local peers
// map its file in the place where the segment has this process's heap.
#pragma once

#include "shm/heap.h"
#include "shm/shm.h"

struct shared_heap {
    uint64_t layout; // SHARED_HEAP_LAYOUT of the library that has begun it
    struct shm_heap heap;
    int file;
    uint64_t inode; // of that file, since a program may close descriptors
};

// Differs between builds whose heaps differ.
static const uint64_t SHARED_HEAP_LAYOUT = UINT64_C(0x4f7269656c480001) +
                                           (sizeof(struct shared_heap) << 24) +
                                           (sizeof(struct block) << 16);

// What the preloaded library exports: its heap, begun by then, or NULL.
#define SHARED_HEAP_FUNCTION "oriel_shared_heap"
typedef struct shared_heap *shared_heap_function(void);

// Pieces of the segment that are mapped from the node's file: all, or what is before and
// behind a heap that was there already.
enum { PIECES = 2 };
struct piece {
    size_t offset, bytes;
};
int pieces_of(const struct shm *shm, struct piece pieces[PIECES]);

// Maps the segment around the heap that this process has begun. False when there is none
// or it does not fit in; it then stays private.
bool shared_heap_enclose(struct shm *shm, int file);
// Writes it into this process's record.
struct peer_record;
void shared_heap_announce(const struct shm *shm, struct peer_record *record);
// Maps those of all local peers, whose records are filled.
int shared_heaps_attach(const struct shm *shm);
