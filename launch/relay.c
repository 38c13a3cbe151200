// SPDX-License-Identifier: BSD-3-Clause
// mpiexec --relay: starts the ranks of one host and passes data on between them and
// mpiexec. It ends when its ranks have ended, or with them when mpiexec has gone.
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct relay {
    struct plan plan;
    struct job job;
    struct frames from;
    struct sink to;
    struct sink input; // rank 0's standard input, fd -1: none
    bool has_lost_mpiexec;
};

enum { POLL_FROM, POLL_TO, POLL_SIGNALS, POLL_INPUT, POLL_RANKS };
enum { RANK_WIRE, RANK_OUTPUT, RANK_ERROR, RANK_POLLS };

static void put_number(struct relay *relay, enum frame_kind kind, int rank, int number)
{
    frame_put(&relay->to, kind, rank, &number, sizeof number);
}

// ---- start ----------------------------------------------------------------------------
static int input_of(struct relay *relay, const struct rank *rank)
{
    int ends[2];
    if (rank->number != 0 || pipe2(ends, O_CLOEXEC) < 0)
        return open("/dev/null", O_RDONLY | O_CLOEXEC);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    relay->input.fd = ends[1];
    return ends[0];
}

static bool relay_start_ranks(struct relay *relay, const struct frame *frame)
{
    struct job *job = &relay->job;
    job->size = (int)(frame->count / sizeof(int));
    job->ranks = calloc((size_t)job->size + 1, sizeof *job->ranks);
    binding_find_cores(&job->cores, job->plan->binding);
    for (int i = 0; job->ranks && i < job->size; i++) {
        struct rank *rank = &job->ranks[i];
        memcpy(&rank->number, frame->bytes + (size_t)i * sizeof(int), sizeof(int));
        if (rank->number < 0 || rank->number >= relay->plan.ranks)
            return false;
        rank->section = section_of(&relay->plan, rank->number, &rank->app_number);
        int input = input_of(relay, rank);
        if (rank_start(job, rank, input) != 0)
            return false;
        close(input);
        job->running++;
        put_number(relay, FRAME_STARTED, rank->number, (int)rank->pid);
    }
    return job->ranks != NULL;
}

// ---- from mpiexec -----------------------------------------------------------------------
static struct rank *relay_rank(struct relay *relay, int number)
{
    for (int i = 0; i < relay->job.size; i++)
        if (relay->job.ranks[i].number == number)
            return &relay->job.ranks[i];
    return NULL;
}

static void give_input(struct relay *relay, const struct frame *frame)
{
    sink_put(&relay->input, frame->bytes, frame->count);
    if (frame->count == 0)
        sink_drain(&relay->input), close(relay->input.fd), relay->input.fd = -1;
}

// False when the frame makes no sense here.
static bool relay_obey(struct relay *relay, struct frame *frame)
{
    struct rank *rank = relay_rank(relay, frame->rank);
    switch (frame->kind) {
    case FRAME_PLAN:
        relay->from.taken = NULL; // the plan keeps its text
        return plan_read(frame->bytes, frame->count, &relay->plan);
    case FRAME_START:
        return relay_start_ranks(relay, frame);
    case FRAME_WIRE:
        if (rank && rank->wire.fd >= 0 &&
            write(rank->wire.fd, frame->bytes, frame->count) < 0 && errno != EPIPE)
            say("rank %d does not read the launcher's answers", rank->number);
        return true;
    case FRAME_INPUT:
        give_input(relay, frame);
        return true;
    case FRAME_SIGNAL:
        if (frame->rank < 0)
            kill(-relay->job.group, frame->bytes[0]);
        else if (rank && !rank->has_ended)
            kill(rank->pid, frame->bytes[0]);
        return true;
    default:
        return false;
    }
}

static void listen_to_mpiexec(struct relay *relay)
{
    struct frame frame;
    enum frame_state state = FRAME_INCOMPLETE;
    relay->has_lost_mpiexec = frames_receive(&relay->from) <= 0;
    while ((state = frame_take(&relay->from, &frame)) == FRAME_TAKEN)
        if (!relay_obey(relay, &frame)) {
            say("the relay does not understand what mpiexec wants: %s",
                strerror(errno));
            relay->has_lost_mpiexec = true;
            return;
        }
    relay->has_lost_mpiexec |= state == FRAME_NONSENSE;
}

// ---- from the ranks -----------------------------------------------------------------------
// Passes on one portion; closes the descriptor at its end.
static void relay_pass_on(struct relay *relay, const struct rank *rank, int *fd,
                          enum frame_kind kind)
{
    char bytes[1 << 14];
    ssize_t got = read(*fd, bytes, sizeof bytes);
    if (got > 0) {
        frame_put(&relay->to, kind, rank->number, bytes, (size_t)got);
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        close(*fd);
        *fd = -1;
    }
}

