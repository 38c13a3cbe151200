// SPDX-License-Identifier: BSD-3-Clause
// Work that calls by loads and stores leave to a later call of the same thread: the
// full barrier that completes stores, and progress.
//
// A processor may keep a store back behind later loads of the same thread. A flush that
// left it so would return before the put is in the target's memory (MPI-4.1 12.5.4),
// and of two processes that put, flush and get neither might see the other. A full
// barrier is dear beside the rest of a flush, so only calls after a store have one.
#pragma once

#include "base/base.h"

enum {
    CALLS_PER_POLL = 64,
    STORED = INT32_MIN / 2 // any negative number but -1
};

// Calls until the next one polls; STORED while stores lack their barrier. So one
// comparison finds both.
extern _Thread_local int32_t order_left __attribute__((tls_model("initial-exec")));

// The thread has stored to memory of a window, by other than atomic instructions.
static inline void order_stored(void)
{
    order_left = STORED;
}

void order_settle(void);

// One more call that a program may make in a loop until a peer has done something.
static inline void order_count(void)
{
    if (unlikely(--order_left < 0))
        order_settle();
}

// Completes the loads and stores of this thread, in calls that complete operations. A
// program that waits for a peer in a loop of such calls makes progress by them.
static inline void order_complete(void)
{
    atomic_thread_fence(memory_order_acq_rel);
    order_count();
}
