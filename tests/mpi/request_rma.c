// SPDX-License-Identifier: BSD-3-Clause
// operations_with_requests_complete: when the request is complete the origin buffer may
// be reused or has the data, also after a flush or unlock; many may be outstanding; they
// need a passive target epoch (MPI-4.1 12.3.5).
#include "window_test.h"

enum { ELEMENTS = 3000, MANY = 100000 };

static void put_get_and_accumulate(const struct source *source)
{
    struct opened opened = source->open(ELEMENTS * sizeof(int), sizeof(int));
    int *mine = opened.base, values[ELEMENTS], got[ELEMENTS], before[ELEMENTS];
    int is_cancelled = 1;
    MPI_Request request;
    MPI_Status status;
    memset(mine, 0, ELEMENTS * sizeof(int));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int count = 1; count <= ELEMENTS; count = count * 7 + 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right(), 0, opened.win);
        for (int i = 0; i < count; i++)
            values[i] = rank + i;
        MPI_Rput(values, count, MPI_INT, right(), 0, count, MPI_INT, opened.win,
                 &request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &is_cancelled);
        CHECK(request == MPI_REQUEST_NULL && !is_cancelled);
        memset(values, -1, sizeof values); // may be changed
        MPI_Win_flush(right(), opened.win);
        MPI_Rget(got, count, MPI_INT, right(), 0, count, MPI_INT, opened.win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < count; i++) {
            CHECK(got[i] == rank + i);
            values[i] = 2;
        }
        MPI_Raccumulate(values, count, MPI_INT, right(), 0, count, MPI_INT, MPI_SUM,
                        opened.win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        memset(values, -1, sizeof values);
        MPI_Rget_accumulate(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, before, count, MPI_INT,
                            right(), 0, count, MPI_INT, MPI_NO_OP, opened.win,
                            &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < count; i++)
            CHECK(before[i] == rank + i + 2);
        MPI_Win_unlock(right(), opened.win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    source->close(&opened);
}

static void flush_and_unlock_complete_them(const struct source *source)
{
    struct opened opened = source->open(ELEMENTS * sizeof(int), sizeof(int));
    int *mine = opened.base, got[2][ELEMENTS], flag = 0;
    MPI_Request requests[2];
    for (int i = 0; i < ELEMENTS; i++)
        mine[i] = rank * 10 + i;
    MPI_Win_fence(MPI_MODE_NOSUCCEED, opened.win);
    MPI_Win_lock_all(0, opened.win);
    MPI_Rget(got[0], ELEMENTS, MPI_INT, right(), 0, ELEMENTS, MPI_INT, opened.win,
             &requests[0]);
    MPI_Win_flush(right(), opened.win);
    MPI_Rget(got[1], ELEMENTS, MPI_INT, left(), 0, ELEMENTS, MPI_INT, opened.win,
             &requests[1]);
    MPI_Win_unlock_all(opened.win);
    for (int i = 0; i < ELEMENTS; i++)
        CHECK(got[0][i] == right() * 10 + i && got[1][i] == left() * 10 + i);
    MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    CHECK(flag && requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
    source->close(&opened);
}

// Completes them one after the other, as many at a time as are complete, or all at once.
static void complete_one_by_one(int many, MPI_Request *requests)
{
    for (int done = 0; done < many; done++) {
        int index = MPI_UNDEFINED;
        MPI_Waitany(many, requests, &index, MPI_STATUS_IGNORE);
        CHECK(index != MPI_UNDEFINED && requests[index] == MPI_REQUEST_NULL);
    }
}

static void complete_some(int many, MPI_Request *requests)
{
    int *indices = malloc((size_t)many * sizeof *indices);
    for (int done = 0, some; done < many; done += some) {
        MPI_Testsome(many, requests, &some, indices, MPI_STATUSES_IGNORE);
        CHECK(some != MPI_UNDEFINED);
    }
    free(indices);
}

static void complete_all(int many, MPI_Request *requests)
{
    MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
}

// Puts and gets; Waitany looks from the first request on, so that is for fewer.
static void outstanding(const struct source *source, int many,
                        void (*complete)(int many, MPI_Request *requests))
{
    struct opened opened = source->open(many * (MPI_Aint)sizeof(int), sizeof(int));
    int *mine = opened.base, *values = malloc((size_t)many * sizeof *values);
    MPI_Request *requests = malloc((size_t)many * sizeof *requests);
    for (int i = 0; i < many; i++)
        values[i] = rank + i;
    MPI_Win_lock_all(0, opened.win);
    for (int i = 0; i < many; i++)
        MPI_Rput(&values[i], 1, MPI_INT, right(), i, 1, MPI_INT, opened.win,
                 &requests[i]);
    complete(many, requests);
    for (int i = 0; i < many; i++)
        values[i] = -1;
    MPI_Win_flush(right(), opened.win);
    for (int i = 0; i < many; i++)
        MPI_Rget(&values[i], 1, MPI_INT, right(), i, 1, MPI_INT, opened.win,
                 &requests[i]);
    complete(many, requests);
    for (int i = 0; i < many; i++)
        CHECK(values[i] == rank + i);
    MPI_Win_unlock_all(opened.win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < many; i++)
        CHECK(mine[i] == left() + i);
    free(requests);
    free(values);
    source->close(&opened);
}

static void many_are_outstanding(const struct source *source)
{
    outstanding(source, MANY, complete_all);
    outstanding(source, MANY, complete_some);
    outstanding(source, MANY / 50, complete_one_by_one);
}

// Nobody asks for it, but it is done.
static void freed_requests_go_on(const struct source *source)
{
    struct opened opened = source->open(ELEMENTS * sizeof(int), sizeof(int));
    int values[ELEMENTS];
    MPI_Request request;
    memset(opened.base, 0, ELEMENTS * sizeof(int));
    for (int i = 0; i < ELEMENTS; i++)
        values[i] = rank + i;
    MPI_Win_fence(MPI_MODE_NOSUCCEED, opened.win);
    MPI_Win_lock(MPI_LOCK_SHARED, right(), 0, opened.win);
    MPI_Rput(values, ELEMENTS, MPI_INT, right(), 0, ELEMENTS, MPI_INT, opened.win,
             &request);
    MPI_Request_free(&request);
    MPI_Win_unlock(right(), opened.win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, opened.win);
    for (int i = 0; i < ELEMENTS; i++)
        CHECK(((int *)opened.base)[i] == left() + i);
    MPI_Win_unlock(rank, opened.win);
    source->close(&opened);
}

static void only_in_passive_target_epochs(const struct source *source)
{
    struct opened opened = source->open(sizeof(int), sizeof(int));
    MPI_Request request;
    int value = 0;
    CHECK_CLASS(MPI_Rput(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, opened.win, &request),
                MPI_ERR_RMA_SYNC);
    MPI_Win_fence(0, opened.win);
    for (int i = 0; i < 2; i++) { // the second time at the target used last
        CHECK_CLASS(
            MPI_Rget(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, opened.win, &request),
            MPI_ERR_RMA_SYNC);
        MPI_Get(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, opened.win);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, opened.win);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, opened.win);
    CHECK_CLASS(MPI_Rput(&value, 1, MPI_INT, rank, 1, 1, MPI_INT, opened.win, &request),
                MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Rget_c(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, opened.win,
                           &request),
                MPI_SUCCESS);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock(rank, opened.win);
    source->close(&opened);
}

// As without requests: nobody has to be locked for what goes nowhere (MPI-4.1 12.3).
static void operations_on_no_process_complete(MPI_Win win)
{
    MPI_Request requests[4];
    int value = 0, nobody = MPI_PROC_NULL;
    MPI_Datatype t = MPI_INT;
    CHECK_CLASS(MPI_Rput(&value, 1, t, nobody, 0, 1, t, win, &requests[0]),
                MPI_SUCCESS);
    CHECK_CLASS(MPI_Rget(&value, 1, t, nobody, 0, 1, t, win, &requests[1]),
                MPI_SUCCESS);
    CHECK_CLASS(
        MPI_Raccumulate(&value, 1, t, nobody, 0, 1, t, MPI_SUM, win, &requests[2]),
        MPI_SUCCESS);
    CHECK_CLASS(MPI_Rget_accumulate(&value, 1, t, &value, 1, t, nobody, 0, 1, t,
                                    MPI_SUM, win, &requests[3]),
                MPI_SUCCESS);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void nothing_moves_without_a_place_for_the_request(const struct source *source)
{
    struct opened opened = source->open(sizeof(int), sizeof(int));
    int value = 1, got = 0;
    *(int *)opened.base = 5;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, opened.win);
    MPI_Get(&got, 1, MPI_INT, rank, 0, 1, MPI_INT, opened.win);
    MPI_Win_flush(rank, opened.win);
    CHECK_CLASS(MPI_Rput(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, opened.win, NULL),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_Raccumulate(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, MPI_SUM,
                                opened.win, NULL),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_Rget(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, opened.win, NULL),
                MPI_ERR_ARG);
    MPI_Win_unlock(rank, opened.win);
    CHECK(got == 5 && value == 1 && *(int *)opened.base == 5);
    source->close(&opened);
}

static void so_they_do_in_every_epoch(const struct source *source)
{
    struct opened opened = source->open(sizeof(int), sizeof(int));
    operations_on_no_process_complete(opened.win);
    MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, opened.win);
    operations_on_no_process_complete(opened.win);
    MPI_Win_unlock(MPI_PROC_NULL, opened.win);
    MPI_Win_fence(0, opened.win);
    operations_on_no_process_complete(opened.win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, opened.win);
    source->close(&opened);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for_each_source(put_get_and_accumulate);
    for_each_source(flush_and_unlock_complete_them);
    for_each_source(many_are_outstanding);
    for_each_source(freed_requests_go_on);
    for_each_source(only_in_passive_target_epochs);
    for_each_source(nothing_moves_without_a_place_for_the_request);
    for_each_source(so_they_do_in_every_epoch);
    return finish();
}
