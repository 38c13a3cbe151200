// SPDX-License-Identifier: BSD-3-Clause
// The users of the library in a process: the World Model and sessions (MPI-4.1 11.1).
#pragma once

#include "rma/rma.h"

// One more user. The first one starts the library at that level of thread support,
// without waiting for others; if it is running it has the level in process.thread_level.
// Once it has stopped, it cannot start again (MPI_ERR_OTHER): launchers let no process
// start twice.
int process_enter(int thread_level);

// Starts the rest, for a user; the first call waits for all processes of the job.
int process_meet(void);

// One user less. When the World Model has ended, the last user stops the library, which
// waits for all processes of the job if they have met. What only sessions have used stays
// until the process exits, because another session may begin.
int process_leave(void);
