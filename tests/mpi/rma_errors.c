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

// One call of each procedure that has an origin buffer, with `bad` for one of its
// buffers; `place` says for which, where there are several. All others are ints.
static int operate(int procedure, int place, void *bad, int count, MPI_Win win)
{
    void *origin = place == 0 ? bad : values, *result = place == 1 ? bad : values;
    void *compare = place == 2 ? bad : values;
    MPI_Datatype t = MPI_INT;
    int to = right();
    switch (procedure) {
    case 0:
        return MPI_Put(bad, count, t, to, 0, count, t, win);
    case 1:
        return MPI_Get(bad, count, t, to, 0, count, t, win);
    case 2:
        return MPI_Accumulate(bad, count, t, to, 0, count, t, MPI_SUM, win);
    case 3:
        return MPI_Put(bad, count, t, to, 0, count * (int)sizeof(int), MPI_BYTE, win);
    case 4:
        return MPI_Get_accumulate(origin, count, t, result, count, t, to, 0, count, t,
                                  MPI_SUM, win);
    case 5:
        return MPI_Fetch_and_op(origin, result, t, to, 0, MPI_SUM, win);
    default:
        return MPI_Compare_and_swap(origin, compare, result, t, to, 0, win);
    }
}

// The forms with requests.
static int operate_later(int procedure, int place, void *bad, int count, MPI_Win win)
{
    void *origin = place == 0 ? bad : values, *result = place == 1 ? bad : values;
    MPI_Datatype t = MPI_INT;
    MPI_Request request;
    int to = right();
    switch (procedure) {
    case 0:
        return MPI_Rput(bad, count, t, to, 0, count, t, win, &request);
    case 1:
        return MPI_Rget(bad, count, t, to, 0, count, t, win, &request);
    case 2:
        return MPI_Raccumulate(bad, count, t, to, 0, count, t, MPI_SUM, win, &request);
    default:
        return MPI_Rget_accumulate(origin, count, t, result, count, t, to, 0, count, t,
                                   MPI_SUM, win, &request);
    }
}

static const int places[] = {1, 1, 1, 1, 2, 2, 3}, places_later[] = {1, 1, 1, 2};

// NULL is no buffer unless the datatype has absolute addresses, or nothing is moved. The
// calls are made twice, since the second one finds its target at hand.
static void addresses_without_memory_are_refused(const struct opened *opened)
{
    void *const nowhere[] = {NULL, MPI_IN_PLACE, MPI_BUFFER_AUTOMATIC};
    MPI_Win win = opened->win;
    for (int i = 0; i < 2 * 3 * 7 * 3; i++) {
        void *bad = nowhere[i / 2 % 3];
        int procedure = i / 6 % 7, place = i / 42;
        if (place < places[procedure])
            CHECK_CLASS(operate(procedure, place, bad, 1, win), MPI_ERR_BUFFER);
    }
    CHECK_CLASS(MPI_Get_accumulate(MPI_IN_PLACE, 1, MPI_INT, values, 1, MPI_INT,
                                   right(), 0, 1, MPI_INT, MPI_NO_OP, win),
                MPI_SUCCESS);
    for (int procedure = 0; procedure < 5; procedure++)
        CHECK_CLASS(operate(procedure, 0, NULL, 0, win), MPI_SUCCESS);
    CHECK_CLASS(MPI_Put(NULL, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win),
                MPI_SUCCESS);
    MPI_Win_fence(0, win);
}

static void so_they_are_with_requests(const struct opened *opened)
{
    void *const nowhere[] = {NULL, MPI_IN_PLACE, MPI_BUFFER_AUTOMATIC};
    MPI_Win_lock(MPI_LOCK_SHARED, right(), 0, opened->win);
    for (int i = 0; i < 2 * 3 * 4 * 2; i++) {
        void *bad = nowhere[i / 2 % 3];
        int procedure = i / 6 % 4, place = i / 24;
        if (place < places_later[procedure])
            CHECK_CLASS(operate_later(procedure, place, bad, 1, opened->win),
                        MPI_ERR_BUFFER);
    }
    MPI_Win_unlock(right(), opened->win);
}

// An element is fetched by NULL as the origin, and MPI_BOTTOM is an origin.
static void null_may_be_right(const struct opened *opened)
{
    MPI_Win win = opened->win;
    int value = -1, first = 1000 * right();
    MPI_Datatype absolute, vector;
    MPI_Aint address;
    for (int i = 0; i < 2; i++) {
        CHECK_CLASS(MPI_Fetch_and_op(NULL, &value, MPI_INT, right(), 0, MPI_NO_OP, win),
                    MPI_SUCCESS);
        MPI_Win_fence(0, win);
        CHECK(value == first);
    }
    value = first;
    MPI_Get_address(&value, &address);
    MPI_Type_create_hindexed_block(1, 1, &address, MPI_INT, &absolute);
    MPI_Type_commit(&absolute);
    for (int i = 0; i < 2; i++)
        CHECK_CLASS(
            MPI_Put(MPI_BOTTOM, 1, absolute, right(), 0, 1, MPI_INT, opened->win),
            MPI_SUCCESS);
    MPI_Type_vector(2, 1, 2, MPI_INT, &vector);
    MPI_Type_commit(&vector);
    CHECK_CLASS(MPI_Put(NULL, 1, vector, right(), 0, 2, MPI_INT, win), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Get(NULL, 1, vector, right(), 0, 2, MPI_INT, win), MPI_ERR_BUFFER);
    MPI_Type_free(&vector);
    MPI_Type_free(&absolute);
    MPI_Win_fence(0, win);
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
    addresses_without_memory_are_refused(&opened);
    null_may_be_right(&opened);
    bad_arguments_are_refused(&opened);
    MPI_Win_fence(0, opened.win);
    for (int i = 0; i < elements; i++)
        CHECK(memory[i] == 1000 * rank + i);
    int last = -1, owner = right();
    MPI_Get(&last, 1, MPI_INT, owner, ELEMENTS - owner - 1, 1, MPI_INT, opened.win);
    MPI_Win_fence(0, opened.win);
    CHECK(last == 1000 * owner + ELEMENTS - owner - 1);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, opened.win);
    so_they_are_with_requests(&opened);
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
