// SPDX-License-Identifier: BSD-3-Clause
// Shared pages of windows.
#pragma once

#include "window/window.h"

// Shares the whole pages of the memory if the window's hints or the options ask for it;
// `shared` has no bytes if they do not, or if that is refused, which the hints tell then.
// MPI_ERR_NO_MEM for the hint.
int window_share(struct window *window, const void *memory, size_t bytes,
                 struct shared_pages *shared);
// From now on a forked child gets copies of shared pages. Callers hold the message lock.
int window_watch_forks(void);
void window_unshare(const struct shared_pages *shared);
// The same for the own memory of a window that is being opened, whose hints show the
// answer.
int window_share_own(struct window *window);
