// SPDX-License-Identifier: BSD-3-Clause
// Addresses, and sizes of memory.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Nothing is in the first page of an address space: NULL is there, and the constants that
// stand for a buffer, such as MPI_IN_PLACE.
static inline bool is_nowhere(uintptr_t address)
{
    return address < 4096;
}

static inline size_t round_up(size_t value, size_t to) // `to` is a power of two
{
    return (value + to - 1) & ~(to - 1);
}

// Are some of these bytes not memory of this process? As questions to the kernel, which
// take a third of a millisecond for each GiB. *mapped: how many there are before the first.
bool memory_has_holes(const void *memory, size_t bytes, size_t *mapped);

size_t page_bytes(void);
size_t machine_bytes(void); // physical memory of this machine
// The memory that the control group of this process and those above it leave: the least
// of their limits, SIZE_MAX without one, and a number that is the same for all processes
// whose memory that group limits together. All paths are looked up below `root`: "" but
// in tests.
struct group_limit {
    size_t bytes;
    uint64_t identity;
};
struct group_limit group_limit_find(const char *root);
