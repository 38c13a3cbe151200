// SPDX-License-Identifier: BSD-3-Clause
// The state of races. The message lock guards it all, but for the next call of a loop
// (races_access_again): what that writes only the threads of the program touch, and what it
// reads of the rest is atomic.
#pragma once

#include "races/interval_map.h"
#include "races/races.h"

enum { WORDS_BYTES = 200 }; // of a text for people

struct stamp {
    uint32_t references;
    int origin;         // rank in the job
    uint64_t completed; // count of the origin; 0: not complete
    uint64_t clock[];   // [size of the job]
};

// What people are told of an access, and what decides whether it conflicts.
struct access_facts {
    uint32_t site;     // of the origin
    uint32_t element;  // bytes of one
    uint8_t kind;      // enum access_kind
    uint8_t epoch;     // enum access_epoch
    uint16_t fence;    // IN_FENCE: the number of the one that has opened it
    uint16_t type, op; // of an accumulate: what may differ between two
};

// An access as it travels.
struct access_record {
    struct range range; // in the memory of the window; of a dynamic one addresses
    struct access_facts facts;
};

// An access in the history, as an interval of addresses.
struct access {
    struct interval interval;
    struct stamp *stamp;
    struct watched_window *window;
    struct access_facts facts;
};

// A clock that has come and that this process has not learnt yet.
struct come_clock {
    struct come_clock *next;
    uint64_t context;
    int64_t number;
    uint32_t signature, site; // of a message of the program, or of a fence
    uint64_t clock[];
};

// What this process knows of one of the job.
struct source {
    struct come_clock *first, **last;
    uint64_t *arriving;  // [size of the job] of a clock that comes in parts
    struct stamp *stamp; // of the accesses that come
    uint64_t *floor;     // [size of the job] accesses that are still to come have been
                         // issued at this clock or later; NULL: not known
    struct site_text {   // of its call sites
        char *procedure, *source;
    } * sites;
    uint32_t site_count;
    uint32_t sites_told;     // so many of the own ones it knows
    _Atomic(size_t) pending; // own accesses at it that are not complete
};

// Own accesses to a target that are not complete.
struct pending {
    struct pending *next; // of the window
    struct access_record *records;
    size_t count, room;
    struct stamped { // accesses with the same stamp
        struct stamp *stamp;
        size_t first;
    } * stamped;
    size_t stamped_count, stamped_room;
    int target; // rank in the window
    int job_rank;
    uint32_t handle;   // of the window there
    uint16_t fence;    // of the window, so far
    const void *place; // in the call of the last one
    bool has_fetched;
    struct lock_clocks clocks; // of a local peer
};

// Of MESSAGE_ACCESSES: records follow.
struct accesses_head {
    uint32_t handle; // of the window
    uint32_t count;
};

struct watched_window {
    struct watched_window *next;
    struct watched_window_plan plan;
    struct pending *pendings;
    bool has_fetched; // at some target, since answers were waited for
    uint16_t fences;  // so far
    struct no_put {   // MPI_MODE_NOPUT
        bool is_given;
        uint16_t fence; // the number of the one that gives it
        uint32_t site;
    } fenced[2], posted; // by the last two fences, by the last MPI_Win_post
    bool has_stored; // the program, here, since the last synchronisation: at `stored`
    uint32_t stored;
    unsigned number; // among those of the process, for people
};

// Of the call of the program that is under way: an address in it, and one in the procedure
// that it calls. NULL if that is not found.
struct call_place {
    const void *address, *entry;
};

enum { LOAD_RUNS = 64 };

// A way from a procedure of MPI to where its call is told of, innermost frame first.
enum { PATH_FRAMES = 16, CALL_PATHS = 32, KNOWN_CODES = 256 };

struct call_path {
    int count;
    bool is_fixed;     // the places of the addresses follow from the way
    bool is_complete;  // the last frame is the program's
    const void *entry; // the address in the last of the core's: of the procedure
    struct call_frame {
        ptrdiff_t place; // of the return address
        const void *address;
    } frames[PATH_FRAMES];
};

