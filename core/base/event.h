// SPDX-License-Identifier: BSD-3-Clause
// Events that tools can be told of.
#pragma once

#include "base/compiler.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// The events, each with some numbers; tools/event.c has the table with names and
// descriptions.
enum event {
    EVENT_UNEXPECTED_MESSAGE,
    EVENT_MESSAGE_DELAYED,
    EVENT_CALL_SLEPT,
    EVENT_PROGRESS_THREAD_SLEPT,
    EVENT_MEMORY_REGISTERED,
    EVENT_PROCESS_DIED,
    EVENT_COUNT
};

typedef void event_callback(enum event event, const MPI_Count elements[]);

// The events that tools want, and what tells them. Tools may be there before the library
// starts and after it stops, so that this is no part of struct process.
extern struct event_source {
    _Atomic(uint32_t) wanted; // a bit for each event
    event_callback *callback; // there when a bit is set
} event_source;

// From now on the callback gets the events whose bits are set. It is always the same; the
// caller holds the lock of tools.
void events_want(uint32_t wanted, event_callback *callback);

// Callers ask before they raise an event, so that it costs next to nothing without a
// tool:
//     if (event_is_wanted(EVENT_X))
//         event_raise(EVENT_X, (MPI_Count[]){...});
// Locks may be held, for what is called then keeps away from them (tools/event.c).
static inline bool event_is_wanted(enum event event)
{
    uint32_t wanted = atomic_load_explicit(&event_source.wanted, memory_order_acquire);
    return unlikely(wanted & UINT32_C(1) << event);
}

static inline void event_raise(enum event event, const MPI_Count elements[])
{
    event_source.callback(event, elements);
}
