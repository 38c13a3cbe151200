// SPDX-License-Identifier: BSD-3-Clause
// base: what every layer may use. No MPI semantics, no network, no segments.
//
// Glossary
//   process   the one global of the library; each layer hangs its state there
//   detail    what exactly was wrong, with the values; kept per thread until the
//             entry point raises the error handler
//   option    a setting read once from an ORIEL_ environment variable
#pragma once

#include <mpi.h> // constants, MPI_Aint, MPI_Count, MPI_Status: types only, no calls
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)
#define PRINTF_LIKE(at, first) __attribute__((format(printf, at, first)))
#define CACHE_LINE 64

// Nothing is in the first page of an address space: NULL is there, and the constants that
// stand for a buffer, such as MPI_IN_PLACE.
static inline bool is_nowhere(uintptr_t address)
{
    return address < 4096;
}

// How much the generated entry points check (ORIEL_CHECK).
enum check_level { CHECK_OFF, CHECK_BASIC, CHECK_FULL };

// The life of the library in this process (MPI-4.1 11.2). Sessions begin ALONE: the
// process has not met the others of its job yet.
enum process_state { PROCESS_NEW, PROCESS_ALONE, PROCESS_ACTIVE, PROCESS_FINALIZED };

enum { OPTION_TEXT_BYTES = 64 };

// Settings, each from one environment variable or set by a tool before the library
// starts; options.c has the table with names, defaults and descriptions.
struct options {
    bool are_read;
    int check;             // ORIEL_CHECK=full|basic|off: enum check_level
    int verbose;           // ORIEL_VERBOSE: say what was chosen and why
    int fake_nodes;        // ORIEL_FAKE_NODES: split the ranks of a machine
    int progress_thread;   // ORIEL_PROGRESS=thread|off
    int spin_microseconds; // ORIEL_SPIN: how long a blocked call polls before it gives
                           // its core away
    size_t heap_bytes;     // ORIEL_HEAP: address space of a process's heap, 0 = RAM
    char provider[OPTION_TEXT_BYTES]; // ORIEL_PROVIDER: of libfabric, "" = any
};

// What is counted for tools; tools/pvar.c has the table with names and descriptions.
// Stores and loads that a put or get comes down to in a node are not counted: that would
// cost as much as they do.
enum counter {
    COUNTER_NODE_MESSAGES,
    COUNTER_NODE_MESSAGE_BYTES,
    COUNTER_NETWORK_MESSAGES,
    COUNTER_NETWORK_MESSAGE_BYTES,
    COUNTER_MESSAGES_HANDLED,
    COUNTER_MESSAGES_DELAYED,
    COUNTER_MESSAGES_REFUSED,
    COUNTER_UNEXPECTED,
    COUNTER_UNEXPECTED_NOW,
    COUNTER_NETWORK_WRITES,
    COUNTER_NETWORK_WRITE_BYTES,
    COUNTER_NETWORK_READS,
    COUNTER_NETWORK_READ_BYTES,
    COUNTER_PROCESS_COPIES,
    COUNTER_PROCESS_COPY_BYTES,
    COUNTER_HEAP_BYTES,
    COUNTER_CALL_SLEEPS,
    COUNTER_SERVER_WAKEUPS,
    COUNTER_COUNT
};

// What tools can be told of when it happens, with some numbers; tools/event.c has the
// table with names and descriptions.
enum event {
    EVENT_UNEXPECTED_MESSAGE,
    EVENT_MESSAGE_DELAYED,
    EVENT_CALL_SLEPT,
    EVENT_SERVER_SLEPT,
    EVENT_MEMORY_REGISTERED,
    EVENT_PROCESS_DIED,
    EVENT_COUNT
};

struct tools;
struct boot;
struct shm;
struct net;
struct messages;
struct communicator;
struct window;
struct area;
struct schedule;

