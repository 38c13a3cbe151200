// SPDX-License-Identifier: BSD-3-Clause
// For tests of collective operations with random arguments: what is drawn, how buffers
// are filled, and what is expected of them. All ranks draw the same numbers.
#pragma once

#include "window_test.h"

#include <stdint.h>

enum {
    DRAWS = 300,
    MEMBERS_MAX = 16,
    LONG = 30000,
    GUARD = 0x5a5a5a5a,
    SEED = 20240612
};

// ---- drawing

static uint64_t state = SEED;

static uint64_t mix(uint64_t value)
{
    value ^= value >> 33;
    value *= 0xff51afd7ed558ccdu;
    value ^= value >> 33;
    value *= 0xc4ceb9fe1a85ec53u;
    return value ^ value >> 33;
}

static int draw(int below)
{
    state += 0x9e3779b97f4a7c15u;
    return (int)(mix(state) % (uint64_t)below);
}

// ---- what is drawn

// How ints lie in an element of a datatype.
struct shape {
    MPI_Datatype type;
    int ints, step,
        extent; // ints in an element, from one to the next, to the next element
};

enum mode { BLOCKING, NONBLOCKING, PERSISTENT, MODES };

static struct {
    int number;
    enum mode mode;
    bool is_large; // the `_c` procedure is called
    MPI_Comm comm;
    int own, members, root;
    bool in_place;
    bool is_absolute;     // datatypes have addresses, and buffers are MPI_BOTTOM
    struct shape out, in; // of what is sent and received
    int length;           // ints in a block, a multiple of 6
} trial;

static struct shape shapes[4];
static MPI_Comm comms[3];

// Int `at` of what `from` sends to `to`.
static int datum(int from, int to, int at)
{
    uint64_t seed = (uint64_t)trial.number << 40 ^ (uint64_t)from << 32 ^
                    (uint64_t)to << 24 ^ (uint64_t)at;
    return (int)(mix(seed) % 1000003);
}

// ---- buffers

struct buffer {
    int *ints;
    size_t room;
};

static struct buffer buffer_of(size_t room)
{
    struct buffer buffer = {malloc((room + 1) * sizeof(int)), room};
    CHECK(buffer.ints != NULL);
    for (size_t i = 0; i < room; i++)
        buffer.ints[i] = GUARD;
    return buffer;
}

static int *place(struct buffer buffer, struct shape shape, int element, int at)
{
    size_t index = (size_t)(element + at / shape.ints) * (size_t)shape.extent +
                   (size_t)(at % shape.ints * shape.step);
    CHECK(index < buffer.room);
    return &buffer.ints[index];
}

// The block that `from` sends to `to`.
static void put_block(struct buffer buffer, struct shape shape, int element, int from,
                      int to, int length)
{
    for (int at = 0; at < length; at++)
        *place(buffer, shape, element, at) = datum(from, to, at);
}

static inline int count_of(struct shape shape, int length)
{
    return length / shape.ints;
}

static size_t room_for(struct shape shape, int elements)
{
    return (size_t)elements * (size_t)shape.extent;
}

// The buffer is what was expected, also where nothing had to be written.
static void check_buffer(struct buffer got, struct buffer expected)
{
    for (size_t i = 0; i < got.room; i++)
        if (got.ints[i] != expected.ints[i]) {
            fprintf(stderr, "draw %d, mode %d: int %zu is %d, not %d\n", trial.number,
                    (int)trial.mode, i, got.ints[i], expected.ints[i]);
            CHECK(got.ints[i] == expected.ints[i]);
        }
    free(got.ints);
    free(expected.ints);
}

// A buffer with one block.
static struct buffer one_block(struct shape shape, int from, int to, int length)
{
    struct buffer buffer = buffer_of(room_for(shape, count_of(shape, length)));
    put_block(buffer, shape, 0, from, to, length);
    return buffer;
}

// ---- absolute addresses

static MPI_Datatype absolute_types[2]; // of the trial
static int absolute_count;

// What a call takes as the buffer. In an absolute trial the shape's datatype becomes one
// that bears the buffer's address.
static void *locate(struct buffer buffer, struct shape *shape)
{
    if (!trial.is_absolute)
        return buffer.ints;
    MPI_Aint address;
    MPI_Datatype *made = &absolute_types[absolute_count++];
    MPI_Get_address(buffer.ints, &address);
    MPI_Type_create_hindexed_block(1, 1, &address, shape->type, made);
    MPI_Type_commit(made);
    shape->type = *made;
    return MPI_BOTTOM;
}

