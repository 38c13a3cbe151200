// SPDX-License-Identifier: BSD-3-Clause
// Jobs for the tests of collective: all layers below are real but for launcher and
// network, which are those of message_job.h.
#pragma once

#include "collective/collective.h"
#include "message_job.h"

#include <oriel_core.h>

// Kinds of jobs: nodes and processes on each.
static const struct {
    int nodes, node_size;
} jobs[] = {{1, 1}, {1, 2}, {1, 5}, {2, 1}, {2, 2}, {3, 2}, {4, 2}, {2, 3}};

static void (*job_claims)(void);

static void job_body(void)
{
    CHECK(objects_start() == 0);
    datatypes_start();
    CHECK(pt2pt_start() == 0);
    CHECK(collectives_start() == 0);
    world_open();
    job_claims();
    CHECK(collective_barrier(process.world) == 0);
    world_close();
    collectives_stop();
    pt2pt_stop();
    datatypes_stop();
    objects_stop();
}

// Runs `claims` on all members of each kind of job; returns the exit code of the test.
static inline int run_all_jobs(void (*claims)(void))
{
    job_claims = claims;
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        CHECK(run_job((struct job){.nodes = jobs[i].nodes,
                                   .node_size = jobs[i].node_size,
                                   .spin_microseconds = 5,
                                   .body = job_body}) == 0);
    return 0;
}

static inline struct datatype *type_of(MPI_Datatype handle)
{
    struct datatype *type = handle_object(KIND_DATATYPE, (uintptr_t)handle);
    CHECK(type != NULL);
    return type;
}

static inline struct op *op_of(MPI_Op handle)
{
    struct op *op = handle_object(KIND_OP, (uintptr_t)handle);
    CHECK(op != NULL);
    return op;
}
