// SPDX-License-Identifier: BSD-3-Clause
// Shared pages and fork. A child would have them in common with its parent, which would
// get the child's stores in its memory. So it copies them, and the parent waits for that,
// so that the child has what was there at the fork.
#include "window/share.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

// The message lock is held from before the fork until after it, so that no window is made
// or freed meanwhile.
static void fork_begins(void)
{
    struct windows *windows = process.windows;
    if (windows == NULL)
        return;
    message_lock();
    if (process.shm->ranges == NULL || pipe2(windows->fork_pipe, O_CLOEXEC) != 0)
        windows->fork_pipe[0] = windows->fork_pipe[1] = -1;
}

static void pipe_close(struct windows *windows, int end)
{
    if (windows->fork_pipe[end] >= 0)
        close(windows->fork_pipe[end]);
}

// The pipe ends when the child closes it, or dies.
static void fork_continues(void)
{
    struct windows *windows = process.windows;
    if (windows == NULL)
        return;
    pipe_close(windows, 1);
    ssize_t count = 1;
    while (windows->fork_pipe[0] >= 0 && count > 0)
        count = read(windows->fork_pipe[0], &(char){0}, 1);
    pipe_close(windows, 0);
    message_unlock();
}

static void fork_makes_child(void)
{
    struct windows *windows = process.windows;
    if (windows == NULL)
        return;
    shm_unshare_in_child(process.shm);
    pipe_close(windows, 0);
    pipe_close(windows, 1);
}

int window_watch_forks(void)
{
    struct windows *windows = process.windows;
    if (windows->watches_forks)
        return 0;
    if (pthread_atfork(fork_begins, fork_continues, fork_makes_child) != 0)
        return fail(MPI_ERR_NO_MEM, "no memory to note what a fork has to do");
    windows->watches_forks = true;
    return 0;
}
