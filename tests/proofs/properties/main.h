// SPDX-License-Identifier: BSD-3-Clause
// Begins and ends the program of properties.
#pragma once

#include "objects.h"
#include "tools.h"

static void begin(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    catch_signals();
    make_objects();
    make_tools();
}

static int end(void)
{
    look_at_claims();
    free_tools();
    free_objects();
    printf("rank %d: %d calls, %d faults\n", world_rank, calls, faults);
    MPI_Finalize();
    return faults != 0;
}
