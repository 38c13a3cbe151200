// SPDX-License-Identifier: BSD-3-Clause
// Windows of each kind, and the operations on the memory of one target. The state of what
// a thread measures is in `to`, so that the loops over operations need no arguments.
#pragma once
#include "bench.h"

#include <stdint.h>

enum kind { ALLOCATED, SHARED, CREATED, DYNAMIC, KINDS };

static const char *const kind_names[KINDS] = {"allocated", "shared", "created",
                                              "dynamic"};

static _Thread_local struct {
    enum kind kind;
    MPI_Win window;
    char *memory; // of this process in the window
    int rank;     // of the target
    MPI_Aint start;
    char *source, *result;
    size_t offset; // of the next operation, in all three memories
} to;

static inline char *new_memory(size_t bytes)
{
    char *memory = aligned_alloc(4096, bytes);
    if (memory == NULL)
        abort();
    return memset(memory, 0, bytes);
}

// The origin's own memory is where malloc puts it, as in most programs.
static inline char *new_buffer(size_t bytes)
{
    char *buffer = malloc(bytes);
    if (buffer == NULL)
        abort();
    return memset(buffer, 0, bytes);
}

// Makes a window over `memory`, which is set where the kind brings memory itself.
static inline MPI_Win create_window(enum kind kind, size_t bytes, char **memory)
{
    MPI_Win window;
    MPI_Aint size = (MPI_Aint)bytes;
    switch (kind) {
    case ALLOCATED:
        MPI_Win_allocate(size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, memory, &window);
        break;
    case SHARED:
        MPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, memory,
                                &window);
        break;
    case CREATED:
        MPI_Win_create(*memory, size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        break;
    default:
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        MPI_Win_attach(window, *memory, size);
        break;
    }
    return window;
}

static inline void free_window(enum kind kind, char *memory, MPI_Win *window)
{
    if (kind == DYNAMIC)
        MPI_Win_detach(*window, memory);
    MPI_Win_free(window);
}

// A dynamic window is addressed by the target's addresses, the others from 0.
static inline MPI_Aint start_of_target(int rank)
{
    int processes;
    MPI_Aint own = 0, start;
    if (to.kind == DYNAMIC)
        MPI_Get_address(to.memory, &own);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    MPI_Aint *all = malloc((size_t)processes * sizeof *all);
    if (all == NULL)
        abort();
    MPI_Allgather(&own, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD);
    start = all[rank];
    free(all);
    return start;
}

// Collective: a window of one kind whose members expose `bytes`, and `rank` as the target.
static inline void open_target(enum kind kind, size_t bytes, int rank)
{
    to.kind = kind;
    to.rank = rank;
    to.offset = 0;
    to.source = new_buffer(bytes);
    to.result = new_buffer(bytes);
    to.memory = kind >= CREATED ? new_memory(bytes) : NULL;
    to.window = create_window(kind, bytes, &to.memory);
    memset(to.memory, 0, bytes);
    to.start = start_of_target(rank);
    MPI_Barrier(MPI_COMM_WORLD);
}

static inline void close_target(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    free_window(to.kind, to.memory, &to.window);
    if (to.kind >= CREATED)
        free(to.memory);
    free(to.source);
    free(to.result);
}

// ---- operations: each starts one on `bytes`

static inline void put(size_t bytes)
{
    MPI_Put(to.source + to.offset, (int)bytes, MPI_BYTE, to.rank,
            to.start + (MPI_Aint)to.offset, (int)bytes, MPI_BYTE, to.window);
}

static inline void get(size_t bytes)
{
    MPI_Get(to.result + to.offset, (int)bytes, MPI_BYTE, to.rank,
            to.start + (MPI_Aint)to.offset, (int)bytes, MPI_BYTE, to.window);
}

static inline void rput(size_t bytes)
{
    MPI_Request request;
    MPI_Rput(to.source + to.offset, (int)bytes, MPI_BYTE, to.rank,
             to.start + (MPI_Aint)to.offset, (int)bytes, MPI_BYTE, to.window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static inline void rget(size_t bytes)
{
    MPI_Request request;
    MPI_Rget(to.result + to.offset, (int)bytes, MPI_BYTE, to.rank,
             to.start + (MPI_Aint)to.offset, (int)bytes, MPI_BYTE, to.window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static inline void accumulate(size_t bytes, MPI_Datatype type)
{
    int count = (int)(bytes / 8);
    MPI_Accumulate(to.source + to.offset, count, type, to.rank,
                   to.start + (MPI_Aint)to.offset, count, type, MPI_SUM, to.window);
}

static inline void accumulate_double(size_t bytes)
{
    accumulate(bytes, MPI_DOUBLE);
}

static inline void accumulate_int64(size_t bytes)
{
    accumulate(bytes, MPI_INT64_T);
}

static inline void get_accumulate(size_t bytes, MPI_Datatype type)
{
    int count = (int)(bytes / 8);
    MPI_Get_accumulate(to.source + to.offset, count, type, to.result + to.offset, count,
                       type, to.rank, to.start + (MPI_Aint)to.offset, count, type,
                       MPI_SUM, to.window);
}

static inline void get_accumulate_double(size_t bytes)
{
    get_accumulate(bytes, MPI_DOUBLE);
}

static inline void get_accumulate_int64(size_t bytes)
{
    get_accumulate(bytes, MPI_INT64_T);
}

static inline void fetch_and_op(size_t bytes)
{
    (void)bytes;
    MPI_Fetch_and_op(to.source + to.offset, to.result + to.offset, MPI_INT64_T, to.rank,
                     to.start + (MPI_Aint)to.offset, MPI_SUM, to.window);
}

static inline void compare_and_swap(size_t bytes)
{
    (void)bytes;
    MPI_Compare_and_swap(to.source + to.offset, to.source + to.offset,
                         to.result + to.offset, MPI_INT64_T, to.rank,
                         to.start + (MPI_Aint)to.offset, to.window);
}

struct operation {
    const char *name;
    void (*start)(size_t bytes);
    size_t largest;
};

static const struct operation operations[] = {
    {"put", put, LARGEST},
    {"get", get, LARGEST},
    {"rput", rput, LARGEST},
    {"rget", rget, LARGEST},
    {"accumulate_double", accumulate_double, LARGEST},
    {"accumulate_int64", accumulate_int64, LARGEST},
    {"get_accumulate_double", get_accumulate_double, LARGEST},
    {"get_accumulate_int64", get_accumulate_int64, LARGEST},
    {"fetch_and_op", fetch_and_op, 8},
    {"compare_and_swap", compare_and_swap, 8},
};
