// SPDX-License-Identifier: BSD-3-Clause
// The part of the leaders, which alone talk between nodes.
#pragma once

#include "collective/schedule.h"

static inline bool is_leader(const struct communicator *comm)
{
    return comm->node_rank == 0;
}

// Runs a leader's schedule. A leader whose node has failed refuses it, unless the cause
// is a death, which the others find themselves.
static inline int leaders_run(struct schedule *schedule, int node_err)
{
    if (!node_err)
        return schedule_run(schedule);
    if (node_err != MPI_ERR_PROC_ABORTED)
        return schedule_refuse(schedule, node_err);
    schedule_free(schedule);
    return node_err;
}
