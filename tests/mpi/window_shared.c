// SPDX-License-Identifier: BSD-3-Clause
// shared_memory_is_shared: what MPI_Win_shared_query shows can be loaded from and
// stored to, also in windows that were not made for it; contiguous unless asked
// otherwise.
#include "window_test.h"

static int node_rank, node_size;
static MPI_Comm node;

static MPI_Win open_on_node(MPI_Aint bytes, int unit, MPI_Info info, void *base)
{
    MPI_Win win;
    MPI_Win_allocate_shared(bytes, unit, info, node, base, &win);
    return win;
}

static unsigned char *query(MPI_Win win, int of, MPI_Aint *bytes, int *unit)
{
    unsigned char *base;
    MPI_Win_shared_query(win, of, bytes, unit, &base);
    return base;
}

// Rank r has 3 r bytes, rank 0 none.
static void parts_follow_each_other(void)
{
    unsigned char *own, *expected = NULL;
    MPI_Win win = open_on_node(3 * node_rank, node_rank + 1, MPI_INFO_NULL, &own);
    for (int of = 1; of < node_size; of++) {
        MPI_Aint bytes;
        int unit;
        unsigned char *base = query(win, of, &bytes, &unit);
        CHECK(bytes == 3 * of && unit == of + 1);
        CHECK(expected == NULL || base == expected);
        CHECK(of != node_rank || base == own);
        expected = base + bytes;
    }
    MPI_Aint bytes;
    int unit;
    unsigned char *first = query(win, MPI_PROC_NULL, &bytes, &unit);
    if (node_size > 1)
        CHECK(bytes == 3 && unit == 2 && first == query(win, 1, &bytes, &unit));
    else
        CHECK(bytes == 0 && first == NULL);
    CHECK(query(win, 0, &bytes, &unit) == NULL && bytes == 0 && unit == 1);
    MPI_Win_free(&win);
}

static void parts_are_apart_when_asked(void)
{
    MPI_Info info;
    unsigned char *own;
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    MPI_Info_set(info, "mpi_minimum_memory_alignment", "4096");
    MPI_Win win = open_on_node(10, 1, info, &own);
    MPI_Info_free(&info);
    for (int of = 0; of < node_size; of++) {
        MPI_Aint bytes;
        int unit;
        CHECK((uintptr_t)query(win, of, &bytes, &unit) % 4096 == 0 && bytes == 10);
    }
    MPI_Win_free(&win);
}

// Each rank stores into its right neighbour's part; a chain of flags orders them.
static void stores_are_seen_after_sync(void)
{
    int *own;
    MPI_Win win = open_on_node(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, &own);
    int next = (node_rank + 1) % node_size, unit;
    MPI_Aint bytes;
    volatile int *theirs = (volatile int *)query(win, next, &bytes, &unit);
    volatile int *mine = own;
    mine[0] = mine[1] = 0;
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    MPI_Barrier(node);
    for (int round = 1; round <= 50; round++) {
        theirs[0] = 7 * round;
        MPI_Win_sync(win);
        theirs[1] = round;
        while (mine[1] != round)
            MPI_Win_sync(win);
        MPI_Win_sync(win);
        CHECK(mine[0] == 7 * round);
        MPI_Barrier(node);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

// Allocated windows, and created ones on MPI_Alloc_mem memory, show the memory of
// local peers; other memory is shown to its owner only, that of other nodes to nobody.
static void shown_memory_is_the_windows(const struct source *source)
{
    bool is_private = source->open == open_on_malloc;
    struct opened opened = source->open(sizeof(int), 1);
    *(int *)opened.base = rank;
    MPI_Barrier(MPI_COMM_WORLD);
    int shown = 0;
    for (int of = 0; of < size; of++) {
        MPI_Aint bytes;
        int unit;
        unsigned char *base = query(opened.win, of, &bytes, &unit);
        shown += base != NULL;
        CHECK(bytes == (base != NULL ? (MPI_Aint)sizeof(int) : 0));
        CHECK(base == NULL || *(int *)base == of);
        CHECK(of != rank || base == opened.base);
    }
    CHECK(shown == (is_private ? 1 : node_size));
    MPI_Barrier(MPI_COMM_WORLD);
    source->close(&opened);
}

static void dynamic_windows_have_none(void)
{
    MPI_Win win;
    MPI_Aint bytes;
    int unit;
    void *base;
    MPI_Win_create_dynamic(MPI_INFO_NULL, node, &win);
    return_errors(win);
    CHECK_CLASS(MPI_Win_shared_query(win, 0, &bytes, &unit, &base), MPI_ERR_RMA_FLAVOR);
    MPI_Win_free(&win);
}

// Nobody has memory: there is nothing to show.
static void empty_windows_show_nothing(const struct source *source)
{
    struct opened opened = source->open(0, 7);
    MPI_Aint bytes = -1;
    int unit = -1;
    query(opened.win, MPI_PROC_NULL, &bytes, &unit);
    CHECK(bytes == 0 && unit == 7);
    query(opened.win, rank, &bytes, &unit);
    CHECK(bytes == 0 && unit == 7);
    source->close(&opened);
}

static void other_nodes_share_nothing(void)
{
    MPI_Win win = MPI_WIN_NULL;
    void *base;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK_CLASS(
        MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win),
        MPI_ERR_RMA_SHARED);
    CHECK(win == MPI_WIN_NULL);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    node = node_comm();
    MPI_Comm_rank(node, &node_rank);
    MPI_Comm_size(node, &node_size);
    parts_follow_each_other();
    parts_are_apart_when_asked();
    stores_are_seen_after_sync();
    for_each_source(shown_memory_is_the_windows);
    for_each_source(empty_windows_show_nothing);
    dynamic_windows_have_none();
    if (node_size != size)
        other_nodes_share_nothing();
    MPI_Comm_free(&node);
    return finish();
}
