// SPDX-License-Identifier: BSD-3-Clause
// flush_completes_in_a_lock_all_epoch: after a flush the data is there, without any
// call of the target; locks that are taken when a target is first touched do not
// deadlock.
#include "window_test.h"

#include <sched.h>

enum { ROUNDS = 30, WORDS = 1000 };

struct mailbox {
    int data[WORDS];
    int flag;
};

static int displacement_of_flag(void)
{
    return (int)offsetof(struct mailbox, flag);
}

static void write_data(int target, int round, MPI_Win win)
{
    static int data[WORDS];
    for (int i = 0; i < WORDS; i++)
        data[i] = round + i;
    MPI_Put(data, WORDS, MPI_INT, target, 0, WORDS, MPI_INT, win);
    MPI_Win_flush(target, win);
}

static void write_flag(int target, int round, MPI_Win win)
{
    MPI_Put(&round, 1, MPI_INT, target, displacement_of_flag(), 1, MPI_INT, win);
    MPI_Win_flush(target, win);
}

static void await_flag(const struct mailbox *box, int round, MPI_Win win)
{
    const volatile int *flag = &box->flag;
    while (*flag != round)
        MPI_Win_sync(win);
    MPI_Win_sync(win);
}

// Everyone sends to the right and waits for the left; a flag follows the data.
static void flags_follow_their_data(const struct source *source)
{
    struct opened opened = source->open(sizeof(struct mailbox), 1);
    struct mailbox *box = opened.base;
    memset(box, 0, sizeof *box);
    MPI_Win_lock_all(0, opened.win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 1; round <= ROUNDS; round++) {
        write_data(right(), round, opened.win);
        write_flag(right(), round, opened.win);
        await_flag(box, round, opened.win);
        for (int i = 0; i < WORDS; i++)
            CHECK(box->data[i] == round + i);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_unlock_all(opened.win);
    source->close(&opened);
}

static void put_by(int how, int target, int *value, MPI_Win win)
{
    MPI_Put(value, 1, MPI_INT, target, rank, 1, MPI_INT, win);
    if (how == 0)
        MPI_Win_flush(target, win);
    else if (how == 1)
        MPI_Win_flush_all(win);
}

// A local flush allows the origin buffer to be used again.
static void every_kind_of_flush_completes(const struct source *source)
{
    struct opened opened =
        source->open((MPI_Aint)(size * (int)sizeof(int)), sizeof(int));
    for (int how = 0; how < 4; how++) {
        MPI_Win_lock_all(0, opened.win);
        for (int target = 0; target < size; target++) {
            int value = 10 * rank + how;
            put_by(how, target, &value, opened.win);
            if (how == 2)
                MPI_Win_flush_local(target, opened.win);
            else if (how == 3)
                MPI_Win_flush_local_all(opened.win);
            value = -1;
            int seen = -1;
            if (how < 2) {
                MPI_Get(&seen, 1, MPI_INT, target, rank, 1, MPI_INT, opened.win);
                MPI_Win_flush_local(target, opened.win);
                CHECK(seen == 10 * rank + how);
            }
        }
        MPI_Win_unlock_all(opened.win);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, opened.win);
        for (int origin = 0; origin < size; origin++)
            CHECK(((int *)opened.base)[origin] == 10 * origin + how);
        MPI_Win_unlock(rank, opened.win);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    source->close(&opened);
}

// Reads the pair of `target`: what is mapped here by loads, else by a get.
static void read_pair(const struct opened *opened, int target, bool asks_first,
                      int pair[2])
{
    int *mapped, unit;
    MPI_Aint bytes;
    if (asks_first)
        MPI_Win_shared_query(opened->win, target, &bytes, &unit, &mapped);
    MPI_Win_lock_all(0, opened->win);
    if (!asks_first)
        MPI_Win_shared_query(opened->win, target, &bytes, &unit, &mapped);
    if (mapped != NULL)
        memcpy(pair, mapped, 2 * sizeof *pair);
    else
        MPI_Get(pair, 2, MPI_INT, target, 0, 2, MPI_INT, opened->win);
    MPI_Win_unlock_all(opened->win);
}

// The second value follows long after the first; until then all others want to read.
static void write_pair(MPI_Win win, int target, int value)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win);
    MPI_Win_flush(target, win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int turn = 0; turn < 500; turn++)
        sched_yield();
    MPI_Put(&value, 1, MPI_INT, target, 1, 1, MPI_INT, win);
    MPI_Win_unlock(target, win);
}

static void writers_are_excluded(const struct source *source, bool asks_first)
{
    struct opened opened = source->open(2 * sizeof(int), sizeof(int));
    memset(opened.base, 0, 2 * sizeof(int));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int target = 0; target < size; target++) {
        int pair[2] = {-1, -2};
        if (rank == (target + 1) % size) {
            write_pair(opened.win, target, target + 1);
        } else {
            MPI_Barrier(MPI_COMM_WORLD);
            read_pair(&opened, target, asks_first, pair);
            CHECK(pair[0] == target + 1 && pair[1] == target + 1);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    source->close(&opened);
}

static void lock_all_excludes_writers(const struct source *source)
{
    writers_are_excluded(source, false);
    writers_are_excluded(source, true);
}

// Epochs without operations, and with MPI_MODE_NOCHECK.
static void empty_epochs_are_allowed(const struct source *source)
{
    struct opened opened = source->open(sizeof(int), 1);
    int value = rank;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Win_lock_all(0, opened.win);
        MPI_Win_unlock_all(opened.win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, opened.win);
    MPI_Put(&value, 1, MPI_INT, right(), 0, 1, MPI_INT, opened.win);
    MPI_Win_flush_all(opened.win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(opened.win);
    CHECK(*(volatile int *)opened.base == left());
    MPI_Win_unlock_all(opened.win);
    source->close(&opened);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for_each_source(flags_follow_their_data);
    for_each_source(every_kind_of_flush_completes);
    for_each_source(lock_all_excludes_writers);
    for_each_source(empty_epochs_are_allowed);
    return finish();
}
