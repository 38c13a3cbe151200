// SPDX-License-Identifier: BSD-3-Clause
// exclusive_locks_lose_no_update: counters that all ranks raise by get and put, and
// pairs of values that readers under shared locks always find equal.
#include "window_test.h"

enum { ROUNDS = 300, PAIR = 2 };

static void lock_and_raise(MPI_Win win, int target)
{
    long value[PAIR];
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    MPI_Get(value, PAIR, MPI_LONG, target, 0, PAIR, MPI_LONG, win);
    MPI_Win_flush(target, win);
    CHECK(value[0] == value[1]);
    for (int i = 0; i < PAIR; i++) {
        value[i]++;
        MPI_Put(&value[i], 1, MPI_LONG, target, i, 1, MPI_LONG, win);
    }
    MPI_Win_unlock(target, win);
}

static void lock_and_read(MPI_Win win, int target)
{
    long value[PAIR] = {-1, -2};
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    MPI_Get(value, PAIR, MPI_LONG, target, 0, PAIR, MPI_LONG, win);
    MPI_Win_unlock(target, win);
    CHECK(value[0] == value[1] && value[0] >= 0);
}

static void counters_are_exact(const struct source *source)
{
    struct opened opened = source->open(PAIR * sizeof(long), sizeof(long));
    memset(opened.base, 0, PAIR * sizeof(long));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 0; round < ROUNDS; round++) {
        lock_and_raise(opened.win, 0);
        lock_and_read(opened.win, (rank + round) % size);
        lock_and_raise(opened.win, (rank + round) % size);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, opened.win);
    CHECK(*(long *)opened.base == (rank == 0 ? (size + 1L) * ROUNDS : ROUNDS));
    MPI_Win_unlock(rank, opened.win);
    source->close(&opened);
}

// Locks of several targets at once make one epoch.
static void several_targets_are_locked_together(const struct source *source)
{
    struct opened opened =
        source->open((MPI_Aint)(size * (int)sizeof(int)), sizeof(int));
    int value = rank + 1;
    for (int target = 0; target < size; target++)
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, opened.win);
    for (int target = 0; target < size; target++)
        MPI_Put(&value, 1, MPI_INT, target, rank, 1, MPI_INT, opened.win);
    for (int target = size - 1; target >= 0; target--)
        MPI_Win_unlock(target, opened.win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, opened.win);
    for (int origin = 0; origin < size; origin++)
        CHECK(((int *)opened.base)[origin] == origin + 1);
    MPI_Win_unlock(rank, opened.win);
    source->close(&opened);
}

// All lock first where another node may have to grant it, then within the node. A process
// that had its second lock before the first would wait for one that waits for the second.
static void locks_in_one_order_are_granted(const struct source *source)
{
    struct opened far = source->open(sizeof(int), sizeof(int));
    MPI_Comm node;
    MPI_Win near;
    int *base, members, value, one = 1;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &members);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, node, &base, &near);
    *base = 0;
    MPI_Barrier(node);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, far.win);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, near);
        MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, far.win);
        MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, near);
        MPI_Win_flush(0, near);
        value++;
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, near);
        MPI_Win_unlock(0, near);
        MPI_Win_unlock(0, far.win);
    }
    MPI_Barrier(node);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, near);
    MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, near);
    MPI_Win_unlock(0, near);
    CHECK(value == members * ROUNDS);
    MPI_Win_free(&near);
    MPI_Comm_free(&node);
    source->close(&far);
}

// The program's own order makes the lock needless.
static void nocheck_needs_no_lock(const struct source *source)
{
    struct opened opened = source->open(sizeof(int), 1);
    int value = rank;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right(), MPI_MODE_NOCHECK, opened.win);
    MPI_Put(&value, 1, MPI_INT, right(), 0, 1, MPI_INT, opened.win);
    MPI_Win_unlock(right(), opened.win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, MPI_MODE_NOCHECK, opened.win);
    CHECK(*(int *)opened.base == left());
    MPI_Win_unlock(rank, opened.win);
    source->close(&opened);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for_each_source(counters_are_exact);
    for_each_source(several_targets_are_locked_together);
    for_each_source(locks_in_one_order_are_granted);
    for_each_source(nocheck_needs_no_lock);
    return finish();
}