struct races {
    int size, rank;              // of the job
    uint64_t *clock;             // [size]
    _Atomic(struct stamp *) now; // with this clock; NULL: not made yet
    struct source *sources;      // [size]
    struct meeting_counts {
        struct meeting_count {
            uint64_t context;
            int64_t count; // 0: the place is free
        } * table;         // by hash of the context
        size_t room, used;
    } meeting_counts;
    struct watched_window *windows;
    unsigned window_count;        // ever
    struct interval_map memories; // that watched windows have here
    struct interval_map history;
    struct buffers {
        struct interval_map map;
        struct used_block
            *last;        // the one added last, if it conflicts with none; or NULL
        uint64_t end;     // to which it goes; not in the map yet
    } buffers;            // that operations under way use
    size_t pending_count; // own accesses that are not complete
    size_t history_limit; // accesses; then those that nothing can conflict with are
                          // forgotten
    struct call_path paths[CALL_PATHS];
    unsigned path_count; // ever
    struct known_code {
        const void *address;
        bool is_of_oriel, is_core; // of one of its libraries, of that of the core
    } codes[KNOWN_CODES];
    struct loads {
        struct load_watch *watch; // of the library that sees them; NULL: there is none
        struct load_run {
            uintptr_t begin, end;
            const void *place;             // in the program
            struct watched_window *window; // NULL: there is no run
            uint32_t element;              // bytes of one access
            bool is_store;
        } runs[LOAD_RUNS];        // by hash of the place
        struct stamp *stamp;      // of what they do now; NULL: not made yet
        _Atomic(bool) are_untold; // there have been some since the clock's last tick
    } loads;
    struct call_sites {
        struct call_place *table;
        uint32_t *buckets; // 1 + index, by hash of the address; 0: free
        uint32_t count, room;
    } sites;
};

// ---- clocks
static inline bool clock_covers(const uint64_t *clock, const struct stamp *stamp)
{
    return stamp->completed != 0 && clock[stamp->origin] >= stamp->completed;
}
// Before the own clock changes.
void clock_changes(void);
// Own accesses are complete: the count that says so.
uint64_t clock_tick(void);

// The head of a clock that travels. Of a stamp `context` is its count.
struct part_head {
    uint64_t context;
    int64_t number;
    uint32_t first, count; // of the counts behind it
    uint32_t is_settled;   // it is the sender's, which has no accesses pending at the
                           // receiver
    uint32_t signature; // of the data of a message of the program; of a fence: what it
                        // asserts
    uint32_t site, unused; // of its call
};
void clock_send_parts(int job_rank, int kind, struct part_head head,
                      const uint64_t *clock);
// Joins all clocks that have come into one.
void clock_take(int job_rank, uint64_t context, int64_t number, uint64_t *joined);
// Returns when done(argument), which is called with the message lock held, or when a
// process has died.
void clock_await(bool (*done)(void *argument), void *argument);
bool clock_has_come(int job_rank, uint64_t context, int64_t number);
// The first that has come; NULL if none has.
const struct come_clock *clock_come(int job_rank, uint64_t context, int64_t number);

// With one reference; NULL without memory. stamp_now is of what this process does now.
struct stamp *stamp_make(int origin, const uint64_t *clock);
struct stamp *stamp_now(void);
void stamp_release(struct stamp *stamp);

int clocks_start(struct races *races);
void clocks_stop(struct races *races);
void order_stop(struct races *races);
void clock_join_shared(uint64_t *clock, const _Atomic(uint64_t) *other);
void clock_learn_shared(const _Atomic(uint64_t) *other); // the own one does
void clock_raise_shared(_Atomic(uint64_t) *raised, const uint64_t *clock);
// A clock about updates has come from another node.
void updates_take(int job_rank, uint64_t context, int64_t number,
                  const uint64_t *clock);
// An accumulate is about to be issued, accesses to a target are complete, something has
// been fetched there.
void updates_tell(const struct watched_window *window, const struct pending *pending);
void flushes_tell(const struct watched_window *window, const struct pending *pending);
void updates_learn(const struct watched_window *window, const struct pending *pending);

