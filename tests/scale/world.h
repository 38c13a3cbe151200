// SPDX-License-Identifier: BSD-3-Clause
// A job of virtual processes inside one real one. The layers from pt2pt and collective up
// are the library's own; message, net and shm are played: messages lie in queues, a node's
// segment is a piece of memory, and a clock of each process follows the LogGP model. One
// virtual process runs at a time, the one with the earliest clock, on a stack of its own.
#pragma once

#include "message/message.h"

#include <stdint.h>

// Nanoseconds, as measured between processes of one machine and over TCP between two.
struct cost {
    uint64_t latency, overhead; // of a message: on its way, and at each of its ends
    double byte;                // each byte more
};
struct machine {
    struct cost node, network;
    uint64_t line;     // until a store is seen by a process of the node that polls
    bool network_keys; // the network chooses the keys of memory itself
};

// What a virtual process has used since the last world_count.
struct usage {
    uint64_t messages, bytes;  // sent to other processes
    uint64_t network_messages; // of these, to other nodes
    uint64_t accesses;         // remote reads and writes of memory on other nodes
    uint64_t peers;            // other nodes' processes it has ever sent anything
    uint64_t values;           // read from the launcher
    uint64_t clock;            // nanoseconds
    int64_t memory;            // bytes that it holds
    int64_t node_memory; // of its node's segment: allocated and not freed since then
};

// Runs body() in `nodes` x `node_size` virtual processes, each with a started library.
void world_run(int nodes, int node_size, const struct machine *machine,
               void (*body)(void));

// Called by all: returns when all have called it. What processes owe each other for what
// they have called before has been sent then.
void world_meet(void);
// Called by all: meets, sets the usage of each back to 0, but its memory and
// peers, and all clocks to the same time.
void world_mark(void);
// The usage of the calling process since then.
struct usage world_usage(void);
// Called by all: the largest and the sums of the numbers of all processes, unless these
// share their variables.
void world_combine(uint64_t most[], size_t most_count, uint64_t sums[],
                   size_t sum_count);
