// SPDX-License-Identifier: BSD-3-Clause
// Start and end of the tool information interface (MPI-4.1 15.3.4).
#include "tools/tools.h"

#include <oriel_core.h>
#include <stdlib.h>

// Tools see the settings that MPI_Init will see, or has seen.
static int read_options(void)
{
    pthread_mutex_lock(&process.life);
    int err = options_read(&process.options);
    pthread_mutex_unlock(&process.life);
    return err;
}

int oriel_t_init_thread(int required, int *provided)
{
    (void)required; // whatever is wanted is there
    if (read_options())
        return MPI_T_ERR_CANNOT_INIT;
    pthread_mutex_lock(&process.tools->lock);
    process.tools->users++;
    pthread_mutex_unlock(&process.tools->lock);
    result_store(provided, MPI_THREAD_MULTIPLE);
    return 0;
}

// Handles and sessions that tools have left end with the interface.
static void tools_clear(struct tools *tools)
{
    while (tools->cvars != NULL) {
        struct MPI_ABI_T_cvar_handle *handle = tools->cvars;
        tools->cvars = handle->next;
        free(handle);
    }
    while (tools->sessions != NULL) {
        struct MPI_ABI_T_pvar_session *session = tools->sessions;
        tools->sessions = session->next;
        pvar_handles_free(session);
        free(session);
    }
    registrations_free(tools);
}

int oriel_t_finalize(void)
{
    struct tools *tools = tools_enter();
    if (tools == NULL)
        return MPI_T_ERR_NOT_INITIALIZED;
    if (--tools->users == 0)
        tools_clear(tools);
    tools_leave();
    return 0;
}
