// SPDX-License-Identifier: BSD-3-Clause
// What the core and the library of launch/loads know of each other. The library is
// preloaded into programs, and sees the loads and stores of those that have been compiled
// with -fsanitize=thread, and memory that they give back.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOAD_WATCH_BROUGHT = 16 };

struct load_watch {
    uint64_t layout; // LOAD_WATCH_LAYOUT of the library
    // Only accesses from `begin` to before `end` are told; `begin` is `end` as long as the
    // core does not look for any.
    _Atomic(uintptr_t) begin, end;
    // `place` is the address that the instruction after the access has.
    void (*accessed)(uintptr_t address, size_t bytes, bool is_store, const void *place);
    // An atomic load, by which programs look at flags.
    void (*looked)(uintptr_t address);
    // Some of the memory that the program has brought to windows, those with bytes first.
    struct brought_memory {
        _Atomic(uintptr_t) begin, end;
    } brought[LOAD_WATCH_BROUGHT];
    // The call at a place gives back memory of that.
    void (*gone)(uintptr_t begin, uintptr_t end, const char *call, const void *place);
};
static const uint64_t LOAD_WATCH_LAYOUT = UINT64_C(0x4f7269656c4c0002);

// What the library exports: its only one.
#define LOAD_WATCH_FUNCTION "oriel_load_watch"
typedef struct load_watch *load_watch_function(void);
