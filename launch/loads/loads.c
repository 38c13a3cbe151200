// SPDX-License-Identifier: BSD-3-Clause
// loads: a library to preload, which sees what a program loads and stores if gcc or
// gfortran has compiled it with -fsanitize=thread. It takes the place of the functions that
// such a program calls for each access, tells the core of those to the memory of windows
// (core/races/load_watch.h), and goes on with the compiler's own function, which still
// compares threads.
#include "races/load_watch.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

static struct load_watch watch = {.layout = LOAD_WATCH_LAYOUT};

load_watch_function oriel_load_watch;

struct load_watch *oriel_load_watch(void)
{
    return &watch;
}

// The compiler's library is not to compare accesses of Oriel and of libfabric, whose atomic
// operations it has not seen.
const char *__tsan_default_suppressions(void);

const char *__tsan_default_suppressions(void)
{
    return "called_from_lib:libmpi_abi.so\n"
           "called_from_lib:libfabric.so\n"
           "race:libmpi_abi.so\n"
           "race:libfabric.so\n";
}

static inline bool is_watched(const volatile void *address)
{
    uintptr_t at = (uintptr_t)address;
    return at >= atomic_load_explicit(&watch.begin, memory_order_relaxed) &&
           at < atomic_load_explicit(&watch.end, memory_order_relaxed);
}

static inline void access_tell(const void *address, size_t bytes, bool is_store,
                               const void *place)
{
    if (__builtin_expect(is_watched(address), 0))
        watch.accessed((uintptr_t)address, bytes, is_store, place);
}

static inline void flag_tell(const volatile void *address)
{
    if (__builtin_expect(is_watched(address), 0))
        watch.looked((uintptr_t)address);
}

// ---- the compiler's functions -----------------------------------------------------------
typedef void access_function(void *address);
typedef void range_function(void *address, unsigned long bytes);

// Of a program that has none, nothing here is called.
static void compilers_find(const char *name, void *function)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(function, &symbol, sizeof symbol); // ISO C has no such conversion
}

#define FIND_NEXT(name)                                                                \
    static __attribute__((constructor)) void find_##name(void)                         \
    {                                                                                  \
        compilers_find(#name, &next_##name);                                           \
    }

// The last call is a jump, so that the compiler's function sees the program as its caller.
#define TELL(bytes, is_store, go_on)                                                   \
    {                                                                                  \
        access_tell(address, bytes, is_store, __builtin_return_address(0));            \
        go_on;                                                                         \
    }

#define ACCESS(name, bytes, is_store)                                                  \
    static access_function *next_##name;                                               \
    FIND_NEXT(name)                                                                    \
    access_function name;                                                              \
    void name(void *address) TELL(bytes, is_store, next_##name(address))

#define RANGE(name, is_store)                                                          \
    static range_function *next_##name;                                                \
    FIND_NEXT(name)                                                                    \
    range_function name;                                                               \
    void name(void *address, unsigned long bytes)                                      \
        TELL(bytes, is_store, next_##name(address, bytes))

#define LOOK(type, load)                                                               \
    {                                                                                  \
        type value = load;                                                             \
        flag_tell(address);                                                            \
        return value;                                                                  \
    }

#define ATOMIC_LOAD(name, type)                                                        \
    static type (*next_##name)(const volatile type *, int);                            \
    FIND_NEXT(name)                                                                    \
    type name(const volatile type *, int);                                             \
    type name(const volatile type *address, int order)                                 \
        LOOK(type, next_##name(address, order))

ACCESS(__tsan_read1, 1, false)
ACCESS(__tsan_read2, 2, false)
ACCESS(__tsan_read4, 4, false)
ACCESS(__tsan_read8, 8, false)
ACCESS(__tsan_read16, 16, false)
ACCESS(__tsan_unaligned_read2, 2, false)
ACCESS(__tsan_unaligned_read4, 4, false)
ACCESS(__tsan_unaligned_read8, 8, false)
ACCESS(__tsan_unaligned_read16, 16, false)
RANGE(__tsan_read_range, false)

ACCESS(__tsan_write1, 1, true)
ACCESS(__tsan_write2, 2, true)
ACCESS(__tsan_write4, 4, true)
ACCESS(__tsan_write8, 8, true)
ACCESS(__tsan_write16, 16, true)
ACCESS(__tsan_unaligned_write2, 2, true)
ACCESS(__tsan_unaligned_write4, 4, true)
ACCESS(__tsan_unaligned_write8, 8, true)
ACCESS(__tsan_unaligned_write16, 16, true)
RANGE(__tsan_write_range, true)

ATOMIC_LOAD(__tsan_atomic8_load, uint8_t)
ATOMIC_LOAD(__tsan_atomic16_load, uint16_t)
ATOMIC_LOAD(__tsan_atomic32_load, uint32_t)
ATOMIC_LOAD(__tsan_atomic64_load, uint64_t)
