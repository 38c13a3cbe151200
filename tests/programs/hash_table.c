// SPDX-License-Identifier: BSD-3-Clause
// Distributed hash table with open addressing: all processes insert keys, some of them the
// same, at once. A slot is taken by MPI_Compare_and_swap; then values are added up in it.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

enum { SLOTS = 509, KEYS = 300 }; // per process
static const int64_t EMPTY = -1;

struct slot {
    int64_t key, sum;
};

static int64_t hash(int64_t key)
{
    return (int64_t)(((uint64_t)key * UINT64_C(0x9E3779B97F4A7C15)) >> 33);
}

static void add(int64_t key, int64_t value, int size, MPI_Win win)
{
    for (int64_t place = hash(key);; place++) {
        int owner = (int)(place % size);
        MPI_Aint disp = place / size % SLOTS * 2;
        int64_t found;
        MPI_Compare_and_swap(&key, &EMPTY, &found, MPI_INT64_T, owner, disp, win);
        MPI_Win_flush(owner, win);
        if (found == EMPTY || found == key) {
            MPI_Accumulate(&value, 1, MPI_INT64_T, owner, disp + 1, 1, MPI_INT64_T,
                           MPI_SUM, win);
            MPI_Win_flush_local(owner, win);
            return;
        }
    }
}

static int64_t look_up(int64_t key, int size, MPI_Win win)
{
    for (int64_t place = hash(key);; place++) {
        int owner = (int)(place % size);
        struct slot slot;
        MPI_Get(&slot, 2, MPI_INT64_T, owner, place / size % SLOTS * 2, 2, MPI_INT64_T,
                win);
        MPI_Win_flush(owner, win);
        if (slot.key == EMPTY)
            return EMPTY;
        if (slot.key == key)
            return slot.sum;
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct slot *slots;
    MPI_Win win;
    MPI_Win_allocate(SLOTS * sizeof *slots, sizeof(int64_t), MPI_INFO_NULL,
                     MPI_COMM_WORLD, &slots, &win);
    for (int i = 0; i < SLOTS; i++)
        slots[i] = (struct slot){EMPTY, 0};
    MPI_Barrier(MPI_COMM_WORLD);

    // Keys of two neighbours overlap by half.
    MPI_Win_lock_all(0, win);
    for (int64_t i = 0; i < KEYS; i++)
        add(rank * (KEYS / 2) + i, i + 1, size, win);
    MPI_Win_flush_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int64_t key = 0; key < (size + 1) * (KEYS / 2); key++) {
        int64_t expected = 0, block = key / (KEYS / 2), offset = key % (KEYS / 2);
        if (block < size)
            expected += offset + 1;
        if (block > 0)
            expected += offset + KEYS / 2 + 1;
        wrong += look_up(key, size, win) != expected;
    }
    wrong += look_up(1 << 30, size, win) != EMPTY;
    MPI_Win_unlock_all(win);

    if (wrong)
        fprintf(stderr, "rank %d: %d wrong sums\n", rank, wrong);
    MPI_Win_free(&win);
    MPI_Finalize();
    return wrong != 0;
}
