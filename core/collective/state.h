// SPDX-License-Identifier: BSD-3-Clause
// The state that this layer keeps for the process and for each communicator.
#pragma once

#include "collective/collective.h"

enum { UNITS = 16 }; // of the shared buffer, for each member

// State of this layer for the process.
struct collectives {
    _Atomic(uint32_t) contexts; // communicators that this process has named
    _Atomic(struct shared_buffer *) retired; // until all members have left
    struct schedule *schedules;              // under way
    _Atomic(struct schedule *) spare;        // memory of one that has ended
    struct refusal *refusals;                // of schedules that are not under way
    pthread_mutex_t list_lock;               // guards the list
    struct comm_collective *first;           // of all communicators
};

// State of this layer for a communicator.
struct comm_collective {
    struct node_map *node_map;           // owns the communicator's arrays by node
    struct shared_buffer *shared_buffer; // of node_members; NULL: of this process alone
    uint64_t sequence;                   // of rounds on the shared buffer
    uint64_t all_begun;                  // a round that all members have begun
    // [UNITS] the round that all must have begun before a unit is free; NULL: the shared
    // buffer has no slots
    uint64_t *awaited;
    uint32_t barriers;               // on the shared buffer
    uint32_t schedules;              // that have been made
    uint64_t window_context;         // of the next window over it; 0: that of the first
    const struct communicator *comm; // whose state it is
    struct comm_collective *next;    // of process.collectives->first
};
