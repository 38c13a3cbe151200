// SPDX-License-Identifier: BSD-3-Clause
// Links to ranks on other hosts. The bytes of a distant rank's wire come in frames and
// go into a socket pair, so that the rest of mpiexec serves it like any other rank.
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- start --------------------------------------------------------------------------
static bool is_here(const char *host)
{
    char own[256] = "";
    gethostname(own, sizeof own - 1);
    return strcmp(host, "localhost") == 0 || strcmp(host, own) == 0;
}

// The agent's words, the host, and mpiexec itself as the relay; on this host only that.
static _Noreturn void run_agent(const struct plan *plan, const char *host)
{
    enum { MOST_WORDS = 64 };
    char *words[MOST_WORDS + 4], self[4096] = "";
    int count = 0;
    if (!is_here(host)) {
        for (char *word = strtok(plan->agent, " "); word && count < MOST_WORDS;
             word = strtok(NULL, " "))
            words[count++] = word;
        words[count++] = (char *)host;
    }
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        strcpy(self, "mpiexec");
    words[count++] = self;
    words[count++] = (char *)"--relay";
    words[count] = NULL;
    execvp(words[0], words);
    say("cannot run %s to reach host %s: %s", words[0], host, strerror(errno));
    _exit(EXIT_NOT_FOUND);
}

static int start_agent(struct job *job, struct link *link)
{
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0)
        return -1;
    pid_t launcher = getpid();
    link->agent = fork();
    if (link->agent < 0)
        return -1;
    if (link->agent == 0) {
        setpgid(0, 0); // signals for the ranks go to the relay in frames
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != launcher)
            _exit(EXIT_FAILURE);
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        sigaction(SIGPIPE, &job->inherited_pipe_action, NULL);
        sigprocmask(SIG_SETMASK, &job->inherited_mask, NULL);
        run_agent(job->plan, link->host);
    }
    close(to[0]);
    close(from[1]);
    fcntl(to[1], F_SETFL, O_NONBLOCK);
    link->to.fd = to[1];
    link->from.fd = from[0];
    return 0;
}

static int rank_adopt(struct job *job, struct rank *rank, struct link *link)
{
    int wire[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, wire) < 0)
        return -1;
    rank->link = link;
    rank->wire.fd = wire[0];
    rank->far = wire[1];
    if (!rank_open_sinks(job, rank))
        return -1;
    link->running++;
    job->running++;
    return 0;
}

static void send_plan(struct job *job, struct link *link)
{
    struct sink text = {.fd = 0};
    plan_write(job->plan, &text);
    frame_put(&link->to, FRAME_PLAN, -1, text.bytes, text.used);
    text.used = 0;
    for (int i = 0; i < job->size; i++)
        if (job->ranks[i].link == link)
            sink_put(&text, (const char *)&i, sizeof i);
    frame_put(&link->to, FRAME_START, -1, text.bytes, text.used);
    free(text.bytes);
}

int links_start(struct job *job)
{
    const struct hosts *hosts = &job->plan->hosts;
    int *host_of = calloc((size_t)job->size, sizeof *host_of);
    job->links = calloc((size_t)hosts->count, sizeof *job->links);
    if (!host_of || !job->links || !hosts_place(job->plan, host_of))
        return -1;
    for (int host = 0; host < hosts->count; host++) {
        struct link *link = &job->links[job->link_count];
        *link = (struct link){.job = job, .host = hosts->list[host].name};
        for (int i = 0; i < job->size; i++)
            if (host_of[i] == host && rank_adopt(job, &job->ranks[i], link) != 0)
                return -1;
        if (link->running == 0)
            continue;
        if (start_agent(job, link) != 0)
            return -1;
        send_plan(job, link);
        job->link_count++;
    }
    free(host_of);
    job->distant_input = input_of_distant(&job->input);
    return 0;
}

void links_stop(struct job *job)
{
    for (int i = 0; i < job->link_count; i++)
        kill(job->links[i].agent, SIGKILL);
}

// ---- what comes from the relay --------------------------------------------------------
static struct rank *first_rank(const struct link *link)
{
    struct rank *rank = link->job->ranks;
    while (rank->link != link || rank->has_ended)
        rank++;
    return rank;
}

// Ends a link that is lost: all its ranks count as killed.
static void link_lose(struct link *link, const char *why)
{
    close(link->from.fd);
    link->from.fd = -1;
    if (link->running > 0)
        job_end(link->job, first_rank(link), EXIT_FAILURE, "is lost: %s", why);
    while (link->running > 0) {
        struct rank *rank = first_rank(link);
        link->running--;
        rank_ended(link->job, rank, SIGKILL);
    }
}

