// SPDX-License-Identifier: BSD-3-Clause
// Virtual topologies: what all kinds have in common (MPI-4.1 8.4, 8.5.5).
#include "collective/topology.h"

#include <oriel_core.h>
#include <stdlib.h>

struct topology *topology_new(int kind, MPI_Count numbers)
{
    struct topology *made = calloc(1, sizeof *made + (size_t)numbers * sizeof(int));
    if (made == NULL) {
        fail(MPI_ERR_NO_MEM, "no memory for a topology of %lld numbers",
             (long long)numbers);
        return NULL;
    }
    made->references = 1;
    made->kind = kind;
    return made;
}

void topology_share(const struct communicator *from, struct communicator *to)
{
    to->topology = from->topology;
    if (to->topology != NULL)
        atomic_fetch_add(&to->topology->references, 1);
}

void topology_release(struct topology *topology)
{
    if (topology != NULL && atomic_fetch_sub(&topology->references, 1) == 1)
        free(topology);
}

int check_topology(const struct communicator *comm, int kind)
{
    const struct topology *topology = comm->topology;
    if (topology != NULL && (kind == 0 || topology->kind == kind))
        return 0;
    return fail(MPI_ERR_TOPOLOGY, "comm: has no topology%s",
                topology ? " of this sort" : "");
}

int oriel_topo_test(struct communicator *comm, int *status)
{
    *status = comm->topology ? comm->topology->kind : MPI_UNDEFINED;
    return 0;
}
