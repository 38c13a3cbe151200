// SPDX-License-Identifier: BSD-3-Clause
// Programs in which ranks 0 and 2 access memory of rank 1 in a way that conflicts, and what
// orders them (ORIEL_CHECK=races): with it nothing may be reported. Each way of a program
// to order its processes has a pair.
#pragma once

#include "mistakes.h"

enum { CELLS = 16, OWNER = 1 };

static double values[CELLS];
static int rank;

static MPI_Win locked_window_open(void)
{
    double *memory;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(CELLS * sizeof(double), sizeof(double), MPI_INFO_NULL,
                     MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock_all(0, win);
    return win;
}

static void locked_window_close(MPI_Win win)
{
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
}
