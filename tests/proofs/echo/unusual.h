// SPDX-License-Identifier: BSD-3-Clause
// What the entry points of quick records look at, such that no call is a usual one: the
// core is always asked.
#pragma once

#include "no_races.h"
#include "oriel.h"

// A target that no rank is.
static const struct lock_record no_lock_record = {.is_exposed = true};
const struct peer nobody = {.rank = MPI_PROC_NULL,
                            .lock_record = (struct lock_record *)&no_lock_record};
const struct peer attached_target = {.rank = MPI_PROC_NULL};

// No type can be updated by instructions.
atomic_update *const atomic_updates[4096];
atomic_fetch *const atomic_fetches[4096];
atomic_swap *const atomic_swaps[4096];

// No request is of an operation that was done at once.
struct request request_done;
int request_result(struct request *request, MPI_Status *status)
{
    (void)status;
    return request->error;
}

void copy_long(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

_Thread_local int32_t order_left;
void order_settle(void)
{
}

// No memory admits this thread, and what does without is not reached.
struct presence no_presence = {.admitting = ~(uint32_t)ADMITTING};
_Thread_local struct presence *presence_own = &no_presence;
void update_mapped(const struct peer *peer, const void *in, char *target, void *result,
                   MPI_Count count, const struct datatype *type, uintptr_t op)
{
    (void)peer, (void)in, (void)target, (void)result, (void)count, (void)type, (void)op;
}
void swap_mapped(const struct peer *peer, const void *origin, const void *compare,
                 char *target, void *result, const struct datatype *type)
{
    (void)peer, (void)origin, (void)compare, (void)target, (void)result, (void)type;
}
