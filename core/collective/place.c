// SPDX-License-Identifier: BSD-3-Clause
// Where a group's members sit: which of them share a node, and who leads each node.
#include "collective/private.h"

#include <stdlib.h>

int places_make(const struct group *group, struct places **made)
{
    const struct boot *boot = process.boot;
    size_t size = (size_t)group->size;
    int *index_of_node = malloc((size_t)boot->node_count * sizeof(int));
    struct places *places = calloc(1, sizeof *places);
    int *numbers = malloc(3 * size * sizeof(int));
    if (index_of_node == NULL || places == NULL || numbers == NULL) {
        free(numbers);
        free(places);
        free(index_of_node);
        return fail(MPI_ERR_NO_MEM, "no memory for a communicator of %zu", size);
    }
    places->references = 1;
    places->node_index_of = numbers;
    places->leaders = numbers + size;
    places->node_members = numbers + 2 * size;
    for (int node = 0; node < boot->node_count; node++)
        index_of_node[node] = -1;
    for (int rank = 0; rank < group->size; rank++) {
        int node = boot->node_of[group->ranks[rank]];
        if (index_of_node[node] < 0) {
            index_of_node[node] = places->leader_count;
            places->leaders[places->leader_count++] = rank;
        }
        places->node_index_of[rank] = index_of_node[node];
        if (node == boot->node)
            places->node_members[places->node_size++] = rank;
    }
    free(index_of_node);
    *made = places;
    return 0;
}

void places_release(struct places *places)
{
    if (atomic_fetch_sub_explicit(&places->references, 1, memory_order_acq_rel) > 1)
        return;
    free(places->node_index_of);
    free(places);
}
