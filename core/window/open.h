// SPDX-License-Identifier: BSD-3-Clause
// The constructor of windows, the sources of their memory, and what it starts and
// frees.
#pragma once

#include "window/window.h"

// The properties of a window that is to be opened.
struct window_plan {
    int flavor;
    struct communicator *comm; // the program's
    struct info *info;         // may be NULL
    MPI_Aint size, unit;       // of the own memory
    void *memory;              // the caller's, or NULL
    // The source of the memory: sets base, size and allocation of the window. All
    // members call it, even one that has failed already.
    int (*bring)(const struct window_plan *plan, struct window *window);
};

// Collective over plan->comm. All members return the same error class, and then nothing
// is left of the window. On success the program holds its handle.
int window_open(const struct window_plan *plan, struct window **window);
// Undoes all that window_open did. Collective on the node where that spans nodes; no
// member uses the window any more.
void window_close(struct window *window);

// The sources. A dynamic window begins as one on no memory of the caller's.
int bring_callers(const struct window_plan *plan, struct window *window);
int bring_own(const struct window_plan *plan, struct window *window);
int bring_shared(const struct window_plan *plan, struct window *window);

void peers_free(struct window *window);
void distant_locks_free(struct window *window);
// Whether the tickets taken for other nodes are in order, one of each origin, and those
// that wait are counted. The message lock is held.
bool distant_locks_are_valid(const struct window *window);
message_handler lock_granted; // at the origin
void locks_start(void);
void locks_stop(void);
void notices_free(struct window *window);
void notices_start(void);
void notices_stop(void);
