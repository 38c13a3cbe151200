// SPDX-License-Identifier: BSD-3-Clause
// What is not freed before MPI_Finalize.
#include "mistakes.h"

// run: -n 2 -env ORIEL_CHECK leaks
void window_left_open(bool wrong)
{
    int *memory;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &win);
    MPI_Win_set_name(win, "halo");
    if (!wrong)
        MPI_Win_free(&win);
    MPI_Finalize(); // mistake: left-open "window halo"
}

// run: -n 2 -env ORIEL_CHECK leaks
void types_left_open(bool wrong)
{
    MPI_Datatype types[3];
    MPI_Init(NULL, NULL);
    for (int i = 0; i < 3; i++)
        MPI_Type_contiguous(i, MPI_INT, &types[i]);
    for (int i = 0; i < 3 && !wrong; i++)
        MPI_Type_free(&types[i]);
    MPI_Finalize(); // mistake: left-open "3 datatypes"
}

// run: -n 2 -env ORIEL_CHECK leaks
void communicator_left_open(bool wrong)
{
    MPI_Comm comm;
    MPI_Init(NULL, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "workers");
    if (!wrong)
        MPI_Comm_free(&comm);
    MPI_Finalize(); // mistake: left-open "communicator workers"
}

// run: -n 2 -env ORIEL_CHECK leaks
void request_left_open(bool wrong)
{
    int value;
    MPI_Request request;
    MPI_Init(NULL, NULL);
    MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
    if (!wrong)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize(); // mistake: left-open "1 request"
}
