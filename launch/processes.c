// SPDX-License-Identifier: BSD-3-Clause
// Start of processes: the guard and the ranks.
#include "base/color.h"
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

// The guard sleeps until mpiexec has ended, however that happened, then kills the group
// and itself. So no process that a rank has started outlives the job.
static _Noreturn void guard_run(pid_t launcher)
{
    sigset_t everything, end;
    sigfillset(&everything);
    sigprocmask(SIG_BLOCK, &everything, NULL);
    sigemptyset(&end);
    sigaddset(&end, SIGRTMAX);
    setpgid(0, 0);
    prctl(PR_SET_NAME, "oriel-guard");
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        close(fd);
    prctl(PR_SET_PDEATHSIG, SIGRTMAX);
    while (getppid() == launcher) // false if it ended before the prctl
        if (sigwaitinfo(&end, NULL) == SIGRTMAX)
            break;
    kill(0, SIGKILL);
    _exit(EXIT_FAILURE);
}

pid_t guard_start(void)
{
    pid_t launcher = getpid();
    pid_t pid = fork();
    if (pid == 0)
        guard_run(launcher);
    if (pid > 0)
        setpgid(pid,
                pid); // here and there, so that it is done for whoever goes on first
    return pid;
}

static void set_number(const char *name, int number)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    setenv(name, text, 1);
}

static void set_all(const struct settings *settings)
{
    for (int i = 0; i < settings->count; i++)
        setenv(settings->list[i].name, settings->list[i].value, 1);
}

// Does ORIEL_CHECK have it in its list?
static bool races_are_wanted(void)
{
    static const char name[] = "races";
    const char *at = getenv("ORIEL_CHECK");
    while (at && *at != '\0') {
        size_t length = strcspn(at, ",");
        if (length == sizeof name - 1 && strncmp(at, name, length) == 0)
            return true;
        at += length + (at[length] == ',');
    }
    return false;
}

static void color_tell_file(void)
{
    char file[COLOR_FILE_BYTES];
    if (getenv("MPIEXEC_COLOR") != NULL && color_file(STDERR_FILENO, file))
        setenv("MPIEXEC_COLOR", file, 1);
}

static void set_environment(const struct job *job, const struct rank *rank, int wire)
{
    set_all(&job->plan->settings);
    set_all(&rank->section->settings);
    if (job->plan->shares_heap)
        library_preload(ORIEL_HEAP_LIBRARY);
    if (job->plan->is_traced)
        library_preload(ORIEL_TRACE_LIBRARY);
    if (races_are_wanted())
        library_preload(ORIEL_LOADS_LIBRARY);
    unsetenv("PMI_PORT"); // of a launcher that has started mpiexec
    unsetenv("PMI_ID");
    set_number("PMI_FD", wire);
    set_number("PMI_RANK", rank->number);
    set_number("PMI_SIZE", job->plan->ranks);
    set_number("MPI_LOCALNRANKS", job->size);
    set_number("MPI_LOCALRANKID", (int)(rank - job->ranks));
    // Scripts ask for these, too.
    set_number("OMPI_COMM_WORLD_RANK", rank->number);
    set_number("OMPI_COMM_WORLD_SIZE", job->plan->ranks);
    set_number("OMPI_COMM_WORLD_LOCAL_RANK", (int)(rank - job->ranks));
    set_number("OMPI_COMM_WORLD_LOCAL_SIZE", job->size);
    binding_tell(&job->cores);
    color_tell_file();
}

// The child becomes the program. Standard input, output and error are already in place.
static _Noreturn void run_program(const struct job *job, const struct rank *rank,
                                  int wire)
{
    const struct section *section = rank->section;
    fcntl(wire, F_SETFD, 0);
    set_environment(job, rank, wire);
    binding_apply(job, rank);
    sigaction(SIGPIPE, &job->inherited_pipe_action, NULL);
    sigprocmask(SIG_SETMASK, &job->inherited_mask, NULL);
    setrlimit(RLIMIT_NOFILE, &job->inherited_files);
    if (section->directory && chdir(section->directory) < 0) {
        say("cannot run in directory %s: %s", section->directory, strerror(errno));
        _exit(EXIT_NOT_FOUND);
    }
    execvp(section->path, section->argv); // a script without #! is run by the shell
    say("cannot run %s: %s", section->path, strerror(errno));
    _exit(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
}

static void source_open(struct source *source, int fd)
{
    fcntl(fd, F_SETFL, O_NONBLOCK);
    source->fd = fd;
}

int rank_start(struct job *job, struct rank *rank, int input)
{
    int wire[2], output[2], error[2]; // [0] is mpiexec's end
    if (!rank_open_sinks(job, rank) ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, wire) < 0 ||
        pipe2(output, O_CLOEXEC) < 0 || pipe2(error, O_CLOEXEC) < 0)
        return -1;
    pid_t launcher = getpid();
    rank->pid = fork();
    if (rank->pid < 0)
        return -1;
    if (rank->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != launcher)
            _exit(EXIT_FAILURE);
        setpgid(0, job->group);
        dup2(input, STDIN_FILENO);
        dup2(output[1], STDOUT_FILENO);
        dup2(error[1], STDERR_FILENO);
        run_program(job, rank, wire[1]);
    }
    setpgid(rank->pid, job->group);
    close(wire[1]);
    close(output[1]);
    close(error[1]);
    fcntl(wire[0], F_SETFL, O_NONBLOCK);
    rank->wire.fd = wire[0];
    source_open(&rank->output, output[0]);
    source_open(&rank->error, error[0]);
    return 0;
}
