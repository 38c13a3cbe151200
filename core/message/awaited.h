// SPDX-License-Identifier: BSD-3-Clause
// What calls wait for. A call that has waited for long explains itself on request: what it
// awaits of which processes. They explain in turn what that depends on, so that a
// deadlock can be told from a long wait (inquiry.c).
#pragma once

#include "base/base.h"

// Layers above give those of their own a meaning.
enum awaited_kind {
    AWAITED_CALL,    // that the program goes on to its next call
    AWAITED_WAIT,    // that a thread's wait ends; number: of the wait
    AWAITED_RECEIPT, // of a send; number: its id, other: the sender's rank in the job
    AWAITED_ROUND, // on a shared buffer; number: which; other: whether it is a barrier
    AWAITED_STEPS, // of a schedule; number: its tag, other: whether it is a group's
    AWAITED_GRANT, // of a lock; number: the target's rank, other: the origin's in the job
    AWAITED_RELEASE, // of a lock, if it is held; number: the target's rank
    AWAITED_KINDS
};

// It travels as it is, so it has no padding.
struct awaited {
    uint64_t context; // of the communicator, or that of the window
    int32_t rank;     // in the job, of whom it is awaited
    uint32_t number;
    int32_t other;
    uint16_t kind;           // enum awaited_kind
    uint16_t is_alternative; // to the one before: one of them is enough
};

enum { AWAITED_MAX = 256, WAIT_TEXT_BYTES = 256 };

// What one wait, or something awaited, depends on. Nothing: it comes by itself, or has come.
struct explanation {
    uint64_t state; // differs when the program, or a schedule, has gone on meanwhile
    int count;
    bool is_open; // depends on what nobody can tell
    bool is_any;  // whatever is added is an alternative
    struct awaited list[AWAITED_MAX];
    char text[WAIT_TEXT_BYTES]; // "to send a message": goes on after "waits for rank 1"
};

// Adds what is needed besides all the rest, or an alternative to what was added last. What
// does not fit is left out; alternatives that do not fit leave the explanation open.
void awaited_add(struct explanation *explanation, struct awaited awaited);
void awaited_or(struct explanation *explanation, struct awaited awaited);
// The first text counts.
void awaited_say(struct explanation *explanation, const char *format, ...)
    PRINTF_LIKE(2, 3);

// Explains a wait to which the argument belongs. The message lock is held; the thread that
// waits has not been told yet that its wait is over, if it is.
typedef void wait_explainer(const void *argument, struct explanation *explanation);
// Explains what is awaited of this process, in which all calls wait. The message lock is
// held.
typedef void awaited_explainer(const struct awaited *awaited,
                               struct explanation *explanation);
void awaited_register(enum awaited_kind kind, awaited_explainer *explain);
// Writes what the process holds that others may wait for, "" if it holds nothing. The
// message lock is held.
typedef void holdings_teller(char *text, size_t bytes);
void holdings_register(holdings_teller *tell);
