// SPDX-License-Identifier: BSD-3-Clause
// what_an_epoch_forbids_is_refused: a table of all calls in all kinds of epochs. A call
// that is illegal gives its error class, and the epoch, the window and the data are as
// they were: the epoch is used and closed as if nothing had happened.
#include "window_test.h"

static MPI_Win win;
static int *memory; // this rank's part, which it accesses itself
static MPI_Group myself;

// ---- calls ------------------------------------------------------------------------
static int one = 1, other, expected = -1;

static int put(void)
{
    return MPI_Put(&one, 1, MPI_INT, rank, 1, 1, MPI_INT, win);
}
static int get(void)
{
    return MPI_Get(&other, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
}
static int accumulate(void)
{
    return MPI_Accumulate(&one, 1, MPI_INT, rank, 1, 1, MPI_INT, MPI_SUM, win);
}
static int get_accumulate(void)
{
    return MPI_Get_accumulate(&one, 1, MPI_INT, &other, 1, MPI_INT, rank, 1, 1, MPI_INT,
                              MPI_SUM, win);
}
static int fetch_and_op(void)
{
    return MPI_Fetch_and_op(&one, &other, MPI_INT, rank, 1, MPI_SUM, win);
}
static int compare_and_swap(void)
{
    return MPI_Compare_and_swap(&one, &expected, &other, MPI_INT, rank, 1, win);
}
static int rput(void)
{
    MPI_Request request;
    return MPI_Rput(&one, 1, MPI_INT, rank, 1, 1, MPI_INT, win, &request);
}
static int rget(void)
{
    MPI_Request request;
    return MPI_Rget(&other, 1, MPI_INT, rank, 0, 1, MPI_INT, win, &request);
}
static int raccumulate(void)
{
    MPI_Request request;
    return MPI_Raccumulate(&one, 1, MPI_INT, rank, 1, 1, MPI_INT, MPI_SUM, win,
                           &request);
}
static int rget_accumulate(void)
{
    MPI_Request request;
    return MPI_Rget_accumulate(&one, 1, MPI_INT, &other, 1, MPI_INT, rank, 1, 1,
                               MPI_INT, MPI_SUM, win, &request);
}
static int fence(void)
{
    return MPI_Win_fence(0, win);
}
static int fence_noprecede(void)
{
    return MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
}
static int start_epoch(void)
{
    return MPI_Win_start(myself, 0, win);
}
static int complete(void)
{
    return MPI_Win_complete(win);
}
static int post(void)
{
    return MPI_Win_post(myself, 0, win);
}
static int wait_for_end(void)
{
    return MPI_Win_wait(win);
}
static int test(void)
{
    return MPI_Win_test(win, &other);
}
static int lock(void)
{
    return MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
}
static int lock_exclusively(void)
{
    return MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
}
static int lock_all(void)
{
    return MPI_Win_lock_all(0, win);
}
static int unlock(void)
{
    return MPI_Win_unlock(rank, win);
}
static int unlock_all(void)
{
    return MPI_Win_unlock_all(win);
}
static int flush(void)
{
    return MPI_Win_flush(rank, win);
}
static int flush_local(void)
{
    return MPI_Win_flush_local(rank, win);
}
static int flush_all(void)
{
    return MPI_Win_flush_all(win);
}
static int flush_local_all(void)
{
    return MPI_Win_flush_local_all(win);
}
static int free_window(void)
{
    return MPI_Win_free(&win);
}

// ---- epochs -----------------------------------------------------------------------
static void nothing(void)
{
}
static void open_fence(void)
{
    CHECK_CLASS(fence(), MPI_SUCCESS);
}
static void open_used_fence(void)
{
    CHECK_CLASS(fence(), MPI_SUCCESS);
    CHECK_CLASS(get(), MPI_SUCCESS);
}
static void close_fence(void)
{
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}
static void open_start(void)
{
    CHECK_CLASS(post(), MPI_SUCCESS);
    CHECK_CLASS(start_epoch(), MPI_SUCCESS);
}
static void close_start(void)
{
    CHECK_CLASS(complete(), MPI_SUCCESS);
    CHECK_CLASS(wait_for_end(), MPI_SUCCESS);
}
static void open_exposure(void)
{
    CHECK_CLASS(post(), MPI_SUCCESS);
}
static void enter_exposure(void)
{
    CHECK_CLASS(start_epoch(), MPI_SUCCESS);
}
static void open_lock(void)
{
    CHECK_CLASS(lock(), MPI_SUCCESS);
}
static void close_lock(void)
{
    CHECK_CLASS(unlock(), MPI_SUCCESS);
}
static void open_lock_all(void)
{
    CHECK_CLASS(lock_all(), MPI_SUCCESS);
}
static void close_lock_all(void)
{
    CHECK_CLASS(unlock_all(), MPI_SUCCESS);
}

// In the order of the table's columns; `enter` makes accesses possible where they are
// not yet.
static const struct epoch {
    const char *name;
    void (*open)(void), (*enter)(void), (*close)(void);
} epochs[] = {
    {"no epoch", nothing, open_lock, close_lock},
    {"a fence epoch", open_fence, nothing, close_fence},
    {"a fence epoch in use", open_used_fence, nothing, close_fence},
    {"a started epoch", open_start, nothing, close_start},
    {"an exposure", open_exposure, enter_exposure, close_start},
    {"a lock epoch", open_lock, nothing, close_lock},
    {"a lock_all epoch", open_lock_all, nothing, close_lock_all},
};
enum { EPOCHS = sizeof epochs / sizeof *epochs };

// ---- the table --------------------------------------------------------------------
// In each kind of epoch: 's' MPI_ERR_RMA_SYNC, 'c' MPI_ERR_RMA_CONFLICT, 'a'
// MPI_ERR_ASSERT, '.' allowed.
static const struct row {
    const char *name;
    int (*call)(void);
    const char *classes;
} rows[] = {
    // clang-format off
    //                    none, fence, used, started, exposed, lock, lock_all
    {"MPI_Put",                 put,              "s...s.."},
    {"MPI_Get",                 get,              "s...s.."},
    {"MPI_Accumulate",          accumulate,       "s...s.."},
    {"MPI_Get_accumulate",      get_accumulate,   "s...s.."},
    {"MPI_Fetch_and_op",        fetch_and_op,     "s...s.."},
    {"MPI_Compare_and_swap",    compare_and_swap, "s...s.."},
    {"MPI_Rput",                rput,             "sssss.."},
    {"MPI_Rget",                rget,             "sssss.."},
    {"MPI_Raccumulate",         raccumulate,      "sssss.."},
    {"MPI_Rget_accumulate",     rget_accumulate,  "sssss.."},
    {"MPI_Win_fence",           fence,            "...ssss"},
    {"MPI_Win_fence NOPRECEDE", fence_noprecede,  "..assss"},
    {"MPI_Win_start",           start_epoch,      "..ss.ss"},
    {"MPI_Win_complete",        complete,         "sss.sss"},
    {"MPI_Win_post",            post,             "..ssscc"},
    {"MPI_Win_wait",            wait_for_end,     "sss..ss"},
    {"MPI_Win_test",            test,             "sss..ss"},
    {"MPI_Win_lock shared",     lock,             "..sscss"},
    {"MPI_Win_lock exclusive",  lock_exclusively, "..sscss"},
    {"MPI_Win_lock_all",        lock_all,         "..sscss"},
    {"MPI_Win_unlock",          unlock,           "sssss.s"},
    {"MPI_Win_unlock_all",      unlock_all,       "ssssss."},
    {"MPI_Win_flush",           flush,            "sssss.."},
    {"MPI_Win_flush_local",     flush_local,      "sssss.."},
    {"MPI_Win_flush_all",       flush_all,        "sssss.."},
    {"MPI_Win_flush_local_all", flush_local_all,  "sssss.."},
    {"MPI_Win_free",            free_window,      "..sssss"},
    // clang-format on
};
enum { ROWS = sizeof rows / sizeof *rows };

static int class_of(char letter)
{
    return letter == 's'   ? MPI_ERR_RMA_SYNC
           : letter == 'c' ? MPI_ERR_RMA_CONFLICT
                           : MPI_ERR_ASSERT;
}

// The element 1 is not what the refused call would have made of it, and the epoch works.
static void is_refused(const struct row *row, const struct epoch *epoch, int class)
{
    MPI_Win before = win;
    memory[0] = 0;
    memory[1] = -1;
    epoch->open();
    int code = row->call();
    if (code != class)
        fprintf(stderr, "%s in %s:\n", row->name, epoch->name);
    CHECK_CLASS(code, class);
    CHECK(win == before);
    epoch->enter();
    CHECK_CLASS(MPI_Put(&rank, 1, MPI_INT, rank, 0, 1, MPI_INT, win), MPI_SUCCESS);
    epoch->close();
    CHECK(*(volatile int *)&memory[0] == rank && memory[1] == -1);
}

static void all_are_refused(const struct source *source)
{
    struct opened opened = source->open(2 * sizeof(int), sizeof(int));
    win = opened.win;
    memory = opened.base;
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        MPI_Barrier(MPI_COMM_WORLD); // lock_all may lock what another rank exposes
        for (int row = 0; row < ROWS; row++)
            if (rows[row].classes[epoch] != '.')
                is_refused(&rows[row], &epochs[epoch],
                           class_of(rows[row].classes[epoch]));
    }
    source->close(&opened);
}

int main(int argc, char **argv)
{
    MPI_Group world;
    start(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &rank, &myself);
    MPI_Group_free(&world);
    for_each_source(all_are_refused);
    MPI_Group_free(&myself);
    return finish();
}
