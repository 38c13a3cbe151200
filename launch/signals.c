// SPDX-License-Identifier: BSD-3-Clause
// Signals of mpiexec, most of which it passes on to the ranks.
#include "launch.h"

#include <sys/signalfd.h>
#include <unistd.h>

// Terminals and tools such as timeout(1) send one signal twice at almost the same time;
// that is no second request.
enum { REPEAT_NANOSECONDS = 200000000 };

static const int forwarded[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                                SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};

// Whether mpiexec was started with the signal ignored, as by nohup.
static bool is_ignored(int number)
{
    struct sigaction action;
    sigaction(number, NULL, &action);
    return action.sa_handler == SIG_IGN;
}

void signals_open(struct job *job)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (size_t i = 0; i < sizeof forwarded / sizeof forwarded[0]; i++)
        if (!is_ignored(forwarded[i]))
            sigaddset(&set, forwarded[i]);
    job->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    sigaddset(&set, SIGTTIN); // reading the terminal in the background gives EIO then
    sigprocmask(SIG_BLOCK, &set, &job->inherited_mask);
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, &job->inherited_pipe_action);
    struct sigaction standard = {.sa_handler =
                                     SIG_DFL}; // if ignored, no child is reaped
    sigaction(SIGCHLD, &standard, NULL);
}

static void job_interrupt(struct job *job, int number)
{
    uint64_t now = now_nanoseconds();
    bool is_first = job->interrupted_by == 0;
    if (!is_first && now - job->interrupted_at > REPEAT_NANOSECONDS) {
        job_signal(job, SIGKILL);
        return;
    }
    if (is_first) {
        job->interrupted_by = number;
        job->interrupted_at = now;
    }
    job_signal(job, number);
}

static void signal_handle(struct job *job, int number)
{
    switch (number) {
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
        job_interrupt(job, number);
        break;
    case SIGQUIT: // SIGUSR1 belongs to programs, to which other launchers pass it on
        if (!waits_ask(job))
            job_interrupt(job, number);
        break;
    case SIGTSTP: // the shell must see mpiexec stop, too
        job_signal(job, SIGTSTP);
        raise(SIGSTOP);
        break;
    default:
        job_signal(job, number);
    }
}

bool signals_handle(struct job *job)
{
    bool have_children_ended = false;
    struct signalfd_siginfo signal;
    while (read(job->signals, &signal, sizeof signal) == sizeof signal) {
        if (signal.ssi_signo == SIGCHLD)
            have_children_ended = true;
        else
            signal_handle(job, (int)signal.ssi_signo);
    }
    return have_children_ended;
}
