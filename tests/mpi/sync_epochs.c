// SPDX-License-Identifier: BSD-3-Clause
// epoch_rules_are_enforced: what the standard forbids gives MPI_ERR_RMA_SYNC, says
// which epoch is open, and leaves window and epoch as they were.
#include "window_test.h"

static MPI_Win win;
static int value = 1;

static int put_right(void)
{
    return MPI_Put(&value, 1, MPI_INT, right(), 0, 1, MPI_INT, win);
}

static void check_forbidden(int code, const char *epoch)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    CHECK_CLASS(code, MPI_ERR_RMA_SYNC);
    MPI_Error_string(code, text, &length);
    CHECK(strstr(text, epoch) != NULL);
}

static void without_an_epoch(void)
{
    const char *none = "no epoch is open";
    check_forbidden(put_right(), none);
    check_forbidden(MPI_Win_unlock(right(), win), none);
    check_forbidden(MPI_Win_unlock_all(win), none);
    check_forbidden(MPI_Win_flush(right(), win), none);
    check_forbidden(MPI_Win_flush_local(right(), win), none);
    check_forbidden(MPI_Win_flush_all(win), none);
    check_forbidden(MPI_Win_flush_local_all(win), none);
}

static void in_a_fence_epoch(void)
{
    const char *fence = "a fence epoch is open";
    MPI_Win_fence(0, win);
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, right(), 0, win), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_unlock(right(), win),
                MPI_SUCCESS); // the fence epoch was unused
    MPI_Win_fence(0, win);
    CHECK_CLASS(put_right(), MPI_SUCCESS);
    check_forbidden(MPI_Win_lock(MPI_LOCK_SHARED, right(), 0, win), fence);
    check_forbidden(MPI_Win_lock_all(0, win), fence);
    check_forbidden(MPI_Win_flush(right(), win), fence);
    check_forbidden(MPI_Win_unlock(right(), win), fence);
    check_forbidden(MPI_Win_free(&win), fence);
    CHECK_CLASS(put_right(), MPI_SUCCESS);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    check_forbidden(put_right(), "no epoch is open");
}

static void in_a_lock_epoch(void)
{
    const char *lock = "a lock epoch is open";
    MPI_Win_lock(MPI_LOCK_SHARED, right(), 0, win);
    CHECK_CLASS(put_right(), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, right(), 0, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right(), 0, win), MPI_ERR_RMA_SYNC);
    check_forbidden(MPI_Win_lock_all(0, win), lock);
    check_forbidden(MPI_Win_unlock_all(win), lock);
    check_forbidden(MPI_Win_fence(0, win), lock);
    check_forbidden(MPI_Win_free(&win), lock);
    if (size > 1) {
        check_forbidden(MPI_Put(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, win), lock);
        check_forbidden(MPI_Win_flush(rank, win), lock);
        check_forbidden(MPI_Win_unlock(rank, win), lock);
    }
    CHECK_CLASS(MPI_Win_flush(right(), win), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_unlock(right(), win), MPI_SUCCESS);
    check_forbidden(put_right(), "no epoch is open");
}

static void in_a_lock_all_epoch(void)
{
    const char *all = "a lock_all epoch is open";
    MPI_Win_lock_all(0, win);
    CHECK_CLASS(put_right(), MPI_SUCCESS);
    check_forbidden(MPI_Win_lock_all(0, win), all);
    check_forbidden(MPI_Win_lock(MPI_LOCK_SHARED, right(), 0, win), all);
    check_forbidden(MPI_Win_unlock(right(), win), all);
    check_forbidden(MPI_Win_fence(0, win), all);
    check_forbidden(MPI_Win_free(&win), all);
    CHECK_CLASS(MPI_Win_flush(left(), win), MPI_SUCCESS); // not touched yet
    CHECK_CLASS(MPI_Win_unlock_all(win), MPI_SUCCESS);
}

static void rules_hold(const struct source *source)
{
    struct opened opened = source->open(sizeof(int), 1);
    win = opened.win;
    without_an_epoch();
    in_a_fence_epoch();
    MPI_Barrier(MPI_COMM_WORLD);
    in_a_lock_epoch();
    in_a_lock_all_epoch();
    without_an_epoch();
    CHECK(win == opened.win);
    source->close(&opened);
}

static void set_no_locks(MPI_Win window, const char *is_set)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", is_set);
    MPI_Win_set_info(window, info);
    MPI_Info_free(&info);
}

static int class_if(bool is_served)
{
    return is_served ? MPI_SUCCESS : MPI_ERR_RMA_SYNC;
}

// Twice, since the second time finds a target that has been locked before.
static void check_locks(bool locks_right, bool locks_all)
{
    for (int i = 0; i < 2; i++) {
        CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, right(), 0, win),
                    class_if(locks_right));
        if (locks_right)
            CHECK_CLASS(MPI_Win_unlock(right(), win), MPI_SUCCESS);
        CHECK_CLASS(MPI_Win_lock_all(0, win), class_if(locks_all));
        if (locks_all)
            CHECK_CLASS(MPI_Win_unlock_all(win), MPI_SUCCESS);
    }
}

static bool is_local_peer(int other)
{
    MPI_Comm node = node_comm();
    MPI_Group all, local;
    int in_node;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Comm_group(node, &local);
    MPI_Group_translate_ranks(all, 1, &other, local, &in_node);
    MPI_Group_free(&all);
    MPI_Group_free(&local);
    MPI_Comm_free(&node);
    return in_node != MPI_UNDEFINED;
}

// Locks of memory that all processes map are served whatever has been promised.
static void no_locks_forbids_what_is_not_served(const struct source *source)
{
    struct opened opened = source->open(8, 1);
    bool is_mapped = strstr(source->name, "malloc") == NULL || size == 1;
    win = opened.win;
    check_locks(true, true);
    set_no_locks(win, "true");
    check_locks(is_mapped && is_local_peer(right()), is_mapped && is_one_node());
    set_no_locks(win, "false");
    check_locks(true, true);
    source->close(&opened);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for_each_source(rules_hold);
    for_each_source(no_locks_forbids_what_is_not_served);
    return finish();
}
