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
    in_a_lock_epoch();
    without_an_epoch();
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
    the_group_must_be_of_the_window();
    MPI_Group_free(&world);
    return finish();
}
