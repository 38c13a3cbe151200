// SPDX-License-Identifier: BSD-3-Clause
// CHECK(claim) for unit tests, and random numbers that are the same in every run.
#pragma once

#include "base/base.h"

#include <stdlib.h>
#include <unistd.h>

#define CHECK(claim)                                                                   \
    do {                                                                               \
        if (!(claim))                                                                  \
            check_failed(__FILE__, __LINE__, #claim);                                  \
    } while (0)

static _Noreturn void check_failed(const char *file, int line, const char *claim)
{
    fprintf(stderr, "%s:%d: %s is not true; last error: %s\n", file, line, claim,
            error_detail(&(int){0}));
    _exit(1);
}

// Uniform in low..high.
__attribute__((unused)) static int random_between(int low, int high)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return low + (int)(state % (uint64_t)(high - low + 1));
}

// Claims that a structure is valid but while one member of it is wrong.
#define CHECK_NOTICED(is_valid, member, wrong)                                         \
    do {                                                                               \
        __typeof__(member) right = (member);                                           \
        (member) = (wrong);                                                            \
        CHECK(!(is_valid));                                                            \
        (member) = right;                                                              \
        CHECK(is_valid);                                                               \
    } while (0)
