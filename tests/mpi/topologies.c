// SPDX-License-Identifier: BSD-3-Clause
// processes_have_neighbors: grids, graphs and distributed graphs, what they tell, and
// the collective calls among neighbors (MPI-4.1 8).
#include "window_test.h"

#include <limits.h>

enum { MOST = 16 };

static void dimensions_are_balanced(void)
{
    int dims[3] = {0, 0, 0}, fixed[3] = {0, 3, 0}, close[3] = {0, 0, 0};
    MPI_Dims_create(936, 3, close);
    CHECK(close[0] == 13 && close[1] == 9 && close[2] == 8);
    MPI_Dims_create(24, 3, dims);
    CHECK(dims[0] == 4 && dims[1] == 3 && dims[2] == 2);
    MPI_Dims_create(12, 3, fixed);
    CHECK(fixed[0] == 2 && fixed[1] == 3 && fixed[2] == 2);
    int bad[1] = {5};
    CHECK_CLASS(MPI_Dims_create(12, 1, bad), MPI_ERR_DIMS);
}

// ---- grids against all others of their size

enum { DIMS_MAX = 4, SMALL_GRIDS = 3000, FIXED_GRIDS = 200 };

struct factoring {
    int count, factors[DIMS_MAX]; // descending
};

static int spread_of(const struct factoring *factoring)
{
    return factoring->factors[0] - factoring->factors[factoring->count - 1];
}

// Goes through all ways to go on from `done` factors, in the order of their factors, and
// keeps the first with the smallest spread.
static void try_all(int product, int done, struct factoring *trial,
                    struct factoring *best)
{
    int left = trial->count - done;
    int most = done ? trial->factors[done - 1] : product;
    if (left == 0 && product == 1 &&
        (best->count == 0 || spread_of(trial) < spread_of(best)))
        *best = *trial;
    for (int factor = 1; left > 0 && factor <= most && factor <= product; factor++) {
        trial->factors[done] = factor;
        if (product % factor == 0)
            try_all(product / factor, done + 1, trial, best);
    }
}

static struct factoring best_factoring(int product, int count)
{
    struct factoring trial = {.count = count}, best = {0};
    try_all(product, 0, &trial, &best);
    return best;
}

// `fixed` at `place` is given, or nothing if it is 0.
static void check_grid(int nnodes, int ndims, int fixed, int place)
{
    int dims[DIMS_MAX] = {0}, next = 0;
    dims[place] = fixed;
    struct factoring best =
        best_factoring(fixed ? nnodes / fixed : nnodes, fixed ? ndims - 1 : ndims);
    CHECK_CLASS(MPI_Dims_create(nnodes, ndims, dims), MPI_SUCCESS);
    for (int i = 0; i < ndims; i++)
        CHECK(dims[i] == (fixed && i == place ? fixed : best.factors[next++]));
}

static void no_grid_is_more_balanced(void)
{
    for (int ndims = 1; ndims <= DIMS_MAX; ndims++)
        for (int nnodes = 1; nnodes <= SMALL_GRIDS; nnodes++)
            check_grid(nnodes, ndims, 0, 0);
    for (int ndims = 2; ndims <= DIMS_MAX; ndims++)
        for (int nnodes = 1; nnodes <= FIXED_GRIDS; nnodes++)
            for (int fixed = 1; fixed <= nnodes; fixed++)
                for (int i = 0; i < ndims && nnodes % fixed == 0; i++)
                    check_grid(nnodes, ndims, fixed, i);
}

// No int has more divisors.
static void large_grids_are_found_quickly(void)
{
    enum { NNODES = 2095133040, MANY = 40 };
    double start = MPI_Wtime();
    for (int ndims = 1; ndims <= MANY; ndims++) {
        int dims[MANY] = {0};
        long long product = 1;
        MPI_Dims_create(NNODES, ndims, dims);
        for (int i = 0; i < ndims; i++) {
            product *= dims[i];
            CHECK(i == 0 || dims[i] <= dims[i - 1]);
        }
        CHECK(product == NNODES);
    }
    CHECK(MPI_Wtime() - start < 5);
    int prime[2] = {0, 0};
    MPI_Dims_create(INT_MAX, 2, prime);
    CHECK(prime[0] == INT_MAX && prime[1] == 1);
}

