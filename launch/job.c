// SPDX-License-Identifier: BSD-3-Clause
// The life of a job: one loop over all that may happen, until every rank has ended.
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ABORT_NANOSECONDS                                                              \
    UINT64_C(200000000) // for a rank that aborts to exit by itself
#define NEWS_NANOSECONDS UINT64_C(2000000000)  // for a death to become known
#define GRACE_NANOSECONDS UINT64_C(2000000000) // from SIGTERM to SIGKILL

// Places in the array that poll() gets.
enum {
    POLL_SIGNALS,
    POLL_INPUT,
    POLL_OUTPUT = POLL_INPUT + 2,
    POLL_ERROR,
    POLL_DISTANT_INPUT,
    POLL_RANKS
};
enum { RANK_WIRE, RANK_OUTPUT, RANK_ERROR, RANK_FAR, RANK_POLLS };

uint64_t now_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// All that is left of the ranks, and the guard.
void group_kill(const struct job *job)
{
    kill(-job->group, SIGKILL);
    waitpid(job->group, NULL, 0);
}

// ---- start --------------------------------------------------------------------------

// Which ranks are on which host, as PMI-1 programs expect it: one group for each run of
// ranks on a host.
static char *describe_hosts(const struct plan *plan)
{
    char *map = NULL;
    size_t bytes;
    FILE *text = open_memstream(&map, &bytes);
    int *host_of = calloc((size_t)plan->ranks, sizeof *host_of);
    if (!text || !host_of)
        return NULL;
    if (plan->hosts.count > 0)
        hosts_place(&plan->hosts, plan->ranks, host_of);
    fprintf(text, "(vector");
    for (int rank = 0, next; rank < plan->ranks; rank = next) {
        for (next = rank; next < plan->ranks && host_of[next] == host_of[rank];)
            next++;
        fprintf(text, ",(%d,1,%d)", host_of[rank], next - rank);
    }
    fprintf(text, ")");
    fclose(text);
    free(host_of);
    return map;
}

// A map that is too long for a value is left out; programs then ask each other.
static bool describe_job(struct job *job)
{
    uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) < 0)
        random = now_nanoseconds();
    snprintf(job->name, sizeof job->name, "oriel_%d_%016llx", (int)getpid(),
             (unsigned long long)random);
    char *map = describe_hosts(job->plan);
    job->store = store_make(job->size);
    bool is_done = map && job->store;
    if (is_done && strlen(map) < WIRE_VALUE_BYTES)
        is_done = store_put(job->store, "PMI_process_mapping", map);
    free(map);
    return is_done;
}

const struct section *section_of(const struct plan *plan, int rank, int *app_number)
{
    const struct section *section = plan->sections;
    for (*app_number = 0; rank >= section->ranks; section++, ++*app_number)
        rank -= section->ranks;
    return section;
}

static int start_ranks(struct job *job, int input, int nothing)
{
    for (int i = 0; i < job->size; i++) {
        struct rank *rank = &job->ranks[i];
        int err = rank_start(job, rank, i == 0 ? input : nothing);
        if (err)
            return err;
        job->running++;
        if (job->plan->is_verbose)
            say("rank %d is pid %d: %s", i, (int)rank->pid, rank->section->path);
    }
    return 0;
}

static int start_here(struct job *job)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    int input = input_open(&job->input);
    int err = start_ranks(job, input, nothing);
    if (input != STDIN_FILENO)
        close(input);
    close(nothing);
    return err;
}

int job_start(struct job *job)
{
    job->size = job->plan->ranks;
    job->ranks = calloc((size_t)job->size, sizeof *job->ranks);
    if (!job->ranks || !describe_job(job)) {
        say("no memory for %d processes", job->size);
        return -1;
    }
    for (int i = 0; i < job->size; i++) {
        struct rank *rank = &job->ranks[i];
        *rank = (struct rank){.number = i, .wire.fd = -1, .far = -1};
        rank->output.fd = rank->error.fd = -1;
        rank->section = section_of(job->plan, i, &rank->app_number);
    }
    job->group = guard_start(); // before any pipe: it would keep the pipe open
    job->distant_input = -1;
    job->output.fd = STDOUT_FILENO;
    job->error.fd = STDERR_FILENO;
    bool has_links = job->plan->hosts.count > 0;
    if (job->group < 0 || (has_links ? links_start(job) : start_here(job)) != 0) {
        say("cannot start process %d of %d: %s", job->running, job->size,
            strerror(errno));
        if (job->group > 0)
            group_kill(job);
        return -1;
    }
    return 0;
}

