// SPDX-License-Identifier: BSD-3-Clause
// random: programs of one-sided communication made from a seed, and a model that says
// what every byte must be afterwards. All ranks make the same program from the same
// seed; each performs its own operations and checks its own memory.
//
// Glossary
//   cell     one element of the basic datatype that all of a program's data consists of
//   shape    a datatype together with what this test itself knows of its type map
//   memory   what a window shows, of all ranks: its model and who may touch it
//   action   one call of the program: an operation, perhaps with a request, or a flush
//   stage    actions between the opening and the closing of epochs; ends in a barrier
//   actor    a thread of a rank: actions of one actor are in order, others are not
#pragma once

#include <mpi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- random numbers (splitmix64) ----------------------------------------------------
struct random {
    uint64_t state;
};
static inline uint64_t random_next(struct random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}
static inline int random_below(struct random *random, int bound)
{
    return (int)(random_next(random) % (uint64_t)bound);
}
static inline int random_between(struct random *random, int low, int high)
{
    return low + random_below(random, high - low + 1);
}
static inline bool random_chance(struct random *random, int percent)
{
    return random_below(random, 100) < percent;
}

// ---- cells ----------------------------------------------------------------------------
struct cell {
    MPI_Datatype type;
    size_t bytes;
    enum { SIGNED, UNSIGNED, FLOATING } sort;
};
struct cell cell_any(struct random *random);
// Random bytes of whole cells; floating ones are small integers, so that sums are exact.
void cell_fill(const struct cell *cell, void *bytes, size_t cells, uint64_t seed);
// A random operation that is defined for the cell.
MPI_Op cell_operation(const struct cell *cell, struct random *random);
// *inout = *in operation *inout, where the operation may be MPI_REPLACE or MPI_NO_OP.
void cell_combine(const struct cell *cell, MPI_Op operation, const void *in,
                  void *inout);

// ---- shapes ---------------------------------------------------------------------------
struct shape {
    MPI_Datatype type;
    bool is_derived;
    int cells;              // of one element
    MPI_Aint *offsets;      // [cells] in the order of the type map
    MPI_Aint lower, extent; // bytes
};
// A datatype of at most `most` cells, none of which overlap, however many elements
// follow each other.
struct shape shape_any(const struct cell *cell, struct random *random, int most);
struct shape shape_of_cell(const struct cell *cell);
void shape_free(struct shape *shape);
// Where cell number `index` of consecutive elements lies.
static inline MPI_Aint shape_at(const struct shape *shape, int index)
{
    return shape->offsets[index % shape->cells] +
           (MPI_Aint)(index / shape->cells) * shape->extent;
}
// The bytes that `cells` cells span, from the first to one past the last.
void shape_span(const struct shape *shape, size_t cell_bytes, int cells,
                MPI_Aint *first, MPI_Aint *last);

// A buffer of the program with a copy of what it must become.
struct buffer {
    struct shape shape;
    int count;                      // elements
    size_t bytes;                   // with a margin on both sides
    MPI_Aint zero;                  // where the address given to MPI lies in it
    unsigned char *real, *expected; // `real` at the rank that uses it, else NULL
};
struct buffer buffer_make(const struct cell *cell, struct shape shape, int count,
                          uint64_t seed, bool is_here);
void buffer_free(struct buffer *buffer);
static inline unsigned char *buffer_address(const struct buffer *buffer)
{
    return buffer->real + buffer->zero;
}
static inline unsigned char *buffer_cell(const struct buffer *buffer, int index)
{
    return buffer->expected + buffer->zero + shape_at(&buffer->shape, index);
}

// ---- memories -------------------------------------------------------------------------
enum claim { FREE, READ, WRITE, COMBINE, ORDERED, SETTLED };
struct owner {        // of one cell of a memory
    uint8_t claim;    // enum claim
    bool is_reserved; // for its actor, which has settled an earlier claim
    int8_t window;    // through which it was touched
    int16_t actor;    // -1: several
    MPI_Op operation; // COMBINE: the same for all
};
struct memory {
    const struct cell *cell;
    int *cells;            // [ranks]
    unsigned char **model; // [ranks] what must be there
    struct owner **owners; // [ranks][cells] in this stage
    unsigned char *real;   // of this rank
    bool is_allocated;     // by MPI_Alloc_mem, not by malloc
};

struct window {
    MPI_Win handle;
    struct memory *memory;
    int flavor; // MPI_WIN_FLAVOR_*
    bool has_locks;
    int *units;      // [ranks] bytes
    MPI_Aint *zeros; // [ranks] of a dynamic window: address of the memory; else 0
};

// ---- actions --------------------------------------------------------------------------
enum verb {
    PUT,
    GET,
    ACCUMULATE,
    GET_ACCUMULATE,
    FETCH_AND_OP,
    COMPARE_AND_SWAP,
    FLUSH,
    FLUSH_LOCAL,
    FENCE_AGAIN // by all ranks
};
struct action {
    enum verb verb;
    int window, origin, thread, target; // target -1: all
    bool is_large;                      // the procedure that ends in _c
    bool has_request;                   // MPI_Rput and so on
    bool waits;                         // for the request at once
    MPI_Op operation;
    struct buffer from, compare, result;
    bool has_from, has_compare, has_result;
    struct shape at;
    int at_count;
    MPI_Aint displacement; // units
    MPI_Request request;
    bool is_local_done; // its buffers belong to the program again
};

enum epoch { NO_EPOCH, FENCE, POST_START, LOCK_EACH, LOCK_ONE_BY_ONE, LOCK_ALL };
struct synchronisation {
    enum epoch epoch;
    int assertion_begin, assertion_end;
    bool *targets;   // [ranks * ranks] may origin r access target t?
    bool *exclusive; // [ranks * ranks] for locks
    bool tests;      // MPI_Win_test until done instead of MPI_Win_wait
};

// A mistake that is made on purpose, for ORIEL_CHECK=races to find. One that is moved with
// LOCKED has exclusive locks that make it none.
enum mutation { RIGHT, MOVED, EXCHANGED, UNFLUSHED, UNFENCED, UNLOCKED, LOCKED };

enum { MOST_WINDOWS = 4, MOST_ACTIONS = 120 };
struct program {
    struct random random; // the same on all ranks
    uint64_t seed;
    int number, stage; // for messages
    MPI_Comm comm;
    int rank, ranks, threads;
    bool is_one_node, has_fault;
    enum mutation mutation;
    bool is_mutant; // wrong from now on: its data mean nothing
    struct cell cell;
    int memory_count, window_count, action_count;
    struct memory memories[MOST_WINDOWS];
    struct window windows[MOST_WINDOWS];
    struct synchronisation synchronisations[MOST_WINDOWS];
    struct action actions[MOST_ACTIONS];
};

void windows_open(struct program *program);
void windows_close(struct program *program);
// Writes to memories as their owners do, between stages.
void windows_store(struct program *program);
void windows_check(struct program *program);

// Makes the stage and brings the models to what they must be after it.
void plan_stage(struct program *program);
void plan_free(struct program *program);
// No lock may put two ranks in order.
bool stage_is_without_exclusive(const struct program *program);
// Makes one mistake in the stage; false if none is possible.
bool mutate_stage(struct program *program, enum mutation mutation);

void perform_stage(struct program *program);

_Noreturn void report(const struct program *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Says what an action is, in words.
void describe(const struct program *program, const struct action *action, char *text,
              size_t room);

// What the stage does to a memory.
void report_actions(const struct program *program, const struct memory *memory);

void *allocate(size_t bytes); // zeroed; never NULL
