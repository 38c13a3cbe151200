// SPDX-License-Identifier: BSD-3-Clause
// What the network has carried since it was last asked to count anew, for programs that
// run over the libfabric of this folder (LD_LIBRARY_PATH). Counts are those of this
// process.
#pragma once

#include <dlfcn.h>
#include <stdint.h>
#include <stddef.h>

struct fabric_counts {
    uint64_t messages; // sent
    uint64_t accesses; // remote writes and reads, as Oriel has asked for them
    uint64_t packets;  // of both, 4 KiB each
    uint64_t bytes;    // of both
    unsigned trips;    // the longest chain of trips, each begun after the one before
};

void fake_fabric_counts(struct fabric_counts *counts); // in that library
void fake_fabric_restart(void);

static inline void *fabric_function(const char *name)
{
    void *library = dlopen("libfabric.so.1", RTLD_NOW | RTLD_NOLOAD);
    return library != NULL ? dlsym(library, name) : NULL;
}

// False where the library is another.
static inline int fabric_is_fake(void)
{
    return fabric_function("fake_fabric_counts") != NULL;
}

static inline struct fabric_counts fabric_counts(void)
{
    struct fabric_counts result = {0, 0, 0, 0, 0};
    void (*counts)(struct fabric_counts *) =
        (void (*)(struct fabric_counts *))fabric_function("fake_fabric_counts");
    if (counts != NULL)
        counts(&result);
    return result;
}

static inline void fabric_restart(void)
{
    void (*restart)(void) = (void (*)(void))fabric_function("fake_fabric_restart");
    if (restart != NULL)
        restart();
}
