// SPDX-License-Identifier: BSD-3-Clause
// bad_operations_change_nothing: each gives its error class through the window's
// handler, no byte is touched, and the epoch goes on.
#include "window_test.h"

#include <limits.h>

enum { ELEMENTS = 64 };

static int values[ELEMENTS];

static int put(const struct opened *opened, int target, MPI_Aint displacement,
               int count)
{
    return MPI_Put(values, count, MPI_INT, target, displacement, count, MPI_INT,
                   opened->win);
}

static int get(const struct opened *opened, int target, MPI_Aint displacement,
               int count)
{
    return MPI_Get(values, count, MPI_INT, target, displacement, count, MPI_INT,
                   opened->win);
}

static void check_range(const struct opened *opened, int target, MPI_Aint displacement,
                        int count)
{
    CHECK_CLASS(put(opened, target, displacement, count), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(get(opened, target, displacement, count), MPI_ERR_RMA_RANGE);
}

// Rank r has ELEMENTS - r elements.
static void outside_the_part_is_refused(const struct opened *opened)
{
    for (int target = 0; target < size; target++) {
        int elements = ELEMENTS - target;
        check_range(opened, target, elements, 1);
        check_range(opened, target, elements - 1, 2);
        check_range(opened, target, 0, elements + 1);
        check_range(opened, target, LONG_MAX, 1);
        check_range(opened, target, LONG_MAX / 4 + 1, 1);
        check_range(opened, target, LONG_MAX / 2, 8);
        CHECK_CLASS(get(opened, target, elements, 0), MPI_SUCCESS);
        CHECK_CLASS(get(opened, target, elements - 1, 1), MPI_SUCCESS);
    }
}

// A negative stride may leave the part at its start.
static void before_the_part_is_refused(const struct opened *opened)
{
    MPI_Datatype backwards;
    MPI_Type_create_hvector(2, 1, -8, MPI_INT, &backwards);
    MPI_Type_commit(&backwards);
    CHECK_CLASS(MPI_Get(values, 2, MPI_INT, right(), 1, 1, backwards, opened->win),
                MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Get(values, 2, MPI_INT, right(), 2, 1, backwards, opened->win),
                MPI_SUCCESS);
    MPI_Type_free(&backwards);
}

static void a_smaller_receiver_is_refused(const struct opened *opened)
{
    CHECK_CLASS(MPI_Put(values, 4, MPI_INT, right(), 0, 3, MPI_INT, opened->win),
                MPI_ERR_TRUNCATE);
    CHECK_CLASS(MPI_Get(values, 3, MPI_INT, right(), 0, 4, MPI_INT, opened->win),
                MPI_ERR_TRUNCATE);
}

// Not looked at where quick.h does it all, as with two buffers of the same type.
static void constants_are_no_buffers(const struct opened *opened)
{
    void *const no_buffers[] = {MPI_IN_PLACE, MPI_BUFFER_AUTOMATIC};
    MPI_Win win = opened->win;
    for (int i = 0; i < 2; i++) {
        void *bad = no_buffers[i];
        CHECK_CLASS(MPI_Put(bad, 1, MPI_INT, right(), 0, sizeof(int), MPI_BYTE, win),
                    MPI_ERR_BUFFER);
        CHECK_CLASS(MPI_Get(bad, 1, MPI_INT, right(), 0, sizeof(int), MPI_BYTE, win),
                    MPI_ERR_BUFFER);
        for (int place = 0; place < 2; place++)
            CHECK_CLASS(MPI_Get_accumulate(place == 0 ? bad : values, 1, MPI_INT,
                                           place == 1 ? bad : values, 1, MPI_INT,
                                           right(), 0, 1, MPI_INT, MPI_SUM, win),
                        MPI_ERR_BUFFER);
        CHECK_CLASS(MPI_Get_accumulate(bad, 1, MPI_INT, values, 1, MPI_INT, right(), 0,
                                       1, MPI_INT, MPI_NO_OP, win),
                    MPI_SUCCESS);
    }
}

static void bad_arguments_are_refused(const struct opened *opened)
{
    CHECK_CLASS(put(opened, size, 0, 1), MPI_ERR_RANK);
    CHECK_CLASS(put(opened, -7, 0, 1), MPI_ERR_RANK);
    CHECK_CLASS(get(opened, right(), 0, -1), MPI_ERR_COUNT);
    CHECK_CLASS(get(opened, right(), -1, 1), MPI_ERR_DISP);
    CHECK_CLASS(
        MPI_Put(values, 1, MPI_DATATYPE_NULL, right(), 0, 1, MPI_INT, opened->win),
        MPI_ERR_TYPE);
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    CHECK_CLASS(MPI_Put(values, 1, pair, right(), 0, 1, pair, opened->win),
                MPI_ERR_TYPE);
    MPI_Type_free(&pair);
    CHECK_CLASS(put(opened, MPI_PROC_NULL, 1 << 20, ELEMENTS), MPI_SUCCESS);
    CHECK_CLASS(get(opened, MPI_PROC_NULL, 1 << 20, ELEMENTS), MPI_SUCCESS);
}

static void nothing_is_changed(const struct source *source)
{
    int elements = ELEMENTS - rank;
    struct opened opened =
        source->open((MPI_Aint)(elements * sizeof(int)), sizeof(int));
    int *memory = opened.base;
    for (int i = 0; i < elements; i++)
        memory[i] = 1000 * rank + i;
    MPI_Win_fence(0, opened.win);
    for (int i = 0; i < ELEMENTS; i++)
        values[i] = -1;
    outside_the_part_is_refused(&opened);
    before_the_part_is_refused(&opened);
    a_smaller_receiver_is_refused(&opened);
    constants_are_no_buffers(&opened);
    bad_arguments_are_refused(&opened);
    MPI_Win_fence(0, opened.win);
    for (int i = 0; i < elements; i++)
        CHECK(memory[i] == 1000 * rank + i);
    int last = -1, owner = right();
    MPI_Get(&last, 1, MPI_INT, owner, ELEMENTS - owner - 1, 1, MPI_INT, opened.win);
    MPI_Win_fence(0, opened.win);
    CHECK(last == 1000 * owner + ELEMENTS - owner - 1);
    source->close(&opened);
}

// Errors without a window are raised on MPI_COMM_SELF.
static void bad_windows_are_refused(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    struct opened opened = open_allocated(8, 1);
    MPI_Win stale = opened.win;
    close_allocated(&opened);
    CHECK(opened.win == MPI_WIN_NULL);
    CHECK_CLASS(MPI_Win_fence(0, MPI_WIN_NULL), MPI_ERR_WIN);
    CHECK_CLASS(MPI_Win_fence(0, stale), MPI_ERR_WIN);
    CHECK_CLASS(MPI_Put(values, 1, MPI_INT, 0, 0, 1, MPI_INT, stale), MPI_ERR_WIN);
    CHECK_CLASS(MPI_Win_free(&stale), MPI_ERR_WIN);
    CHECK_CLASS(MPI_Win_free(&opened.win), MPI_ERR_WIN);
    CHECK_CLASS(MPI_Win_fence(0, (MPI_Win)MPI_COMM_WORLD), MPI_ERR_WIN);
}

static void bad_creations_are_refused(void)
{
    MPI_Win win = MPI_WIN_NULL;
    void *base;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK_CLASS(MPI_Win_allocate(-1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win),
                MPI_ERR_SIZE);
    CHECK_CLASS(MPI_Win_allocate(8, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win),
                MPI_ERR_DISP);
    CHECK_CLASS(MPI_Win_create(values, 8, -4, MPI_INFO_NULL, MPI_COMM_WORLD, &win),
                MPI_ERR_DISP);
    CHECK_CLASS(MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_NULL, &base, &win),
                MPI_ERR_COMM);
    CHECK(win == MPI_WIN_NULL);
}

// More than there is on one rank only: all of them get the error.
static void a_failure_of_one_is_the_failure_of_all(void)
{
    MPI_Win win = MPI_WIN_NULL;
    void *base = values;
    MPI_Aint bytes = rank == size - 1 ? LONG_MAX / 2 : 64;
    CHECK_CLASS(MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win),
                MPI_ERR_NO_MEM);
    CHECK(win == MPI_WIN_NULL && base == values);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (size > ELEMENTS / 2)
        return finish(), SKIPPED;
    for_each_source(nothing_is_changed);
    bad_windows_are_refused();
    bad_creations_are_refused();
    a_failure_of_one_is_the_failure_of_all();
    return finish();
}
