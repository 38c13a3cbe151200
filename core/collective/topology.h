// SPDX-License-Identifier: BSD-3-Clause
// Virtual topologies.
#pragma once

#include "collective/collective.h"

#include <string.h>

// A program may have no array where there are no numbers.
static inline void copy_ints(int *to, const int from[], int count)
{
    if (count > 0)
        memcpy(to, from, (size_t)count * sizeof *to);
}
// With room for so many numbers; NULL after fail(MPI_ERR_NO_MEM).
struct topology *topology_new(int kind, MPI_Count numbers);
void topology_share(const struct communicator *from, struct communicator *to);
void topology_release(struct topology *topology); // NULL is allowed
// MPI_ERR_TOPOLOGY unless the communicator has one of this kind; 0: any.
int check_topology(const struct communicator *comm, int kind);
