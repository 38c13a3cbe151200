// SPDX-License-Identifier: BSD-3-Clause
// The errors that recorded_errors raises besides those of windows: each process by itself.
#include "recorded_errors.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

static int values[8], memory[8];

static void send_two(void)
{
    MPI_Request request;
    MPI_Isend(values, 2, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    MPI_Request_free(&request);
}

static void buffers_of_sends(void)
{
    enum { ROOM = 256 };
    static char room[ROOM];
    void *old;
    int bytes;
    MPI_Request request;
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    RAISE(MPI_Ibsend, values, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    RAISE(MPI_Buffer_detach, &old, &bytes);
    RAISE(MPI_Comm_detach_buffer, MPI_COMM_SELF, &old, &bytes);
    RAISE(MPI_Session_detach_buffer, session, &old, &bytes);
    for (int i = 0; i < 2; i++) {
        RAISE(MPI_Buffer_attach, room, ROOM);
        RAISE(MPI_Comm_attach_buffer, MPI_COMM_SELF, room, ROOM);
        RAISE(MPI_Session_attach_buffer, session, room, ROOM);
    }
    MPI_Buffer_detach(&old, &bytes);
    MPI_Comm_detach_buffer(MPI_COMM_SELF, &old, &bytes);
    MPI_Session_detach_buffer(session, &old, &bytes);
    MPI_Session_finalize(&session);
}

static MPI_Request too_short_receive(void)
{
    MPI_Request request;
    MPI_Irecv(memory, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    send_two();
    return request;
}

static void requests_and_probes(void)
{
    int index, flag = 0;
    MPI_Status status;
    MPI_Message message;
    MPI_Request request = too_short_receive();
    RAISE(MPI_Waitany, 1, &request, &index, &status);
    request = too_short_receive();
    RAISE(MPI_Testany, 1, &request, &index, &flag, &status);
    request = too_short_receive();
    RAISE(MPI_Testall, 1, &request, &flag, &status);
    request = too_short_receive();
    RAISE(MPI_Waitsome, 1, &request, &index, &flag, &status);
    request = too_short_receive();
    RAISE(MPI_Testsome, 1, &request, &index, &flag, &status);
    send_two();
    MPI_Mprobe(0, 0, MPI_COMM_SELF, &message, &status);
    RAISE(MPI_Mrecv, memory, 1, MPI_INT, &message, &status);
    send_two();
    RAISE(MPI_Sendrecv_replace, memory, 1, MPI_INT, 0, 0, 0, 0, MPI_COMM_SELF, &status);
    MPI_Recv(memory, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &status);
    MPI_Recv_init(memory, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    RAISE(MPI_Cancel, &request);
    MPI_Request_free(&request);
}

static void large_types(void)
{
    const int most = INT_MAX, none = 0, one = 1, block = MPI_DISTRIBUTE_BLOCK;
    const int usual = MPI_DISTRIBUTE_DFLT_DARG;
    const MPI_Aint nowhere = 0;
    MPI_Datatype large, made;
    MPI_Type_contiguous(most, MPI_INT, &large);
    RAISE(MPI_Type_contiguous, most, large, &made);
    RAISE(MPI_Type_vector, most, 1, 1, large, &made);
    RAISE(MPI_Type_create_hvector, most, 1, PTRDIFF_MAX, large, &made);
    RAISE(MPI_Type_indexed, 1, &most, &none, large, &made);
    RAISE(MPI_Type_create_hindexed, 1, &most, &nowhere, large, &made);
    RAISE(MPI_Type_create_indexed_block, 1, most, &none, large, &made);
    RAISE(MPI_Type_create_hindexed_block, 1, most, &nowhere, large, &made);
    RAISE(MPI_Type_create_struct, 1, &most, &nowhere, &large, &made);
    RAISE(MPI_Type_create_subarray, 1, &most, &most, &none, MPI_ORDER_C, large, &made);
    RAISE(MPI_Type_create_darray, 1, 0, 1, &most, &block, &usual, &one, MPI_ORDER_C,
          large, &made);
    RAISE(MPI_Type_create_resized, large, PTRDIFF_MAX, PTRDIFF_MAX, &made);
    MPI_Type_free(&large);
}

static void contents_of_types(void)
{
    int counts[4], room[4];
    MPI_Aint places[4];
    MPI_Datatype counted, made, types[4];
    MPI_Type_contiguous_c(2, MPI_INT, &counted);
    RAISE(MPI_Type_get_envelope, counted, counts, counts, counts, counts);
    RAISE(MPI_Type_get_contents, MPI_INT, 0, 0, 0, room, places, types);
    MPI_Type_contiguous(2, MPI_INT, &made);
    RAISE(MPI_Type_get_contents, made, 0, 0, 0, room, places, types);
    MPI_Type_free(&counted);
    MPI_Type_free(&made);
    RAISE(MPI_Type_create_f90_real, 999, 1, &made);
    RAISE(MPI_Type_create_f90_complex, 999, 1, &made);
    RAISE(MPI_Type_create_f90_integer, 999, &made);
}

static void packing(void)
{
    int place = 0;
    MPI_Aint at = 0;
    const wchar_t wide_letter = 0x10000;
    MPI_Comm self = MPI_COMM_SELF;
    RAISE(MPI_Pack, values, 2, MPI_INT, memory, 4, &place, self);
    RAISE(MPI_Unpack, memory, 4, &place, values, 2, MPI_INT, self);
    RAISE(MPI_Pack_external, "external32", values, 2, MPI_INT, memory, 4, &at);
    RAISE(MPI_Unpack_external, "external32", memory, 4, &at, values, 2, MPI_INT);
    RAISE(MPI_Pack_external, "external32", &wide_letter, 1, MPI_WCHAR, memory, 8, &at);
    RAISE(MPI_Pack_external, "native", values, 1, MPI_INT, memory, 8, &at);
    RAISE(MPI_Unpack_external, "native", memory, 8, &at, values, 1, MPI_INT);
    RAISE(MPI_Pack_external_size, "native", 1, MPI_INT, &at);
}

static void groups_and_communicators(void)
{
    int beyond[1][3] = {{0, 9, 1}};
    MPI_Group self, both, made;
    MPI_Comm comm;
    MPI_Comm_group(MPI_COMM_SELF, &self);
    MPI_Comm_group(MPI_COMM_WORLD, &both);
    RAISE(MPI_Group_range_incl, self, 1, beyond, &made);
    RAISE(MPI_Group_range_excl, self, 1, beyond, &made);
    RAISE(MPI_Comm_create, MPI_COMM_SELF, both, &comm);
    RAISE(MPI_Comm_create_group, MPI_COMM_SELF, both, 0, &comm);
    RAISE(MPI_Intercomm_create, MPI_COMM_SELF, 0, MPI_COMM_NULL, 0, 0, &comm);
    MPI_Group_free(&self);
    MPI_Group_free(&both);
}

static void topologies(void)
{
    const int many[] = {9}, nothing[] = {0}, one[] = {1}, falling[] = {1, 0};
    int found[4], dims[] = {2}, beyond[] = {9};
    MPI_Comm grid, made, self = MPI_COMM_SELF;
    RAISE(MPI_Cart_create, self, 1, many, nothing, 0, &made);
    RAISE(MPI_Cart_map, self, 1, many, nothing, found);
    RAISE(MPI_Dims_create, 3, 1, dims);
    RAISE(MPI_Graph_create, self, 2, falling, nothing, 0, &made);
    RAISE(MPI_Graph_create, self, 1, one, many, 0, &made);
    RAISE(MPI_Graph_map, self, 2, falling, nothing, found);
    RAISE(MPI_Graph_map, self, 1, one, many, found);
    RAISE(MPI_Dist_graph_create_adjacent, self, 1, nothing, MPI_WEIGHTS_EMPTY, 0,
          nothing, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &made);
    RAISE(MPI_Dist_graph_create, self, 1, nothing, one, nothing, MPI_WEIGHTS_EMPTY,
          MPI_INFO_NULL, 0, &made);
    RAISE(MPI_Dist_graph_create, self, 1, nothing, one, many, one, MPI_INFO_NULL, 0,
          &made);
    RAISE(MPI_Graphdims_get, self, found, found);
    RAISE(MPI_Graph_get, self, 0, 0, found, found);
    RAISE(MPI_Graph_neighbors_count, self, 0, found);
    RAISE(MPI_Graph_neighbors, self, 0, 0, found);
    RAISE(MPI_Dist_graph_neighbors_count, self, found, found, found);
    RAISE(MPI_Dist_graph_neighbors, self, 0, found, found, 0, found, found);
    RAISE(MPI_Cartdim_get, self, found);
    RAISE(MPI_Cart_get, self, 0, found, found, found);
    RAISE(MPI_Cart_rank, self, nothing, found);
    RAISE(MPI_Cart_coords, self, 0, 0, found);
    RAISE(MPI_Cart_shift, self, 0, 1, found, found);
    RAISE(MPI_Cart_sub, self, one, &made);
    MPI_Cart_create(self, 1, one, nothing, 0, &grid);
    RAISE(MPI_Cart_get, grid, 0, found, found, found);
    RAISE(MPI_Cart_rank, grid, beyond, found);
    RAISE(MPI_Cart_coords, grid, 0, 0, found);
    RAISE(MPI_Cart_shift, grid, 9, 1, found, found);
    MPI_Comm_free(&grid);
}

// Each form of a neighborhood collective call, on a communicator without a topology.
#define NEIGHBORS_RAISE(name, ...)                                                     \
    do {                                                                               \
        MPI_Request request;                                                           \
        RAISE(MPI_Neighbor_##name, __VA_ARGS__, MPI_COMM_SELF);                        \
        RAISE(MPI_Ineighbor_##name, __VA_ARGS__, MPI_COMM_SELF, &request);             \
        RAISE(MPI_Neighbor_##name##_init, __VA_ARGS__, MPI_COMM_SELF, MPI_INFO_NULL,   \
              &request);                                                               \
    } while (0)

static void neighborhoods(void)
{
    const int one[] = {1}, none[] = {0};
    const MPI_Aint nowhere[] = {0};
    const MPI_Datatype ints[] = {MPI_INT};
    NEIGHBORS_RAISE(allgather, values, 1, MPI_INT, memory, 1, MPI_INT);
    NEIGHBORS_RAISE(allgatherv, values, 1, MPI_INT, memory, one, none, MPI_INT);
    NEIGHBORS_RAISE(alltoall, values, 1, MPI_INT, memory, 1, MPI_INT);
    NEIGHBORS_RAISE(alltoallv, values, one, none, MPI_INT, memory, one, none, MPI_INT);
    NEIGHBORS_RAISE(alltoallw, values, one, nowhere, ints, memory, one, nowhere, ints);
}

static void error_codes(void)
{
    enum { UNKNOWN = MPI_ERR_LASTCODE + 99 };
    char text[MPI_MAX_ERROR_STRING];
    int length, code;
    RAISE(MPI_Error_string, UNKNOWN, text, &length);
    RAISE(MPI_Error_class, UNKNOWN, &code);
    RAISE(MPI_Add_error_code, UNKNOWN, &code);
    RAISE(MPI_Add_error_string, MPI_ERR_ARG, "text");
    RAISE(MPI_Remove_error_class, MPI_ERR_ARG);
    RAISE(MPI_Remove_error_code, MPI_ERR_ARG);
    RAISE(MPI_Remove_error_string, MPI_ERR_ARG);
}

static void infos(void)
{
    char text[8];
    int length = 8, flag;
    MPI_Info info, environment = MPI_INFO_ENV;
    MPI_Info_create(&info);
    RAISE(MPI_Info_get_string, info, "", &length, text, &flag);
    RAISE(MPI_Info_get, info, "", 7, text, &flag);
    RAISE(MPI_Info_get_valuelen, info, "", &length, &flag);
    RAISE(MPI_Info_get_nthkey, info, 9, text);
    RAISE(MPI_Info_delete, info, "");
    RAISE(MPI_Info_delete, info, "unset");
    RAISE(MPI_Info_delete, environment, "command");
    RAISE(MPI_Info_free, &environment);
    RAISE(MPI_Abi_set_fortran_info, info);
    RAISE(MPI_Abi_set_fortran_booleans, 4, values, values);
    MPI_Info_free(&info);
}

static void sessions(void)
{
    int length = 0;
    MPI_Session session;
    MPI_Group group;
    MPI_Info info;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    RAISE(MPI_Group_from_session_pset, session, "none", &group);
    RAISE(MPI_Session_get_nth_pset, session, MPI_INFO_NULL, 9, &length, NULL);
    RAISE(MPI_Session_get_pset_info, session, "none", &info);
    MPI_Session_finalize(&session);
}

// Reductions of what the operation does not take.
static void reductions(void)
{
    const int one[] = {1};
    MPI_Comm self = MPI_COMM_SELF;
    RAISE(MPI_Reduce_local, values, memory, 1, MPI_INT, MPI_MAXLOC);
    RAISE(MPI_Reduce_scatter_block, values, memory, 1, MPI_INT, MPI_MAXLOC, self);
    RAISE(MPI_Reduce_scatter, values, memory, one, MPI_INT, MPI_MAXLOC, self);
    RAISE(MPI_Scan, values, memory, 1, MPI_INT, MPI_MAXLOC, self);
    RAISE(MPI_Exscan, values, memory, 1, MPI_INT, MPI_MAXLOC, self);
}

void raise_errors_of_objects(void)
{
    buffers_of_sends();
    requests_and_probes();
    large_types();
    contents_of_types();
    packing();
    groups_and_communicators();
    topologies();
    neighborhoods();
    reductions();
    error_codes();
    infos();
    sessions();
}
