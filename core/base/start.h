// SPDX-License-Identifier: BSD-3-Clause
// How long the steps of the start take, for ORIEL_VERBOSE.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { START_STEPS_MAX = 16 };

struct start_times {
    uint64_t last; // when the last step has ended, on the clock in nanoseconds
    int count;
    struct start_step {
        const char *name;
        uint64_t nanoseconds;
        bool is_libfabric; // spent in libfabric alone
    } steps[START_STEPS_MAX];
};

// The first step of those that follow begins now.
void start_begin(void);
// A step ends now and the next one begins.
void start_step(const char *name);
// The same for a step that libfabric alone has taken.
void start_step_of_libfabric(const char *name);
// Says how long the steps have taken.
void start_report(void);