// Whoever looks at a flag in this memory has seen what others had completed before.
void updates_see(struct lock_clocks clocks);

// ---- loads and stores of the program
// In place of the entry point of a call.
extern const char load_name[], store_name[];
void loads_start(void);
void loads_stop(void);
void loads_see_memories(void); // after they have changed
// Puts those that are gathered into the history, since the clock is about to change.
void loads_keep(void);
// Before the own clock goes to others: it comes after the loads and stores so far.
void clock_is_told(void);

// ---- memory in windows
// The call under way makes it part of the window.
void memory_expose(struct watched_window *window, const void *base, uint64_t bytes);
// It is no part any more. NULL: any window, any memory.
void memory_hide(const struct watched_window *window, const void *base);
struct watched_window *window_at(uintptr_t address); // or NULL
void memory_gone(uintptr_t begin, uintptr_t end, const char *call, const void *place);

// ---- pending accesses
void pendings_free(struct watched_window *window);

// ---- buffers of the program
// What the call at a place does with its buffers.
void buffers_use(const struct buffer_use uses[], int count, struct call_place place);
// The same of a block by which the use of the last one goes on; false, and nothing is done,
// if it does not, or conflicts with another one. Without the message lock.
bool buffer_use_again(const struct watched_window *window,
                      const struct watched_block *block);
void buffers_stop(struct races *races);
// Where the call is that has begun the request; empty if that is not known.
struct call_place buffer_place(const void *request);

// ---- signatures
// Of the data of a type in one number, which others understand; 0: of different basic types.
uint32_t signature_of(const struct datatype *type);
// Data of the one cannot be taken as data of the other (MPI-4.1 3.3.1, 12.3).
bool signatures_differ(uint32_t one, uint32_t other);
// "elements of 4 bytes that are integers"
void signature_words(uint32_t signature, char words[WORDS_BYTES]);

// The next bytes of a typed buffer at an address; false when there are no more.
static inline bool blocks_next_range(struct blocks *blocks, uint64_t address,
                                     struct range *range)
{
    if (!blocks_next_run(blocks))
        return false;
    *range = range_of_blocks(address + (uint64_t)blocks->offset, blocks->left,
                             blocks->stride, blocks->bytes);
    return true;
}

// ---- the history
// Address 0 of the records of a window, in this process.
uint64_t window_base(const struct watched_window *window);
void history_add(struct watched_window *window, struct stamp *stamp,
                 const struct access_record *record);
// Forgets the accesses to a window, or all.
void history_forget(const struct watched_window *window);
void history_start(void);
void history_stop(void);

// ---- assertions
// Callers hold the message lock. Returns the number of the call.
uint32_t assertions_fence(struct watched_window *window, int assert);
void fences_compare(const struct watched_window *window, int given, uint32_t site,
                    int job_rank, const struct come_clock *other);
void promise_compare(const struct access *access);
// The process has synchronised its memory.
void stores_forget(struct watched_window *window);

// ---- call sites
struct call_place call_place(void);
// The number of a place, 0 without memory; of the call that is under way.
uint32_t site_at(struct call_place place);
uint32_t site_now(void);
// Tells another process of those that it does not know yet.
void sites_tell(int job_rank);
// Empty texts if it is not known.
struct site_text site_text(int job_rank, uint32_t site);
void sites_start(void);
void sites_stop(struct races *races);

// ---- rules
void window_words(const struct watched_window *window, char words[WORDS_BYTES]);
bool facts_are_read(const struct access_facts *facts);
struct call_site site_of(const struct access *access, char words[WORDS_BYTES]);
// The first bytes that both access, in the memory of the window.
void bytes_words(const struct access *one, const struct access *other,
                 char words[WORDS_BYTES]);
bool accesses_conflict(const struct access *one, const struct access *other);
// Tells people of two accesses that conflict and that nothing orders, by their addresses.
void conflict_tell(const struct access *one, const struct access *other);
