! SPDX-License-Identifier: BSD-3-Clause
! Cartesian, graph and distributed graph topologies, and what they say of neighbours.
program topologies
#include "binding.inc"
    integer :: rank, ranks, right, left, i, ierror
    HANDLE(MPI_Comm) :: world
    call MPI_Init(ierror)
    world = MPI_COMM_WORLD
    call MPI_Comm_rank(world, rank, ierror)
    call MPI_Comm_size(world, ranks, ierror)
    right = mod(rank + 1, ranks)
    left = mod(rank + ranks - 1, ranks)
    call dimensions()
    call grid()
    call ring_as_graph()
    call ring_of_neighbours()
    call star_by_edges()
    call MPI_Finalize(ierror)

contains

    subroutine dimensions()
        integer :: dims(3)
        dims = [0, 3, 0]
        call MPI_Dims_create(36, 3, dims, ierror)
        call check('dims_create fills what is 0', all(dims == [4, 3, 3]))
    end subroutine dimensions

    ! The second dimension is as long as there are processes, and periodic.
    subroutine grid()
        HANDLE(MPI_Comm) :: cart, row, column
        integer :: dims(2), coords(2), found(2), kind, number, source, dest, place
        logical :: periods(2), periodic(2)
        dims = [1, ranks]
        periods = [.false., .true.]
        call MPI_Cart_create(world, 2, dims, periods, .false., cart, ierror)
        call MPI_Topo_test(cart, kind, ierror)
        call check('topo_test tells a grid', kind == MPI_CART)
        call MPI_Cartdim_get(cart, number, ierror)
        call check('cartdim_get', number == 2)
        call MPI_Cart_get(cart, 2, found, periodic, coords, ierror)
        call check('cart_get', all(found == dims) .and. &
            all(periodic .eqv. periods) .and. all(coords == [0, rank]))
        call MPI_Cart_coords(cart, left, 2, coords, ierror)
        call check('cart_coords', all(coords == [0, left]))
        call MPI_Cart_rank(cart, [0, rank + ranks], place, ierror)
        call check('cart_rank goes round', place == rank)
        call MPI_Cart_shift(cart, 1, 1, source, dest, ierror)
        call check('dimensions count from 0', source == left .and. dest == right)
        call MPI_Cart_shift(cart, 0, 1, source, dest, ierror)
        call check('nobody is beyond the edge', source == MPI_PROC_NULL .and. &
            dest == MPI_PROC_NULL)
        call MPI_Cart_map(world, 2, dims, periods, place, ierror)
        call check('cart_map gives a place', place >= 0 .and. place < ranks)
        call MPI_Cart_sub(cart, [.false., .true.], row, ierror)
        call MPI_Cart_sub(cart, [.true., .false.], column, ierror)
        call MPI_Comm_size(row, number, ierror)
        call check('a row has all', number == ranks)
        call MPI_Comm_size(column, number, ierror)
        call check('a column has one', number == 1)
        call MPI_Comm_free(row, ierror)
        call MPI_Comm_free(column, ierror)
        call MPI_Comm_free(cart, ierror)
    end subroutine grid

    ! Each process has the next one as its only neighbour.
    subroutine ring_as_graph()
        HANDLE(MPI_Comm) :: graph
        integer :: ends(ranks), edges(ranks), found_ends(ranks), found_edges(ranks)
        integer :: kind, nodes, number, neighbours(1), place
        ends = [(i, i = 1, ranks)]
        edges = [(mod(i, ranks), i = 1, ranks)]
        call MPI_Graph_create(world, ranks, ends, edges, .false., graph, ierror)
        call MPI_Topo_test(graph, kind, ierror)
        call check('topo_test tells a graph', kind == MPI_GRAPH)
        call MPI_Graphdims_get(graph, nodes, number, ierror)
        call check('graphdims_get', nodes == ranks .and. number == ranks)
        call MPI_Graph_get(graph, ranks, ranks, found_ends, found_edges, ierror)
        call check('graph_get', all(found_ends == ends) .and. all(found_edges == edges))
        call MPI_Graph_neighbors_count(graph, rank, number, ierror)
        call check('graph_neighbors_count', number == 1)
        call MPI_Graph_neighbors(graph, left, 1, neighbours, ierror)
        call check('graph_neighbors', neighbours(1) == rank)
        call MPI_Graph_map(world, ranks, ends, edges, place, ierror)
        call check('graph_map gives a place', place >= 0 .and. place < ranks)
        call MPI_Comm_free(graph, ierror)
    end subroutine ring_as_graph

    subroutine ring_of_neighbours()
        HANDLE(MPI_Comm) :: ring
        integer :: kind
        call MPI_Dist_graph_create_adjacent(world, 1, [left], [10 + left], 1, [right], &
            [10 + rank], MPI_INFO_NULL, .false., ring, ierror)
        call MPI_Topo_test(ring, kind, ierror)
        call check('topo_test tells a distributed graph', kind == MPI_DIST_GRAPH)
        call check_ring(ring, .true.)
        call MPI_Comm_free(ring, ierror)
        call MPI_Dist_graph_create_adjacent(world, 1, [left], MPI_UNWEIGHTED, 1, &
            [right], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., ring, ierror)
        call check_ring(ring, .false.)
        call MPI_Comm_free(ring, ierror)
        call MPI_Dist_graph_create(world, 1, [left], [1], [rank], [10 + left], &
            MPI_INFO_NULL, .false., ring, ierror)
        call check_ring(ring, .true.)
        call MPI_Comm_free(ring, ierror)
    end subroutine ring_of_neighbours

    ! An edge weighs 10 more than the rank where it begins, if it has a weight.
    subroutine check_ring(ring, has_weights)
        HANDLE(MPI_Comm), intent(in) :: ring
        logical, intent(in) :: has_weights
        integer :: in, out, sources(1), dests(1), source_weights(1), dest_weights(1)
        logical :: weighted
        call MPI_Dist_graph_neighbors_count(ring, in, out, weighted, ierror)
        call check('dist_graph_neighbors_count', in == 1 .and. out == 1 .and. &
            (weighted .eqv. has_weights))
        if (has_weights) then
            call MPI_Dist_graph_neighbors(ring, 1, sources, source_weights, 1, dests, &
                dest_weights, ierror)
            call check('edges have their weights', &
                source_weights(1) == 10 + left .and. dest_weights(1) == 10 + rank)
        else
            call MPI_Dist_graph_neighbors(ring, 1, sources, MPI_UNWEIGHTED, 1, dests, &
                MPI_UNWEIGHTED, ierror)
        end if
        call check('dist_graph_neighbors', sources(1) == left .and. dests(1) == right)
    end subroutine check_ring

    ! Process 0 tells all edges, from itself to each other; the others tell none.
    subroutine star_by_edges()
        HANDLE(MPI_Comm) :: star
        integer :: in, out, sources(1), dests(ranks), number
        logical :: weighted
        number = merge(1, 0, rank == 0)
        dests = [(i, i = 1, ranks)]
        if (ranks > 1) then
            call MPI_Dist_graph_create(world, number, [0], [ranks - 1], dests, &
                MPI_UNWEIGHTED, MPI_INFO_NULL, .false., star, ierror)
        else
            call MPI_Dist_graph_create(world, 0, sources, sources, dests, &
                MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, .false., star, ierror)
        end if
        call MPI_Dist_graph_neighbors_count(star, in, out, weighted, ierror)
        call check('edges go from the middle only', in == 1 - number .and. &
            out == merge(ranks - 1, 0, rank == 0))
        dests = -1
        call MPI_Dist_graph_neighbors(star, in, sources, MPI_UNWEIGHTED, out, dests, &
            MPI_UNWEIGHTED, ierror)
        call check('each sees its edges', count(dests > 0) == out)
        if (in == 1) call check('from the middle', sources(1) == 0)
        call MPI_Comm_free(star, ierror)
    end subroutine star_by_edges
end program topologies
