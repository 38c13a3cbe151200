// SPDX-License-Identifier: BSD-3-Clause
// Private to shm: what lies in the control area of the segment.
//
// Segment: shm_control with one record per process | rings | heaps. All memory starts
// as zeros, and a page costs nothing before it is touched.
#pragma once

#include "shm/shm.h"

enum { RING_BYTES = 32 << 10, CORE_WORDS = 16 };

enum peer_state { PEER_ABSENT, PEER_ALIVE, PEER_STOPPED };
enum death_state { DEATH_UNKNOWN, DEATH_BEING_TOLD, DEATH_KNOWN };

// Sleepers set is_armed, look for work, and wait for `word` to change. Who rings takes
// is_armed away, so that only the first of many senders pays for the system call.
struct doorbell {
    _Atomic(uint32_t) word;
    _Atomic(uint32_t) is_armed;
};

// One per process. Local peers read it whenever they send; so it is seldom written.
struct peer_record {
    _Alignas(CACHE_LINE) struct doorbell bells[SHM_BELLS];
    _Atomic(uint32_t) newcomers; // 1 + node_rank of the latest ring that came into use
    _Atomic(int) state;          // enum peer_state
    _Atomic(int) core; // 1 + the CPU where it has last waited for long, 0: nowhere
    int pid;
    uint64_t start_time; // of the process, in the kernel's clock ticks since boot
};

struct shm_control {
    uint64_t layout; // SHM_LAYOUT: the same build made the segment
    uint64_t heap_bytes;
    uint64_t node_size;
    _Atomic(uint64_t) memory_limit; // of all heaps together
    uint64_t group; // identity of the control group that limits the leader's memory
    int bound;      // enum bound: why heaps are not larger
    uint64_t leader_word; // address in the leader's private memory, for the trial copy
    _Atomic(int) copies_fail;
    _Atomic(uint64_t) cores[CORE_WORDS]; // bit set of CPUs that processes may use
    _Atomic(int) death_state;            // enum death_state
    struct death death;
    _Alignas(CACHE_LINE) _Atomic(uint64_t) allocated; // bytes, in all heaps
    struct peer_record records[];                     // [node_size]
};

// From one sender to one receiver. A record is a head word and the message, padded
// to 8. The head word behind the last record is always 0. A record never wraps:
// RECORD_WRAP says that the next one is at the start of `data`.
struct ring {
    // Written by the receiver, read by the sender only when the ring seems full.
    _Alignas(CACHE_LINE) _Atomic(uint64_t) consumed; // bytes so far
    _Atomic(uint32_t) is_full; // the sender waits for room and wants to be rung
    _Atomic(uint32_t) next; // 1 + node_rank: next in the receiver's list of newcomers
    _Alignas(CACHE_LINE) char data[RING_BYTES - CACHE_LINE];
};
_Static_assert(sizeof(struct ring) == RING_BYTES, "rings are a power of two apart");

static inline struct peer_record *peer_record_of(const struct shm *shm, int node_rank)
{
    return &shm->control->records[node_rank];
}

// ---- room.c
// Why a heap is as large as it is.
enum bound { BOUND_WANTED, BOUND_ADDRESSES, BOUND_FILE_SIZE };
struct room {
    size_t bytes; // of a segment at most
    enum bound bound;
};
struct room room_find(void);
const char *room_reason(enum bound bound); // for people, with what changes it
// Learns what memory this process's control group leaves to the heaps.
void group_enter(struct shm *shm);

// ---- ring.c
size_t rings_bytes(int node_size);
int rings_open(struct shm *shm, char *memory);
void rings_close(struct shm *shm);

// ---- local_peer.c
void peer_record_fill(struct shm *shm); // fills this process's record
// The nearest process from which all of the node descend, 0 if none is seen.
int local_peers_ancestor(const struct shm *shm);

// ---- copy.c
enum opening { MEMORY_CLOSED, MEMORY_BEING_OPENED, MEMORY_OPEN };
// The leader's memory, until all have attached.
void memory_open_for_trial(const struct shm *shm);
void memory_close(struct shm *shm);
