// SPDX-License-Identifier: BSD-3-Clause
// shm: memory and messages between the processes of one node.
//
// Glossary
//   segment   one sparse memfd per node, mapped by all its processes: control lines,
//             message rings, then one heap per process. It has no name, so nothing is
//             left behind when processes die.
//   offset    place in the segment; the same number means the same memory in every
//             process of the node
//   heap      the part of the segment from which one process allocates; everyone maps it
//   ring      single-producer single-consumer queue of messages for one pair of processes
//   doorbell  a futex word per process: rung for a process that sleeps in a blocked call
#pragma once

#include "boot/boot.h"

struct shm {
    char *base;            // where the segment is mapped here
    size_t bytes;          // of the whole segment
    int node_rank, node_size;
    size_t control_bytes;  // up to the first heap
    size_t heap_bytes;     // of one process's heap
    struct shm_heap *heap; // private: the allocator of this process's heap
    struct shm_control *control; // private: the control lines, in the segment
};

// Collective over the node. The leader makes the segment and publishes it with
// boot_put under the key shm_key(); after boot_fence everyone attaches.
int shm_create(struct boot *boot, char *card, size_t card_size); // leader: text for boot_put
int shm_attach(struct boot *boot, const char *card, struct shm **shm);
void shm_stop(struct shm *shm);

// ---- heap ---------------------------------------------------------------------
// Memory that every process of the node reaches. `alignment` is a power of two, at
// least 64 is used. MPI_ERR_NO_MEM when the heap is used up, with sizes.
int shm_alloc(struct shm *shm, size_t bytes, size_t alignment, void **memory);
void shm_free(struct shm *shm, void *memory);
// The bytes of the allocation that starts at `memory`, or 0 if there is none.
size_t shm_allocated(struct shm *shm, const void *memory);

// Is [address, address+bytes) inside the segment? One comparison, no lookup.
static inline bool shm_contains(const struct shm *shm, const void *address, size_t bytes)
{
    size_t offset = (size_t)((const char *)address - shm->base);
    return offset < shm->bytes && bytes <= shm->bytes - offset;
}
static inline uint64_t shm_offset(const struct shm *shm, const void *address)
{
    return (uint64_t)((const char *)address - shm->base);
}
static inline void *shm_at(const struct shm *shm, uint64_t offset)
{
    return shm->base + offset;
}

// ---- memory that is not in the segment ------------------------------------------
// Single copies to and from the address space of another process of the node
// (process_vm_writev, process_vm_readv). MPI_ERR_RMA_RANGE-like failures of the kernel
// give MPI_ERR_OTHER with errno's text; MPI_ERR_UNSUPPORTED_OPERATION when the system
// forbids such copies (then the caller uses messages).
int shm_copy_to(struct shm *shm, int node_rank, uint64_t remote, const void *local,
                size_t bytes);
int shm_copy_from(struct shm *shm, int node_rank, void *local, uint64_t remote,
                  size_t bytes);
bool shm_can_copy(const struct shm *shm); // probed once when the node has attached

// ---- rings --------------------------------------------------------------------
enum { SHM_MESSAGE_MAX = 8192 }; // bytes of one message in a ring

// Puts one message of the two parts into the ring towards node_rank; false when the
// ring is full. Wakes the receiver if it sleeps. Callers hold the message lock.
bool shm_send(struct shm *shm, int node_rank, const void *head, size_t head_bytes,
              const void *body, size_t body_bytes);

// Hands every waiting message, at most `limit`, to `receive`; returns how many. The
// bytes are valid during the call only and aligned to 8.
int shm_receive(struct shm *shm, int limit,
                void (*receive)(int node_rank, const void *message, size_t bytes));

// ---- waiting ------------------------------------------------------------------
// A process that has nothing to do sleeps on its doorbell: read the ticket, look once
// more for work, then sleep until the doorbell has been rung since the ticket was read
// (or the time is over).
uint32_t shm_doorbell_ticket(struct shm *shm);
void shm_doorbell_sleep(struct shm *shm, uint32_t ticket, uint64_t nanoseconds);
void shm_doorbell_ring(struct shm *shm, int node_rank);

// ---- peers --------------------------------------------------------------------
// False when the process has ended without shm_stop (its pid is gone).
bool shm_peer_is_alive(struct shm *shm, int node_rank);
// True while a thread of that process polls for messages, so that ringing is needless.
