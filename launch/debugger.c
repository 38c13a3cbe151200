// SPDX-License-Identifier: BSD-3-Clause
// The MPIR process acquisition interface: by its names, which it prescribes with their
// types, a debugger that has started mpiexec or attaches to it finds the processes of the
// job. While mpiexec is stopped at the breakpoint, nobody answers the ranks, so that they
// stay in MPI_Init until the debugger has attached to all of them.
#include "launch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default"), used))

typedef struct {
    char *host_name;
    char *executable_name;
    int pid;
} MPIR_PROCDESC;

enum { MPIR_NULL, MPIR_DEBUG_SPAWNED, MPIR_DEBUG_ABORTING };

EXPORTED MPIR_PROCDESC *MPIR_proctable; // by rank
EXPORTED int MPIR_proctable_size;
EXPORTED volatile int MPIR_being_debugged; // set by the debugger
EXPORTED volatile int MPIR_debug_state = MPIR_NULL;
EXPORTED char *MPIR_debug_abort_string;
EXPORTED int MPIR_i_am_starter;      // its presence says that mpiexec is no rank,
EXPORTED int MPIR_partial_attach_ok; // and this one's, that ranks need not be let go

EXPORTED void MPIR_Breakpoint(void);
EXPORTED __attribute__((noinline)) void MPIR_Breakpoint(void)
{
    __asm__ volatile(""); // a function without effect would not be called
}

static MPIR_PROCDESC describe_rank(const struct rank *rank, const char *own_host)
{
    char *path = rank->link ? NULL : realpath(rank->section->path, NULL);
    return (MPIR_PROCDESC){
        .host_name = strdup(rank->link ? rank->link->host : own_host),
        .executable_name = path ? path : strdup(rank->section->path),
        .pid = (int)rank->pid,
    };
}

void debugger_tell_started(struct job *job)
{
    if (++job->started < job->size)
        return;
    char own_host[256] = "";
    gethostname(own_host, sizeof own_host - 1);
    MPIR_proctable = calloc((size_t)job->size, sizeof *MPIR_proctable);
    if (!MPIR_proctable)
        return; // the job runs without a debugger, too
    for (int i = 0; i < job->size; i++)
        MPIR_proctable[i] = describe_rank(&job->ranks[i], own_host);
    MPIR_proctable_size = job->size;
    MPIR_debug_state = MPIR_DEBUG_SPAWNED;
    MPIR_Breakpoint();
}

void debugger_tell_end(const char *reason)
{
    if (!MPIR_being_debugged)
        return;
    MPIR_debug_abort_string = strdup(reason);
    MPIR_debug_state = MPIR_DEBUG_ABORTING;
    MPIR_Breakpoint();
}
