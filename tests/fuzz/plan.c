// SPDX-License-Identifier: BSD-3-Clause
// What mpiexec says to its relay on another host: the plan, in a frame.
#include "launch_fakes.h"

static void check(const struct plan *plan)
{
    int ranks = 0;
    for (int i = 0; i < plan->section_count; i++) {
        must(plan->sections[i].ranks > 0 && plan->sections[i].argv != NULL);
        ranks += plan->sections[i].ranks;
    }
    must(ranks == plan->ranks);
}

static void plan_free(struct plan *plan)
{
    for (int i = 0; i < plan->section_count && plan->sections; i++) {
        free(plan->sections[i].argv);
        free(plan->sections[i].settings.list);
    }
    free(plan->sections);
    free(plan->settings.list);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct frames frames = {.bytes = malloc(count + 1), .used = count, .room = count};
    struct frame frame;
    must(frames.bytes != NULL);
    memcpy(frames.bytes, bytes, count);
    while (frame_take(&frames, &frame) == FRAME_TAKEN) {
        struct plan plan = {.ranks = 0};
        must(frame.bytes[frame.count] == '\0');
        if (plan_read(frame.bytes, frame.count, &plan))
            check(&plan);
        plan_free(&plan);
        clearenv(); // its texts are in the frame
    }
    free(frames.bytes);
    free(frames.taken);
    return 0;
}
