// SPDX-License-Identifier: BSD-3-Clause
// The head of the messages by which windows synchronise: requests, grants and releases
// of locks, and notices. Behind it travels a batch of operations, or its reply, that
// would else be a message of its own.
#pragma once

#include "base/base.h"

struct sync_head {
    uint32_t window;   // handle at the receiver
    uint32_t reply_to; // LOCK: handle of the window at the origin
    int32_t rank;     // in the window: LOCK, GRANT: the target's; notices: the sender's
    int32_t origin;   // LOCK: the sender's
    int16_t type;     // LOCK: MPI_LOCK_*, or 0 if the lock has been asked for before;
                      // UNLOCK: 0 when a local peer has served the next ticket;
                      // notices: enum notice
    int16_t releases; // LOCK: the operations are the last ones under the lock
    int32_t error;    // GRANT: why not, or 0
};
// What follows is aligned as the message is.
_Static_assert(sizeof(struct sync_head) == 24, "a multiple of 8");
