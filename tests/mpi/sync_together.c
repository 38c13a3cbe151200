// SPDX-License-Identifier: BSD-3-Clause
// epochs_on_different_windows_are_independent: each kind of epoch is open on a window of
// its own at the same time, they are used in turn and closed in another order; a process
// may lock itself.
#include "window_test.h"

enum { KINDS = 5, ROUNDS = 10 };
enum { POSTED, LOCKED, LOCKED_ALL, FENCED, LOCKED_SELF };

static struct opened windows[KINDS];
static MPI_Group lefts, rights;

static int target_of(int kind)
{
    return kind == LOCKED_SELF ? rank : right();
}

static void open_epochs(void)
{
    MPI_Win_fence(0, windows[FENCED].win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, windows[LOCKED_SELF].win);
    MPI_Win_post(lefts, 0, windows[POSTED].win);
    MPI_Win_lock_all(0, windows[LOCKED_ALL].win);
    MPI_Win_start(rights, 0, windows[POSTED].win);
    MPI_Win_lock(MPI_LOCK_SHARED, right(), 0, windows[LOCKED].win);
}

// The element of a window: 0 is put, 1 is added to.
static void use_epochs(const int values[KINDS])
{
    for (int kind = 0; kind < KINDS; kind++)
        MPI_Put(&values[kind], 1, MPI_INT, target_of(kind), 0, 1, MPI_INT,
                windows[kind].win);
    for (int kind = KINDS - 1; kind >= 0; kind--)
        MPI_Accumulate(&values[kind], 1, MPI_INT, target_of(kind), 1, 1, MPI_INT,
                       MPI_SUM, windows[kind].win);
}

static void close_epochs(void)
{
    MPI_Win_unlock(right(), windows[LOCKED].win);
    MPI_Win_unlock(rank, windows[LOCKED_SELF].win);
    MPI_Win_complete(windows[POSTED].win);
    MPI_Win_unlock_all(windows[LOCKED_ALL].win);
    MPI_Win_wait(windows[POSTED].win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, windows[FENCED].win);
}

static void one_round(int round, int sums[KINDS])
{
    int values[KINDS];
    for (int kind = 0; kind < KINDS; kind++)
        values[kind] = 1000 * rank + 10 * round + kind;
    open_epochs();
    use_epochs(values);
    close_epochs();
    MPI_Barrier(MPI_COMM_WORLD);
    for (int kind = 0; kind < KINDS; kind++) {
        int origin = kind == LOCKED_SELF ? rank : left();
        int expected = 1000 * origin + 10 * round + kind;
        sums[kind] += expected;
        MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, windows[kind].win);
        CHECK(((int *)windows[kind].base)[0] == expected);
        CHECK(((int *)windows[kind].base)[1] == sums[kind]);
        MPI_Win_unlock(rank, windows[kind].win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void all_kinds_at_once(const struct source *source)
{
    int sums[KINDS] = {0};
    for (int kind = 0; kind < KINDS; kind++) {
        windows[kind] = source->open(2 * sizeof(int), sizeof(int));
        ((int *)windows[kind].base)[1] = 0;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 0; round < ROUNDS; round++)
        one_round(round, sums);
    for (int kind = 0; kind < KINDS; kind++)
        source->close(&windows[kind]);
}

int main(int argc, char **argv)
{
    MPI_Group world;
    start(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, (int[]){left()}, &lefts);
    MPI_Group_incl(world, 1, (int[]){right()}, &rights);
    MPI_Group_free(&world);
    for_each_source(all_kinds_at_once);
    MPI_Group_free(&lefts);
    MPI_Group_free(&rights);
    return finish();
}