// The one global of Oriel. A layer's pointer is set when that layer has started and
// NULL after it has stopped. `net` stays NULL in a job of one node.
struct process {
    _Atomic(int) state;       // enum process_state, of the library
    _Atomic(int) world_state; // the same of the World Model (11.2), one of its users
    pthread_mutex_t life;     // guards starting, stopping and these two
    int users;                // the World Model and the sessions that are open
    bool has_started;         // boot and objects; stays so between sessions
    bool has_met;             // the other processes: all layers have started
    int (*meet)(void);        // makes ACTIVE of ALONE
    int thread_level;         // MPI_THREAD_*: what was granted
    int job_size;             // number of processes, also when all has ended; 0: unknown
    int rank;                 // in the job, for log lines; -1 until boot has learnt it
    uint64_t main_thread;
    struct options options;
    struct boot *boot;
    struct shm *shm;
    struct net *net;
    struct messages *messages;
    struct matching *matching; // pt2pt: posted and unexpected messages
    struct communicator *world;
    struct communicator *self;
    _Atomic(uint32_t) contexts; // collective: communicators that this process has named
    struct window *windows;     // window: those that are open
    struct kept_memory *kept_memory;      // window: freed, but still in use by windows
    bool has_kept_memory;                 // window: ever
    _Atomic(struct area *) retired_areas; // collective: not yet left by all members
    _Atomic(int) asked_locks;   // window: asked of other nodes and not yet answered
    struct schedule *schedules; // collective: under way
    struct refusal *refusals;   // collective: of schedules that are not under way
    pthread_mutex_t tools_lock;
    struct tools *tools; // tools: what they hold, or NULL when there is none
    _Atomic(uint64_t) counters[COUNTER_COUNT]; // since the program began
    _Atomic(uint32_t) wanted_events;           // a bit for each that a tool wants
    // Tells tools; it is there when a bit is set.
    void (*tell_event)(enum event event, const MPI_Count elements[]);
};
extern struct process process;

// ---- errors -------------------------------------------------------------------
// Records what was wrong as this thread's detail and returns error_class, so that a
// core function can say `return fail(MPI_ERR_RMA_RANGE, "...", ...)`. The layer that
// first decides an error calls this; callers pass the class on unchanged.
int fail(int error_class, const char *format, ...) PRINTF_LIKE(2, 3);

// The class and the text of this thread's last fail(); 0 and "" when there was none.
// The text stays valid until the thread's next fail() and may be an argument of it.
const char *error_detail(int *error_class);

// ---- log ----------------------------------------------------------------------
// One line "oriel: rank R: ..." on standard error, written by a single write(); without
// the rank while it is not known. Longer lines than 1 KiB are cut.
void log_error(const char *format, ...) PRINTF_LIKE(1, 2);
// The same when ORIEL_VERBOSE is set.
void log_verbose(const char *format, ...) PRINTF_LIKE(1, 2);

// ---- counters -----------------------------------------------------------------
// For callers that hold the message lock: no locked instruction.
static inline void count_alone(enum counter counter, uint64_t number)
{
    _Atomic(uint64_t) *counted = &process.counters[counter];
    uint64_t before = atomic_load_explicit(counted, memory_order_relaxed);
    atomic_store_explicit(counted, before + number, memory_order_relaxed);
}

// For all others. What one counts by both functions may get lost.
static inline void count_shared(enum counter counter, uint64_t number)
{
    atomic_fetch_add_explicit(&process.counters[counter], number, memory_order_relaxed);
}

// ---- events -------------------------------------------------------------------
// Whoever wants to raise one asks first, so that it costs next to nothing without a tool:
//     if (event_is_wanted(EVENT_X))
//         event_raise(EVENT_X, (MPI_Count[]){...});
// Locks may be held, for what is called then keeps away from them (tools/event.c).
static inline bool event_is_wanted(enum event event)
{
    uint32_t wanted =
        atomic_load_explicit(&process.wanted_events, memory_order_acquire);
    return unlikely(wanted & UINT32_C(1) << event);
}

static inline void event_raise(enum event event, const MPI_Count elements[])
{
    process.tell_event(event, elements);
}

// ---- options ------------------------------------------------------------------
enum option_type {
    OPTION_CHOICE,  // one of the words in `allowed`; the field is an int, its index
    OPTION_INTEGER, // 0 .. maximum; the field is an int
    OPTION_BYTES,   // a number with K, M, G or T behind it; the field is a size_t
    OPTION_TEXT,    // the field is a char[OPTION_TEXT_BYTES], "" when not set
};

struct option {
    const char *name;
    enum option_type type;
    const char *allowed;  // words separated by |, or what to write in their place
    const char *standard; // the value when the variable is not set
    long maximum;
    size_t field;   // its place in struct options
    bool is_common; // all processes of a job must have the same
    bool is_late;   // has an effect when it changes while the library runs
    const char *description;
};
extern const struct option option_table[];
extern const int option_count;

