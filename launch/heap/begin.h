// SPDX-License-Identifier: BSD-3-Clause
// heap: a library to preload, from which a process has its large allocations in memory
// that its local peers can map. It does not use libmpi_abi, and knows no rank: MPI_Init
// finds its heap by oriel_shared_heap (core/shm/shared_heap.h).
#pragma once

#include "shm/shared_heap.h"

// Allocations of so many bytes and more come from the heap.
extern const size_t shared_minimum;

// The heap, begun if it is not; NULL when that fails, and in a forked process, whose
// heap is its parent's.
struct shm_heap *heap_to_allocate_from(void);
// The heap that has this memory, or NULL: some other allocator's, or NULL itself.
struct shm_heap *heap_of(const void *memory);

shared_heap_function oriel_shared_heap;
