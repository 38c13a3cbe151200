// SPDX-License-Identifier: BSD-3-Clause
// The main loop of a job, until every rank has ended.
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

// Kills the guard and all ranks that are left.
void group_kill(const struct job *job)
{
    kill(-job->group, SIGKILL);
    waitpid(job->group, NULL, 0);
}

// ---- start --------------------------------------------------------------------------

// Ranks behind each other on one host, and as many on each of the hosts behind it.
struct host_group {
    int first, hosts, each;
};

static int run_length(const int host_of[], int from, int end)
{
    int to = from;
    while (to < end && host_of[to] == host_of[from])
        to++;
    return to - from;
}

static struct host_group group_from(const int host_of[], int from, int end)
{
    struct host_group group = {host_of[from], 1, run_length(host_of, from, end)};
    int each = group.each;
    for (int at = from + each; at < end; at += each, group.hosts++)
        if (host_of[at] != host_of[at - 1] + 1 || run_length(host_of, at, end) != each)
            break;
    return group;
}

// How many ranks a map must name when it is read again from its begin until all ranks
// have been placed: those of the first group, or all.
static int ranks_named(const int host_of[], int ranks)
{
    struct host_group group = group_from(host_of, 0, ranks);
    int period = group.hosts * group.each;
    for (int rank = period; rank < ranks; rank++)
        if (host_of[rank] != host_of[rank - period])
            return ranks;
    return period;
}

// Writes the map of ranks to hosts for PMI-1 programs, in as few groups as hosts of equal
// numbers of ranks allow.
static char *describe_hosts(const struct plan *plan)
{
    char *map = NULL;
    size_t bytes;
    FILE *text = open_memstream(&map, &bytes);
    int *host_of = calloc((size_t)plan->ranks, sizeof *host_of);
    if (!text || !host_of || !hosts_place(plan, host_of))
        return NULL;
    fprintf(text, "(vector");
    int named = ranks_named(host_of, plan->ranks);
    for (int rank = 0; rank < named;) {
        struct host_group group = group_from(host_of, rank, named);
        fprintf(text, ",(%d,%d,%d)", group.first, group.hosts, group.each);
        rank += group.hosts * group.each;
    }
    fprintf(text, ")");
    fclose(text);
    free(host_of);
    return map;
}

// A map that is too long for a value is left out; programs then ask each other.
static bool job_describe(struct job *job)
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

static int job_start_ranks(struct job *job, int input, int nothing)
{
    for (int i = 0; i < job->size; i++) {
        struct rank *rank = &job->ranks[i];
        int err = rank_start(job, rank, i == 0 ? input : nothing);
        if (err)
            return err;
        job->running++;
        if (job->plan->is_verbose)
            say("rank %d is pid %d: %s", i, (int)rank->pid, rank->section->path);
        debugger_tell_started(job);
    }
    return 0;
}

static int start_here(struct job *job)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    int input = input_open(&job->input);
    binding_find_cores(&job->cores, job->plan->binding);
    int err = job_start_ranks(job, input, nothing);
    if (input != STDIN_FILENO)
        close(input);
    close(nothing);
    return err;
}

int job_start(struct job *job)
{
    job->size = job->plan->ranks;
    job->ranks = calloc((size_t)job->size, sizeof *job->ranks);
    if (!job->ranks || !job_describe(job)) {
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

static void job_reap(struct job *job)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        for (int i = 0; i < job->size; i++)
            if (job->ranks[i].pid == pid && !job->ranks[i].link)
                rank_ended(job, &job->ranks[i], status);
}

// Kills all that is left of the job and passes on all its output. Signals act on
// mpiexec itself again, in case its output is not read.
static void job_finish(struct job *job)
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

static void job_watch(const struct job *job, struct pollfd *polls)
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

// Serves a rank's wire before its end, which comes after its last request.
static void job_serve(struct job *job, const struct pollfd *polls)
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
        job_reap(job);
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
    if (job->plan->timeout > 0)
        job->time_limit =
            now_nanoseconds() + (uint64_t)job->plan->timeout * 1000000000u;
    while (job->running > 0) {
        job_watch(job, polls);
        if (poll(polls, count, job_step_towards_end(job)) > 0)
            job_serve(job, polls);
        job_find_cause(job);
    }
    free(polls);
    job_finish(job);
    if (job->plan->report != NULL && !report_end(job->plan->report))
        return EXIT_FAILURE;
    int code = job->exit_code ? job->exit_code : job->late_exit_code;
    return code == 0 && job->has_findings ? job->plan->check_exit : code;
}
