// SPDX-License-Identifier: BSD-3-Clause
// A schedule's steps, and its transfers under way.
#pragma once

#include "collective/schedule.h"

#include <stddef.h>

enum step_kind {
    STEP_SEND,
    STEP_RECEIVE,
    STEP_WAIT,
    STEP_COPY,
    STEP_REDUCE,
    STEP_CALL
};

struct step {
    enum step_kind kind;
    int rank;
    struct communicator *comm;
    struct elements from, to;
    struct op *op;
    int (*call)(void *argument);
    void *argument;
};

struct memory {
    struct memory *next;
    _Alignas(max_align_t) char bytes[];
};

struct schedule {
    struct request request; // its owner is the communicator
    enum channel channel;
    int tag;
    const struct group *apart; // whose schedule it is, if not that of all members
    int error;                 // the first of the run
    int broken;                // what failed while steps were appended
    struct step *steps;
    int step_count, step_room;
    int next;                    // the step to be run
    struct transfer **transfers; // begun and not yet waited for
    int transfer_count, transfers_allocated;
    int transfer_room; // the most between two waits
    bool is_closed;    // nothing is appended any more
    int appended;      // transfers since the last wait that was appended
    struct memory *memory;
    struct section_copy *copies;
    struct schedule *next_active;
};

extern const struct request_kind schedule_requests;

// Whether steps are complete and have room for their transfers, and the state of the run
// agrees with that of the request. The message lock is held once it has begun.
bool schedule_is_valid(const struct schedule *schedule);
