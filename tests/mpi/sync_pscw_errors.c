// SPDX-License-Identifier: BSD-3-Clause
// illegal_calls_are_refused: calls of general active target synchronisation in the
// wrong place give an error class, and the epoch that is open goes on.
#include "window_test.h"

static MPI_Win win;
static MPI_Group world;
static int value = 7;

static int put(int target)
{
    return MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win);
}

static void without_an_epoch(void)
{
    int flag;
    CHECK_CLASS(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_test(win, &flag), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_start(MPI_GROUP_NULL, 0, win), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Win_start(world, MPI_MODE_NOSTORE, win), MPI_ERR_ASSERT);
    CHECK_CLASS(MPI_Win_post(world, MPI_MODE_NOSUCCEED, win), MPI_ERR_ASSERT);
}

static void in_a_started_epoch(void)
{
    MPI_Group right_one;
    MPI_Group_incl(world, 1, (int[]){right()}, &right_one);
    MPI_Win_post(world, 0, win);
    CHECK_CLASS(MPI_Win_post(world, 0, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
    MPI_Win_start(right_one, 0, win);
    CHECK_CLASS(MPI_Win_start(world, 0, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, right(), 0, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_flush(right(), win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(put(right()), MPI_SUCCESS);
    if (size > 1)
        CHECK_CLASS(put(rank), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_complete(win), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(put(right()), MPI_ERR_RMA_SYNC);
    MPI_Group rest; // the exposure waits for all others too
    MPI_Group_difference(world, right_one, &rest);
    MPI_Win_start(rest, 0, win);
    CHECK_CLASS(MPI_Win_complete(win), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_wait(win), MPI_SUCCESS);
    MPI_Group_free(&rest);
    MPI_Group_free(&right_one);
}

static void in_a_lock_epoch(void)
{
    MPI_Win_lock(MPI_LOCK_SHARED, right(), 0, win);
    CHECK_CLASS(MPI_Win_start(world, 0, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_unlock(right(), win), MPI_SUCCESS);
}

static void rules_hold(const struct source *source)
{
    struct opened opened = source->open(sizeof(int), 1);
    win = opened.win;
    without_an_epoch();
    in_a_started_epoch();
    CHECK(*(volatile int *)opened.base == value);
    MPI_Barrier(MPI_COMM_WORLD); // nobody is exposed any more
    in_a_lock_epoch();
    without_an_epoch();
    source->close(&opened);
}

// Collective over MPI_COMM_WORLD.
static bool is_local_peer(int other)
{
    MPI_Comm node = node_comm();
    MPI_Group here;
    int rank_here;
    MPI_Comm_group(node, &here);
    MPI_Group_translate_ranks(world, 1, &other, here, &rank_here);
    MPI_Group_free(&here);
    MPI_Comm_free(&node);
    return rank_here != MPI_UNDEFINED;
}

// Rank 0 is exposed to the last rank; who locks it learns that at the latest when it
// unlocks.
static void an_exposed_part_is_not_locked(const struct source *source,
                                          const int *memory)
{
    MPI_Group origins, targets;
    bool is_near = is_local_peer(0);
    MPI_Group_incl(world, 1, (int[]){size - 1}, &origins);
    MPI_Group_incl(world, 1, (int[]){0}, &targets);
    if (rank == 0)
        CHECK_CLASS(MPI_Win_post(origins, 0, win), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    int code = MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    CHECK_CLASS(code, is_near ? MPI_ERR_RMA_CONFLICT : MPI_SUCCESS);
    if (code == MPI_SUCCESS) {
        CHECK_CLASS(put(0), MPI_SUCCESS); // travels with the request for the lock
        CHECK_CLASS(MPI_Win_unlock(0, win), MPI_ERR_RMA_CONFLICT);
        CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_SUCCESS);
        CHECK_CLASS(put(0), MPI_SUCCESS);
        CHECK_CLASS(MPI_Win_flush(0, win), MPI_ERR_RMA_CONFLICT);
        CHECK_CLASS(put(0), MPI_ERR_RMA_CONFLICT);
        CHECK_CLASS(MPI_Win_unlock(0, win), MPI_ERR_RMA_CONFLICT);
    }
    CHECK_CLASS(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
    code = MPI_Win_lock_all(0, win);
    bool is_mapped = rank == 0 || (is_near && source->open == open_shared);
    CHECK_CLASS(code, is_mapped ? MPI_ERR_RMA_CONFLICT : MPI_SUCCESS);
    if (code == MPI_SUCCESS) {
        CHECK_CLASS(put(0), is_near ? MPI_ERR_RMA_CONFLICT : MPI_SUCCESS);
        CHECK_CLASS(MPI_Win_unlock_all(win),
                    is_near ? MPI_SUCCESS : MPI_ERR_RMA_CONFLICT);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(rank != 0 || *memory == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1) {
        MPI_Win_start(targets, 0, win);
        CHECK_CLASS(put(0), MPI_SUCCESS);
        CHECK_CLASS(MPI_Win_complete(win), MPI_SUCCESS);
    }
    if (rank == 0)
        CHECK_CLASS(MPI_Win_wait(win), MPI_SUCCESS);
    CHECK(rank != 0 || *memory == value);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_unlock(0, win), MPI_SUCCESS);
    MPI_Group_free(&origins);
    MPI_Group_free(&targets);
}

static void a_locked_part_is_not_exposed(void)
{
    int owner = size - 1;
    bool is_near = is_local_peer(owner), locks = rank == 0 && is_near;
    MPI_Bcast(&is_near, sizeof is_near, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (locks)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, owner, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == owner && is_near)
        CHECK_CLASS(MPI_Win_post(MPI_GROUP_EMPTY, 0, win), MPI_ERR_RMA_CONFLICT);
    MPI_Barrier(MPI_COMM_WORLD);
    if (locks)
        MPI_Win_unlock(owner, win);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_CLASS(MPI_Win_post(MPI_GROUP_EMPTY, 0, win), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_wait(win), MPI_SUCCESS);
}

static void locks_and_exposures_exclude_each_other(const struct source *source)
{
    struct opened opened = source->open(sizeof(int), 1);
    win = opened.win;
    *(int *)opened.base = 0;
    an_exposed_part_is_not_locked(source, opened.base);
    a_locked_part_is_not_exposed();
    source->close(&opened);
}

// A window over this process alone; the group has processes that it does not.
static void the_group_must_be_of_the_window(void)
{
    void *base;
    MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_SELF, &base, &win);
    return_errors(win);
    int expected = size > 1 ? MPI_ERR_GROUP : MPI_SUCCESS;
    CHECK_CLASS(MPI_Win_start(world, 0, win), expected);
    CHECK_CLASS(MPI_Win_post(world, 0, win), expected);
    if (size == 1) {
        MPI_Win_complete(win);
        MPI_Win_wait(win);
    }
    CHECK_CLASS(MPI_Win_free(&win), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for_each_source(rules_hold);
    for_each_source(locks_and_exposures_exclude_each_other);
    the_group_must_be_of_the_window();
    MPI_Group_free(&world);
    return finish();
}