// What each neighbor sends comes to the side on which it is.
static void halos_move(MPI_Comm grid, int ndims)
{
    int sources[MOST], sent[MOST], got[MOST], own, *ends = sources;
    MPI_Request request;
    MPI_Comm_rank(grid, &own);
    for (int i = 0; i < ndims; i++)
        MPI_Cart_shift(grid, i, 1, &ends[2 * i], &ends[2 * i + 1]);
    for (int form = 0; form < 3; form++) {
        for (int i = 0; i < 2 * ndims; i++) {
            sent[i] = 100 * own + i;
            got[i] = -1;
        }
        if (form == 0)
            MPI_Neighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, grid);
        if (form == 1) {
            MPI_Ineighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, grid, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        if (form == 2) {
            MPI_Neighbor_alltoall_init(sent, 1, MPI_INT, got, 1, MPI_INT, grid,
                                       MPI_INFO_NULL, &request);
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
        }
        for (int i = 0; i < 2 * ndims; i++)
            CHECK(got[i] == (ends[i] == MPI_PROC_NULL ? -1 : 100 * ends[i] + (i ^ 1)));
    }
    MPI_Neighbor_allgather(&own, 1, MPI_INT, got, 1, MPI_INT, grid);
    for (int i = 0; i < 2 * ndims; i++)
        CHECK(ends[i] == MPI_PROC_NULL || got[i] == ends[i]);
}

static void grids_work(void)
{
    for (int ndims = 1; ndims <= 3; ndims++) {
        int dims[3] = {0}, periods[3] = {1, 0, 1}, coords[3], where, status, told[3],
            own;
        MPI_Comm grid, line, copy;
        MPI_Dims_create(size, ndims, dims);
        MPI_Cart_create(MPI_COMM_WORLD, ndims, dims, periods, 0, &grid);
        MPI_Topo_test(grid, &status);
        CHECK(status == MPI_CART);
        MPI_Cart_get(grid, 3, told, periods, coords);
        CHECK(memcmp(told, dims, (size_t)ndims * sizeof(int)) == 0);
        MPI_Cart_rank(grid, coords, &where);
        CHECK(where == rank);
        coords[0] -= dims[0]; // periodic
        MPI_Cart_rank(grid, coords, &where);
        CHECK(where == rank);
        MPI_Cart_coords(grid, rank, 3, told);
        CHECK(told[0] == coords[0] + dims[0]);
        halos_move(grid, ndims);
        MPI_Comm_dup(grid, &copy);
        halos_move(copy, ndims);
        MPI_Comm_free(&copy);
        int keep[3] = {1, 0, 0};
        MPI_Cart_sub(grid, keep, &line);
        MPI_Comm_size(line, &where);
        MPI_Comm_rank(line, &own);
        CHECK(where == dims[0] && own == told[0]);
        halos_move(line, 1);
        MPI_Comm_free(&line);
        MPI_Comm_free(&grid);
    }
}

static void grids_may_be_smaller(void)
{
    int dims[1] = {size - 1}, periods[1] = {0}, newrank;
    MPI_Comm grid;
    if (size == 1)
        return;
    MPI_Cart_map(MPI_COMM_WORLD, 1, dims, periods, &newrank);
    CHECK(newrank == (rank < size - 1 ? rank : MPI_UNDEFINED));
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 1, &grid);
    CHECK((grid != MPI_COMM_NULL) == (rank < size - 1));
    if (grid != MPI_COMM_NULL) {
        halos_move(grid, 1);
        MPI_Comm_free(&grid);
    }
    dims[0] = size + 1;
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 1, &grid),
                MPI_ERR_DIMS);
}

