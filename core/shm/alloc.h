// SPDX-License-Identifier: BSD-3-Clause
// This process's heap in the segment, with the segment's life.
#pragma once

#include "shm/shm.h"

// Begins the heap, unless a preloaded library has. The segment is mapped.
int own_heap_open(struct shm *shm);
void own_heap_close(struct shm *shm);
