// SPDX-License-Identifier: BSD-3-Clause
// Standard input of rank 0.
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static void input_close(struct input *input)
{
    close(input->pipe);
    input->terminal = input->pipe = -1;
}

// In the background, the terminal's input is not for us.
static bool is_background(void)
{
    return isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) != getpgrp();
}

int input_of_distant(struct input *input)
{
    *input = (struct input){.terminal = -1, .pipe = -1};
    return is_background() ? -1 : STDIN_FILENO;
}

int input_open(struct input *input)
{
    *input = (struct input){.terminal = -1, .pipe = -1};
    if (!isatty(STDIN_FILENO))
        return STDIN_FILENO;
    int pipe_ends[2];
    if (is_background() || pipe2(pipe_ends, O_CLOEXEC) < 0)
        return open("/dev/null", O_RDONLY | O_CLOEXEC);
    fcntl(pipe_ends[1], F_SETFL, O_NONBLOCK);
    input->terminal = STDIN_FILENO;
    input->pipe = pipe_ends[1];
    return pipe_ends[0];
}

void input_poll(const struct input *input, struct pollfd polls[2])
{
    bool is_empty = input->start == input->end;
    polls[0] = (struct pollfd){is_empty ? input->terminal : -1, POLLIN, 0};
    polls[1] = (struct pollfd){is_empty ? -1 : input->pipe, POLLOUT, 0};
}

void input_forward(struct input *input, const struct pollfd polls[2])
{
    if (polls[0].fd >= 0 && polls[0].revents) {
        ssize_t got = read(input->terminal, input->bytes, sizeof input->bytes);
        if (got == 0 ||
            (got < 0 && errno != EINTR)) { // its end, or we are in the background now
            input_close(input);
            return;
        }
        input->start = 0;
        input->end = got > 0 ? (size_t)got : 0;
    }
    if (polls[1].fd >= 0 && polls[1].revents) {
        ssize_t put =
            write(input->pipe, input->bytes + input->start, input->end - input->start);
        if (put < 0 && errno != EAGAIN && errno != EINTR)
            input_close(input); // rank 0 does not read any more
        else if (put > 0)
            input->start += (size_t)put;
    }
}
