// SPDX-License-Identifier: BSD-3-Clause
// Allocation from this process's heap in the segment, with the reasons of a refusal.
#include "shm/alloc.h"
#include "shm/control.h"
#include "shm/heap.h"
#include "shm/room.h"

#include <stdlib.h>

static int refuse_by_quota(const struct shm *shm, const struct quota *quota,
                           size_t bytes)
{
    uint64_t limit = atomic_load(&quota->limit);
    return fail(
        MPI_ERR_NO_MEM,
        "%zu bytes asked for, but of the %llu bytes of memory of the %s %llu are "
        "allocated to %s",
        bytes, (unsigned long long)limit,
        limit < machine_bytes() ? "control group" : "machine",
        (unsigned long long)atomic_load(&quota->used),
        quota == &shm->heap->own ? "this process's heap" : "the heaps of this node");
}

int shm_alloc(struct shm *shm, size_t bytes, size_t alignment, void **memory)
{
    struct shm_heap *heap = shm->heap;
    const struct quota *exceeded;
    const char *bound = room_reason(shm->control->bound);
    if (bytes > heap->bytes || alignment > heap->bytes)
        return fail(MPI_ERR_NO_MEM,
                    "%zu bytes asked for, but a process's heap has %zu by %s", bytes,
                    heap->bytes, bound);
    const struct block *block = heap_allocate(heap, bytes, alignment, &exceeded);
    if (exceeded)
        return refuse_by_quota(shm, exceeded, bytes);
    if (!block)
        return fail(MPI_ERR_NO_MEM,
                    "no piece of %zu bytes is left in this process's heap, which has "
                    "%zu by %s",
                    bytes, heap->bytes, bound);
    *memory = heap->base + block->start;
    return 0;
}

void shm_free(struct shm *shm, void *memory)
{
    heap_free(shm->heap, memory);
}

size_t shm_allocated(struct shm *shm, const void *memory)
{
    return heap_allocated(shm->heap, memory);
}

// ---- with the segment ---------------------------------------------------------
int own_heap_open(struct shm *shm)
{
    if (!shm->heap) {
        void *place =
            shm->base + shm->control_bytes + (size_t)shm->node_rank * shm->heap_bytes;
        shm->heap = malloc(sizeof *shm->heap);
        if (!shm->heap || !heap_open(shm->heap, place, shm->heap_bytes)) {
            free(shm->heap);
            shm->heap = NULL;
            return fail(MPI_ERR_NO_MEM, "no memory for the allocator of the heap");
        }
    }
    heap_join_node(shm->heap, &shm->control->heaps,
                   &counters.shared[COUNTER_HEAP_BYTES]);
    return 0;
}

// A heap that a preloaded library has begun goes on without the others.
void own_heap_close(struct shm *shm)
{
    if (!shm->heap)
        return;
    heap_join_node(shm->heap, NULL, NULL);
    if (!shm->shared) {
        heap_close(shm->heap);
        free(shm->heap);
    }
    shm->heap = NULL;
    counter_reset(COUNTER_HEAP_BYTES);
}
