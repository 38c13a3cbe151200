// SPDX-License-Identifier: BSD-3-Clause
// The mappings of this process, as /proc/self shows them.
#pragma once

#include "shm/shm.h"

struct mapping {
    uintptr_t start, end;
    char access[5];        // "rw-p": readable, writable, executable, private or shared
    uint64_t offset;       // in its file; of the heap: in the segment
    unsigned major, minor; // of the file's device
    uint64_t inode;        // 0: no file
};

// 0 if all of [start, end) is readable and writable memory of this process alone, which
// nothing holds in its place; else MPI_ERR_OTHER, and the detail says what it is.
int mappings_check_private(uintptr_t start, uintptr_t end);

// Are all these pages mapped where they were shared?
bool mappings_hold(const struct shm *shm, const struct shared_pages *pages);

// A part of the program's mappings of [offset, offset + bytes) of the segment, wherever
// the program has moved it; false if there is none.
bool mappings_find(const struct shm *shm, uint64_t offset, size_t bytes,
                   struct mapping *found);