static void free_absolute_types(void)
{
    while (absolute_count > 0)
        MPI_Type_free(&absolute_types[--absolute_count]);
}

// ---- the forms of a call

static void complete(MPI_Request *request, bool is_persistent)
{
    if (is_persistent)
        MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    if (!is_persistent) {
        CHECK(*request == MPI_REQUEST_NULL);
        return;
    }
    if (!trial.in_place) { // again, from the same buffers
        MPI_Start(request);
        MPI_Wait(request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(request);
}

#define RUN(blocking, nonblocking, persistent, ...)                                    \
    do {                                                                               \
        MPI_Request request;                                                           \
        if (trial.mode == BLOCKING) {                                                  \
            blocking(__VA_ARGS__);                                                     \
            break;                                                                     \
        }                                                                              \
        if (trial.mode == NONBLOCKING)                                                 \
            nonblocking(__VA_ARGS__, &request);                                        \
        else                                                                           \
            persistent(__VA_ARGS__, MPI_INFO_NULL, &request);                          \
        complete(&request, trial.mode == PERSISTENT);                                  \
    } while (0)

// The array that a call takes: of ints, or what the large call takes instead.
static inline const void *either(const int small[], const void *large)
{
    return trial.is_large ? large : small;
}

// The same for calls that have a large form. Arrays come from `either`.
#define RUN_SIZE(blocking, nonblocking, persistent, ...)                               \
    do {                                                                               \
        if (trial.is_large)                                                            \
            RUN(blocking##_c, nonblocking##_c, persistent##_c, __VA_ARGS__);           \
        else                                                                           \
            RUN(blocking, nonblocking, persistent, __VA_ARGS__);                       \
    } while (0)

static inline bool is_root(void)
{
    return trial.own == trial.root;
}

// ---- all of it

static void make_shapes(void)
{
    shapes[0] = (struct shape){MPI_INT, 1, 1, 1};
    shapes[1] = (struct shape){.ints = 2, .step = 1, .extent = 2};
    shapes[2] = (struct shape){.ints = 2, .step = 2, .extent = 3};
    shapes[3] = (struct shape){.ints = 3, .step = 1, .extent = 3};
    MPI_Type_contiguous(2, MPI_INT, &shapes[1].type);
    MPI_Type_vector(2, 1, 2, MPI_INT, &shapes[2].type);
    MPI_Type_contiguous(3, MPI_INT, &shapes[3].type);
    for (int i = 1; i < 4; i++)
        MPI_Type_commit(&shapes[i].type);
}

static void draw_trial(int number)
{
    trial.number = number;
    trial.mode = (enum mode)draw(MODES);
    trial.is_large = draw(2);
    trial.comm = comms[draw(3)];
    MPI_Comm_rank(trial.comm, &trial.own);
    MPI_Comm_size(trial.comm, &trial.members);
    trial.root = draw(size) % trial.members;
    trial.in_place = draw(3) == 0;
    trial.is_absolute = false;
    trial.out = shapes[draw(4)];
    trial.in = shapes[draw(4)];
    trial.length = 6 * (draw(8) ? draw(30) : draw(LONG / 6));
}

typedef void test(void);

// Every test in every form, with short blocks, with long ones, and in place.
static void run_absolute(test *const tests[], int count)
{
    int number = DRAWS;
    for (enum mode mode = BLOCKING; mode < MODES; mode++)
        for (int i = 0; i < 3 * count; i++) {
            draw_trial(number++);
            trial.mode = mode;
            trial.is_absolute = true;
            trial.in_place = i % 3 == 2;
            trial.length = i % 3 == 1 ? LONG / 5 : 6 * (1 + draw(30));
            tests[i / 3]();
            free_absolute_types();
        }
}

// Runs DRAWS of the tests, and all of them on absolute addresses.
__attribute__((unused)) static void run_tests(test *const tests[], int count)
{
    make_shapes();
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[2]);
    for (int number = 0; number < DRAWS; number++) {
        draw_trial(number);
        tests[draw(count)]();
    }
    run_absolute(tests, count);
    for (int i = 1; i < 3; i++)
        MPI_Comm_free(&comms[i]);
    for (int i = 1; i < 4; i++)
        MPI_Type_free(&shapes[i].type);
}
