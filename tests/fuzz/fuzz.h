// SPDX-License-Identifier: BSD-3-Clause
// What the targets have in common. A target is one function that gives bytes to code
// that must survive any. What must hold afterwards it checks by must(); the rest is
// found by the address and undefined behaviour sanitizers.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static inline void must(bool claim)
{
    if (!claim)
        abort();
}

// A socket whose other end has sent these bytes, as far as they fit, and then no more;
// it takes what is sent there. The ends are to be closed.
static inline void speak(const uint8_t *bytes, size_t count, int ends[2])
{
    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
    must(count == 0 || send(ends[1], bytes, count, MSG_NOSIGNAL) >= 0);
    shutdown(ends[1], SHUT_WR);
}
