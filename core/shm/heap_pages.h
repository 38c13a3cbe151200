// SPDX-License-Identifier: BSD-3-Clause
// What the kernel is told of a heap's pages. Callers hold the heap's lock.
#pragma once

#include "shm/heap.h"

// The size of a huge page, if shared memory can have them here; else 0. `folder` is
// where the kernel says so: NULL but in tests. Allocates nothing.
size_t huge_page_bytes(const char *folder);
// Has the kernel give huge pages to a block that begins with one.
void pages_make_huge(const struct shm_heap *heap, const struct block *block);
// Gives the pages of a free block back when there are many; what it has of other pages
// becomes zero, too.
void pages_return(const struct shm_heap *heap, struct block *block);
// The part of the heap that has been in use, up to `end` at least, is in a core dump, as
// other memory of the process is.
void pages_show_in_dumps(struct shm_heap *heap, size_t end);
