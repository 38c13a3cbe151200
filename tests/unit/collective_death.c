// SPDX-License-Identifier: BSD-3-Clause
// a_dead_member_is_an_error for those who wait for it in a collective call, not a hang.
#include "collective_job.h"

// What a member that is alive calls while another is dead.
static int (*call_with_dead_member)(void);

static int call_barrier(void)
{
    return oriel_barrier(process.world);
}

static int call_bcast(void)
{
    static int values[10000];
    return oriel_bcast(values, 10000, type_of(MPI_INT), 1, process.world);
}

static int call_long_bcast(void)
{
    static int values[100000];
    return oriel_bcast(values, 100000, type_of(MPI_INT), 1, process.world);
}

static int call_allreduce(void)
{
    int values[2] = {0};
    return oriel_allreduce(&values[0], &values[1], 1, type_of(MPI_INT), op_of(MPI_SUM),
                           process.world);
}

static int call_long_reduce(void)
{
    static int values[100000], sums[100000];
    return oriel_reduce(values, sums, 100000, type_of(MPI_INT), op_of(MPI_SUM), 2,
                        process.world);
}

static int call_dup(void)
{
    struct communicator *copy;
    return oriel_comm_dup(process.world, &copy);
}

static void one_dies(void)
{
    CHECK(objects_start() == 0);
    datatypes_start();
    CHECK(pt2pt_start() == 0);
    CHECK(collectives_start() == 0);
    CHECK(oriel_barrier(process.world) == 0);
    if (process.rank == 1)
        _exit(0); // without a word
    int err;
    while ((err = call_with_dead_member()) == 0)
        ;
    CHECK(err == MPI_ERR_PROC_ABORTED);
    _exit(0);
}

int main(void)
{
    static int (*const calls[])(void) = {call_barrier,     call_bcast,
                                         call_long_bcast,  call_allreduce,
                                         call_long_reduce, call_dup};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        call_with_dead_member = calls[i];
        CHECK(run_job((struct job){.nodes = 1,
                                   .node_size = 3,
                                   .spin_microseconds = 5,
                                   .body = one_dies}) == 0);
    }
    return 0;
}
