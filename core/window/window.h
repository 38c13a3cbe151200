// SPDX-License-Identifier: BSD-3-Clause
// window: what an RMA window is: its memory, what it knows of its peers, its epoch state.
//
// Glossary
//   card      what one member tells all others of its part: base, size, unit, key
//   cards     all members' cards, in memory shared by the node's members
//   target    a member as the destination of an operation
//   epoch     MPI-4.1 12.5: the period in which accesses are allowed
//   peer line per local member a cache line in shared memory: lock words, counters
#pragma once

#include "collective/collective.h"

enum reach {
    REACH_LOAD, // same node, in the segment: `place` is an offset; plain loads and stores
    REACH_COPY, // same node, ordinary memory: `place` is an address in its process
    REACH_NET,  // another node: `place` is what the displacement is added to, `key` names it
};

// The table of cards lies in the segment, once per node, and is only read after the
// window has been opened. `reach` is as seen from this node.
struct card {
    uint64_t place;
    uint64_t size; // bytes; UINT64_MAX for a dynamic window
    uint64_t key;
    uint32_t unit;     // displacement unit in bytes
    uint16_t error;    // error class of a member that failed to bring its part, else 0
    uint8_t reach;     // enum reach
    int32_t node_rank; // in its node
    int32_t job_rank;
};

// Access epoch of this process on a window (MPI-4.1 12.5).
enum access {
    ACCESS_NONE,
    ACCESS_FENCE,      // after a fence without NOSUCCEED; no operation yet
    ACCESS_FENCE_USED, // after the first operation of a fence epoch
    ACCESS_START,      // between start and complete
    ACCESS_LOCK,       // one or more targets locked
    ACCESS_LOCK_ALL,   // lock_all; the lock of a target is taken when it is first used
};

// What this process remembers of a target that it has locked or reached over the network;
// made on first use, stays where it is until the window is freed.
struct peer {
    int rank;
    int lock; // 0, MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE: what is held
    struct net_counter counter;
    struct peer *next;
};

struct window {
    struct object object;
    struct communicator *comm;   // private duplicate of the program's
    int flavor;                  // MPI_WIN_FLAVOR_*
    int size_of_group;           // = comm->size
    enum access access;
    struct peer *current;        // the peer used last, so that it is found at once
    struct peer_table *peers;    // all peers, by rank
    int locks_held;              // peers with lock != 0
    bool has_pending;            // network operations may be under way
    const struct card *cards;    // [size_of_group], in the segment
    void *base;                  // own part
    MPI_Aint size;
    int disp_unit;               // as attributes show them
    MPI_Aint disp_unit_large;
    struct window_lines *lines;  // lock words of the node's members, in the segment
    struct window_memory *memory; // how own memory was obtained, to give it back
    struct net_region region;
    bool has_region;
    bool no_locks;
    int model;                   // MPI_WIN_UNIFIED
    struct info *info;           // hints in use
    char name[MPI_MAX_OBJECT_NAME];
};
