// SPDX-License-Identifier: BSD-3-Clause
// Mistakes in names of settings, of keys and of their values.
#include "mistakes.h"

void misspelt_variable(bool wrong)
{
    setenv(wrong ? "ORIEL_CHEKC" : "ORIEL_CHECK", "full", 1);
    MPI_Init(NULL, NULL); // mistake: unknown-setting "did you mean ORIEL_CHECK?"
    MPI_Finalize();
}

void misspelt_key(bool wrong)
{
    char *base;
    MPI_Win win;
    MPI_Info info;
    MPI_Init(NULL, NULL);
    MPI_Info_create(&info);
    MPI_Info_set(info, wrong ? "no_lock" : "no_locks", "false");
    // mistake: unknown-key "did you mean no_locks?"
    MPI_Win_allocate(64, 1, info, MPI_COMM_WORLD, &base, &win);
    MPI_Info_free(&info);
    MPI_Win_free(&win);
    MPI_Finalize();
}

void key_that_a_window_shows(bool wrong)
{
    char *base;
    MPI_Win win, another;
    MPI_Info info;
    MPI_Init(NULL, NULL);
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_get_info(win, &info);
    if (wrong)
        MPI_Info_set(info, "mpi_memory_alloc_kind", "mpi");
    // mistake: unknown-key "mpi_memory_alloc_kind is not known"
    MPI_Win_allocate(64, 1, info, MPI_COMM_WORLD, &base, &another);
    MPI_Info_free(&info);
    MPI_Win_free(&another);
    MPI_Win_free(&win);
    MPI_Finalize();
}

void value_that_makes_no_sense(bool wrong)
{
    char *base;
    MPI_Win win;
    MPI_Info info;
    MPI_Init(NULL, NULL);
    MPI_Info_create(&info);
    MPI_Info_set(info, "accumulate_ordering", wrong ? "rar,wr" : "rar,war");
    // mistake: unused-value "accumulate_ordering cannot be rar,wr"
    MPI_Win_allocate(64, 1, info, MPI_COMM_WORLD, &base, &win);
    MPI_Info_free(&info);
    MPI_Win_free(&win);
    MPI_Finalize();
}

void value_that_is_set_later(bool wrong)
{
    char *base;
    MPI_Win win;
    MPI_Info info;
    MPI_Init(NULL, NULL);
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", wrong ? "yes" : "true");
    // mistake: unused-value "no_locks"
    MPI_Win_set_info(win, info);
    MPI_Info_free(&info);
    MPI_Win_free(&win);
    MPI_Finalize();
}