// Reads every ORIEL_ variable, unless that has been done; a value that does not parse
// gives MPI_ERR_ARG with the variable, its value and what is allowed. An empty value
// counts as not set.
int options_read(struct options *options);
static inline void *option_field(const struct option *option, struct options *options)
{
    return (char *)options + option->field;
}
// Bytes of the field.
size_t option_bytes(const struct option *option);
// Sets an option to what is in a field of its type; MPI_ERR_ARG if that is not allowed.
int option_set(const struct option *option, struct options *options, const void *value);
// Of words separated by |, as those of an OPTION_CHOICE: the index-th one and its length,
// 0 if there is none.
size_t word_at(const char *words, int index, const char **word);
// Is there an option of this name (`length` bytes)?
bool option_exists(const char *name, size_t length);
// Writes one line per option: name, allowed values, default, description.
void options_list(FILE *file);

// ---- platform -----------------------------------------------------------------
static inline void cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield" ::: "memory");
#endif
}

// Numbers that Fortran has and C has only by names of its compilers.
__extension__ typedef __int128 int128_t;
__extension__ typedef _Float16 float16_t;
__extension__ typedef _Float16 _Complex complex_float16_t;
#if defined(__clang__)
__extension__ typedef __float128 float128_t;
typedef _Complex float complex_float128_t __attribute__((mode(TC)));
#else
__extension__ typedef _Float128 float128_t;
__extension__ typedef _Float128 _Complex complex_float128_t;
#endif

// For loops that are worth more than the vectors that every machine has. What chooses
// among the clones runs before the thread sanitizer has started.
#if defined(__x86_64__) && __has_attribute(target_clones) &&                           \
    !defined(__SANITIZE_THREAD__)
#define WIDE_VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define WIDE_VECTORS
#endif

// 16 aligned bytes, to be changed by one instruction where the machine has it.
struct wide {
    _Alignas(16) uint64_t low;
    uint64_t high;
};

static inline bool wide_is_atomic(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("cmpxchg16b");
#else
    return false;
#endif
}

// Only where wide_is_atomic(): like atomic_compare_exchange_strong.
static inline bool wide_compare_exchange(struct wide *target, struct wide *expected,
                                         struct wide desired)
{
    bool is_equal = false;
#if defined(__x86_64__)
    __asm__ volatile("lock cmpxchg16b %1"
                     : "=@ccz"(is_equal), "+m"(*target), "+a"(expected->low),
                       "+d"(expected->high)
                     : "b"(desired.low), "c"(desired.high)
                     : "memory");
#else
    (void)target, (void)expected, (void)desired;
#endif
    return is_equal;
}

double clock_seconds(void);       // monotonic, since an arbitrary start
uint64_t clock_nanoseconds(void); // monotonic
uint64_t thread_identity(void);   // differs between living threads
uint64_t random_bits(void);       // unpredictable: job secrets, keys
size_t page_bytes(void);
size_t machine_bytes(void); // physical memory of this machine
// The memory that the control group of this process and those above it leave: the least
// of their limits, SIZE_MAX without one, and a number that is the same for all processes
// whose memory that group limits together. All paths are looked up below `root`: "" but
// in tests.
struct group_limit {
    size_t bytes;
    uint64_t identity;
};
struct group_limit group_limit_find(const char *root);
// From now on the calling thread works in short bursts, so that it need not wait when it
// is woken while others compute.
void thread_run_briefly(void);

// What only processes of the job know.
struct secret {
    uint64_t low, high;
};
// A number that nobody can find for bytes without the secret; `first` stands for eight
// more bytes before them.
uint64_t keyed_hash(const struct secret *secret, uint64_t first, const void *bytes,
                    size_t count);

// Sleeps while *word == expected, at most timeout_nanoseconds; works across processes
// when the word lies in shared memory. Spurious returns are normal.
void futex_wait(_Atomic(uint32_t) *word, uint32_t expected,
                uint64_t timeout_nanoseconds);
void futex_wake(_Atomic(uint32_t) *word, int waiters);

static inline size_t round_up(size_t value, size_t to) // `to` is a power of two
{
    return (value + to - 1) & ~(to - 1);
}
