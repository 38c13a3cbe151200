// SPDX-License-Identifier: BSD-3-Clause
// What the programs of this folder share: CHECK says where a claim does not hold, and
// `failures` counts.
#pragma once

#include <mpi.h>

#include <cstdio>

inline int failures;

#define CHECK(claim)                                                                   \
    do                                                                                 \
        if (!(claim)) {                                                                \
            failures++;                                                                \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #claim);           \
        }                                                                              \
    while (0)
