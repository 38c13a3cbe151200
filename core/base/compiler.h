// SPDX-License-Identifier: BSD-3-Clause
// Hints and attributes for the compiler.
#pragma once

#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)
#define PRINTF_LIKE(at, first) __attribute__((format(printf, at, first)))
// Of a name that the linker may not know, and has then the address NULL; it is not looked
// for in other libraries.
#define WEAK_AND_HIDDEN __attribute__((weak, visibility("hidden")))

// For loops that are worth more than the vectors that every machine has. The levels
// x86-64-v3 and -v4 have fused multiply-adds, which gcc takes for complex products: they
// would be rounded in another way than elsewhere. The resolver that chooses among the
// clones runs before the thread sanitizer has started.
#if defined(__x86_64__) && __has_attribute(target_clones) &&                           \
    !defined(__SANITIZE_THREAD__)
#define WIDE_VECTORS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE_VECTORS
#endif