// Serves the rank's last requests before its end.
static void end_rank(struct link *link, struct rank *rank, int status)
{
    while (rank->wire.fd >= 0 &&
           poll(&(struct pollfd){rank->wire.fd, POLLIN, 0}, 1, 0) > 0)
        pmi_serve(link->job, rank);
    source_drain(&rank->output);
    source_drain(&rank->error);
    link->running--;
    rank_ended(link->job, rank, status);
}

static int number_in(const struct frame *frame)
{
    int number = 0;
    if (frame->count == sizeof number)
        memcpy(&number, frame->bytes, sizeof number);
    return number;
}

static void link_hear(struct link *link, struct rank *rank, const struct frame *frame)
{
    switch (frame->kind) {
    case FRAME_STARTED:
        if (rank->pid == 0 && number_in(frame) > 0) {
            rank->pid = number_in(frame);
            debugger_tell_started(link->job);
        }
        if (link->job->plan->is_verbose)
            say("rank %d is pid %d on %s: %s", rank->number, (int)rank->pid, link->host,
                rank->section->path);
        break;
    case FRAME_WIRE:
        if (write(rank->far, frame->bytes, frame->count) != (ssize_t)frame->count)
            job_end(link->job, rank, 1, "says more to the launcher than it answers");
        break;
    case FRAME_OUTPUT:
        source_take(&rank->output, frame->bytes, frame->count);
        break;
    case FRAME_ERROR:
        source_take(&rank->error, frame->bytes, frame->count);
        break;
    case FRAME_ENDED:
        end_rank(link, rank, number_in(frame));
        break;
    default:
        break;
    }
}

static bool link_greet(struct link *link, const struct frame *frame)
{
    if (frame->kind == FRAME_HELLO && strcmp(frame->bytes, ORIEL_VERSION) == 0)
        return true;
    link_lose(link, frame->kind == FRAME_HELLO
                        ? "its host has another version of mpiexec"
                        : "the relay does not begin with a greeting");
    return false;
}

static void hear_all(struct link *link)
{
    struct frame frame;
    enum frame_state state;
    while ((state = frame_take(&link->from, &frame)) == FRAME_TAKEN) {
        if (!link->is_greeted) {
            link->is_greeted = link_greet(link, &frame);
            if (!link->is_greeted)
                return;
            continue;
        }
        struct rank *rank = frame.rank >= 0 && frame.rank < link->job->size
                                ? &link->job->ranks[frame.rank]
                                : NULL;
        if (rank && rank->link == link && !rank->has_ended)
            link_hear(link, rank, &frame);
    }
    if (state == FRAME_NONSENSE)
        link_lose(link,
                  "something else than the relay writes to the launch agent's output");
}

// ---- the loop -------------------------------------------------------------------------
void link_watch(const struct link *link, struct pollfd polls[LINK_POLLS])
{
    bool must_wait =
        sink_is_full(&link->job->output) || sink_is_full(&link->job->error);
    bool has_more = link->to.used > link->to.start;
    polls[LINK_FROM] = (struct pollfd){must_wait ? -1 : link->from.fd, POLLIN, 0};
    polls[LINK_TO] = (struct pollfd){has_more ? link->to.fd : -1, POLLOUT, 0};
}

void link_serve(struct link *link, const struct pollfd polls[LINK_POLLS])
{
    if (polls[LINK_TO].revents)
        sink_write(&link->to);
    if (!polls[LINK_FROM].revents)
        return;
    if (frames_receive(&link->from) > 0)
        hear_all(link);
    else
        link_lose(link, "the connection to its host has ended");
}

void rank_forward(struct rank *rank)
{
    char bytes[WIRE_LINE_BYTES];
    ssize_t got = read(rank->far, bytes, sizeof bytes);
    if (got > 0) {
        frame_put(&rank->link->to, FRAME_WIRE, rank->number, bytes, (size_t)got);
    } else if (got == 0 || errno != EAGAIN) {
        close(rank->far);
        rank->far = -1;
    }
}

void distant_input_forward(struct job *job)
{
    char bytes[4096];
    ssize_t got = read(job->distant_input, bytes, sizeof bytes);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    frame_put(&job->ranks[0].link->to, FRAME_INPUT, 0, bytes,
              got > 0 ? (size_t)got : 0);
    if (got <= 0)
        job->distant_input = -1;
}
