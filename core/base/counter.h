// SPDX-License-Identifier: BSD-3-Clause
// Counters for tools.
#pragma once

#include <stdatomic.h>
#include <stdint.h>

// The counters; tools/pvar.c has the table with names and descriptions. Puts and gets
// that are loads and stores are not counted: that would cost as much as they do.
enum counter {
    COUNTER_NODE_MESSAGES,
    COUNTER_NODE_MESSAGE_BYTES,
    COUNTER_NETWORK_MESSAGES,
    COUNTER_NETWORK_MESSAGE_BYTES,
    COUNTER_MESSAGES_HANDLED,
    COUNTER_MESSAGES_DELAYED,
    COUNTER_MESSAGES_REFUSED,
    COUNTER_UNEXPECTED,
    COUNTER_UNEXPECTED_NOW,
    COUNTER_NETWORK_WRITES,
    COUNTER_NETWORK_WRITE_BYTES,
    COUNTER_NETWORK_READS,
    COUNTER_NETWORK_READ_BYTES,
    COUNTER_PROCESS_COPIES,
    COUNTER_PROCESS_COPY_BYTES,
    COUNTER_GRANULARITY_CHANGES,
    COUNTER_HEAP_BYTES,
    COUNTER_CALL_SLEEPS,
    COUNTER_PROGRESS_THREAD_WAKEUPS,
    COUNTER_COUNT
};

// Since the program began. Tools read them also before the library starts and after it
// stops, so that they are no part of struct process.
extern struct counters {
    _Atomic(uint64_t) alone[COUNTER_COUNT];  // counted under the message lock
    _Atomic(uint64_t) shared[COUNTER_COUNT]; // and by all others
} counters;

static inline uint64_t counter_value(enum counter counter)
{
    return atomic_load_explicit(&counters.alone[counter], memory_order_relaxed) +
           atomic_load_explicit(&counters.shared[counter], memory_order_relaxed);
}

// For callers that hold the message lock: no locked instruction.
static inline void count_alone(enum counter counter, uint64_t number)
{
    _Atomic(uint64_t) *count = &counters.alone[counter];
    atomic_store_explicit(count,
                          atomic_load_explicit(count, memory_order_relaxed) + number,
                          memory_order_relaxed);
}

// For all others.
static inline void count_shared(enum counter counter, uint64_t number)
{
    atomic_fetch_add_explicit(&counters.shared[counter], number, memory_order_relaxed);
}

// Resets a level: its amount is gone.
static inline void counter_reset(enum counter counter)
{
    atomic_store_explicit(&counters.alone[counter], 0, memory_order_relaxed);
    atomic_store_explicit(&counters.shared[counter], 0, memory_order_relaxed);
}
