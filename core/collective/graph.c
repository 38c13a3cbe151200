// SPDX-License-Identifier: BSD-3-Clause
// Graphs of processes (MPI-4.1 8.5.3 to 8.5.5, 8.5.8).
#include "collective/communicator.h"
#include "collective/plans.h"
#include "collective/topology.h"

#include <oriel_core.h>
#include <stdlib.h>

static size_t ints_bytes(int count)
{
    return (size_t)count * sizeof(int);
}

// ---- graphs that all know

static int check_graph(const struct communicator *comm, int nnodes, const int index[],
                       const int edges[])
{
    if (nnodes > comm->size)
        return fail(MPI_ERR_ARG, "nnodes = %d: there are %d processes", nnodes,
                    comm->size);
    for (int i = 1; i < nnodes; i++)
        if (index[i] < index[i - 1])
            return fail(MPI_ERR_ARG, "index: falls at node %d", i);
    for (int i = 0; nnodes > 0 && i < index[nnodes - 1]; i++)
        if (edges[i] < 0 || edges[i] >= nnodes)
            return fail(MPI_ERR_RANK, "edges: rank %d is not in the graph", edges[i]);
    return 0;
}

static int first_edge(const struct topology *graph, int rank)
{
    return rank > 0 ? graph->index[rank - 1] : 0;
}

static int graph_make(int rank, int nnodes, const int index[], const int edges[],
                      struct topology **made)
{
    int nedges = index[nnodes - 1];
    struct topology *graph = topology_new(MPI_GRAPH, (MPI_Count)nnodes + nedges);
    if (graph == NULL)
        return MPI_ERR_NO_MEM;
    graph->nnodes = nnodes;
    graph->nedges = nedges;
    graph->index = graph->numbers;
    graph->edges = graph->numbers + nnodes;
    copy_ints(graph->index, index, nnodes);
    copy_ints(graph->edges, edges, nedges);
    int first = first_edge(graph, rank);
    graph->sources = graph->destinations = graph->edges + first;
    graph->in_degree = graph->out_degree = graph->index[rank] - first;
    *made = graph;
    return 0;
}

int oriel_graph_create(struct communicator *comm_old, int nnodes, const int index[],
                       const int edges[], int reorder, struct communicator **comm_graph)
{
    (void)reorder;
    struct topology *graph = NULL;
    struct communicator *made = NULL;
    int err = check_graph(comm_old, nnodes, index, edges);
    if (!err && comm_old->rank < nnodes)
        err = graph_make(comm_old->rank, nnodes, index, edges, &graph);
    err = topology_communicator(comm_old, nnodes, err, graph, &made);
    return err ? err : communicator_publish(made, comm_graph);
}

int oriel_graph_map(struct communicator *comm, int nnodes, const int index[],
                    const int edges[], int *newrank)
{
    int err = check_graph(comm, nnodes, index, edges);
    if (!err)
        *newrank = comm->rank < nnodes ? comm->rank : MPI_UNDEFINED;
    return err;
}

int oriel_graphdims_get(struct communicator *comm, int *nnodes, int *nedges)
{
    int err = check_topology(comm, MPI_GRAPH);
    if (err)
        return err;
    *nnodes = comm->topology->nnodes;
    *nedges = comm->topology->nedges;
    return 0;
}

static inline int lesser_of(int one, int other)
{
    return one < other ? one : other;
}

int oriel_graph_get(struct communicator *comm, int maxindex, int maxedges, int index[],
                    int edges[])
{
    int err = check_topology(comm, MPI_GRAPH);
    if (err)
        return err;
    const struct topology *graph = comm->topology;
    copy_ints(index, graph->index, lesser_of(maxindex, graph->nnodes));
    copy_ints(edges, graph->edges, lesser_of(maxedges, graph->nedges));
    return 0;
}

int oriel_graph_neighbors_count(struct communicator *comm, int rank, int *nneighbors)
{
    int err = check_topology(comm, MPI_GRAPH);
    if (!err)
        *nneighbors = comm->topology->index[rank] - first_edge(comm->topology, rank);
    return err;
}

int oriel_graph_neighbors(struct communicator *comm, int rank, int maxneighbors,
                          int neighbors[])
{
    int count;
    int err = oriel_graph_neighbors_count(comm, rank, &count);
    if (err)
        return err;
    const int *first = comm->topology->edges + first_edge(comm->topology, rank);
    copy_ints(neighbors, first, lesser_of(maxneighbors, count));
    return 0;
}

// ---- graphs of which each process knows its neighbors

