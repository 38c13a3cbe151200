// SPDX-License-Identifier: BSD-3-Clause
// closed_windows_leave_nothing: after a first round, opening and closing many windows
// of every kind takes no further memory, neither of the process nor of the node.
#include "window_test.h"

#include <malloc.h>

enum { AT_ONCE = 100, ROUNDS = 5, SLACK = 16 << 10, PIECE = 1 << 20 };

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

static void many_windows(const struct source *source)
{
    open_use_and_close(source);
    size_t before = mallinfo2().uordblks;
    void *place = place_of_piece();
    for (int round = 0; round < ROUNDS; round++)
        open_use_and_close(source);
    CHECK(place_of_piece() == place);
    CHECK(mallinfo2().uordblks < before + SLACK);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for_each_source(many_windows);
    return finish();
}
