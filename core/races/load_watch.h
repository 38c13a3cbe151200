// SPDX-License-Identifier: BSD-3-Clause
// What the core and the library of launch/loads know of each other. The library is
// preloaded into programs that have been compiled with -fsanitize=thread, and sees their
// loads and stores.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct load_watch {
    uint64_t layout; // LOAD_WATCH_LAYOUT of the library
    // Only accesses from `begin` to before `end` are told; `begin` is `end` as long as the
    // core does not look for any.
    _Atomic(uintptr_t) begin, end;
    // `place` is the address that the instruction after the access has.
    void (*accessed)(uintptr_t address, size_t bytes, bool is_store, const void *place);
    // An atomic load, by which programs look at flags.
    void (*looked)(uintptr_t address);
};
static const uint64_t LOAD_WATCH_LAYOUT = UINT64_C(0x4f7269656c4c0001);

// What the library exports: its only one.
#define LOAD_WATCH_FUNCTION "oriel_load_watch"
typedef struct load_watch *load_watch_function(void);
