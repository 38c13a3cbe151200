// SPDX-License-Identifier: BSD-3-Clause
// Handles of the tool information interface.
#pragma once

#include "objects.h"

static MPI_T_enum the_tools_enum;
static MPI_T_cvar_handle the_cvar;
static MPI_T_pvar_handle the_pvar;
static MPI_T_pvar_session the_pvar_session;
static MPI_T_event_registration the_event_registration;
static MPI_T_event_instance the_event_instance;

static void make_tools(void)
{
    int provided, count;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_cvar_handle_alloc(0, NULL, &the_cvar, &count);
    MPI_T_pvar_session_create(&the_pvar_session);
    MPI_T_pvar_handle_alloc(the_pvar_session, 0, NULL, &the_pvar, &count);
    MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &the_event_registration);
}

static void free_tools(void)
{
    MPI_T_event_handle_free(the_event_registration, NULL, NULL);
    MPI_T_pvar_handle_free(the_pvar_session, &the_pvar);
    MPI_T_pvar_session_free(&the_pvar_session);
    MPI_T_cvar_handle_free(&the_cvar);
    MPI_T_finalize();
}
