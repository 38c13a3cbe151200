// SPDX-License-Identifier: BSD-3-Clause
// examples_of_the_memory_model: what MPI-4.1 12.7 shows as two columns, for the separate
// and the unified model, with rank 0 as process A and the last rank as process B, whose
// window has the location X; and waiting for a store in shared memory.
#include "window_test.h"

enum { ROUNDS = 20 };

static bool is_a, is_b;
static int b;  // rank of process B
static int *x; // its location X, at B
static MPI_Win win;

static int load_x(void)
{
    return *(volatile int *)x;
}

static void store_x(int value)
{
    *(volatile int *)x = value;
}

static int get_x(void)
{
    int value = -1;
    MPI_Get(&value, 1, MPI_INT, b, 0, 1, MPI_INT, win);
    MPI_Win_flush_local(b, win);
    return value;
}

// ---- a store at B that A gets -------------------------------------------------------
static void a_store_under_a_lock_is_got(int round)
{
    if (is_b) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, b, 0, win);
        store_x(round);
        MPI_Win_unlock(b, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_a) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, b, 0, win);
        CHECK(get_x() == round);
        MPI_Win_unlock(b, win);
    }
}

// The unified model needs no lock at B.
static void a_store_before_a_barrier_is_got(int round)
{
    if (is_b) {
        store_x(round);
        MPI_Win_sync(win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_a) {
        MPI_Win_lock_all(0, win);
        CHECK(get_x() == round);
        MPI_Win_unlock_all(win);
    }
}

// ---- a put of A that B loads ----------------------------------------------------------
static void a_put_is_loaded_under_a_lock(int round)
{
    if (is_a) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, b, 0, win);
        MPI_Put(&round, 1, MPI_INT, b, 0, 1, MPI_INT, win);
        MPI_Win_unlock(b, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_b) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, b, 0, win);
        CHECK(load_x() == round);
        MPI_Win_unlock(b, win);
    }
}

static void a_flushed_put_is_loaded(int round)
{
    MPI_Win_lock_all(0, win);
    if (is_a) {
        MPI_Put(&round, 1, MPI_INT, b, 0, 1, MPI_INT, win);
        MPI_Win_flush(b, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(win);
    CHECK(!is_b || load_x() == round);
    MPI_Win_unlock_all(win);
}

// B waits by looking, without any message from A.
static void a_put_is_awaited_by_loads(int round)
{
    MPI_Win_lock_all(0, win);
    if (is_a) {
        MPI_Put(&round, 1, MPI_INT, b, 0, 1, MPI_INT, win);
        MPI_Win_flush(b, win);
    }
    while (is_b && load_x() != round)
        MPI_Win_sync(win);
    MPI_Win_unlock_all(win);
}

// ---- in active target communication -----------------------------------------------------
static void a_store_is_exposed_and_a_put_is_seen(int round)
{
    MPI_Group world, only_a, only_b;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, (int[]){0}, &only_a);
    MPI_Group_incl(world, 1, &b, &only_b);
    int value = -1, twice = 2 * round;
    if (is_b) {
        store_x(round);
        MPI_Win_post(only_a, 0, win);
    }
    if (is_a) {
        MPI_Win_start(only_b, 0, win);
        MPI_Get_accumulate(&twice, 1, MPI_INT, &value, 1, MPI_INT, b, 0, 1, MPI_INT,
                           MPI_REPLACE, win);
        MPI_Win_complete(win);
        CHECK(value == round);
    }
    if (is_b) {
        MPI_Win_wait(win);
        CHECK(load_x() == twice);
    }
    MPI_Group_free(&only_a);
    MPI_Group_free(&only_b);
    MPI_Group_free(&world);
}

static void rounds(const struct source *source)
{
    static void (*const examples[])(int round) = {
        a_store_under_a_lock_is_got,  a_store_before_a_barrier_is_got,
        a_put_is_loaded_under_a_lock, a_flushed_put_is_loaded,
        a_put_is_awaited_by_loads,    a_store_is_exposed_and_a_put_is_seen,
    };
    struct opened opened = source->open(sizeof(int), sizeof(int));
    win = opened.win;
    x = opened.base;
    *x = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int example = 0; example < 6; example++)
        for (int round = 1; round <= ROUNDS; round++) {
            examples[example](100 * example + round);
            MPI_Barrier(MPI_COMM_WORLD);
        }
    source->close(&opened);
}

// ---- shared memory ------------------------------------------------------------------------
// A stores data, then a flag, both in its own part; all others wait for the flag.
static void a_store_is_awaited_by_loads(void)
{
    MPI_Comm node = node_comm();
    int *own, *first, node_rank, unit;
    MPI_Aint bytes;
    MPI_Win shared;
    MPI_Comm_rank(node, &node_rank);
    MPI_Win_allocate_shared(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, node, &own,
                            &shared);
    MPI_Win_shared_query(shared, 0, &bytes, &unit, &first);
    volatile int *data = &first[0], *flag = &first[1];
    MPI_Win_lock_all(MPI_MODE_NOCHECK, shared);
    own[0] = own[1] = 0;
    MPI_Win_sync(shared);
    MPI_Barrier(node);
    for (int round = 1; round <= ROUNDS; round++) {
        if (node_rank == 0) {
            *data = 3 * round;
            MPI_Win_sync(shared);
            *flag = round;
        }
        while (*flag != round)
            MPI_Win_sync(shared);
        MPI_Win_sync(shared);
        CHECK(*data == 3 * round);
        MPI_Barrier(node);
    }
    MPI_Win_unlock_all(shared);
    MPI_Win_free(&shared);
    MPI_Comm_free(&node);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    b = size - 1;
    is_a = rank == 0;
    is_b = rank == b;
    for_each_source(rounds);
    a_store_is_awaited_by_loads();
    return finish();
}
