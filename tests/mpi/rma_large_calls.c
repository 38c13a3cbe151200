// SPDX-License-Identifier: BSD-3-Clause
// large_calls_do_what_small_ones_do: windows and operations by the `_c` procedures, and
// displacement units that no int can hold.
#include "window_test.h"

enum { ELEMENTS = 1000 };

static const MPI_Aint LARGE_UNIT = (MPI_Aint)1 << 40;

static struct opened open_created(MPI_Aint bytes, MPI_Aint unit)
{
    struct opened opened;
    MPI_Alloc_mem(bytes, MPI_INFO_NULL, &opened.base);
    MPI_Win_create_c(opened.base, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &opened.win);
    return opened;
}

static struct opened open_allocated_c(MPI_Aint bytes, MPI_Aint unit)
{
    struct opened opened;
    MPI_Win_allocate_c(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &opened.base,
                       &opened.win);
    return opened;
}

static struct opened open_shared_c(MPI_Aint bytes, MPI_Aint unit)
{
    struct opened opened;
    void *base;
    MPI_Aint found_bytes, found_unit;
    MPI_Win_allocate_shared_c(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &opened.base,
                              &opened.win);
    MPI_Win_shared_query_c(opened.win, rank, &found_bytes, &found_unit, &base);
    CHECK(found_bytes == bytes && found_unit == unit && base == opened.base);
    return opened;
}

// The last one at which so many elements fit into the window.
static MPI_Aint displacement(int count)
{
    return ELEMENTS - count;
}

static void operations_work(MPI_Win win, int count)
{
    int values[ELEMENTS], got[ELEMENTS], before[ELEMENTS];
    const MPI_Aint at = displacement(count);
    for (int i = 0; i < count; i++)
        values[i] = rank + i;
    MPI_Put_c(values, count, MPI_INT, right(), at, count, MPI_INT, win);
    MPI_Win_flush(right(), win);
    MPI_Accumulate_c(values, count, MPI_INT, right(), at, count, MPI_INT, MPI_SUM, win);
    MPI_Get_accumulate_c(values, count, MPI_INT, before, count, MPI_INT, right(), at,
                         count, MPI_INT, MPI_SUM, win);
    MPI_Win_flush(right(), win);
    MPI_Get_c(got, count, MPI_INT, right(), at, count, MPI_INT, win);
    MPI_Win_flush(right(), win);
    for (int i = 0; i < count; i++)
        CHECK(before[i] == 2 * (rank + i) && got[i] == 3 * (rank + i));
}

static void operations_with_requests_work(MPI_Win win, int count)
{
    int values[ELEMENTS], got[ELEMENTS], before[ELEMENTS];
    const MPI_Aint at = displacement(count);
    MPI_Request requests[2];
    for (int i = 0; i < count; i++)
        values[i] = rank - i;
    MPI_Rput_c(values, count, MPI_INT, right(), at, count, MPI_INT, win, requests);
    MPI_Win_flush(right(), win);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
    MPI_Raccumulate_c(values, count, MPI_INT, right(), at, count, MPI_INT, MPI_SUM, win,
                      &requests[0]);
    MPI_Rget_accumulate_c(values, count, MPI_INT, before, count, MPI_INT, right(), at,
                          count, MPI_INT, MPI_SUM, win, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Win_flush(right(), win);
    MPI_Rget_c(got, count, MPI_INT, right(), at, count, MPI_INT, win, requests);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++)
        CHECK(before[i] == 2 * (rank - i) && got[i] == 3 * (rank - i));
}

// At its start it has a displacement; anything behind that is far outside.
static void units_may_be_large(MPI_Win win)
{
    int value = rank + 1, got = 0;
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_lock_all(0, win);
    MPI_Put_c(&value, 1, MPI_INT, right(), 0, 1, MPI_INT, win);
    MPI_Win_flush(right(), win);
    MPI_Get_c(&got, 1, MPI_INT, right(), 0, 1, MPI_INT, win);
    CHECK_CLASS(MPI_Get_c(&got, 1, MPI_INT, right(), 1, 1, MPI_INT, win),
                MPI_ERR_RMA_RANGE);
    MPI_Win_unlock_all(win);
    CHECK(got == value);
}

static void a_window_works(struct opened (*open)(MPI_Aint bytes, MPI_Aint unit),
                           void (*close)(struct opened *opened))
{
    struct opened opened = open(ELEMENTS * sizeof(int), sizeof(int));
    MPI_Win_lock_all(0, opened.win);
    for (int count = 1; count <= ELEMENTS; count *= 10) {
        operations_work(opened.win, count);
        operations_with_requests_work(opened.win, count);
    }
    MPI_Win_unlock_all(opened.win);
    close(&opened);
    opened = open(sizeof(int), LARGE_UNIT);
    units_may_be_large(opened.win);
    close(&opened);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    a_window_works(open_created, close_alloc_mem);
    a_window_works(open_allocated_c, close_allocated);
    if (is_one_node())
        a_window_works(open_shared_c, close_allocated);
    return finish();
}
