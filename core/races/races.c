// SPDX-License-Identifier: BSD-3-Clause
// Start and stop, and the windows that are watched.
#include "races/state.h"

#include <stdlib.h>

int races_start(void)
{
    if (!(process.options.analyses & ANALYSIS_RACES))
        return 0;
    struct races *races = calloc(1, sizeof *races);
    if (races == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory to look for races");
    races->size = process.boot->size;
    races->rank = process.boot->rank;
    process.races = races;
    int err = clocks_start(races);
    if (err)
        return err;
    sites_start();
    history_start();
    loads_start();
    return 0;
}

void races_stop(void)
{
    struct races *races = process.races;
    if (races == NULL)
        return;
    memory_hide(NULL, NULL);
    loads_stop();
    history_stop();
    buffers_stop(races);
    sites_stop(races);
    order_stop(races);
    clocks_stop(races);
    process.races = NULL;
    free(races);
}

struct watched_window *races_watch(const struct watched_window_plan *plan)
{
    struct races *races = process.races;
    struct watched_window *window = calloc(1, sizeof *window);
    if (window == NULL)
        return NULL;
    message_lock();
    *window = (struct watched_window){
        .next = races->windows, .plan = *plan, .number = ++races->window_count};
    races->windows = window;
    if (!plan->is_dynamic)
        memory_expose(window, plan->base, plan->bytes);
    message_unlock();
    return window;
}

void races_attached(struct watched_window *window, const void *base, uint64_t bytes)
{
    if (window == NULL)
        return;
    message_lock();
    memory_expose(window, base, bytes);
    message_unlock();
}

void races_detached(struct watched_window *window, const void *base)
{
    if (window == NULL)
        return;
    message_lock();
    memory_hide(window, base);
    message_unlock();
}

void races_unwatch(struct watched_window *window)
{
    if (window == NULL)
        return;
    races_return_buffers(window, MPI_ANY_SOURCE);
    message_lock();
    struct watched_window **at = &process.races->windows;
    while (*at != window)
        at = &(*at)->next;
    memory_hide(window, NULL);
    *at = window->next;
    history_forget(window);
    pendings_free(window);
    message_unlock();
    free(window);
}
