// SPDX-License-Identifier: BSD-3-Clause
// Random bits of the system.
#include "base/base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

// Guessable bits would be guessable keys to other processes' memory, so a system that
// refuses to give any ends the process.
uint64_t random_bits(void)
{
    uint64_t bits;
    while (getrandom(&bits, sizeof bits, 0) != (ssize_t)sizeof bits) {
        if (errno == EINTR)
            continue;
        log_error("the system gives no random numbers: getrandom: %s", strerror(errno));
        abort();
    }
    return bits;
}
