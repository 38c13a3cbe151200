// SPDX-License-Identifier: BSD-3-Clause
// What synchronization costs by itself and with one put of 8 bytes: pairs of processes,
// and rank 0 alone for locks and flushes, while the others wait in a barrier.
#include "rma.h"

enum { WINDOW_BYTES = 1 << 20 };

static MPI_Group partner;

static void fence(void)
{
    MPI_Win_fence(0, to.window);
}

static void fence_put(void)
{
    put(8);
    MPI_Win_fence(0, to.window);
}

static void post_start_put_complete_wait(void)
{
    MPI_Win_post(partner, 0, to.window);
    MPI_Win_start(partner, 0, to.window);
    put(8);
    MPI_Win_complete(to.window);
    MPI_Win_wait(to.window);
}

static void lock_exclusive(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to.rank, 0, to.window);
    MPI_Win_unlock(to.rank, to.window);
}

static void lock_shared(void)
{
    MPI_Win_lock(MPI_LOCK_SHARED, to.rank, 0, to.window);
    MPI_Win_unlock(to.rank, to.window);
}

static void lock_put(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to.rank, 0, to.window);
    put(8);
    MPI_Win_unlock(to.rank, to.window);
}

static void lock_all(void)
{
    MPI_Win_lock_all(0, to.window);
    MPI_Win_unlock_all(to.window);
}

static void flush(void)
{
    MPI_Win_flush(to.rank, to.window);
}

static void flush_all(void)
{
    MPI_Win_flush_all(to.window);
}

static void flush_local(void)
{
    MPI_Win_flush_local(to.rank, to.window);
}

static void win_sync(void)
{
    MPI_Win_sync(to.window);
}

static void create_and_free(void)
{
    char *memory = to.memory;
    MPI_Win window = create_window(to.kind, 4096, &memory);
    free_window(to.kind, memory, &window);
}

enum epoch { NONE, FENCE, LOCK_ALL };

static const struct test {
    const char *name;
    void (*call)(void);
    bool together;
    enum epoch epoch; // in which it is called
} tests[] = {
    {"fence", fence, true, FENCE},
    {"fence_put", fence_put, true, FENCE},
    {"post_start_put_complete_wait", post_start_put_complete_wait, true, NONE},
    {"lock_exclusive", lock_exclusive, false, NONE},
    {"lock_shared", lock_shared, false, NONE},
    {"lock_put", lock_put, false, NONE},
    {"lock_all", lock_all, false, NONE},
    {"flush_idle", flush, false, LOCK_ALL},
    {"flush_all_idle", flush_all, false, LOCK_ALL},
    {"flush_local_idle", flush_local, false, LOCK_ALL},
    {"win_sync", win_sync, false, LOCK_ALL},
    {"create_and_free", create_and_free, true, NONE},
};

static const struct test *test;

static void repeat_test(size_t bytes, long count)
{
    (void)bytes;
    for (long i = 0; i < count; i++)
        test->call();
}

static void measure_test(int rank)
{
    if (test->epoch == FENCE)
        MPI_Win_fence(MPI_MODE_NOPRECEDE, to.window);
    if (test->epoch == LOCK_ALL)
        MPI_Win_lock_all(0, to.window);
    if (test->together || rank == 0) {
        double time = measure(repeat_test, 0, test->together);
        if (rank == 0)
            print_line("synchronization", kind_names[to.kind], test->name, 8,
                       1e6 * time, "us");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (test->epoch == FENCE)
        MPI_Win_fence(MPI_MODE_NOSUCCEED, to.window);
    if (test->epoch == LOCK_ALL)
        MPI_Win_unlock_all(to.window);
}

static void measure_kind(enum kind kind, int rank)
{
    open_target(kind, WINDOW_BYTES, rank ^ 1);
    for (size_t i = 0; i < LENGTH(tests); i++) {
        test = &tests[i];
        if (is_listed(options.operations, test->name))
            measure_test(rank);
    }
    close_target();
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Group all;
    MPI_Init(&argc, &argv);
    read_options(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, (int[]){rank ^ 1}, &partner);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        if (is_listed(options.kinds, kind_names[kind]))
            measure_kind(kind, rank);
    }
    MPI_Group_free(&partner);
    MPI_Group_free(&all);
    MPI_Finalize();
    return 0;
}
