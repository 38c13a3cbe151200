// SPDX-License-Identifier: BSD-3-Clause
// What calls on windows depend on.
#pragma once

#include "window/window.h"

// Explain waits: for the lock of a peer of this node, which is the argument, and for all
// locks of other nodes that this process has asked for.
wait_explainer ticket_explain, grants_explain;
// The same for a post.
wait_explainer post_explain;
struct awaited awaited_of_lock(const struct window *window, int rank, int target,
                               enum awaited_kind kind);
// Adds the holders of the own lock on other nodes. True: the origin is one of them, or has
// not asked for the lock.
bool distant_locks_explain(const struct window *window, int origin,
                           struct explanation *explanation);
void awaited_locks_start(void);