static struct topology *neighborhood_new(int in_degree, int out_degree,
                                         bool is_weighted)
{
    MPI_Count edges = (MPI_Count)in_degree + out_degree;
    struct topology *graph = topology_new(MPI_DIST_GRAPH, 2 * edges);
    if (graph == NULL)
        return NULL;
    graph->in_degree = in_degree;
    graph->out_degree = out_degree;
    graph->sources = graph->numbers;
    graph->destinations = graph->numbers + in_degree;
    if (is_weighted) {
        graph->source_weights = graph->numbers + edges;
        graph->destination_weights = graph->source_weights + in_degree;
    }
    return graph;
}

static int publish_neighborhood(struct communicator *comm_old, struct topology *graph,
                                int err, struct communicator **newcomm)
{
    struct communicator *made = NULL;
    err = topology_communicator(comm_old, comm_old->size, err, graph, &made);
    return err ? err : communicator_publish(made, newcomm);
}

// MPI-4.1 8.5.4: no weight is negative, and where there are edges there are weights.
static int check_weights(const char *argument, const int weights[], int count)
{
    if (weights == MPI_UNWEIGHTED || count == 0)
        return 0;
    if (weights == MPI_WEIGHTS_EMPTY)
        return fail(MPI_ERR_ARG, "%s = MPI_WEIGHTS_EMPTY: there are %d edges", argument,
                    count);
    for (int i = 0; i < count; i++)
        if (weights[i] < 0)
            return fail(MPI_ERR_ARG, "%s: %d is negative", argument, weights[i]);
    return 0;
}

static int check_adjacent_weights(int indegree, const int sourceweights[],
                                  int outdegree, const int destweights[])
{
    if ((sourceweights == MPI_UNWEIGHTED) != (destweights == MPI_UNWEIGHTED))
        return fail(MPI_ERR_ARG, "sourceweights and destweights: either both are "
                                 "MPI_UNWEIGHTED or none");
    int err = check_weights("sourceweights", sourceweights, indegree);
    return err ? err : check_weights("destweights", destweights, outdegree);
}

int oriel_dist_graph_create_adjacent(struct communicator *comm_old, int indegree,
                                     const int sources[], const int sourceweights[],
                                     int outdegree, const int destinations[],
                                     const int destweights[], struct info *info,
                                     int reorder, struct communicator **comm_dist_graph)
{
    (void)info, (void)reorder;
    bool is_weighted = sourceweights != MPI_UNWEIGHTED;
    struct topology *graph = NULL;
    int err = check_adjacent_weights(indegree, sourceweights, outdegree, destweights);
    if (!err) {
        graph = neighborhood_new(indegree, outdegree, is_weighted);
        err = graph ? 0 : MPI_ERR_NO_MEM;
    }
    if (err)
        return publish_neighborhood(comm_old, NULL, err, comm_dist_graph);
    copy_ints(graph->sources, sources, indegree);
    copy_ints(graph->destinations, destinations, outdegree);
    if (is_weighted) {
        copy_ints(graph->source_weights, sourceweights, indegree);
        copy_ints(graph->destination_weights, destweights, outdegree);
    }
    return publish_neighborhood(comm_old, graph, 0, comm_dist_graph);
}

enum { NO_WEIGHT = -1 };

struct edge {
    int from, to, weight;
};