// A ring that all know.
static void graphs_work(void)
{
    int index[MOST], edges[2 * MOST], count, neighbors[2], nodes, ends, got[2];
    MPI_Comm ring;
    for (int i = 0; i < size; i++) {
        index[i] = 2 * (i + 1);
        edges[2 * i] = (i + size - 1) % size;
        edges[2 * i + 1] = (i + 1) % size;
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &ring);
    MPI_Graphdims_get(ring, &nodes, &ends);
    CHECK(nodes == size && ends == 2 * size);
    int told_index[MOST], told_edges[2 * MOST], newrank, sum;
    MPI_Graph_get(ring, MOST, 2 * MOST, told_index, told_edges);
    CHECK(memcmp(told_index, index, (size_t)nodes * sizeof(int)) == 0);
    CHECK(memcmp(told_edges, edges, (size_t)ends * sizeof(int)) == 0);
    MPI_Graph_map(MPI_COMM_WORLD, size, index, edges, &newrank);
    MPI_Allreduce(&newrank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(newrank >= 0 && newrank < size && sum == size * (size - 1) / 2);
    MPI_Graph_neighbors_count(ring, rank, &count);
    MPI_Graph_neighbors(ring, rank, 2, neighbors);
    CHECK(count == 2 && neighbors[0] == left() && neighbors[1] == right());
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, ring);
    CHECK(got[0] == left() && got[1] == right());
    CHECK_CLASS(MPI_Cartdim_get(ring, &count), MPI_ERR_TOPOLOGY);
    MPI_Comm_free(&ring);
}

// Everyone tells those after it; the edges are given by rank 0 or by each for itself.
static void distributed_graphs_work(bool by_first)
{
    int sources[MOST], degrees[MOST], ends[MOST * MOST], weights[MOST * MOST],
        n = 0, edges = 0;
    MPI_Comm graph;
    for (int from = 0; from < size; from++) {
        if (by_first ? rank != 0 : rank != from)
            continue;
        sources[n] = from;
        degrees[n++] = size - from - 1;
        for (int to = from + 1; to < size; to++, edges++) {
            ends[edges] = to;
            weights[edges] = 10 * from + to;
        }
    }
    MPI_Dist_graph_create(MPI_COMM_WORLD, n, sources, degrees, ends, weights,
                          MPI_INFO_NULL, 0, &graph);
    int in, out, weighted, from[MOST], to[MOST], in_weights[MOST], out_weights[MOST];
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    CHECK(in == rank && out == size - rank - 1 && weighted);
    MPI_Dist_graph_neighbors(graph, MOST, from, in_weights, MOST, to, out_weights);
    int sent[MOST], got[MOST], counts[MOST], places[MOST], in_counts[MOST];
    for (int i = 0; i < in; i++) {
        CHECK(from[i] == i && in_weights[i] == 10 * i + rank);
        in_counts[i] = 1;
        places[i] = in - 1 - i;
    }
    MPI_Neighbor_allgatherv(&rank, 1, MPI_INT, got, in_counts, places, MPI_INT, graph);
    for (int i = 0; i < in; i++)
        CHECK(got[in - 1 - i] == i);
    MPI_Aint out_places[MOST], in_places[MOST];
    MPI_Datatype out_types[MOST], in_types[MOST];
    for (int i = 0; i < out; i++) {
        sent[i] = 100 * rank + to[i];
        counts[i] = 1;
        out_places[i] = i * (MPI_Aint)sizeof(int);
        out_types[i] = MPI_INT;
    }
    for (int i = 0; i < in; i++) {
        in_places[i] = i * (MPI_Aint)sizeof(int);
        in_types[i] = MPI_INT;
    }
    MPI_Neighbor_alltoallw(sent, counts, out_places, out_types, got, in_counts,
                           in_places, in_types, graph);
    for (int i = 0; i < in; i++)
        CHECK(got[i] == 100 * i + rank);
    MPI_Comm_free(&graph);
}

static void neighbors_give_their_own_edges(void)
{
    int from[1] = {left()}, to[1] = {right()}, got = -1, weighted, in, out;
    MPI_Comm ring;
    int *volatile unweighted = MPI_UNWEIGHTED; // GCC would dereference the constant
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, from, unweighted, 1, to,
                                   unweighted, MPI_INFO_NULL, 0, &ring);
    MPI_Dist_graph_neighbors_count(ring, &in, &out, &weighted);
    CHECK(in == 1 && out == 1 && !weighted);
    MPI_Neighbor_alltoall(&rank, 1, MPI_INT, &got, 1, MPI_INT, ring);
    CHECK(got == left());
    MPI_Comm_free(&ring);
    CHECK_CLASS(
        MPI_Neighbor_alltoall(&rank, 1, MPI_INT, &got, 1, MPI_INT, MPI_COMM_WORLD),
        MPI_ERR_TOPOLOGY);
}

static int adjacent(const int in_weights[], const int out_weights[])
{
    int from = left(), to = right();
    MPI_Comm graph;
    return MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, in_weights, 1, &to,
                                          out_weights, MPI_INFO_NULL, 0, &graph);
}

