// SPDX-License-Identifier: BSD-3-Clause
// Hints of windows.
#pragma once

#include "window/window.h"

// Keeps those of the given hints that a new window can use, and tells of the others in
// the name of the procedure `call`.
int hints_choose(struct window *window, const struct info *given, const char *call);
// Keeps one more, or another value (MPI_ERR_NO_MEM).
int hint_keep(struct window *window, const char *key, const char *value);
// Why the pages of memory could not be shared, which is shown and not given.
#define KEY_REFUSED "oriel_share_pages_refused"
// Bytes of memory between which updates are to be kept apart; 0: Oriel's choice.
uint64_t hint_granularity(const struct info *info);
// The power of two, at least CACHE_LINE, that `info` asks for.
size_t hint_alignment(const struct info *info);
// Makes sure that this process serves its local peers while it computes, if any
// operation on the window could need it.
int window_serve(struct window *window);
