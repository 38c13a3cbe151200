// SPDX-License-Identifier: BSD-3-Clause
// What comes to mpiexec over the connection to another host: frames, and in them what
// two processes there say.
#include "launch_fakes.h"

enum { RANKS = 2 };

static void open_job(struct job *job, struct link *link)
{
    static struct section section = {.path = (char *)"program"};
    for (int i = 0; i < RANKS; i++) {
        struct rank *rank = &job->ranks[i];
        int wire[2];
        must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, wire) ==
             0);
        *rank = (struct rank){.number = i,
                              .section = &section,
                              .link = link,
                              .far = wire[1],
                              .wire.fd = wire[0],
                              .output = {.fd = -1, .sink = &job->output},
                              .error = {.fd = -1, .sink = &job->error}};
    }
}

static void close_job(struct job *job)
{
    for (int i = 0; i < RANKS; i++) {
        struct rank *rank = &job->ranks[i];
        if (rank->wire.fd >= 0)
            close(rank->wire.fd);
        if (rank->far >= 0)
            close(rank->far);
        free(rank->output.bytes);
        free(rank->error.bytes);
    }
    free(job->output.bytes);
    free(job->error.bytes);
    store_clear(job->store);
}

static void serve_wires(struct job *job)
{
    for (int i = 0; i < RANKS; i++) {
        if (job->ranks[i].wire.fd >= 0)
            pmi_serve(job, &job->ranks[i]);
        if (job->ranks[i].far >= 0)
            rank_forward(&job->ranks[i]);
    }
}

// The first byte tells whether the relay has already greeted.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static const struct pollfd polls[LINK_POLLS] = {[LINK_FROM] = {.revents = POLLIN}};
    struct plan plan = {.ranks = RANKS, .is_verbose = true};
    struct rank ranks[RANKS];
    struct store store = {.count = 0};
    struct job job = {.plan = &plan,
                      .ranks = ranks,
                      .size = RANKS,
                      .running = RANKS,
                      .store = &store,
                      .name = "job",
                      .output.fd = STDOUT_FILENO,
                      .error.fd = STDERR_FILENO};
    struct link link = {.job = &job,
                        .host = "host",
                        .running = RANKS,
                        .to.fd = STDOUT_FILENO,
                        .is_greeted = count > 0 && bytes[0] % 2 == 1};
    int ends[2];
    open_job(&job, &link);
    speak(bytes + 1, count > 0 ? count - 1 : 0, ends);
    link.from.fd = ends[0];
    while (link.from.fd >= 0) { // it is lost in the end
        link_serve(&link, polls);
        serve_wires(&job);
    }
    must(link.running == 0 && job.running == 0);
    close(ends[1]);
    close_job(&job);
    free(link.from.bytes);
    free(link.from.taken);
    free(link.to.bytes);
    return 0;
}
