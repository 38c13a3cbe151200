// SPDX-License-Identifier: BSD-3-Clause
// The one global, and the life of the library in a process (MPI-4.1 11.2 to 11.4):
// initialization starts the layers from below, finalization stops them from above.
#include "process.h"

#include "left_open.h"
#include "tools/tools.h"

#include <oriel_core.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// There before the library starts and after it has stopped, as tools may be.
static struct tools tools = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct process process = {.rank = -1,
                          .life = PTHREAD_MUTEX_INITIALIZER,
                          .tools = &tools,
                          .findings.lock = PTHREAD_MUTEX_INITIALIZER};

static const char *provider_text(void)
{
    if (process.net)
        return net_provider(process.net);
    return process.boot ? "not needed on one node" : "not started";
}

// A misspelt setting has no effect. What resembles none may be meant for others: who
// asks what was chosen sees it.
static void unknown_option_tell(const char *name, int length)
{
    const struct option *nearest = option_nearest(name, (size_t)length);
    if (nearest != NULL)
        finding_tell(RULE_UNKNOWN_SETTING, NULL, 0,
                     "%.*s is not an option; did you mean %s?", length, name,
                     nearest->name);
    else
        log_verbose("%.*s is not an option; mpiexec --help lists them", length, name);
}

static void unknown_options_tell(void)
{
    for (char **variable = environ; *variable; variable++) {
        int length = (int)strcspn(*variable, "=");
        if (strncmp(*variable, "ORIEL_", 6) == 0 &&
            !option_exists(*variable, (size_t)length))
            unknown_option_tell(*variable, length);
    }
}

static void process_report(void)
{
    if (process.rank != 0)
        return;
    log_verbose("Oriel %s, %s: %d processes on %d nodes, progress by %s, libfabric: %s",
                ORIEL_VERSION, process.boot->launcher, process.boot->size,
                process.boot->node_count,
                process.options.progress_thread ? "thread" : "calls only",
                provider_text());
    start_report();
    unknown_options_tell();
}

// Starts the layers that need no other process.
static int start_own_layers(void)
{
    int err = boot_start(&process.boot);
    start_step("launcher");
    if (!err)
        err = messages_start();
    if (!err)
        err = objects_start();
    if (!err)
        datatypes_start();
    start_step("objects");
    return err;
}

static int start_common_layers(void)
{
    start_begin();
    int err = boot_find_nodes(process.boot);
    start_step("nodes");
    if (!err)
        err = messages_connect();
    if (!err)
        err = races_start();
    if (!err)
        err = pt2pt_start();
    if (!err)
        err = collectives_start();
    if (!err)
        err = windows_start(&rma_peers);
    if (err)
        return err;
    rma_start_serving();
    start_step("upper layers");
    process.has_met = true;
    process_report();
    return 0;
}

// Waits for all processes of the job if this one has met them.
static int stop_layers(void)
{
    if (process.has_met) {
        int err = collective_barrier(process.world);
        if (err)
            return err;
        rma_stop_serving();
        windows_stop();
        collectives_stop();
        pt2pt_stop();
        races_stop();
    }
    process.has_started = process.has_met = false;
    faults_leave();
    datatypes_stop();
    objects_stop();
    messages_stop();
    boot_stop(process.boot);
    process.boot = NULL;
    findings_close();
    return 0;
}

// For programs that have used nothing but sessions. With one still open, or when an
// error ends the job, nobody waits for others.
static void stop_at_exit(void)
{
    if (process.has_started && atomic_load(&process.state) == PROCESS_NEW)
        stop_layers();
}

static int process_start(int thread_level)
{
    if (process.has_started)
        return 0;
    if (atomic_load(&process.state) == PROCESS_FINALIZED)
        return fail(MPI_ERR_OTHER, "MPI has ended and cannot start again in a process");
    process.thread_level = thread_level;
    process.main_thread = thread_identity();
    process.meet = process_meet;
    start_begin();
    int err = options_read(&process.options);
    if (!err)
        err = start_own_layers();
    if (!err && atexit(stop_at_exit) != 0)
        err = fail(MPI_ERR_NO_MEM, "no memory for what is to be done at exit");
    if (err)
        return err;
    faults_watch();
    process.has_started = true;
    return 0;
}

