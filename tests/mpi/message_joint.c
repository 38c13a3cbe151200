// SPDX-License-Identifier: BSD-3-Clause
// long_messages_are_copied_by_both_ends, whole and in order: each process sends to its
// right and receives from its left, of random sizes, now and then after some time of its
// own, in bursts and one by one, with and without gaps, cut off and from anywhere.
#include "window_test.h"

#include <time.h>

enum { ROUNDS = 150, BURST = 10, LONGEST = 600000, ELEMENTS = 200000, TAG = 3 };

static unsigned char *out, *in;
static uint32_t state;

static uint32_t draw(uint32_t limit)
{
    state = state * 1664525 + 1013904223;
    return (state >> 8) % limit;
}

// What all processes draw alike.
static uint32_t agree(uint32_t limit, int round)
{
    uint32_t mixed = ((uint32_t)round + 1) * 2654435761u;
    return (mixed >> 7) % limit;
}

static void compute(void)
{
    struct timespec now, begin;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    long nanoseconds = draw(3) > 0 ? 0 : (long)draw(100000);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (1000000000 * (now.tv_sec - begin.tv_sec) + now.tv_nsec - begin.tv_nsec <
           nanoseconds);
}

static void one_by_one(int round)
{
    size_t bytes = 1 + agree(LONGEST, round);
    MPI_Request request;
    fill(out, bytes, rank, round);
    memset(in, 0, bytes + 1);
    MPI_Isend(out, (int)bytes, MPI_BYTE, right(), TAG, MPI_COMM_WORLD, &request);
    compute();
    MPI_Recv(in, (int)bytes + 1, MPI_BYTE, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    compute();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(is_filled(in, bytes, left(), round) && in[bytes] == 0);
}

// More of them than joint copies can be under way.
static void bursts(int round)
{
    size_t bytes = 60000 + agree(140000, round);
    MPI_Request requests[2 * BURST];
    for (int i = 0; i < BURST; i++) {
        fill(out + i * (int)bytes, bytes, rank, round + i);
        MPI_Irecv(in + i * (int)bytes, (int)bytes, MPI_BYTE, left(), TAG,
                  MPI_COMM_WORLD, &requests[i]);
    }
    compute();
    for (int i = 0; i < BURST; i++)
        MPI_Isend(out + i * (int)bytes, (int)bytes, MPI_BYTE, right(), TAG,
                  MPI_COMM_WORLD, &requests[BURST + i]);
    compute();
    MPI_Waitall(2 * BURST, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < BURST; i++)
        CHECK(is_filled(in + i * (int)bytes, bytes, left(), round + i));
}

static void with_gaps(int round)
{
    int count = 1 + (int)agree(ELEMENTS, round);
    int *from = (int *)(void *)out, *to = (int *)(void *)in;
    MPI_Datatype vector;
    MPI_Type_vector(count, 1, 2, MPI_INT, &vector);
    MPI_Type_commit(&vector);
    for (int i = 0; i < 2 * count; i++) {
        from[i] = rank * round + i;
        to[i] = -1;
    }
    MPI_Sendrecv(from, count, MPI_INT, right(), TAG, to, 1, vector, left(), TAG,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++)
        CHECK(to[2 * i] == left() * round + i && to[2 * i + 1] == -1);
    MPI_Type_free(&vector);
}

static void cut_off(int round)
{
    int bytes = 200000 + (int)agree(100000, round), less = bytes - 100000;
    MPI_Request request;
    fill(out, (size_t)bytes, rank, round);
    memset(in, 0, (size_t)bytes);
    MPI_Isend(out, bytes, MPI_BYTE, right(), TAG, MPI_COMM_WORLD, &request);
    CHECK_CLASS(
        MPI_Recv(in, less, MPI_BYTE, left(), TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
        MPI_ERR_TRUNCATE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(is_filled(in, (size_t)less, left(), round) && in[less] == 0);
}

static void (*const ways[])(int) = {one_by_one, bursts, with_gaps, cut_off};

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    state = (uint32_t)rank + 1;
    out = calloc(BURST, LONGEST);
    in = calloc(BURST, LONGEST);
    CHECK(out != NULL && in != NULL);
    for (int round = 0; round < ROUNDS; round++)
        ways[agree(4, 7 * round)](round);
    free(out);
    free(in);
    return finish();
}