// ---- end ----------------------------------------------------------------------------

static void terminate(const struct job *job, bool is_aborting)
{
    for (int i = 0; i < job->size; i++)
        if (!job->ranks[i].has_ended && job->ranks[i].is_aborting == is_aborting)
            rank_signal(&job->ranks[i], SIGTERM);
}

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
    job->deadline = now_nanoseconds() + ABORT_NANOSECONDS;
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

static void end_aborted(struct job *job, struct rank *rank, int code)
{
    job_end(job, rank, (code & 0xff) != 0 ? code & 0xff : EXIT_FAILURE,
            "has aborted the job with code %d", code);
}

void job_abort(struct job *job, struct rank *rank, int code)
{
    rank->is_aborting = true;
    if (code != MPI_ERR_PROC_ABORTED) {
        end_aborted(job, rank, code);
    } else if (job->end_step == END_NOT) {
        job->end_step = END_EXPECTED;
        job->deadline = now_nanoseconds() + NEWS_NANOSECONDS;
        job->accuser = rank;
    }
}

static void stop_expecting(struct job *job)
{
    if (job->end_step == END_EXPECTED)
        end_aborted(job, job->accuser, MPI_ERR_PROC_ABORTED);
}

// Takes the next step towards the end when its time has come; returns the milliseconds
// that poll() may wait, -1 for ever.
static int step_towards_end(struct job *job)
{
    if (job->end_step == END_NOT)
        return -1;
    uint64_t now = now_nanoseconds();
    if (now >= job->deadline && job->end_step == END_EXPECTED) {
        stop_expecting(job);
    } else if (now >= job->deadline) {
        if (job->end_step == END_OTHERS)
            terminate(job, true);
        else
            job_signal(job, SIGKILL);
        job->end_step = END_ALL;
        job->deadline = now + GRACE_NANOSECONDS;
    }
    return (int)((job->deadline - now) / 1000000u) + 1;
}

// A rank has died before its MPI_Finalize.
static void rank_died(struct job *job, struct rank *rank, int code, const char *text)
{
    if (!job->plan->keeps_job || job->end_step > END_EXPECTED) {
        job_end(job, rank, code, "%s", text);
        return;
    }
    if (job->exit_code == 0)
        job->exit_code = code;
    blame(job, rank, text, "the others go on");
    pmi_check_barrier(job);
}

// After MPI_Finalize nobody waits for a rank any more, so its failure does not end the
// job, but counts.
void rank_ended(struct job *job, struct rank *rank, int status)
{
    rank->has_ended = true;
    job->running--;
    int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    int code = signal ? 128 + signal : WEXITSTATUS(status);
    char text[128];
    if (job->plan->is_verbose)
        say("rank %d (pid %d) has ended with code %d", rank->number, (int)rank->pid,
            code);
    if (rank->state == RANK_FINALIZED || (code == 0 && rank->state == RANK_STARTED)) {
        if (code != 0 && job->exit_code == 0) {
            job->exit_code = code;
            say("rank %d (pid %d, %s) ended with code %d after MPI_Finalize",
                rank->number, (int)rank->pid, rank->section->argv[0], code);
        }
        pmi_check_barrier(job);
    } else if (rank->is_aborting) {
        return; // that has been judged
    } else if (signal) {
        snprintf(text, sizeof text, "was killed by signal %d (%s%s)", signal,
                 strsignal(signal), WCOREDUMP(status) ? ", core dumped" : "");
        rank_died(job, rank, code, text);
    } else {
        bool is_early = rank->state == RANK_INITIALIZED;
        snprintf(text, sizeof text, "exited with code %d%s", code,
                 is_early ? " without calling MPI_Finalize" : "");
        rank_died(job, rank, code != 0 ? code : EXIT_FAILURE, text);
    }
}

