// SPDX-License-Identifier: BSD-3-Clause
// The few types and functions of a PMIx library that Oriel uses, laid out as the PMIx
// standard's ABI has them. The library is loaded only when a PMIx launcher has started
// the process, so that neither building nor running needs it otherwise.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    PMIX_NAMESPACE_BYTES = 256,
    PMIX_KEY_BYTES = 512,
};
static const uint32_t PMIX_WHOLE_JOB = UINT32_MAX - 1;
enum {
    PMIX_TYPE_BOOL = 1,
    PMIX_TYPE_STRING = 3,
    PMIX_TYPE_INT = 6,
    PMIX_TYPE_UINT32 = 14,
};
enum { PMIX_SCOPE_GLOBAL = 3 };

struct pmix_process {
    char name_space[PMIX_NAMESPACE_BYTES];
    uint32_t rank;
};
struct pmix_datum {
    uint16_t type;
    union {
        _Bool flag;
        char *string;
        uint32_t uint32;
        struct {
            void *pointers[2];
            char byte;
        } largest;
    } data;
};
struct pmix_hint {
    char key[PMIX_KEY_BYTES];
    uint32_t flags;
    struct pmix_datum value;
};

// All return 0 or a negative status.
struct pmix_functions {
    int (*init)(struct pmix_process *own, struct pmix_hint *infos, size_t count);
    int (*finalize)(const struct pmix_hint *infos, size_t count);
    int (*abort)(int status, const char *message, struct pmix_process *processes,
                 size_t count);
    int (*put)(uint8_t scope, const char *key, struct pmix_datum *value);
    int (*commit)(void);
    int (*fence)(const struct pmix_process *processes, size_t count,
                 const struct pmix_hint *infos, size_t info_count);
    int (*get)(const struct pmix_process *process, const char *key,
               const struct pmix_hint *infos, size_t count, struct pmix_datum **value);
    const char *(*error_string)(int status);
};
