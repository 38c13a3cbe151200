// SPDX-License-Identifier: BSD-3-Clause
// Deaths of processes, and messages that the network loses.
#pragma once

#include "message/message.h"

// In a job of several nodes: begins to watch a process, of which all have attached.
void deaths_watch(struct messages *messages);
// The watched process may have ended.
void deaths_look(struct messages *messages);
// Returns when the other processes of this node, and the watched one, have ended, or
// after two seconds.
void deaths_await_others(const struct messages *messages);
// MPI_ERR_PROC_ABORTED if it is this process that has died.
int deaths_check(int rank);

void gaps_start(void);
// Has that process of another node answer with a message.
void gaps_ask(int rank);
// Asks other nodes whether messages have been lost; called while there is doubt.
// Callers hold the message lock.
void gaps_look(struct messages *messages);

void touches_start(void);
// Asks the owners of memory that has been read for a second to touch it. The message lock
// is free.
void late_reads_look(void);