int process_enter(int thread_level)
{
    pthread_mutex_lock(&process.life);
    int err = process_start(thread_level);
    if (!err) {
        process.users++;
        process_set_state(process.has_met ? PROCESS_ACTIVE : PROCESS_ALONE);
    }
    pthread_mutex_unlock(&process.life);
    return err;
}

int process_meet(void)
{
    pthread_mutex_lock(&process.life);
    int err = process.has_met ? 0 : start_common_layers();
    if (!err)
        process_set_state(PROCESS_ACTIVE);
    pthread_mutex_unlock(&process.life);
    return err;
}

int process_leave(void)
{
    int err = 0;
    pthread_mutex_lock(&process.life);
    if (--process.users == 0) {
        bool is_end = atomic_load(&process.world_state) == PROCESS_FINALIZED;
        process_set_state(is_end ? PROCESS_FINALIZED : PROCESS_NEW);
        err = is_end ? stop_layers() : 0;
    }
    pthread_mutex_unlock(&process.life);
    return err;
}

int oriel_init_thread(int *argc, char ***argv, int required, int *provided)
{
    (void)argc;
    (void)argv;
    if (atomic_load(&process.world_state) != PROCESS_NEW)
        return fail(MPI_ERR_OTHER, "MPI has been initialized before in this process");
    int err = process_enter(required);
    if (err)
        return err;
    err = process_meet();
    if (err)
        return err;
    process.main_thread = thread_identity();
    world_open();
    atomic_store(&process.world_state, PROCESS_ACTIVE);
    *provided = process.thread_level;
    return 0;
}

int oriel_init(int *argc, char ***argv)
{
    int provided;
    return oriel_init_thread(argc, argv, MPI_THREAD_SINGLE, &provided);
}

int oriel_initialized(int *flag)
{
    *flag = atomic_load(&process.world_state) != PROCESS_NEW;
    return 0;
}

// The callbacks of MPI_COMM_SELF's attributes run first, while MPI still works
// (11.2.4).
int oriel_finalize(void)
{
    if (atomic_load(&process.world_state) != PROCESS_ACTIVE)
        return fail(MPI_ERR_OTHER, "there are sessions here, but no MPI_Init");
    int err = attributes_drop(process.self);
    if (err)
        return err;
    left_open_tell();
    world_close();
    atomic_store(&process.world_state, PROCESS_FINALIZED);
    return process_leave();
}

int oriel_finalized(int *flag)
{
    *flag = atomic_load(&process.world_state) == PROCESS_FINALIZED;
    return 0;
}

int oriel_query_thread(int *provided)
{
    *provided = process.thread_level;
    return 0;
}

int oriel_is_thread_main(int *flag)
{
    *flag = thread_identity() == process.main_thread;
    return 0;
}

// The whole job ends, whatever the communicator: its processes share their fate.
int oriel_abort(struct communicator *comm, int errorcode)
{
    char why[64 + MPI_MAX_OBJECT_NAME];
    const char *name = object_name_or_none(comm->name);
    snprintf(why, sizeof why, "MPI_Abort on %s with error code %d",
             *name != '\0' ? name : "a communicator", errorcode);
    log_error("%s", why);
    boot_abort(process.boot, errorcode, why);
}

int oriel_get_version(int *version, int *subversion)
{
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
    return 0;
}

int oriel_abi_get_version(int *abi_major, int *abi_minor)
{
    *abi_major = MPI_ABI_VERSION;
    *abi_minor = MPI_ABI_SUBVERSION;
    return 0;
}

int oriel_get_library_version(char *version, int *resultlen)
{
    *resultlen = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING,
                          "Oriel %s, ABI of MPI %d.%d; libfabric: %s", ORIEL_VERSION,
                          MPI_VERSION, MPI_SUBVERSION, provider_text());
    return 0;
}

int oriel_get_processor_name(char *name, int *resultlen)
{
    if (gethostname(name, MPI_MAX_PROCESSOR_NAME) != 0)
        return fail(MPI_ERR_OTHER, "the name of this machine cannot be read");
    name[MPI_MAX_PROCESSOR_NAME - 1] = '\0';
    *resultlen = (int)strlen(name);
    return 0;
}

// A tool that wants to be controlled puts its own MPI_Pcontrol in the place of this.
int oriel_pcontrol(int level)
{
    (void)level;
    return 0;
}

double oriel_wtime(void)
{
    return clock_seconds();
}

double oriel_wtick(void)
{
    return 1e-9; // the clock counts nanoseconds
}
