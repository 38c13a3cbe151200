// SPDX-License-Identifier: BSD-3-Clause
// What is not freed, or not looked at, before MPI_Finalize.
#include "mistakes.h"

// run: -n 2 -env ORIEL_CHECK leaks
void window_left_open(bool wrong)
{
    int *memory;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    // mistake: left-open "window halo"
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &win);
    MPI_Win_set_name(win, "halo");
    if (!wrong)
        MPI_Win_free(&win);
    MPI_Finalize();
}

// run: -n 2 -env ORIEL_CHECK leaks
void types_left_open(bool wrong)
{
    MPI_Datatype types[3];
    MPI_Init(NULL, NULL);
    for (int i = 0; i < 3; i++)
        // mistake: left-open "this datatype"
        MPI_Type_contiguous(i, MPI_INT, &types[i]);
    for (int i = 0; i < 3 && !wrong; i++)
        MPI_Type_free(&types[i]);
    MPI_Finalize();
}

// run: -n 2 -env ORIEL_CHECK leaks
void communicator_left_open(bool wrong)
{
    MPI_Comm comm;
    MPI_Init(NULL, NULL);
    // mistake: left-open "communicator workers"
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "workers");
    if (!wrong)
        MPI_Comm_free(&comm);
    MPI_Finalize();
}

// run: -n 2 -env ORIEL_CHECK leaks
void request_left_open(bool wrong)
{
    int value;
    MPI_Request request;
    MPI_Init(NULL, NULL);
    // mistake: left-open "this request"
    MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
    if (!wrong)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
}

void lock_left_open(bool wrong)
{
    int *memory;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &win);
    MPI_Win_set_name(win, "halo");
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    if (!wrong)
        MPI_Win_unlock(0, win);
    MPI_Finalize(); // mistake: open-epoch "window halo: a lock epoch is open"
}

void fence_left_open(bool wrong)
{
    int *memory, value = 1;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    if (!wrong)
        MPI_Win_fence(0, win);
    MPI_Finalize(); // mistake: open-epoch "a fence epoch is open"
}

void exposure_left_open(bool wrong)
{
    int *memory, rank = 0;
    MPI_Win win;
    MPI_Group all, own;
    MPI_Init(NULL, NULL);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_SELF,
                     &memory, &win);
    MPI_Comm_group(MPI_COMM_SELF, &all);
    MPI_Group_incl(all, 1, &rank, &own);
    MPI_Win_post(own, 0, win);
    MPI_Win_start(own, 0, win);
    MPI_Win_complete(win);
    if (!wrong)
        MPI_Win_wait(win);
    MPI_Finalize(); // mistake: open-epoch "MPI_Win_wait is missing"
}

// run: -n 2 -env ORIEL_CHECK errors
void error_that_nobody_looks_at(bool wrong)
{
    int *memory, class;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &win);
    MPI_Win_set_name(win, "halo");
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    // mistake: unseen-error "MPI_ERR_RMA_SYNC"
    int err = MPI_Win_unlock(0, win);
    if (!wrong)
        MPI_Error_class(err, &class);
    MPI_Win_free(&win);
    MPI_Finalize();
}

// run: -n 2 -env ORIEL_CHECK errors
void error_of_which_another_was_looked_at(bool wrong)
{
    char text[MPI_MAX_ERROR_STRING];
    int value = 1, length;
    MPI_Init(NULL, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int errors[] = {MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_SELF),
                    // mistake: unseen-error "MPI_ERR_RANK"
                    MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_SELF)};
    for (int i = 0; i < (wrong ? 1 : 2); i++)
        MPI_Error_string(errors[i], text, &length);
    MPI_Finalize();
}
