// SPDX-License-Identifier: BSD-3-Clause
// The one global: identity of this process, life of the library in it, and a pointer
// per layer to the state that the layer declares, starts and stops.
#pragma once

#include "base/fault.h"
#include "base/finding.h"
#include "base/option.h"
#include "base/start.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

// The life of the library in this process (MPI-4.1 11.2). Sessions begin ALONE: the
// process has not met the others of its job yet.
enum process_state { PROCESS_NEW, PROCESS_ALONE, PROCESS_ACTIVE, PROCESS_FINALIZED };

struct process {
    // Identity.
    int rank;     // in the job, for log lines; -1 until boot has learnt it
    int job_size; // number of processes, also when all has ended; 0: unknown
    uint64_t main_thread;
    struct communicator *world, *self; // as long as collective operations are possible

    // Lifecycle.
    _Atomic(int) state;       // enum process_state, of the library
    _Atomic(int) world_state; // the same of the World Model (11.2), one of its users
    pthread_mutex_t life;     // guards starting, stopping and these two
    int users;                // the World Model and the sessions that are open
    bool has_started;         // boot and objects; stays so between sessions
    bool has_met;             // the other processes: all layers have started
    int (*meet)(void);        // starts all layers of a process that is ALONE
    int thread_level;         // MPI_THREAD_*: what was granted

    struct options options;
    struct start_times start;
    _Atomic(struct debug_info *) debug_info; // NULL: no source line was asked for yet

    // State of each layer: set when the layer has started, NULL after it has stopped.
    // `net` stays NULL in a job of one node; `tools` is always set.
    struct boot *boot;
    struct shm *shm;
    struct net *net;
    struct messages *messages;
    struct races *races;       // stays NULL unless ORIEL_CHECK has it
    struct matching *matching; // of pt2pt
    struct collectives *collectives;
    struct windows *windows;
    struct bulk_pipeline *bulks; // of rma: of accumulates that other nodes ask for
    struct tools *tools;

    struct findings findings;
    exposure_namer *name_exposure; // see base/fault.h
};
extern struct process process;

// The caller holds process.life, or ends the job.
static inline void process_set_state(enum process_state state)
{
    atomic_store(&process.state, state);
}
