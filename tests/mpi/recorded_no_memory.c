// SPDX-License-Identifier: BSD-3-Clause
// Refuses calls the memory that they ask for, once the first piece, once the second and so
// on, and prints procedure and class of each call; recorded_errors.py compares these with
// the records. The first process alone calls; others are there for groups that need lists.
#include "recorded_errors.h"

#include <errno.h>
#include <stdlib.h>

enum { MOST = 12, LONG = 1 << 20, ROOM = 32 * LONG }; // pieces that are refused; bytes

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t number, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);

// Which of the next pieces that this thread asks for is refused; 0: none.
static _Thread_local int refused;

static int is_refused(void)
{
    if (refused == 0 || --refused > 0)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes)
{
    return is_refused() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t number, size_t bytes)
{
    return is_refused() ? NULL : __libc_calloc(number, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    return is_refused() ? NULL : __libc_realloc(memory, bytes);
}

static char data[LONG], room[ROOM]; // what is sent; what is attached
static int values[8], memory[8];
static MPI_Comm self = MPI_COMM_SELF, made, grid;
static MPI_Datatype type, vector;
static MPI_Comm turned; // all processes, in another order
static MPI_Group group, whole, world, listed;
static MPI_Info info, none = MPI_INFO_NULL;
static MPI_Request request;
static MPI_Message message;
static MPI_Session session;
static MPI_Status status;
static MPI_Win win, dynamic;
static MPI_Errhandler handler;
static int key, code, flag, one[] = {1}, zero[] = {0};
static MPI_Aint place[] = {0}, at;

// Calls, of which the first is refused its first piece of memory, the next its second and
// so on; what they give is left alone.
#define REFUSE_AFTER(before, procedure, ...)                                           \
    do {                                                                               \
        for (int piece = 1; piece <= MOST; piece++) {                                  \
            before;                                                                    \
            refused = piece;                                                           \
            int error = procedure(__VA_ARGS__);                                        \
            refused = 0;                                                               \
            note(#procedure, error);                                                   \
        }                                                                              \
    } while (0)
#define REFUSE(procedure, ...) REFUSE_AFTER((void)0, procedure, __VA_ARGS__)

static void send_one(void)
{
    MPI_Isend(values, 1, MPI_INT, 0, 0, self, &request);
    MPI_Request_free(&request);
}

static void receive_all(void)
{
    for (flag = 1; flag;) {
        MPI_Iprobe(0, 0, self, &flag, &status);
        if (flag)
            MPI_Recv(data, LONG, MPI_BYTE, 0, 0, self, &status);
    }
}

static void buffers(void)
{
    void *old;
    int bytes;
    REFUSE(MPI_Buffer_attach, room, ROOM);
    REFUSE(MPI_Buffer_iflush, &request);
    REFUSE(MPI_Bsend, data, LONG, MPI_BYTE, 0, 0, self);
    REFUSE(MPI_Ibsend, data, LONG, MPI_BYTE, 0, 0, self, &request);
    receive_all();
    MPI_Buffer_detach(&old, &bytes);
    REFUSE(MPI_Comm_attach_buffer, self, room, ROOM);
    REFUSE(MPI_Comm_iflush_buffer, self, &request);
    MPI_Comm_detach_buffer(self, &old, &bytes);
    REFUSE(MPI_Session_attach_buffer, session, room, ROOM);
    REFUSE(MPI_Session_iflush_buffer, session, &request);
    MPI_Session_detach_buffer(session, &old, &bytes);
}

static int fill_status(void *state, MPI_Status *filled)
{
    (void)state;
    return MPI_Status_set_cancelled(filled, 0);
}

static int free_state(void *state)
{
    (void)state;
    return 0;
}

static int cancel_state(void *state, int is_complete)
{
    (void)state, (void)is_complete;
    return 0;
}

static void messages(void)
{
    REFUSE(MPI_Isend, data, LONG, MPI_BYTE, 0, 1, self, &request);
    REFUSE(MPI_Issend, data, LONG, MPI_BYTE, 0, 1, self, &request);
    REFUSE(MPI_Irsend, data, LONG, MPI_BYTE, 0, 1, self, &request);
    REFUSE(MPI_Irecv, memory, 1, MPI_INT, 0, 2, self, &request);
    REFUSE(MPI_Send_init, values, 1, MPI_INT, 0, 0, self, &request);
    REFUSE(MPI_Bsend_init, values, 1, MPI_INT, 0, 0, self, &request);
    REFUSE(MPI_Ssend_init, values, 1, MPI_INT, 0, 0, self, &request);
    REFUSE(MPI_Rsend_init, values, 1, MPI_INT, 0, 0, self, &request);
    REFUSE(MPI_Recv_init, memory, 1, MPI_INT, 0, 0, self, &request);
    REFUSE(MPI_Isendrecv, values, 1, MPI_INT, 0, 3, memory, 1, MPI_INT, 0, 3, self,
           &request);
    REFUSE(MPI_Isendrecv_replace, memory, 1, MPI_INT, 0, 3, 0, 3, self, &request);
    REFUSE(MPI_Sendrecv_replace, memory, 1, MPI_INT, 0, 4, 0, 4, self, &status);
    REFUSE_AFTER(send_one(), MPI_Improbe, 0, 0, self, &flag, &message, &status);
    REFUSE_AFTER(send_one(), MPI_Mprobe, 0, 0, self, &message, &status);
    REFUSE_AFTER((send_one(), MPI_Mprobe(0, 0, self, &message, &status)), MPI_Imrecv,
                 memory, 1, MPI_INT, &message, &request);
    REFUSE(MPI_Grequest_start, fill_status, free_state, cancel_state, NULL, &request);
}

static void datatypes(void)
{
    const int block = MPI_DISTRIBUTE_BLOCK, usual = MPI_DISTRIBUTE_DFLT_DARG;
    REFUSE(MPI_Type_contiguous, 2, MPI_INT, &type);
    REFUSE(MPI_Type_vector, 2, 1, 2, MPI_INT, &type);
    REFUSE(MPI_Type_create_hvector, 2, 1, 9, MPI_INT, &type);
    REFUSE(MPI_Type_indexed, 1, one, zero, MPI_INT, &type);
    REFUSE(MPI_Type_create_hindexed, 1, one, place, MPI_INT, &type);
    REFUSE(MPI_Type_create_indexed_block, 1, 1, zero, MPI_INT, &type);
    REFUSE(MPI_Type_create_hindexed_block, 1, 1, place, MPI_INT, &type);
    REFUSE(MPI_Type_create_struct, 1, one, place, &vector, &type);
    REFUSE(MPI_Type_create_subarray, 1, one, one, zero, MPI_ORDER_C, MPI_INT, &type);
    REFUSE(MPI_Type_create_darray, 1, 0, 1, one, &block, &usual, one, MPI_ORDER_C,
           MPI_INT, &type);
    REFUSE(MPI_Type_create_resized, MPI_INT, 0, 8, &type);
    REFUSE(MPI_Type_dup, vector, &type);
    REFUSE(MPI_Type_set_name, vector, "name");
    REFUSE(MPI_Type_create_f90_real, 5, 5, &type);
    REFUSE(MPI_Type_create_f90_complex, 5, 5, &type);
    REFUSE(MPI_Type_create_f90_integer, 5, &type);
    REFUSE_AFTER(at = 0, MPI_Pack_external, "external32", values, 1, vector, memory, 32,
                 &at);
    REFUSE_AFTER(at = 0, MPI_Unpack_external, "external32", memory, 32, &at, values, 1,
                 vector);
}

static void copy_buffers(void *in, void *inout, int *length, MPI_Datatype *datatype)
{
    (void)datatype;
    memcpy(inout, in, (size_t)*length * sizeof(int));
}

static void groups(void)
{
    MPI_Op op;
    int beyond[1][3] = {{0, 0, 1}};
    REFUSE(MPI_Op_create, copy_buffers, 1, &op);
    REFUSE(MPI_Group_translate_ranks, whole, 1, zero, listed, values);
    REFUSE(MPI_Group_compare, world, listed, &flag);
    REFUSE(MPI_Comm_compare, MPI_COMM_WORLD, turned, &flag);
    REFUSE(MPI_Group_union, whole, group, &group);
    REFUSE(MPI_Group_intersection, whole, group, &group);
    REFUSE(MPI_Group_difference, whole, MPI_GROUP_EMPTY, &group);
    REFUSE(MPI_Group_incl, whole, 1, zero, &group);
    REFUSE(MPI_Group_excl, whole, 0, zero, &group);
    REFUSE(MPI_Group_range_incl, whole, 1, beyond, &group);
    REFUSE(MPI_Group_range_excl, whole, 0, beyond, &group);
    REFUSE(MPI_Group_from_session_pset, session, "mpi://SELF", &group);
}

static void fail_comm(MPI_Comm *comm, int *error, ...)
{
    (void)comm, (void)error;
}

static void fail_win(MPI_Win *window, int *error, ...)
{
    (void)window, (void)error;
}

static void fail_session(MPI_Session *failed, int *error, ...)
{
    (void)failed, (void)error;
}

static void objects(void)
{
    void *pointer;
    MPI_Session other = MPI_SESSION_NULL;
    REFUSE(MPI_Comm_create_keyval, MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key,
           NULL);
    REFUSE_AFTER(MPI_Comm_delete_attr(self, key), MPI_Comm_set_attr, self, key, NULL);
    REFUSE_AFTER(MPI_Attr_delete(self, key), MPI_Attr_put, self, key, NULL);
    REFUSE(MPI_Keyval_create, MPI_DUP_FN, MPI_NULL_DELETE_FN, &key, NULL);
    REFUSE(MPI_Win_create_keyval, MPI_WIN_DUP_FN, MPI_WIN_NULL_DELETE_FN, &key, NULL);
    REFUSE(MPI_Win_set_attr, win, key, NULL);
    REFUSE(MPI_Type_create_keyval, MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &key,
           NULL);
    REFUSE(MPI_Type_set_attr, vector, key, NULL);
    REFUSE(MPI_Comm_create_errhandler, fail_comm, &handler);
    REFUSE(MPI_Win_create_errhandler, fail_win, &handler);
    REFUSE(MPI_Session_create_errhandler, fail_session, &handler);
    REFUSE(MPI_Add_error_class, &code);
    REFUSE(MPI_Add_error_code, MPI_ERR_ARG, &code);
    REFUSE(MPI_Add_error_string, code, "text");
    REFUSE(MPI_Info_create, &info);
    REFUSE(MPI_Info_set, info, "key", "value");
    REFUSE(MPI_Info_dup, info, &info);
    REFUSE(MPI_Info_create_env, 0, NULL, &info);
    REFUSE(MPI_Comm_get_info, self, &info);
    REFUSE(MPI_Get_hw_resource_info, &info);
    REFUSE(MPI_Abi_get_info, &info);
    REFUSE(MPI_Abi_get_fortran_info, &info);
    REFUSE_AFTER(MPI_Session_finalize(&other), MPI_Session_init, none,
                 MPI_ERRORS_RETURN, &other);
    MPI_Session_finalize(&other);
    REFUSE(MPI_Session_get_info, session, &info);
    REFUSE(MPI_Session_get_pset_info, session, "mpi://SELF", &info);
    REFUSE(MPI_Win_attach, dynamic, memory, sizeof memory);
    note("MPI_Alloc_mem", MPI_Alloc_mem(PTRDIFF_MAX / 2, MPI_INFO_NULL, &pointer));
}

// The nonblocking and the persistent form of a collective call.
#define FORMS_REFUSE(name, persistent, ...)                                            \
    do {                                                                               \
        REFUSE(MPI_I##name, __VA_ARGS__, &request);                                    \
        REFUSE(MPI_##persistent##_init, __VA_ARGS__, MPI_INFO_NULL, &request);         \
    } while (0)
#define NEIGHBORS_REFUSE(name, ...)                                                    \
    do {                                                                               \
        REFUSE(MPI_Ineighbor_##name, __VA_ARGS__, grid, &request);                     \
        REFUSE(MPI_Neighbor_##name##_init, __VA_ARGS__, grid, MPI_INFO_NULL,           \
               &request);                                                              \
    } while (0)

static void collective_forms(void)
{
    const MPI_Datatype ints[] = {MPI_INT, MPI_INT};
    const int ones[] = {1, 1}, zeros[] = {0, 0};
    const MPI_Aint places[] = {0, 0};
    FORMS_REFUSE(barrier, Barrier, self);
    FORMS_REFUSE(bcast, Bcast, values, 1, MPI_INT, 0, self);
    FORMS_REFUSE(gather, Gather, values, 1, MPI_INT, memory, 1, MPI_INT, 0, self);
    FORMS_REFUSE(gatherv, Gatherv, values, 1, MPI_INT, memory, one, zero, MPI_INT, 0,
                 self);
    FORMS_REFUSE(scatter, Scatter, values, 1, MPI_INT, memory, 1, MPI_INT, 0, self);
    FORMS_REFUSE(scatterv, Scatterv, values, one, zero, MPI_INT, memory, 1, MPI_INT, 0,
                 self);
    FORMS_REFUSE(allgather, Allgather, values, 1, MPI_INT, memory, 1, MPI_INT, self);
    FORMS_REFUSE(allgatherv, Allgatherv, values, 1, MPI_INT, memory, one, zero, MPI_INT,
                 self);
    FORMS_REFUSE(alltoall, Alltoall, values, 1, MPI_INT, memory, 1, MPI_INT, self);
    FORMS_REFUSE(alltoallv, Alltoallv, values, one, zero, MPI_INT, memory, one, zero,
                 MPI_INT, self);
    FORMS_REFUSE(alltoallw, Alltoallw, values, one, zero, ints, memory, one, zero, ints,
                 self);
    FORMS_REFUSE(reduce, Reduce, values, memory, 1, MPI_INT, MPI_SUM, 0, self);
    FORMS_REFUSE(allreduce, Allreduce, values, memory, 1, MPI_INT, MPI_SUM, self);
    FORMS_REFUSE(reduce_scatter_block, Reduce_scatter_block, values, memory, 1, MPI_INT,
                 MPI_SUM, self);
    FORMS_REFUSE(reduce_scatter, Reduce_scatter, values, memory, one, MPI_INT, MPI_SUM,
                 self);
    FORMS_REFUSE(scan, Scan, values, memory, 1, MPI_INT, MPI_SUM, self);
    FORMS_REFUSE(exscan, Exscan, values, memory, 1, MPI_INT, MPI_SUM, self);
    NEIGHBORS_REFUSE(allgather, values, 1, MPI_INT, memory, 1, MPI_INT);
    NEIGHBORS_REFUSE(allgatherv, values, 1, MPI_INT, memory, ones, zeros, MPI_INT);
    NEIGHBORS_REFUSE(alltoall, values, 1, MPI_INT, memory, 1, MPI_INT);
    NEIGHBORS_REFUSE(alltoallv, values, ones, zeros, MPI_INT, memory, ones, zeros,
                     MPI_INT);
    NEIGHBORS_REFUSE(alltoallw, values, ones, places, ints, memory, ones, places, ints);
}

static void communicators(void)
{
    REFUSE(MPI_Comm_dup, self, &made);
    REFUSE(MPI_Comm_dup_with_info, self, none, &made);
    REFUSE(MPI_Comm_idup, self, &made, &request);
    REFUSE(MPI_Comm_idup_with_info, self, none, &made, &request);
    REFUSE(MPI_Comm_create, self, whole, &made);
    REFUSE(MPI_Comm_create_group, self, whole, 0, &made);
    REFUSE(MPI_Comm_create_from_group, whole, "tag", none, MPI_ERRORS_RETURN, &made);
    REFUSE(MPI_Comm_split, self, 0, 0, &made);
    REFUSE(MPI_Comm_split_type, self, MPI_COMM_TYPE_SHARED, 0, none, &made);
    REFUSE(MPI_Cart_create, self, 1, one, one, 0, &made);
    REFUSE(MPI_Cart_sub, grid, one, &made);
    REFUSE(MPI_Graph_create, self, 1, one, zero, 0, &made);
    REFUSE(MPI_Dist_graph_create_adjacent, self, 1, zero, one, 1, zero, one, none, 0,
           &made);
    REFUSE(MPI_Dist_graph_create, self, 1, zero, one, zero, one, none, 0, &made);
    REFUSE(MPI_Win_create, memory, sizeof memory, 1, none, self, &win);
    REFUSE(MPI_Win_allocate, 8, 1, none, self, &(void *){NULL}, &win);
    REFUSE(MPI_Win_allocate_shared, 8, 1, none, self, &(void *){NULL}, &win);
    REFUSE(MPI_Win_create_dynamic, none, self, &win);
}

static void make_objects(void)
{
    MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Session_init(none, MPI_ERRORS_RETURN, &session);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_group(turned, &listed);
    MPI_Comm_group(self, &whole);
    MPI_Group_incl(whole, 1, zero, &group);
    MPI_Cart_create(self, 1, one, one, 0, &grid);
    MPI_Type_vector(2, 1, 2, MPI_INT, &vector);
    MPI_Type_commit(&vector);
    MPI_Win_create(memory, sizeof memory, 1, none, self, &win);
    MPI_Win_create_dynamic(none, self, &dynamic);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN);
}

static void refuse_all(void)
{
    make_objects();
    messages(); // before buffers, whose messages leave room behind
    buffers();
    datatypes();
    groups();
    collective_forms();
    communicators();
    objects();
    MPI_Session_finalize(&session);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank == 0 ? 0 : -rank * rank % 5, &turned);
    if (rank == 0)
        refuse_all();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
