// SPDX-License-Identifier: BSD-3-Clause
// What the calls of the program of properties are given: objects of each kind, those of
// several sorts one after another, and memory for results.
#pragma once

#include "claims.h"

enum { SLOTS = 24, SLOT = 16384, BUFFERS = 4, BUFFER = 4096, TAG = 1, WINDOW = 1024 };

// ---- memory -----------------------------------------------------------------------
static _Alignas(16) char slot[SLOTS][SLOT];                    // for results
static _Alignas(16) int buffer[BUFFERS][BUFFER / sizeof(int)]; // all elements are 1

static void fill_buffers(void)
{
    for (int i = 0; i < BUFFERS; i++)
        for (size_t j = 0; j < BUFFER / sizeof(int); j++)
            buffer[i][j] = 1;
}

static bool are_buffers_untouched(void)
{
    for (int i = 0; i < BUFFERS; i++)
        for (size_t j = 0; j < BUFFER / sizeof(int); j++)
            if (buffer[i][j] != 1)
                return false;
    return true;
}

// ---- communicators ----------------------------------------------------------------
// GRID, ALONE and FLAT have cartesian topologies; FLAT has no dimension.
enum { COMMS = 7, GRID = 1, ALONE = 4, NEIGHBORLESS = 5, FLAT = 6 };
static MPI_Comm comms[COMMS];
static MPI_Comm the_comm;
static int me, next_rank; // in the_comm

static void make_communicators(void)
{
    int size, one = 1, weight = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){size, 1}, (int[]){0, 1}, 0,
                    &comms[GRID]);
    int *index = malloc(3 * (size_t)size * sizeof *index), *edges = index + size;
    for (int i = 0; i < size; i++) {
        index[i] = 2 * i + 2;
        edges[2 * i] = (i + 1) % size;
        edges[2 * i + 1] = (i + size - 1) % size;
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &comms[2]);
    int right = (world_rank + 1) % size, left = (world_rank + size - 1) % size;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, one, &left, &weight, one, &right,
                                   &weight, MPI_INFO_NULL, 0, &comms[3]);
    MPI_Cart_create(MPI_COMM_SELF, 2, (int[]){1, 1}, (int[]){0, 0}, 0, &comms[ALONE]);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, &left, &weight, 0, &right,
                                   &weight, MPI_INFO_NULL, 0, &comms[NEIGHBORLESS]);
    MPI_Cart_create(MPI_COMM_SELF, 0, &one, &one, 0, &comms[FLAT]);
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_set_errhandler(comms[i], MPI_ERRORS_RETURN);
    free(index);
}

static bool use_comm(int number)
{
    int size;
    if (number >= COMMS)
        return false;
    the_comm = comms[number];
    MPI_Comm_rank(the_comm, &me);
    MPI_Comm_size(the_comm, &size);
    next_rank = (me + 1) % size;
    return true;
}

// ---- windows and their epochs -----------------------------------------------------
enum { WINS = 4, EPOCHS = 5 };
static MPI_Win wins[WINS];
static MPI_Win the_win;
static int *exposed; // in MPI_COMM_WORLD, all elements are 1

static void make_windows(void)
{
    void *base;
    MPI_Alloc_mem(WINDOW, MPI_INFO_NULL, &exposed);
    for (size_t i = 0; i < WINDOW / sizeof(int); i++)
        exposed[i] = 1;
    MPI_Win_create(exposed, WINDOW, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &wins[0]);
    MPI_Win_allocate(WINDOW, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &wins[1]);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &wins[2]);
    MPI_Win_allocate_shared(WINDOW, 1, MPI_INFO_NULL, MPI_COMM_SELF, &base, &wins[3]);
    for (int i = 0; i < WINS; i++)
        MPI_Win_set_errhandler(wins[i], MPI_ERRORS_RETURN);
}

static bool use_win(int number)
{
    MPI_Group group;
    int size;
    if (number >= WINS)
        return false;
    the_win = wins[number];
    MPI_Win_get_group(the_win, &group);
    MPI_Group_rank(group, &me);
    MPI_Group_size(group, &size);
    MPI_Group_free(&group);
    next_rank = (me + 1) % size;
    return true;
}

// Opens the access epoch of a number: none, to nobody, to all, by a fence, to no group.
// Requests can be made in the first `PASSIVE` of them.
enum { TO_NOBODY = 1, TO_ALL, PASSIVE, BY_FENCE = PASSIVE, TO_EMPTY };
static bool open_epoch(int number)
{
    if (number == TO_NOBODY)
        MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, the_win);
    if (number == TO_ALL)
        MPI_Win_lock_all(0, the_win);
    if (number == BY_FENCE)
        MPI_Win_fence(MPI_MODE_NOPRECEDE, the_win);
    if (number == TO_EMPTY)
        MPI_Win_start(MPI_GROUP_EMPTY, 0, the_win);
    return number < EPOCHS;
}

// The call in between may have closed it, or opened one to nobody.
static void close_epoch(int number)
{
    if (number <= TO_NOBODY)
        MPI_Win_unlock(MPI_PROC_NULL, the_win);
    if (number == TO_ALL)
        MPI_Win_unlock_all(the_win);
    if (number == BY_FENCE)
        MPI_Win_fence(MPI_MODE_NOSUCCEED, the_win);
    if (number == TO_EMPTY)
        MPI_Win_complete(the_win);
}

