// SPDX-License-Identifier: BSD-3-Clause
// closed_windows_leave_nothing: after a first round, opening and closing many windows
// of every kind takes no further memory, neither of the process nor of the node. A
// thousand of them may be open at once.
#include "window_test.h"

#include <malloc.h>

enum { AT_ONCE = 100, ROUNDS = 20, SLACK = 64 << 10, PIECE = 1 << 20, MOST = 1000 };

static void use(const struct opened *opened)
{
    int value = rank;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right(), 0, opened->win);
    MPI_Put(&value, 1, MPI_INT, right(), 0, 1, MPI_INT, opened->win);
    MPI_Win_unlock(right(), opened->win);
    MPI_Win_fence(0, opened->win);
    CHECK(*(int *)opened->base == left());
}

static void open_use_and_close(const struct source *source)
{
    static struct opened opened[AT_ONCE];
    for (int i = 0; i < AT_ONCE; i++)
        opened[i] = source->open(sizeof(int), 1);
    for (int i = 0; i < AT_ONCE; i++)
        use(&opened[i]);
    for (int i = 0; i < AT_ONCE; i++)
        source->close(&opened[(i * 7) % AT_ONCE]); // 7 and 100 have no common factor
}

// Where the heap places a large piece: the same each time if nothing has been lost.
static void *place_of_piece(void)
{
    void *piece;
    MPI_Alloc_mem(PIECE, MPI_INFO_NULL, &piece);
    MPI_Free_mem(piece);
    return piece;
}

// Looked at while no process is ahead, whose messages would count.
static size_t bytes_in_use(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    size_t bytes = mallinfo2().uordblks;
    MPI_Barrier(MPI_COMM_WORLD);
    return bytes;
}

static void many_windows(const struct source *source)
{
    open_use_and_close(source);
    size_t before = bytes_in_use();
    void *place = place_of_piece();
    for (int round = 0; round < ROUNDS; round++)
        open_use_and_close(source);
    CHECK(bytes_in_use() < before + SLACK); // all have freed their windows
    CHECK(place_of_piece() == place);
}

static struct opened most[MOST];
static const struct source *sources_of_most[MOST];
static int opened_now;

static void open_ten(const struct source *source)
{
    for (int i = 0; i < 10 && opened_now < MOST; i++) {
        sources_of_most[opened_now] = source;
        most[opened_now] = source->open(2 * sizeof(int), sizeof(int));
        ((int *)most[opened_now++].base)[1] = 0;
    }
}

// Epochs on all of them overlap, and each has its own memory.
static void a_thousand_at_once(void)
{
    while (opened_now < MOST)
        for_each_source(open_ten);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < MOST; i++)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right(), 0, most[i].win);
    for (int i = 0; i < MOST; i++) {
        int value = 2 * i + rank;
        MPI_Accumulate(&value, 1, MPI_INT, right(), 1, 1, MPI_INT, MPI_SUM,
                       most[i].win);
        MPI_Win_flush(right(), most[i].win);
    }
    for (int i = 0; i < MOST; i++)
        MPI_Win_unlock(right(), most[i].win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < MOST; i++)
        CHECK(((int *)most[i].base)[1] == 2 * i + left());
    for (int i = 0; i < MOST; i++)
        sources_of_most[i]->close(&most[i]);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    a_thousand_at_once();
    for_each_source(many_windows);
    return finish();
}
