// SPDX-License-Identifier: BSD-3-Clause
// Times of the steps of the start. A session can meet the other processes long after it
// has begun: the time between is not the start's.
#include "base/base.h"

void start_begin(void)
{
    process.start.last = clock_nanoseconds();
}

static void step_end(const char *name, bool is_libfabric)
{
    struct start_times *start = &process.start;
    uint64_t now = clock_nanoseconds();
    if (start->count < START_STEPS_MAX) // tests start one layer many times
        start->steps[start->count++] =
            (struct start_step){name, now - start->last, is_libfabric};
    start->last = now;
}

void start_step(const char *name)
{
    step_end(name, false);
}

void start_step_of_libfabric(const char *name)
{
    step_end(name, true);
}

void start_report(void)
{
    const struct start_times *start = &process.start;
    char text[64 * START_STEPS_MAX] = "";
    uint64_t all = 0, libfabric = 0;
    size_t used = 0;
    for (int i = 0; i < start->count; i++) {
        const struct start_step *step = &start->steps[i];
        all += step->nanoseconds;
        libfabric += step->is_libfabric ? step->nanoseconds : 0;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %s %.3f",
                                 i > 0 ? "," : "", step->name,
                                 1e-6 * (double)step->nanoseconds);
    }
    log_verbose("start: %.3f ms, of libfabric %.3f ms:%s", 1e-6 * (double)all,
                1e-6 * (double)libfabric, text);
}
