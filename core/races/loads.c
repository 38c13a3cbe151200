// SPDX-License-Identifier: BSD-3-Clause
// Loads and stores of the program to its own memory of windows. They are complete at once,
// so that those between two changes of the clock have one stamp: its count is the one that
// the clock gets before anybody else hears of it. Those of one place in the program that
// touch are one access.
#include "races/load_watch.h"
#include "races/state.h"

#include <dlfcn.h>
#include <string.h>

const char load_name[] = "load", store_name[] = "store";

// ---- runs -----------------------------------------------------------------------------
static struct stamp *loads_stamp(struct loads *loads)
{
    const struct races *races = process.races;
    if (loads->stamp == NULL)
        loads->stamp = stamp_make(races->rank, races->clock);
    if (loads->stamp != NULL)
        loads->stamp->completed = races->clock[races->rank] + 1;
    return loads->stamp;
}

static uint32_t run_site(const struct load_run *run)
{
    return site_at((struct call_place){(const char *)run->place - 1,
                                       run->is_store ? store_name : load_name});
}

// Puts a run into the history, if there is one.
static void run_keep(struct loads *loads, struct load_run *run)
{
    struct stamp *stamp = run->window != NULL ? loads_stamp(loads) : NULL;
    struct watched_window *window = run->window;
    run->window = NULL;
    if (stamp == NULL)
        return;
    uint64_t base = window_base(window);
    history_add(window, stamp,
                &(struct access_record){
                    .range = range_of_bytes(run->begin - base, run->end - run->begin),
                    .facts =
                        {
                            .site = run_site(run),
                            .element = run->element,
                            .kind = run->is_store ? WATCHED_STORE : WATCHED_LOAD,
                            .epoch = IN_NO_EPOCH,
                        },
                });
}

static bool run_extends(const struct load_run *run, const struct load_run *next)
{
    return run->place == next->place && run->window == next->window &&
           run->is_store == next->is_store && run->begin <= next->end &&
           next->begin <= run->end;
}

static void run_add(struct loads *loads, const struct load_run *next)
{
    uint64_t mixed = (uintptr_t)next->place * UINT64_C(0x9e3779b97f4a7c15);
    struct load_run *run = &loads->runs[mixed >> 32 & (LOAD_RUNS - 1)];
    loads->are_untold = true;
    if (next->is_store && !next->window->has_stored) {
        next->window->has_stored = true;
        next->window->stored = run_site(next);
    }
    if (!run_extends(run, next)) {
        run_keep(loads, run);
        *run = *next;
        return;
    }
    if (next->begin < run->begin)
        run->begin = next->begin;
    if (next->end > run->end)
        run->end = next->end;
}

void loads_keep(void)
{
    struct loads *loads = &process.races->loads;
    for (int i = 0; loads->are_untold && i < LOAD_RUNS; i++)
        run_keep(loads, &loads->runs[i]);
    stamp_release(loads->stamp);
    loads->stamp = NULL;
}

void clock_is_told(void)
{
    if (process.races->loads.are_untold)
        clock_tick();
}

// ---- what the library tells ------------------------------------------------------------
// What a function of the program does that has been called with the message lock held is
// let pass.
static void load_accessed(uintptr_t address, size_t bytes, bool is_store,
                          const void *place)
{
    if (!races_are_checked() || !message_lock_unless_held())
        return;
    struct watched_window *window = window_at(address);
    if (window != NULL)
        run_add(&process.races->loads, &(struct load_run){.begin = address,
                                                          .end = address + bytes,
                                                          .place = place,
                                                          .window = window,
                                                          .element = (uint32_t)bytes,
                                                          .is_store = is_store});
    message_unlock();
}

// Whoever looks at a flag has seen what others had completed before it was set.
static void flag_looked_at(uintptr_t address)
{
    if (!races_are_checked() || !message_lock_unless_held())
        return;
    const struct watched_window *window = window_at(address);
    if (window != NULL)
        updates_see(window->plan.clocks);
    message_unlock();
}

// ---- start and stop ------------------------------------------------------------
void loads_start(void)
{
    load_watch_function *function;
    void *symbol = dlsym(RTLD_DEFAULT, LOAD_WATCH_FUNCTION);
    if (symbol == NULL)
        return;
    memcpy(&function, &symbol, sizeof function); // ISO C has no such conversion
    struct load_watch *watch = function();
    if (watch->layout != LOAD_WATCH_LAYOUT) {
        log_verbose("loads and stores are not seen: their library is of another build");
        return;
    }
    watch->accessed = load_accessed;
    watch->looked = flag_looked_at;
    watch->gone = memory_gone;
    process.races->loads.watch = watch;
}

void loads_stop(void)
{
    struct loads *loads = &process.races->loads;
    if (loads->watch != NULL)
        atomic_store(&loads->watch->end, 0);
    stamp_release(loads->stamp);
}
