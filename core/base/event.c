// SPDX-License-Identifier: BSD-3-Clause
// The events that tools want.
#include "base/base.h"

struct event_source event_source;

// Threads that raise an event read the callback without a lock: it is written before the
// first bit is set, and never again.
void events_want(uint32_t wanted, event_callback *callback)
{
    if (event_source.callback == NULL)
        event_source.callback = callback;
    atomic_store_explicit(&event_source.wanted, wanted, memory_order_release);
}
