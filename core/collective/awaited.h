// SPDX-License-Identifier: BSD-3-Clause
// What collective calls depend on, and the communicators by which others name it.
#pragma once

#include "collective/shared_buffer.h"

void communicators_add(struct communicator *comm);
void communicators_remove(const struct communicator *comm);

// A wait for the word of another member of the node in a round.
typedef bool word_test(const void *word, uint64_t round);
struct member_wait {
    const struct communicator *comm;
    word_test *has_come;
    const void *word; // in the shared buffer
    uint64_t round;
};
// Explains one, which is the argument; and a wait for the end of the barrier of the members
// of a node, of which the communicator is the argument.
wait_explainer member_wait_explain, barrier_explain;
void schedule_explain(const struct request *request, struct explanation *explanation);
void awaited_collectives_start(void);
