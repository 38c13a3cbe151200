// SPDX-License-Identifier: BSD-3-Clause
// Memory of windows that the program gives back too early (ORIEL_CHECK=races).
#include "mistakes.h"

enum { CELLS = 16 };

// run: -n 2 -env ORIEL_CHECK races
void memory_freed_before_the_window(bool wrong)
{
    MPI_Win win;
    MPI_Init(NULL, NULL);
    double *memory = calloc(CELLS, sizeof *memory);
    // mistake: memory-gone "MPI_Win_create on window"
    MPI_Win_create(memory, CELLS * sizeof *memory, sizeof *memory, MPI_INFO_NULL,
                   MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, win);
    if (wrong)
        free(memory); // mistake: memory-gone "gives back 128 bytes"
    MPI_Win_free(&win);
    if (!wrong)
        free(memory);
    MPI_Finalize();
}

// run: -n 2 -env ORIEL_CHECK races
void memory_that_moves(bool wrong)
{
    MPI_Win win;
    MPI_Init(NULL, NULL);
    double *memory = calloc(CELLS, sizeof *memory);
    double *behind = calloc(CELLS, sizeof *behind);
    // mistake: memory-gone "MPI_Win_create on window"
    MPI_Win_create(memory, CELLS * sizeof *memory, sizeof *memory, MPI_INFO_NULL,
                   MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, win);
    if (!wrong)
        MPI_Win_free(&win);
    memory = realloc(memory, 1 << 20); // mistake: memory-gone "realloc"
    if (wrong)
        MPI_Win_free(&win);
    free(memory);
    free(behind);
    MPI_Finalize();
}

// run: -n 2 -env ORIEL_CHECK races
void memory_freed_while_it_is_attached(bool wrong)
{
    MPI_Win win;
    MPI_Init(NULL, NULL);
    double *memory = calloc(CELLS, sizeof *memory);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    // mistake: memory-gone "MPI_Win_attach"
    MPI_Win_attach(win, memory, CELLS * sizeof *memory);
    if (!wrong)
        MPI_Win_detach(win, memory);
    free(memory); // mistake: memory-gone
    MPI_Win_free(&win);
    MPI_Finalize();
}