static int one_edge(const int weights[])
{
    int degree = 1, to = right();
    MPI_Comm graph;
    return MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &to, weights,
                                 MPI_INFO_NULL, 0, &graph);
}

// MPI-4.1 8.5.4. All processes hear of it, even if one alone is wrong.
static void bad_weights_are_refused(void)
{
    const int good = 1, bad = rank == size - 1 ? -1 : 1;
    const int *volatile unweighted = MPI_UNWEIGHTED;
    const int *volatile empty = MPI_WEIGHTS_EMPTY;
    CHECK_CLASS(adjacent(&bad, &good), MPI_ERR_ARG);
    CHECK_CLASS(adjacent(&good, &bad), MPI_ERR_ARG);
    CHECK_CLASS(adjacent(unweighted, &good), MPI_ERR_ARG);
    CHECK_CLASS(adjacent(&good, unweighted), MPI_ERR_ARG);
    CHECK_CLASS(adjacent(empty, &good), MPI_ERR_ARG);
    CHECK_CLASS(one_edge(&bad), MPI_ERR_ARG);
    CHECK_CLASS(one_edge(empty), MPI_ERR_ARG);
    if (size > 1)
        CHECK_CLASS(one_edge(rank == 0 ? unweighted : &good), MPI_ERR_ARG);
}

// Where there are no elements there need not be an array.
static void empty_arrays_may_be_null(void)
{
    MPI_Comm grid, graph, lonely;
    int newrank, none[1] = {0}, *volatile unweighted = MPI_UNWEIGHTED;
    CHECK_CLASS(MPI_Dims_create(1, 0, NULL), MPI_SUCCESS);
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &grid), MPI_SUCCESS);
    CHECK((grid != MPI_COMM_NULL) == (rank == 0));
    if (rank == 0) {
        CHECK_CLASS(MPI_Cart_get(grid, 0, NULL, NULL, NULL), MPI_SUCCESS);
        CHECK_CLASS(MPI_Cart_coords(grid, 0, 0, NULL), MPI_SUCCESS);
        MPI_Comm_free(&grid);
    }
    CHECK_CLASS(MPI_Cart_map(MPI_COMM_WORLD, 0, NULL, NULL, &newrank), MPI_SUCCESS);
    CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &graph),
                MPI_SUCCESS);
    CHECK(graph == MPI_COMM_NULL);
    CHECK_CLASS(MPI_Graph_map(MPI_COMM_WORLD, 0, NULL, NULL, &newrank), MPI_SUCCESS);
    CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, 1, none, NULL, 0, &lonely),
                MPI_SUCCESS);
    if (rank == 0) {
        CHECK_CLASS(MPI_Graph_get(lonely, 0, 0, NULL, NULL), MPI_SUCCESS);
        CHECK_CLASS(MPI_Graph_neighbors(lonely, 0, 0, NULL), MPI_SUCCESS);
        MPI_Comm_free(&lonely);
    }
    CHECK_CLASS(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, NULL, 0, NULL,
                                               NULL, MPI_INFO_NULL, 0, &graph),
                MPI_SUCCESS);
    CHECK_CLASS(MPI_Dist_graph_neighbors(graph, 0, NULL, NULL, 0, NULL, NULL),
                MPI_SUCCESS);
    MPI_Comm_free(&graph);
    for (int n = 0; n < 2; n++) {
        CHECK_CLASS(MPI_Dist_graph_create(MPI_COMM_WORLD, n, n ? &rank : NULL,
                                          n ? none : NULL, NULL, NULL, MPI_INFO_NULL, 0,
                                          &graph),
                    MPI_SUCCESS);
        MPI_Comm_free(&graph);
    }
    int one = 1;
    CHECK_CLASS(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, NULL, unweighted,
                                      MPI_INFO_NULL, 0, &graph),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, 1, &one, NULL, 0, &graph),
                MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    dimensions_are_balanced();
    if (size == 1) {
        no_grid_is_more_balanced();
        large_grids_are_found_quickly();
    }
    grids_work();
    grids_may_be_smaller();
    graphs_work();
    distributed_graphs_work(true);
    distributed_graphs_work(false);
    neighbors_give_their_own_edges();
    bad_weights_are_refused();
    empty_arrays_may_be_null();
    return finish();
}
