// SPDX-License-Identifier: BSD-3-Clause
// Hints of windows.
#pragma once

#include "window/window.h"

// The hints of a window: every key that Oriel knows with the value in use.
int hints_choose(struct window *window, const struct info *given);
// Bytes of memory between which updates are to be kept apart; 0: Oriel's choice.
uint64_t hint_granularity(const struct info *info);
// The power of two, at least CACHE_LINE, that `info` asks for.
size_t hint_alignment(const struct info *info);
// Makes sure that this process serves its local peers while it computes, if any
// operation on the window could need it.
int window_serve(struct window *window);
