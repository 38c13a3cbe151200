// SPDX-License-Identifier: BSD-3-Clause
// Created and dynamic windows on memory of malloc and its relatives, allocated before
// MPI_Init and after it: peers of the node reach it by loads and stores alone. Static
// memory stays private. The memory is the program's also after MPI_Finalize.
#include "../mpi/window_test.h"
#include "counted.h"

enum { BYTES = 256 << 10, COUNT = BYTES / 8, KINDS = 5 };

static int64_t static_memory[COUNT];

static int64_t *memory_of_kind(int kind)
{
    void *memory = NULL;
    switch (kind) {
    case 0:
        return malloc(BYTES);
    case 1:
        return calloc(COUNT, 8);
    case 2:
        return posix_memalign(&memory, 4096, BYTES) == 0 ? memory : NULL;
    case 3:
        return aligned_alloc(1 << 21, BYTES);
    default:
        return realloc(malloc(100), BYTES);
    }
}

static int after(MPI_Comm comm)
{
    int own, count;
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &count);
    return (own + 1) % count;
}

// Each operation leaves 1000 + the rank of who has made it at places of its own, in
// steps of `step` units.
static void all_operations(MPI_Win win, int target, MPI_Aint at, MPI_Aint step)
{
    int64_t value = 1000 + rank, zero = 0, old = -1, got = -1;
    MPI_Request request;
    MPI_Put(&value, 1, MPI_INT64_T, target, at, 1, MPI_INT64_T, win);
    MPI_Rput(&value, 1, MPI_INT64_T, target, at + step, 1, MPI_INT64_T, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Accumulate(&value, 1, MPI_INT64_T, target, at + 2 * step, 1, MPI_INT64_T,
                   MPI_SUM, win);
    MPI_Fetch_and_op(&value, &old, MPI_INT64_T, target, at + 3 * step, MPI_SUM, win);
    MPI_Win_flush(target, win);
    CHECK(old == 0);
    MPI_Compare_and_swap(&value, &zero, &old, MPI_INT64_T, target, at + 4 * step, win);
    MPI_Win_flush(target, win);
    CHECK(old == 0);
    MPI_Get_accumulate(&value, 1, MPI_INT64_T, &old, 1, MPI_INT64_T, target,
                       at + 5 * step, 1, MPI_INT64_T, MPI_REPLACE, win);
    MPI_Win_flush(target, win);
    CHECK(old == 0);
    MPI_Get(&got, 1, MPI_INT64_T, target, at + step, 1, MPI_INT64_T, win);
    MPI_Win_flush(target, win);
    CHECK(got == value);
}

static int64_t copies_and_messages_of_epoch(MPI_Win win, int target, MPI_Aint at,
                                            MPI_Aint step)
{
    MPI_Win_lock_all(0, win);
    int64_t before = copies_and_messages();
    all_operations(win, target, at, step);
    int64_t needed = copies_and_messages() - before;
    MPI_Win_unlock_all(win);
    return needed;
}

static bool has_all(const int64_t *memory)
{
    bool is_there = true;
    for (int i = 0; i < 6; i++)
        is_there = is_there && memory[i] >= 1000 && memory[i] < 1000 + size;
    return is_there;
}

static int64_t needed_on_created(int64_t *memory, MPI_Comm comm)
{
    MPI_Win win;
    memset(memory, 0, BYTES);
    MPI_Win_create(memory, BYTES, 8, MPI_INFO_NULL, comm, &win);
    int64_t needed = copies_and_messages_of_epoch(win, after(comm), COUNT / 2, 1);
    MPI_Win_free(&win);
    CHECK(has_all(memory + COUNT / 2));
    return needed;
}

static int64_t needed_on_attached(int64_t *memory, MPI_Comm comm)
{
    MPI_Win win;
    MPI_Aint own, places[64];
    memset(memory, 0, BYTES);
    MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &win);
    MPI_Win_attach(win, memory + 10, 800);
    MPI_Get_address(memory + 20, &own);
    MPI_Allgather(&own, 1, MPI_AINT, places, 1, MPI_AINT, comm);
    int64_t needed =
        copies_and_messages_of_epoch(win, after(comm), places[after(comm)], 8);
    MPI_Barrier(comm);
    MPI_Win_detach(win, memory + 10);
    MPI_Win_free(&win);
    CHECK(has_all(memory + 20));
    return needed;
}

static void memory_is_reached(int64_t *memory, MPI_Comm node)
{
    CHECK(needed_on_created(memory, node) == 0);
    CHECK(needed_on_attached(memory, node) == 0);
    needed_on_created(memory, MPI_COMM_WORLD);
    needed_on_attached(memory, MPI_COMM_WORLD);
}

// Memory that moves while it grows, and comes from where other has been given back.
static void memory_comes_and_goes(MPI_Comm node)
{
    int64_t *memory = malloc(BYTES), *wall = malloc(BYTES);
    memory_is_reached(memory, node);
    memory = realloc(memory, (size_t)8 * BYTES);
    memory_is_reached(memory + (size_t)7 * COUNT, node);
    free(wall);
    memory = realloc(memory, BYTES);
    memory_is_reached(memory, node);
    free(memory);
}

int main(int argc, char **argv)
{
    int64_t *early[KINDS], *late[KINDS];
    MPI_Comm node;
    for (int kind = 0; kind < KINDS; kind++)
        early[kind] = memory_of_kind(kind);
    start(&argc, &argv);
    count_begin();
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    for (int kind = 0; kind < KINDS; kind++)
        late[kind] = memory_of_kind(kind);
    for (int kind = 0; kind < KINDS; kind++) {
        memory_is_reached(early[kind], node);
        memory_is_reached(late[kind], node);
    }
    memory_comes_and_goes(node);
    CHECK(needed_on_created(static_memory, node) > 0 || after(node) == 0);
    MPI_Comm_free(&node);
    int code = finish();
    for (int kind = 0; kind < KINDS; kind++) {
        CHECK(early[kind][COUNT - 1] == 0 && late[kind][COUNT - 1] == 0);
        free(early[kind]);
        free(late[kind]);
    }
    return code;
}
