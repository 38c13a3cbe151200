// SPDX-License-Identifier: BSD-3-Clause
// Grids of processes, in row-major order (MPI-4.1 8.5.1, 8.5.5 to 8.5.8).
#include "collective/communicator.h"
#include "collective/topology.h"

#include <oriel_core.h>

// Processes of a grid; MPI_ERR_DIMS if there are more than `most`.
static int grid_size(int ndims, const int dims[], int most, int *size)
{
    MPI_Count product = 1;
    for (int i = 0; i < ndims && product <= most; i++)
        product *= dims[i];
    *size = (int)product;
    return product <= most
               ? 0
               : fail(MPI_ERR_DIMS, "the grid has more than %d processes", most);
}

static void coords_of(const struct topology *grid, int rank, int coords[])
{
    for (int i = grid->ndims - 1; i >= 0; i--) {
        coords[i] = rank % grid->dims[i];
        rank /= grid->dims[i];
    }
}

// The rank at some coordinates, or MPI_PROC_NULL outside of the grid.
static int rank_at(const struct topology *grid, const int coords[])
{
    int rank = 0;
    for (int i = 0; i < grid->ndims; i++) {
        int size = grid->dims[i], at = coords[i];
        if (grid->periods[i])
            at = (at % size + size) % size;
        else if (at < 0 || at >= size)
            return MPI_PROC_NULL;
        rank = rank * size + at;
    }
    return rank;
}

// The process `distance` away from this one; `coords` comes back as it was.
static int grid_neighbor(const struct topology *grid, int dimension, int distance)
{
    int *coord = &grid->coords[dimension], own = *coord, size = grid->dims[dimension];
    *coord = own + distance % size;
    if (!grid->periods[dimension] && (distance >= size || distance <= -size))
        *coord = -1;
    int rank = rank_at(grid, grid->coords);
    *coord = own;
    return rank;
}

static int grid_make(int rank, int ndims, const int dims[], const int periods[],
                     struct topology **made)
{
    struct topology *grid = topology_new(MPI_CART, 5 * (MPI_Count)ndims);
    if (grid == NULL)
        return MPI_ERR_NO_MEM;
    grid->ndims = ndims;
    grid->dims = grid->numbers;
    grid->periods = grid->dims + ndims;
    grid->coords = grid->periods + ndims;
    grid->sources = grid->destinations = grid->coords + ndims;
    grid->in_degree = grid->out_degree = 2 * ndims;
    for (int i = 0; i < ndims; i++) {
        grid->dims[i] = dims[i];
        grid->periods[i] = periods[i] != 0;
    }
    coords_of(grid, rank, grid->coords);
    for (int i = 0; i < ndims; i++) {
        grid->sources[2 * i] = grid_neighbor(grid, i, -1);
        grid->sources[2 * i + 1] = grid_neighbor(grid, i, 1);
    }
    *made = grid;
    return 0;
}

int oriel_cart_create(struct communicator *comm_old, int ndims, const int dims[],
                      const int periods[], int reorder, struct communicator **comm_cart)
{
    (void)reorder;
    struct topology *grid = NULL;
    struct communicator *made = NULL;
    int size;
    int err = grid_size(ndims, dims, comm_old->size, &size);
    if (!err && comm_old->rank < size)
        err = grid_make(comm_old->rank, ndims, dims, periods, &grid);
    err = topology_communicator(comm_old, size, err, grid, &made);
    return err ? err : communicator_publish(made, comm_cart);
}

int oriel_cart_map(struct communicator *comm, int ndims, const int dims[],
                   const int periods[], int *newrank)
{
    (void)periods;
    int size;
    int err = grid_size(ndims, dims, comm->size, &size);
    if (!err)
        *newrank = comm->rank < size ? comm->rank : MPI_UNDEFINED;
    return err;
}

int oriel_cartdim_get(struct communicator *comm, int *ndims)
{
    int err = check_topology(comm, MPI_CART);
    if (!err)
        *ndims = comm->topology->ndims;
    return err;
}

static int check_maxdims(const struct topology *grid, int maxdims)
{
    return maxdims >= grid->ndims
               ? 0
               : fail(MPI_ERR_ARG, "maxdims = %d: the grid has %d dimensions", maxdims,
                      grid->ndims);
}

int oriel_cart_get(struct communicator *comm, int maxdims, int dims[], int periods[],
                   int coords[])
{
    int err = check_topology(comm, MPI_CART);
    if (!err)
        err = check_maxdims(comm->topology, maxdims);
    if (err)
        return err;
    const struct topology *grid = comm->topology;
    copy_ints(dims, grid->dims, grid->ndims);
    copy_ints(periods, grid->periods, grid->ndims);
    copy_ints(coords, grid->coords, grid->ndims);
    return 0;
}

int oriel_cart_rank(struct communicator *comm, const int coords[], int *rank)
{
    int err = check_topology(comm, MPI_CART);
    if (err)
        return err;
    *rank = rank_at(comm->topology, coords);
    return *rank != MPI_PROC_NULL
               ? 0
               : fail(MPI_ERR_ARG, "coords: are outside of the grid");
}

int oriel_cart_coords(struct communicator *comm, int rank, int maxdims, int coords[])
{
    int err = check_topology(comm, MPI_CART);
    if (!err)
        err = check_maxdims(comm->topology, maxdims);
    if (!err)
        coords_of(comm->topology, rank, coords);
    return err;
}

int oriel_cart_shift(struct communicator *comm, int direction, int disp,
                     int *rank_source, int *rank_dest)
{
    int err = check_topology(comm, MPI_CART);
    if (err)
        return err;
    if (direction >= comm->topology->ndims)
        return fail(MPI_ERR_DIMS, "direction = %d: the grid has %d dimensions",
                    direction, comm->topology->ndims);
    *rank_source = grid_neighbor(comm->topology, direction, -disp);
    *rank_dest = grid_neighbor(comm->topology, direction, disp);
    return 0;
}

// Processes of one subgrid have the same coordinates in all other dimensions.
int oriel_cart_sub(struct communicator *comm, const int remain_dims[],
                   struct communicator **newcomm)
{
    int err = check_topology(comm, MPI_CART);
    if (err)
        return err;
    const struct topology *grid = comm->topology;
    struct topology *kept = topology_new(MPI_CART, 2 * (MPI_Count)grid->ndims);
    struct topology *part = NULL;
    struct communicator *made = NULL;
    int color = 0, place = 0, ndims = 0;
    err = communicator_agree(comm, kept ? 0 : MPI_ERR_NO_MEM);
    for (int i = 0; !err && i < grid->ndims; i++) {
        int *along = remain_dims[i] ? &place : &color;
        *along = *along * grid->dims[i] + grid->coords[i];
        if (!remain_dims[i])
            continue;
        kept->numbers[ndims] = grid->dims[i];
        kept->numbers[grid->ndims + ndims++] = grid->periods[i];
    }
    if (!err)
        err = communicator_agree(comm, grid_make(place, ndims, kept->numbers,
                                                 kept->numbers + grid->ndims, &part));
    topology_release(kept);
    if (!err)
        err = split_members(comm, color, place, &made);
    if (err) {
        topology_release(part);
        return err;
    }
    made->topology = part;
    return communicator_publish(made, newcomm);
}
