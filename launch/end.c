// SPDX-License-Identifier: BSD-3-Clause
// Early end of a job, and the cause of its failure. A rank often ends because another
// has ended, and is seen first. So mpiexec notes the ranks that have ended or abort,
// and looks for the cause among them when no other is about to end.
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

// All of them stand still before the first one ends: one that goes on would notice the
// death of another, and report that as its own error.
static void job_terminate(const struct job *job, bool is_aborting)
{
    static const int steps[] = {SIGSTOP, SIGTERM, SIGCONT};
    for (size_t step = 0; step < sizeof steps / sizeof *steps; step++)
        for (int i = 0; i < job->size; i++)
            if (!job->ranks[i].has_ended && job->ranks[i].is_aborting == is_aborting)
                rank_signal(&job->ranks[i], steps[step]);
}

// The rank's own words about its end come before mpiexec's.
static void rank_pass_on_errors(struct job *job, struct rank *rank)
{
    struct sink *sink = &job->error;
    if (rank->error.fd >= 0)
        source_read(&rank->error);
    while (sink->used > sink->start &&
           poll(&(struct pollfd){sink->fd, POLLOUT, 0}, 1, 0) > 0)
        sink_write(sink);
}

static void rank_report(struct job *job, struct rank *failed, const char *text,
                        const char *consequence)
{
    rank_pass_on_errors(job, failed);
    say("rank %d (pid %d%s%s, %s) %s; %s", failed->number, (int)failed->pid,
        failed->link ? " on " : "", failed->link ? failed->link->host : "",
        failed->section->argv[0], text, consequence);
}

static void begin_end(struct job *job, int exit_code)
{
    job->end_step = END_OTHERS;
    job->deadline = now_nanoseconds() + ABORT;
    if (job->exit_code == 0)
        job->exit_code = exit_code;
    job_terminate(job, false);
}

void job_end(struct job *job, struct rank *failed, int exit_code, const char *format,
             ...)
{
    if (job->end_step > END_EXPECTED)
        return;
    if (!job->interrupted_by) {
        char text[512];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        rank_report(job, failed, text, "ending the job");
        debugger_tell_end(text);
    }
    begin_end(job, exit_code);
}

// Returns the milliseconds that poll() may wait for the time limit.
static int job_check_time(struct job *job)
{
    if (job->time_limit == 0 || job->end_step > END_EXPECTED)
        return -1;
    uint64_t now = now_nanoseconds();
    if (now < job->time_limit)
        return (int)((job->time_limit - now) / 1000000u) + 1;
    bool must_ask = !job->is_over_time;
    job->is_over_time = true;
    if ((must_ask && waits_ask(job)) || job->waits_deadline != 0)
        return -1;
    say("the job has run for %d s, which is its time limit; ending the job",
        job->plan->timeout);
    begin_end(job, EXIT_TIMEOUT);
    return -1;
}

int job_step_towards_end(struct job *job)
{
    int waits = waits_step(job), limit = job_check_time(job);
    if (waits < 0 && job->waits_deadline != 0) // asked just now
        waits = waits_step(job);
    if (waits >= 0 && (limit < 0 || waits < limit))
        limit = waits;
    if (job->end_step == END_NOT)
        return limit;
    uint64_t now = now_nanoseconds();
    if (now >= job->deadline && job->end_step > END_EXPECTED) {
        if (job->end_step == END_OTHERS)
            job_terminate(job, true);
        else
            job_signal(job, SIGKILL);
        job->end_step = END_ALL;
        job->deadline = now + GRACE;
    }
    return now < job->deadline ? (int)((job->deadline - now) / 1000000u) + 1 : 0;
}

// ---- the cause of failure -----------------------------------------------------------

static int exit_code_of(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static enum cause cause_of_status(int status)
{
    if (WIFSIGNALED(status))
        return CAUSE_KILLED;
    return WEXITSTATUS(status) != 0 ? CAUSE_FAILED : CAUSE_LEFT;
}

static void cause_note(struct job *job, struct rank *rank, enum cause cause, int status)
{
    rank->cause = cause;
    rank->status = status;
    if (job->end_step == END_NOT) {
        job->end_step = END_EXPECTED;
        job->deadline = now_nanoseconds() + NEWS;
    }
}

void job_abort(struct job *job, struct rank *rank, int code)
{
    rank->is_aborting = true;
    cause_note(job, rank, code == MPI_ERR_PROC_ABORTED ? CAUSE_FOLLOWS : CAUSE_FAILED,
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
        cause_note(job, rank, cause_of_status(status), status);
    }
}

// A rank has died before its MPI_Finalize.
static void job_end_for_dead(struct job *job, struct rank *rank)
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
    rank_report(job, rank, text, "the others go on");
    pmi_check_barrier(job);
}

static void job_end_for(struct job *job, struct rank *rank)
{
    int code = rank->status;
    rank->cause = CAUSE_NONE;
    if (rank->is_aborting)
        job_end(job, rank, (code & 0xff) != 0 ? code & 0xff : EXIT_FAILURE,
                "has aborted the job with code %d", code);
    else
        job_end_for_dead(job, rank);
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

// Ranks on other hosts are not looked at. A rank that aborts because another has died
// says so.
static bool job_expects_more(const struct job *job)
{
    bool has_cause = false;
    for (int i = 0; i < job->size; i++) {
        const struct rank *rank = &job->ranks[i];
        if (!rank->has_ended && !rank->link && is_exiting(rank->pid))
            return true;
        has_cause |= rank->cause > CAUSE_FOLLOWS;
    }
    return !has_cause && job->running > 0;
}

void job_find_cause(struct job *job)
{
    if (job->end_step != END_EXPECTED ||
        (job_expects_more(job) && now_nanoseconds() < job->deadline))
        return;
    job->end_step = END_NOT;
    for (enum cause cause = CAUSE_KILLED; cause > CAUSE_NONE; cause--)
        for (int i = 0; i < job->size; i++)
            if (job->ranks[i].cause == cause)
                job_end_for(job, &job->ranks[i]);
}
