// SPDX-License-Identifier: BSD-3-Clause
// Messages that a probe has taken.
#pragma once

#include "pt2pt/match.h"

// The object of a message that a probe has taken (MPI-4.1 3.8.2).
struct message {
    struct object object;
    struct communicator *comm;
    struct unexpected *unexpected; // NULL: MPI_MESSAGE_NO_PROC
};
void messages_of_nobody_start(void); // MPI_MESSAGE_NO_PROC
void messages_of_nobody_stop(void);
