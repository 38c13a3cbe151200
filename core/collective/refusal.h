// SPDX-License-Identifier: BSD-3-Clause
// Refusals: a member that cannot run a schedule makes it fail for all.
#pragma once

#include "collective/state.h"

#include <limits.h>

// The number of the schedule that comes next, which all members count.
static inline int schedule_number(struct communicator *comm)
{
    return (int)(comm->collective->schedules++ & INT_MAX);
}
// Makes all other members' schedules of this number fail with the class; or, for the
// members of a group apart, their schedules with this tag.
void refusal_send(const struct communicator *comm, const struct group *apart, int tag,
                  int error_class);
// The same for callers that do not hold the lock.
void refusal_send_unlocked(const struct communicator *comm, const struct group *apart,
                           int tag, int error_class);
// The class with which another member has refused the schedule before it began here, or
// 0.
int refusal_take(const struct communicator *comm, bool is_apart, int tag);
// Ends a schedule that is under way; false: there is none.
bool schedule_refused(uint64_t context, bool is_apart, int tag, int error_class);
void refusals_start(void); // the message lock is free
void refusals_stop(void);
