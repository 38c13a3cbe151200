// SPDX-License-Identifier: BSD-3-Clause
// a_dead_peer_ends_every_wait: for a message or for a word of shared memory, within a
// second, with the rank and the pid of the dead; a process that waits for something
// that then comes is not disturbed.
#include "message_job.h"

enum { VICTIM = 1 };

static bool is_never(void *argument)
{
    (void)argument;
    return false;
}

static void check_detail(int err)
{
    char expected[64];
    int error_class;
    CHECK(err == MPI_ERR_PROC_ABORTED);
    snprintf(expected, sizeof expected, "rank %d (pid %d on ", VICTIM,
             shm_pid(process.shm, VICTIM));
    CHECK(strstr(error_detail(&error_class), expected) && error_class == err);
}

static void lose_a_peer(void)
{
    meet();
    if (process.rank == VICTIM)
        kill(getpid(), SIGKILL);
    uint64_t start = clock_nanoseconds();
    check_detail(message_wait(is_never, NULL, NULL));
    CHECK(clock_nanoseconds() - start < UINT64_C(5000000000));
    int err = 0;
    for (unsigned spins = 0; !err;)
        err = message_backoff(&spins, NULL, NULL);
    check_detail(err);
    // The dead do not come to the fence before messages_stop.
    atomic_fetch_add(&board->arrived, process.rank == 0);
}

int main(void)
{
    struct job job = {
        .nodes = 1, .node_size = 3, .spin_microseconds = 50, .body = lose_a_peer};
    return run_job(job) == 1 ? 0 : 1; // the victim alone fails
}