static void reap(struct job *job)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        for (int i = 0; i < job->size; i++)
            if (job->ranks[i].pid == pid && !job->ranks[i].link)
                rank_ended(job, &job->ranks[i], status);
}

// Nothing of the job is left running, and nothing that it has written is lost. Signals
// act on mpiexec itself again, in case nobody reads its output.
static void finish(struct job *job)
{
    group_kill(job);
    links_stop(job);
    for (int i = 0; i < job->size; i++) {
        source_drain(&job->ranks[i].output);
        source_drain(&job->ranks[i].error);
    }
    sigprocmask(SIG_SETMASK, &job->inherited_mask, NULL);
    sink_drain(&job->output);
    sink_drain(&job->error);
}

// ---- the loop -----------------------------------------------------------------------

static struct pollfd watch_source(const struct source *source)
{
    return (struct pollfd){sink_is_full(source->sink) ? -1 : source->fd, POLLIN, 0};
}

static struct pollfd watch_sink(const struct sink *sink)
{
    return (struct pollfd){sink->used > sink->start ? sink->fd : -1, POLLOUT, 0};
}

static void watch(const struct job *job, struct pollfd *polls)
{
    polls[POLL_SIGNALS] = (struct pollfd){job->signals, POLLIN, 0};
    input_poll(&job->input, &polls[POLL_INPUT]);
    polls[POLL_OUTPUT] = watch_sink(&job->output);
    polls[POLL_ERROR] = watch_sink(&job->error);
    polls[POLL_DISTANT_INPUT] = (struct pollfd){job->distant_input, POLLIN, 0};
    for (int i = 0; i < job->size; i++) {
        const struct rank *rank = &job->ranks[i];
        struct pollfd *its = &polls[POLL_RANKS + RANK_POLLS * i];
        its[RANK_WIRE] = (struct pollfd){rank->wire.fd, POLLIN, 0};
        its[RANK_OUTPUT] = watch_source(&rank->output);
        its[RANK_ERROR] = watch_source(&rank->error);
        its[RANK_FAR] = (struct pollfd){rank->far, POLLIN, 0};
    }
    polls += POLL_RANKS + RANK_POLLS * job->size;
    for (int i = 0; i < job->link_count; i++)
        link_watch(&job->links[i], polls + LINK_POLLS * i);
}

// What a rank has said comes before its end, and so is heard before it.
static void serve(struct job *job, const struct pollfd *polls)
{
    for (int i = 0; i < job->size; i++) {
        struct rank *rank = &job->ranks[i];
        const struct pollfd *its = &polls[POLL_RANKS + RANK_POLLS * i];
        if (its[RANK_WIRE].revents)
            pmi_serve(job, rank);
        if (its[RANK_OUTPUT].revents)
            source_read(&rank->output);
        if (its[RANK_ERROR].revents)
            source_read(&rank->error);
        if (its[RANK_FAR].revents)
            rank_forward(rank);
    }
    const struct pollfd *links = polls + POLL_RANKS + RANK_POLLS * job->size;
    for (int i = 0; i < job->link_count; i++)
        link_serve(&job->links[i], links + LINK_POLLS * i);
    if (polls[POLL_DISTANT_INPUT].revents)
        distant_input_forward(job);
    if (polls[POLL_OUTPUT].revents)
        sink_write(&job->output);
    if (polls[POLL_ERROR].revents)
        sink_write(&job->error);
    input_forward(&job->input, &polls[POLL_INPUT]);
    if (polls[POLL_SIGNALS].revents && signals_handle(job))
        reap(job);
}

int job_run(struct job *job)
{
    size_t count = POLL_RANKS + RANK_POLLS * (size_t)job->size +
                   LINK_POLLS * (size_t)job->link_count;
    struct pollfd *polls = calloc(count, sizeof *polls);
    if (!polls) {
        say("no memory for %d processes", job->size);
        group_kill(job);
        return EXIT_FAILURE;
    }
    while (job->running > 0) {
        watch(job, polls);
        if (poll(polls, count, step_towards_end(job)) > 0)
            serve(job, polls);
    }
    stop_expecting(job);
    free(polls);
    finish(job);
    return job->exit_code;
}
