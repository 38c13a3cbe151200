// SPDX-License-Identifier: BSD-3-Clause
// loads: a library to preload, which sees what a program loads and stores if gcc, gfortran
// or clang has compiled it with -fsanitize=thread. It takes the place of the functions that
// such a program calls for each access, tells the core of those to the memory of windows
// (core/races/load_watch.h), and goes on with the compiler's own function, which still
// compares threads. Of any program it sees what is given back to the C library.
#include "races/load_watch.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
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

// Of a program that has none, nothing here is called. ISO C has no such conversion; and
// memcpy is not there yet.
#define FIND_NEXT(name)                                                                \
    static __attribute__((constructor)) void find_##name(void)                         \
    {                                                                                  \
        *(void **)&next_##name = dlsym(RTLD_NEXT, #name);                              \
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

// ---- objects of the program -------------------------------------------------------------
// Those that have been compiled so: a function of the C library is the program's where it is
// called by one of them.
enum { OBJECTS_MAX = 64 };
static struct {
    _Atomic(uintptr_t) begin, end;
} objects[OBJECTS_MAX];

static void object_note(uintptr_t address)
{
    struct dl_find_object found;
    if (_dl_find_object((void *)address, &found) != 0)
        return;
    uintptr_t begin = (uintptr_t)found.dlfo_map_start, known = 0;
    for (int i = 0; i < OBJECTS_MAX && known != begin; i++) {
        known = 0;
        if (!atomic_compare_exchange_strong(&objects[i].begin, &known, begin))
            continue;
        atomic_store(&objects[i].end, (uintptr_t)found.dlfo_map_end);
        return;
    }
}

static bool is_of_program(const void *place)
{
    uintptr_t at = (uintptr_t)place;
    for (int i = 0; i < OBJECTS_MAX && atomic_load(&objects[i].begin) != 0; i++)
        if (at >= atomic_load(&objects[i].begin) && at < atomic_load(&objects[i].end))
            return true;
    return false;
}

// Each object calls it when it is loaded, before constructors.
typedef void init_function(void);
static init_function *next___tsan_init;
FIND_NEXT(__tsan_init)
init_function __tsan_init;

void __tsan_init(void)
{
    object_note((uintptr_t)__builtin_return_address(0));
    if (next___tsan_init == NULL)
        find___tsan_init();
    next___tsan_init();
}

// ---- functions that load and store --------------------------------------------------------
static inline void range_tell(const void *address, size_t bytes, bool is_store,
                              const void *place)
{
    if (__builtin_expect(is_watched(address), 0) && bytes > 0 && is_of_program(place))
        watch.accessed((uintptr_t)address, bytes, is_store, place);
}

typedef void *copy_function(void *to, const void *from, size_t bytes);
typedef void *fill_function(void *to, int byte, size_t bytes);

static copy_function *next_memcpy, *next_memmove;
FIND_NEXT(memcpy)
FIND_NEXT(memmove)

void *memcpy(void *to, const void *from, size_t bytes)
{
    range_tell(from, bytes, false, __builtin_return_address(0));
    range_tell(to, bytes, true, __builtin_return_address(0));
    if (__builtin_expect(next_memcpy == NULL, 0))
        find_memcpy();
    return next_memcpy(to, from, bytes);
}

void *memmove(void *to, const void *from, size_t bytes)
{
    range_tell(from, bytes, false, __builtin_return_address(0));
    range_tell(to, bytes, true, __builtin_return_address(0));
    if (__builtin_expect(next_memmove == NULL, 0))
        find_memmove();
    return next_memmove(to, from, bytes);
}

static fill_function *next_memset;
FIND_NEXT(memset)

void *memset(void *to, int byte, size_t bytes)
{
    range_tell(to, bytes, true, __builtin_return_address(0));
    if (__builtin_expect(next_memset == NULL, 0))
        find_memset();
    return next_memset(to, byte, bytes);
}

// ---- memory that is given back -----------------------------------------------------------
#define CALLER ((const char *)__builtin_return_address(0) - 1)

// Bytes that the block has; 0 as long as no window has memory of the program's.
static inline size_t given_bytes(void *block)
{
    bool is_looked_for =
        block != NULL &&
        atomic_load_explicit(&watch.brought[0].end, memory_order_relaxed) > 0;
    return __builtin_expect(is_looked_for, 0) ? malloc_usable_size(block) : 0;
}

static bool is_brought(uintptr_t begin, size_t bytes)
{
    for (int i = 0; bytes > 0 && i < LOAD_WATCH_BROUGHT; i++)
        if (begin < atomic_load(&watch.brought[i].end) &&
            begin + bytes > atomic_load(&watch.brought[i].begin))
            return true;
    return false;
}

static void (*next_free)(void *block);
static void *(*next_realloc)(void *block, size_t bytes);
FIND_NEXT(free)
FIND_NEXT(realloc)

void free(void *block)
{
    static bool is_looked_for; // by dlsym, which may free an old message of its own
    uintptr_t begin = (uintptr_t)block;
    size_t bytes = given_bytes(block);
    if (__builtin_expect(is_brought(begin, bytes), 0))
        watch.gone(begin, begin + bytes, "free", CALLER);
    if (__builtin_expect(next_free == NULL && !is_looked_for, 0)) {
        is_looked_for = true;
        find_free();
    }
    if (__builtin_expect(next_free != NULL, 1))
        next_free(block);
}

// A block that stays where it is may have become smaller; that is let pass.
void *realloc(void *block, size_t bytes)
{
    uintptr_t begin = (uintptr_t)block;
    size_t old_bytes = given_bytes(block);
    if (__builtin_expect(next_realloc == NULL, 0))
        find_realloc();
    if (__builtin_expect(!is_brought(begin, old_bytes), 1))
        return next_realloc(block, bytes);
    void *moved = next_realloc(block, bytes);
    if (moved != NULL && (uintptr_t)moved != begin)
        watch.gone(begin, begin + old_bytes, "realloc", CALLER);
    return moved;
}
