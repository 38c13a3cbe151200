// SPDX-License-Identifier: BSD-3-Clause
// How a job ends before its time, and who is to blame: often a rank has ended because
// another had, and is seen first. So those that have ended or abort are accused, and
// judged together when nobody else is about to end.
#include "launch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t NEWS = 2000000000;  // nanoseconds for a death to become known
static const uint64_t ABORT = 200000000;  // for a rank that aborts to exit by itself
static const uint64_t GRACE = 2000000000; // from SIGTERM to SIGKILL

// ---- the end of a job -----------------------------------------------------------------

void rank_signal(const struct rank *rank, int number)
{
    if (rank->link)
        frame_put(&rank->link->to, FRAME_SIGNAL, rank->number, &(char){(char)number},
                  1);
    else
        kill(rank->pid, number);
}

void job_signal(const struct job *job, int number)
{
    for (int i = 0; i < job->link_count; i++)
        frame_put(&job->links[i].to, FRAME_SIGNAL, -1, &(char){(char)number}, 1);
    kill(-job->group, number);
}

static void terminate(const struct job *job, bool is_aborting)
{
    for (int i = 0; i < job->size; i++)
        if (!job->ranks[i].has_ended && job->ranks[i].is_aborting == is_aborting)
            rank_signal(&job->ranks[i], SIGTERM);
}

// What the rank itself has said about its end shall stand before what we say about it.
static void pass_on_errors(struct job *job, struct rank *rank)
{
    struct sink *sink = &job->error;
    if (rank->error.fd >= 0)
        source_read(&rank->error);
    while (sink->used > sink->start &&
           poll(&(struct pollfd){sink->fd, POLLOUT, 0}, 1, 0) > 0)
        sink_write(sink);
}

static void blame(struct job *job, struct rank *culprit, const char *text,
                  const char *consequence)
{
    pass_on_errors(job, culprit);
    say("rank %d (pid %d%s%s, %s) %s; %s", culprit->number, (int)culprit->pid,
        culprit->link ? " on " : "", culprit->link ? culprit->link->host : "",
        culprit->section->argv[0], text, consequence);
}

void job_end(struct job *job, struct rank *culprit, int exit_code, const char *format,
             ...)
{
    if (job->end_step > END_EXPECTED)
        return;
    job->end_step = END_OTHERS;
    job->deadline = now_nanoseconds() + ABORT;
    if (job->exit_code == 0)
        job->exit_code = exit_code;
    if (!job->interrupted_by) {
        char text[512];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        blame(job, culprit, text, "ending the job");
    }
    terminate(job, false);
}

int job_step_towards_end(struct job *job)
{
    if (job->end_step == END_NOT)
        return -1;
    uint64_t now = now_nanoseconds();
    if (now >= job->deadline && job->end_step > END_EXPECTED) {
        if (job->end_step == END_OTHERS)
            terminate(job, true);
        else
            job_signal(job, SIGKILL);
        job->end_step = END_ALL;
        job->deadline = now + GRACE;
    }
    return now < job->deadline ? (int)((job->deadline - now) / 1000000u) + 1 : 0;
}

// ---- who is to blame ------------------------------------------------------------------

static int exit_code_of(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static enum guilt guilt_of(int status)
{
    if (WIFSIGNALED(status))
        return GUILT_KILLED;
    return WEXITSTATUS(status) != 0 ? GUILT_FAILED : GUILT_LEFT;
}

static void accuse(struct job *job, struct rank *rank, enum guilt guilt, int status)
{
    rank->guilt = guilt;
    rank->status = status;
    if (job->end_step == END_NOT) {
        job->end_step = END_EXPECTED;
        job->deadline = now_nanoseconds() + NEWS;
    }
}

void job_abort(struct job *job, struct rank *rank, int code)
{
    rank->is_aborting = true;
    accuse(job, rank, code == MPI_ERR_PROC_ABORTED ? GUILT_FOLLOWS : GUILT_FAILED,
           code);
}

// After MPI_Finalize nobody waits for a rank any more, so its failure does not end the
// job, but counts.
void rank_ended(struct job *job, struct rank *rank, int status)
{
    rank->has_ended = true;
    job->running--;
    int code = exit_code_of(status);
    if (job->plan->is_verbose)
        say("rank %d (pid %d) has ended with code %d", rank->number, (int)rank->pid,
            code);
    if (rank->state == RANK_FINALIZED || (code == 0 && rank->state == RANK_STARTED)) {
        if (code != 0 && job->late_exit_code == 0) {
            job->late_exit_code = code;
            say("rank %d (pid %d, %s) ended with code %d after MPI_Finalize",
                rank->number, (int)rank->pid, rank->section->argv[0], code);
        }
        pmi_check_barrier(job);
    } else if (!rank->is_aborting) {
        accuse(job, rank, guilt_of(status), status);
    }
}

// A rank has died before its MPI_Finalize.
static void convict_dead(struct job *job, struct rank *rank)
{
    char text[128];
    int code = exit_code_of(rank->status);
    if (WIFSIGNALED(rank->status))
        snprintf(text, sizeof text, "was killed by signal %d (%s%s)",
                 WTERMSIG(rank->status), strsignal(WTERMSIG(rank->status)),
                 WCOREDUMP(rank->status) ? ", core dumped" : "");
    else
        snprintf(text, sizeof text, "exited with code %d%s", code,
                 rank->state == RANK_INITIALIZED ? " without calling MPI_Finalize"
                                                 : "");
    code = code != 0 ? code : EXIT_FAILURE;
    if (!job->plan->keeps_job || job->end_step != END_NOT) {
        job_end(job, rank, code, "%s", text);
        return;
    }
    if (job->exit_code == 0)
        job->exit_code = code;
    blame(job, rank, text, "the others go on");
    pmi_check_barrier(job);
}

static void convict(struct job *job, struct rank *rank)
{
    int code = rank->status;
    rank->guilt = GUILT_NONE;
    if (rank->is_aborting)
        job_end(job, rank, (code & 0xff) != 0 ? code & 0xff : EXIT_FAILURE,
                "has aborted the job with code %d", code);
    else
        convict_dead(job, rank);
}

// Processes are marked so before anything can be noticed of their end: the ninth word of
// what proc(5) says has PF_EXITING of the kernel's sched.h.
static bool is_exiting(pid_t pid)
{
    enum { PF_EXITING = 4 };
    char path[32], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    const char *name_end = strrchr(text, ')'); // the name itself may hold anything
    unsigned flags;
    return name_end && sscanf(name_end, ") %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
           (flags & PF_EXITING) != 0;
}

// On other hosts nobody looks. Who aborts because another has died says so.
static bool is_more_expected(const struct job *job)
{
    bool has_culprit = false;
    for (int i = 0; i < job->size; i++) {
        const struct rank *rank = &job->ranks[i];
        if (!rank->has_ended && !rank->link && is_exiting(rank->pid))
            return true;
        has_culprit |= rank->guilt > GUILT_FOLLOWS;
    }
    return !has_culprit && job->running > 0;
}

void job_judge(struct job *job)
{
    if (job->end_step != END_EXPECTED ||
        (is_more_expected(job) && now_nanoseconds() < job->deadline))
        return;
    job->end_step = END_NOT;
    for (enum guilt guilt = GUILT_KILLED; guilt > GUILT_NONE; guilt--)
        for (int i = 0; i < job->size; i++)
            if (job->ranks[i].guilt == guilt)
                convict(job, &job->ranks[i]);
}
