// SPDX-License-Identifier: BSD-3-Clause
// What processes say to mpiexec over the PMI-1 wire. Bytes at the end of the input
// decide which of two processes speaks next.
#include "launch_fakes.h"

#include <poll.h>

enum { RANKS = 2, PORTION = 512 };

static void serve(struct job *job, const uint8_t *bytes, size_t count, const int far[])
{
    while (count > 0) {
        int speaker = bytes[--count] % RANKS;
        size_t portion = count < PORTION ? count : PORTION;
        if (send(far[speaker], bytes, portion, MSG_NOSIGNAL) < 0)
            return;
        for (int i = 0; i < RANKS; i++)
            if (job->ranks[i].wire.fd >= 0)
                pmi_serve(job, &job->ranks[i]);
        bytes += portion;
        count -= portion;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct plan plan = {.ranks = RANKS, .is_verbose = true};
    struct rank ranks[RANKS] = {{.number = 0}, {.number = 1}};
    struct store store = {.count = 0};
    struct job job = {.plan = &plan,
                      .ranks = ranks,
                      .size = RANKS,
                      .running = RANKS,
                      .store = &store,
                      .name = "job"};
    int ends[2], far[RANKS];
    for (int i = 0; i < RANKS; i++) {
        must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) ==
             0);
        ranks[i].wire.fd = ends[0];
        far[i] = ends[1];
    }
    serve(&job, bytes, count, far);
    must(job.waiting >= 0 && job.waiting < RANKS);
    for (int i = 0; i < RANKS; i++) {
        if (ranks[i].wire.fd >= 0)
            close(ranks[i].wire.fd);
        close(far[i]);
        free(ranks[i].wait);
    }
    store_clear(&store);
    return 0;
}
