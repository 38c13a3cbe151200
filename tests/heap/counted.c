// SPDX-License-Identifier: BSD-3-Clause
// Counts what puts, gets and atomic updates do not need if they are loads, stores and
// instructions.
#include "counted.h"

#include <mpi.h>

enum { COUNTED = 2 };
static MPI_T_pvar_session session;
static MPI_T_pvar_handle handles[COUNTED];

void count_begin(void)
{
    static const char *const names[COUNTED] = {"process_copies", "node_messages"};
    int provided, index, count;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    for (int i = 0; i < COUNTED; i++) {
        MPI_T_pvar_get_index(names[i], MPI_T_PVAR_CLASS_COUNTER, &index);
        MPI_T_pvar_handle_alloc(session, index, NULL, &handles[i], &count);
    }
    MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES);
}

int64_t copies_and_messages(void)
{
    unsigned long long value, sum = 0;
    for (int i = 0; i < COUNTED; i++) {
        MPI_T_pvar_read(session, handles[i], &value);
        sum += value;
    }
    return (int64_t)sum;
}