// ---- other objects ----------------------------------------------------------------
static MPI_Group the_group;
static MPI_Info the_info;
static MPI_Session the_session;
static MPI_Datatype the_type, empty_type, absolute_type; // the last is buffer[0]
static MPI_Status the_status;
static char reserve[BUFFER + MPI_BSEND_OVERHEAD]; // for buffered sends

static char long_text[SLOT];

// ---- error handlers that count ------------------------------------------------------
enum { STALE = 1 << 30 }; // a handle that nothing has had
static MPI_Errhandler comm_errhandler, session_errhandler, other_errhandler;
static int heard, overheard; // errors, by the handler of the call and by another

static void hear_comm(MPI_Comm *comm, int *code, ...)
{
    heard += comm != NULL && *code != MPI_SUCCESS;
}

static void hear_session(MPI_Session *session, int *code, ...)
{
    heard += session != NULL && *code != MPI_SUCCESS;
}

static void overhear(MPI_Comm *comm, int *code, ...)
{
    overheard += comm != NULL && *code != MPI_SUCCESS;
}

static void make_errhandlers(void)
{
    MPI_Comm_create_errhandler(hear_comm, &comm_errhandler);
    MPI_Session_create_errhandler(hear_session, &session_errhandler);
    MPI_Comm_create_errhandler(overhear, &other_errhandler);
}

static void listen(void)
{
    heard = overheard = 0;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, other_errhandler);
}

static void do_not_listen(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

static void make_objects(void)
{
    memset(long_text, 'x', sizeof long_text - 1);
    make_errhandlers();
    MPI_Comm_group(MPI_COMM_WORLD, &the_group);
    MPI_Info_create(&the_info);
    MPI_Info_set(the_info, "text", "value");
    MPI_Info_set(the_info, "other", "value");
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &the_session);
    MPI_Type_contiguous(1, MPI_INT, &the_type);
    MPI_Type_commit(&the_type);
    MPI_Type_contiguous(0, MPI_INT, &empty_type);
    MPI_Type_commit(&empty_type);
    MPI_Aint address;
    MPI_Get_address(buffer[0], &address);
    MPI_Type_create_hindexed_block(1, 1, &address, MPI_INT, &absolute_type);
    MPI_Type_commit(&absolute_type);
    MPI_Buffer_attach(reserve, sizeof reserve);
    make_communicators();
    make_windows();
    use_comm(0);
    use_win(0);
}

static void free_objects(void)
{
    void *address;
    int size;
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_free(&comms[i]);
    for (int i = 0; i < WINS; i++)
        MPI_Win_free(&wins[i]);
    MPI_Free_mem(exposed);
    MPI_Buffer_detach(&address, &size);
    MPI_Type_free(&the_type);
    MPI_Type_free(&empty_type);
    MPI_Type_free(&absolute_type);
    MPI_Info_free(&the_info);
    MPI_Group_free(&the_group);
    MPI_Session_finalize(&the_session);
    MPI_Errhandler_free(&comm_errhandler);
    MPI_Errhandler_free(&session_errhandler);
    MPI_Errhandler_free(&other_errhandler);
}

static void take_back_buffers(void)
{
    void *address;
    int size;
    MPI_Buffer_detach(&address, &size);
    MPI_Comm_detach_buffer(the_comm, &address, &size);
    MPI_Session_detach_buffer(the_session, &address, &size);
}

// ---- results ----------------------------------------------------------------------
static void prepare(void)
{
    memset(slot, 0, sizeof slot);
    fill_buffers();
}

// The request is complete in the end, a persistent one after it has been started.
static void complete(void *result)
{
    MPI_Request *request = result;
    MPI_Status status;
    if (outcome != MPI_SUCCESS)
        return;
    bool is_persistent = MPI_Start(request) == MPI_SUCCESS;
    int error = MPI_Wait(request, &status);
    holds(error == MPI_SUCCESS, "its request completes");
    the_status = status;
    if (is_persistent)
        MPI_Request_free(request);
}

// The same of a request whose outcome does not matter.
static void await(void *result)
{
    if (outcome == MPI_SUCCESS)
        MPI_Wait(result, MPI_STATUS_IGNORE);
}

// The other end of a message from or to this process.
static MPI_Request partner;

static void expect_message(void)
{
    MPI_Irecv(NULL, 0, MPI_INT, me, TAG, the_comm, &partner);
}

static void send_message(void)
{
    MPI_Isend(NULL, 0, MPI_INT, me, TAG, the_comm, &partner);
}

static void end_message(void)
{
    if (outcome != MPI_SUCCESS)
        MPI_Cancel(&partner);
    MPI_Wait(&partner, MPI_STATUS_IGNORE);
}

static bool is_of_nobody(const MPI_Status *status)
{
    int count = -1;
    MPI_Get_count(status, MPI_INT, &count);
    return status->MPI_SOURCE == MPI_PROC_NULL && status->MPI_TAG == MPI_ANY_TAG &&
           count == 0;
}

static int do_nothing(void)
{
    return MPI_SUCCESS;
}
static void (*const callback)(void) = (void (*)(void))do_nothing;
