// SPDX-License-Identifier: BSD-3-Clause
// The control area of the segment.
//
// Segment: shm_control with one record per process | rings | common memory | heaps. All
// memory starts as zeros, and a page costs nothing before it is touched.
#pragma once

#include "shm/heap.h"
#include "shm/shm.h"

enum { CORE_WORDS = 16 };

enum peer_state { PEER_ABSENT, PEER_ALIVE, PEER_STOPPED };
enum death_state { DEATH_UNKNOWN, DEATH_BEING_TOLD, DEATH_KNOWN };

// Sleepers set is_armed, look for work, and wait for `word` to change. The sender that
// rings clears is_armed, so that only the first of many senders pays for the system
// call.
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
    int heap_file;               // its descriptor of a heap that is a file of its own
    _Atomic(uint64_t) presences; // offset of the first of its threads, 0: none
    uint64_t start_time; // of the process, in the kernel's clock ticks since boot
    uint64_t heap_inode; // of that file
    uint64_t heap_bytes; // of that heap, 0: the heap is part of the node's file
    // Changes with each long wait, so it has a line of its own.
    _Alignas(CACHE_LINE) _Atomic(int) wait; // enum shm_wait
    struct joint_copy joint_copies[JOINT_COPIES];
};

struct shm_control {
    uint64_t layout; // SHM_LAYOUT: the same build made the segment
    uint64_t heap_bytes;
    uint64_t node_size;
    uint64_t group; // identity of the control group that limits the leader's memory
    int bound;      // enum bound: why heaps are not larger
    uint64_t leader_word; // address in the leader's private memory, for the trial copy
    _Atomic(int) copies_fail;
    _Atomic(int) barriers_fail;
    _Atomic(uint64_t) cores[CORE_WORDS]; // bit set of CPUs that processes may use
    _Atomic(int) death_state;            // enum death_state
    struct death death;
    _Alignas(CACHE_LINE) struct quota heaps; // of all heaps together
    struct peer_record records[];            // [node_size]
};

// May a thread of the process sleep?
static inline bool is_bell_armed(const struct peer_record *record)
{
    return atomic_load(&record->bells[SHM_BELL_CALL].is_armed) ||
           atomic_load(&record->bells[SHM_BELL_PROGRESS].is_armed);
}

void presences_open(struct shm *shm); // tells the kernel of this process

static inline struct peer_record *peer_record_of(const struct shm *shm, int node_rank)
{
    return &shm->control->records[node_rank];
}