// Passes on all that is in a pipe, although a process may still write to it.
static void pass_on_rest(struct relay *relay, const struct rank *rank, int *fd,
                         enum frame_kind kind)
{
    enum { MOST = 64 }; // a pipe's content
    for (int i = 0; i < MOST && *fd >= 0; i++) {
        if (poll(&(struct pollfd){*fd, POLLIN, 0}, 1, 0) <= 0)
            return;
        relay_pass_on(relay, rank, fd, kind);
    }
}

static void reap_ranks(struct relay *relay)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        for (int i = 0; i < relay->job.size; i++) {
            struct rank *rank = &relay->job.ranks[i];
            if (rank->pid != pid)
                continue;
            pass_on_rest(relay, rank, &rank->wire.fd, FRAME_WIRE);
            pass_on_rest(relay, rank, &rank->output.fd, FRAME_OUTPUT);
            pass_on_rest(relay, rank, &rank->error.fd, FRAME_ERROR);
            rank->has_ended = true;
            relay->job.running--;
            put_number(relay, FRAME_ENDED, rank->number, status);
        }
}

// ---- the loop -------------------------------------------------------------------------------
static void relay_watch(const struct relay *relay, struct pollfd *polls)
{
    bool is_full = sink_is_full(&relay->to);
    bool has_input = relay->input.used > relay->input.start;
    polls[POLL_FROM] =
        (struct pollfd){sink_is_full(&relay->input) ? -1 : relay->from.fd, POLLIN, 0};
    polls[POLL_TO] = (struct pollfd){
        relay->to.used > relay->to.start ? relay->to.fd : -1, POLLOUT, 0};
    polls[POLL_SIGNALS] = (struct pollfd){relay->job.signals, POLLIN, 0};
    polls[POLL_INPUT] = (struct pollfd){has_input ? relay->input.fd : -1, POLLOUT, 0};
    for (int i = 0; i < relay->job.size; i++) {
        const struct rank *rank = &relay->job.ranks[i];
        struct pollfd *its = &polls[POLL_RANKS + RANK_POLLS * i];
        its[RANK_WIRE] = (struct pollfd){rank->wire.fd, POLLIN, 0};
        its[RANK_OUTPUT] = (struct pollfd){is_full ? -1 : rank->output.fd, POLLIN, 0};
        its[RANK_ERROR] = (struct pollfd){is_full ? -1 : rank->error.fd, POLLIN, 0};
    }
}

static void relay_serve(struct relay *relay, const struct pollfd *polls)
{
    for (int i = 0; i < relay->job.size; i++) {
        struct rank *rank = &relay->job.ranks[i];
        const struct pollfd *its = &polls[POLL_RANKS + RANK_POLLS * i];
        if (its[RANK_WIRE].revents)
            relay_pass_on(relay, rank, &rank->wire.fd, FRAME_WIRE);
        if (its[RANK_OUTPUT].revents)
            relay_pass_on(relay, rank, &rank->output.fd, FRAME_OUTPUT);
        if (its[RANK_ERROR].revents)
            relay_pass_on(relay, rank, &rank->error.fd, FRAME_ERROR);
    }
    if (polls[POLL_SIGNALS].revents && signals_handle(&relay->job))
        reap_ranks(relay);
    if (polls[POLL_INPUT].revents)
        sink_write(&relay->input);
    if (polls[POLL_TO].revents)
        sink_write(&relay->to);
    if (polls[POLL_FROM].revents)
        listen_to_mpiexec(relay);
}

static bool has_work(const struct relay *relay)
{
    if (relay->has_lost_mpiexec || relay->to.fd < 0)
        return false;
    return relay->job.ranks == NULL || relay->job.running > 0 ||
           relay->to.used > relay->to.start;
}

int relay_run(void)
{
    static struct relay relay = {
        .from.fd = STDIN_FILENO, .to.fd = STDOUT_FILENO, .input.fd = -1};
    relay.job.plan = &relay.plan;
    getrlimit(RLIMIT_NOFILE, &relay.job.inherited_files);
    signals_open(&relay.job);
    relay.job.group = guard_start();
    frame_put(&relay.to, FRAME_HELLO, -1, ORIEL_VERSION, strlen(ORIEL_VERSION));
    while (has_work(&relay)) {
        int size = relay.job.size;
        size_t count = POLL_RANKS + RANK_POLLS * (size_t)size;
        struct pollfd *polls = calloc(count, sizeof *polls);
        if (!polls)
            break;
        relay_watch(&relay, polls);
        if (poll(polls, count, -1) > 0)
            relay_serve(&relay, polls);
        free(polls);
    }
    group_kill(&relay.job);
    return EXIT_SUCCESS;
}