// Lists the edges that this process gives, in an array to be freed.
static int list_edges(const struct communicator *comm, int n, const int sources[],
                      const int degrees[], const int destinations[],
                      const int weights[], struct edge **edges, int *count)
{
    *count = 0;
    for (int i = 0; i < n; i++)
        *count += degrees[i];
    struct edge *made = malloc((size_t)*count * sizeof *made + 1);
    if (made == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for %d edges", *count);
    int err = check_weights("weights", weights, *count);
    bool is_weighted = !err && weights != MPI_UNWEIGHTED;
    for (int i = 0, at = 0; i < n; i++)
        for (int j = 0; j < degrees[i]; j++, at++) {
            made[at] = (struct edge){sources[i], destinations[at],
                                     is_weighted ? weights[at] : NO_WEIGHT};
            if (destinations[at] < 0 || destinations[at] >= comm->size)
                err = fail(MPI_ERR_RANK, "destinations: %d is no rank of comm_old",
                           destinations[at]);
        }
    *edges = made;
    return err;
}

// Gathers the edges of the graph on all processes, in the order of the ranks that gave
// them.
static int gather_edges(struct communicator *comm, const struct edge *own, int count,
                        struct edge **all, int *total)
{
    int *counts = malloc(2 * ints_bytes(comm->size)), *starts = counts + comm->size;
    struct schedule *schedule;
    int err = counts ? 0 : fail(MPI_ERR_NO_MEM, "no memory for %d counts", comm->size);
    count *= (int)sizeof *own;
    err = communicator_agree(comm, err);
    if (!err)
        err = collective_gather_all(comm, &count, sizeof count, counts);
    *total = 0;
    for (int i = 0; !err && i < comm->size; i++) {
        starts[i] = *total;
        *total += counts[i];
    }
    *all = malloc((size_t)*total + 1);
    if (!err && *all == NULL)
        err = fail(MPI_ERR_NO_MEM, "no memory for %d bytes of edges", *total);
    err = communicator_agree(comm, err);
    if (!err)
        err = plan_allgatherv(
            own, count, byte_type(), *all, (struct numbers){counts, false},
            (struct numbers){starts, false}, byte_type(), comm, &schedule);
    if (!err)
        err = schedule_run(schedule);
    *total /= (int)sizeof *own;
    free(counts);
    return err;
}

// Weights count only on processes that give edges.
static int pick_edges(int rank, const struct edge *edges, int count,
                      const int weights[], struct topology **made)
{
    int in = 0, out = 0;
    bool is_weighted =
        count > 0 ? edges[0].weight != NO_WEIGHT : weights != MPI_UNWEIGHTED;
    for (int i = 0; i < count; i++) {
        if ((edges[i].weight != NO_WEIGHT) != is_weighted)
            return fail(MPI_ERR_ARG, "weights: either all processes give "
                                     "MPI_UNWEIGHTED or none");
        in += edges[i].to == rank;
        out += edges[i].from == rank;
    }
    struct topology *graph = neighborhood_new(in, out, is_weighted);
    if (graph == NULL)
        return MPI_ERR_NO_MEM;
    in = out = 0;
    for (int i = 0; i < count; i++) {
        if (edges[i].to == rank) {
            if (is_weighted)
                graph->source_weights[in] = edges[i].weight;
            graph->sources[in++] = edges[i].from;
        }
        if (edges[i].from == rank) {
            if (is_weighted)
                graph->destination_weights[out] = edges[i].weight;
            graph->destinations[out++] = edges[i].to;
        }
    }
    *made = graph;
    return 0;
}

int oriel_dist_graph_create(struct communicator *comm_old, int n, const int sources[],
                            const int degrees[], const int destinations[],
                            const int weights[], struct info *info, int reorder,
                            struct communicator **comm_dist_graph)
{
    (void)info, (void)reorder;
    struct edge *own = NULL, *all = NULL;
    struct topology *graph = NULL;
    int count = 0, total = 0;
    int err =
        list_edges(comm_old, n, sources, degrees, destinations, weights, &own, &count);
    err = communicator_agree(comm_old, err);
    if (!err)
        err = gather_edges(comm_old, own, count, &all, &total);
    if (!err)
        err = pick_edges(comm_old->rank, all, total, weights, &graph);
    free(all);
    free(own);
    return publish_neighborhood(comm_old, graph, err, comm_dist_graph);
}

int oriel_dist_graph_neighbors_count(struct communicator *comm, int *indegree,
                                     int *outdegree, int *weighted)
{
    int err = check_topology(comm, MPI_DIST_GRAPH);
    if (err)
        return err;
    *indegree = comm->topology->in_degree;
    *outdegree = comm->topology->out_degree;
    *weighted = comm->topology->source_weights != NULL;
    return 0;
}

static void numbers_store(const int *numbers, int count, int room, int told[])
{
    if (numbers != NULL && told != MPI_UNWEIGHTED)
        copy_ints(told, numbers, lesser_of(count, room));
}

int oriel_dist_graph_neighbors(struct communicator *comm, int maxindegree,
                               int sources[], int sourceweights[], int maxoutdegree,
                               int destinations[], int destweights[])
{
    int err = check_topology(comm, MPI_DIST_GRAPH);
    if (err)
        return err;
    const struct topology *graph = comm->topology;
    numbers_store(graph->sources, graph->in_degree, maxindegree, sources);
    numbers_store(graph->source_weights, graph->in_degree, maxindegree, sourceweights);
    numbers_store(graph->destinations, graph->out_degree, maxoutdegree, destinations);
    numbers_store(graph->destination_weights, graph->out_degree, maxoutdegree,
                  destweights);
    return 0;
}
