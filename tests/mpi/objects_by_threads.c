// SPDX-License-Identifier: BSD-3-Clause
// objects_by_threads [ROUNDS]: four threads do all that is local to the same objects:
// attributes, error handlers, names, infos, error codes, handles, datatypes, buffers,
// generalized requests, tools. The outcome is that of some order of their calls (MPI-4.1
// 11.6.1): no value is lost or dropped twice, no text is torn. Callbacks call MPI.
#include "window_test.h"

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 4, ROUNDS = 400, CODES = 3 };

struct worker {
    pthread_t thread;
    int number;
    char text[MPI_MAX_OBJECT_NAME]; // its letter, as often as a name has room
    MPI_Errhandler handler;
};

static struct worker workers[THREADS];
static int rounds = ROUNDS;
static MPI_Comm grid;
static MPI_Win win;
static MPI_Datatype type, uncommitted;
static MPI_Info info;
static MPI_Session session;

// ---- attributes

static int shared_key[3]; // for communicators, windows and datatypes
static _Atomic(int) values_made, values_dropped, calls_refused;

// A value is memory, so that one that is dropped twice or too early is found.
static int *value_new(int number)
{
    int *value = malloc(sizeof *value);
    CHECK(value != NULL);
    *value = number;
    atomic_fetch_add(&values_made, 1);
    return value;
}

static void value_drop(int *value)
{
    CHECK(*value >= 0);
    *value = -1;
    free(value);
    atomic_fetch_add(&values_dropped, 1);
}

static int drop_of_comm(MPI_Comm comm, int key, void *value, void *extra_state)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    (void)key, (void)extra_state;
    MPI_Comm_get_name(comm, name, &length);
    value_drop(value);
    return MPI_SUCCESS;
}

static int drop_of_win(MPI_Win of, int key, void *value, void *extra_state)
{
    void *seen;
    int flag;
    (void)extra_state;
    MPI_Win_get_attr(of, key, &seen, &flag);
    value_drop(value);
    return MPI_SUCCESS;
}

static int drop_of_type(MPI_Datatype of, int key, void *value, void *extra_state)
{
    void *seen;
    int flag;
    (void)extra_state;
    MPI_Type_get_attr(of, key, &seen, &flag);
    value_drop(value);
    return MPI_SUCCESS;
}

static int copy_of_type(MPI_Datatype of, int key, void *extra_state, void *value,
                        void *copied, int *flag)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    (void)key, (void)extra_state;
    MPI_Type_get_name(of, name, &length);
    CHECK(*(int *)value >= 0);
    *(int **)copied = value_new(*(int *)value);
    *flag = 1;
    return MPI_SUCCESS;
}

// Another thread may have deleted the attribute before.
static void may_fail(int code)
{
    int class = MPI_SUCCESS;
    if (code == MPI_SUCCESS)
        return;
    MPI_Error_class(code, &class);
    CHECK(class == MPI_ERR_KEYVAL);
    atomic_fetch_add(&calls_refused, 1);
}

// A freed key is in use until its last attribute is gone (MPI-4.1 7.7.2).
static void own_of_comm(struct worker *worker)
{
    int key, freed, flag = -1, *value;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop_of_comm, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, value_new(worker->number));
    freed = key;
    MPI_Comm_free_keyval(&freed);
    MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag);
    CHECK(flag && *value == worker->number);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, value_new(worker->number + 1));
    CHECK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key) == MPI_SUCCESS);
    CHECK_CLASS(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag), MPI_ERR_KEYVAL);
}

static void own_of_win_and_type(struct worker *worker)
{
    int key, freed, flag = -1, *value;
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, drop_of_win, &key, NULL);
    MPI_Win_set_attr(win, key, value_new(worker->number));
    freed = key;
    MPI_Win_free_keyval(&freed);
    MPI_Win_get_attr(win, key, &value, &flag);
    CHECK(flag && *value == worker->number);
    CHECK(MPI_Win_delete_attr(win, key) == MPI_SUCCESS);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, drop_of_type, &key, NULL);
    MPI_Type_set_attr(type, key, value_new(worker->number));
    freed = key;
    MPI_Type_free_keyval(&freed);
    MPI_Type_get_attr(type, key, &value, &flag);
    CHECK(flag && *value == worker->number);
    CHECK(MPI_Type_delete_attr(type, key) == MPI_SUCCESS);
}

static void shared_attributes(struct worker *worker)
{
    void *seen;
    int flag;
    MPI_Comm_set_attr(MPI_COMM_WORLD, shared_key[0], value_new(worker->number));
    MPI_Win_set_attr(win, shared_key[1], value_new(worker->number));
    MPI_Type_set_attr(type, shared_key[2], value_new(worker->number));
    MPI_Comm_get_attr(MPI_COMM_WORLD, shared_key[0], &seen, &flag);
    MPI_Win_get_attr(win, shared_key[1], &seen, &flag);
    MPI_Datatype copy;
    MPI_Type_dup(type, &copy);
    MPI_Type_free(&copy);
    may_fail(MPI_Comm_delete_attr(MPI_COMM_WORLD, shared_key[0]));
    may_fail(MPI_Win_delete_attr(win, shared_key[1]));
    may_fail(MPI_Type_delete_attr(type, shared_key[2]));
}

// ---- error handlers

static _Atomic(int) errors_raised, errors_handled;

static void handle_comm_error(MPI_Comm *comm, int *code, ...)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    CHECK(*comm == grid && (*code == MPI_ERR_OTHER || *code == MPI_ERR_BUFFER));
    MPI_Comm_get_name(*comm, name, &length);
    MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN);
}

static void handle_win_error(MPI_Win *of, int *code, ...)
{
    CHECK(*of == win && (*code == MPI_ERR_OTHER || *code == MPI_ERR_KEYVAL));
    atomic_fetch_add(&errors_handled, *code == MPI_ERR_OTHER);
}

static void handle_session_error(MPI_Session *of, int *code, ...)
{
    CHECK(*of == session && *code == MPI_ERR_OTHER);
    atomic_fetch_add(&errors_handled, 1);
}

static void error_handlers(struct worker *worker)
{
    MPI_Errhandler comm_s, win_s, session_s, got;
    (void)worker;
    MPI_Comm_create_errhandler(handle_comm_error, &comm_s);
    MPI_Win_create_errhandler(handle_win_error, &win_s);
    MPI_Session_create_errhandler(handle_session_error, &session_s);
    MPI_Comm_set_errhandler(grid, comm_s);
    MPI_Win_set_errhandler(win, win_s);
    MPI_Session_set_errhandler(session, session_s);
    MPI_Errhandler_free(&comm_s);
    MPI_Errhandler_free(&win_s);
    MPI_Errhandler_free(&session_s);
    MPI_Comm_get_errhandler(grid, &got);
    MPI_Errhandler_free(&got);
    MPI_Win_get_errhandler(win, &got);
    MPI_Errhandler_free(&got);
    MPI_Session_get_errhandler(session, &got);
    MPI_Errhandler_free(&got);
    MPI_Comm_call_errhandler(grid, MPI_ERR_OTHER);
    MPI_Win_call_errhandler(win, MPI_ERR_OTHER);
    MPI_Session_call_errhandler(session, MPI_ERR_OTHER);
    atomic_fetch_add(&errors_raised, 2);
}

// ---- names and infos

static bool is_one_letter(const char *text, size_t length)
{
    return strlen(text) == length && strspn(text, (char[]){text[0], '\0'}) == length;
}

static void names(struct worker *worker)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Comm_set_name(grid, worker->text);
    MPI_Win_set_name(win, worker->text);
    MPI_Type_set_name(type, worker->text);
    MPI_Comm_get_name(grid, name, &length);
    CHECK(is_one_letter(name, (size_t)length));
    MPI_Win_get_name(win, name, &length);
    CHECK(is_one_letter(name, (size_t)length));
    MPI_Type_get_name(type, name, &length);
    CHECK(is_one_letter(name, (size_t)length));
}

static void infos(struct worker *worker)
{
    char key[8], value[MPI_MAX_INFO_VAL];
    int count, flag, room = sizeof value;
    snprintf(key, sizeof key, "key %d", worker->number);
    MPI_Info_set(info, key, worker->text);
    MPI_Info_set(info, "shared", worker->text);
    MPI_Info_get_string(info, "shared", &room, value, &flag);
    CHECK(flag && is_one_letter(value, strlen(value)));
    room = sizeof value;
    MPI_Info_get_string(info, key, &room, value, &flag);
    CHECK(flag && strcmp(value, worker->text) == 0);
    MPI_Info_get_nkeys(info, &count);
    CHECK(count >= 2 && count <= THREADS + 2);
    MPI_Info copy;
    MPI_Info_dup(info, &copy);
    MPI_Info_get_nthkey(copy, 0, value);
    MPI_Info_free(&copy);
    MPI_Info_delete(info, key);
    MPI_Win_get_info(win, &copy);
    MPI_Info_free(&copy);
    MPI_Comm_get_info(grid, &copy);
    MPI_Info_free(&copy);
}

// A window reads an info while others write it.
static void read_by_library(struct worker *worker)
{
    void *memory;
    MPI_Info_set(info, "mpi_minimum_memory_alignment",
                 worker->number % 2 ? "128" : "256");
    MPI_Alloc_mem(100, info, &memory);
    CHECK((uintptr_t)memory % 64 == 0);
    MPI_Free_mem(memory);
    if (worker->number == 0)
        MPI_Info_delete(info, "mpi_minimum_memory_alignment");
}

// ---- error codes

static void error_codes(struct worker *worker)
{
    int class, codes[CODES], found, length;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Add_error_class(&class);
    for (int i = 0; i < CODES; i++) {
        MPI_Add_error_code(class, &codes[i]);
        MPI_Add_error_string(codes[i], worker->text);
        MPI_Error_class(codes[i], &found);
        MPI_Error_string(codes[i], text, &length);
        CHECK(found == class && strcmp(text, worker->text) == 0);
    }
    for (int i = 0; i < CODES; i++) {
        MPI_Remove_error_string(codes[i]);
        MPI_Remove_error_code(codes[i]);
    }
    MPI_Remove_error_class(class);
}

// ---- handles

static void groups_and_datatypes(struct worker *worker)
{
    MPI_Group group, win_group, part;
    MPI_Datatype made, parts[1];
    int dims[1], periods[1], coords[1], numbers[2], bytes;
    MPI_Aint addresses[1];
    (void)worker;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Win_get_group(win, &win_group);
    MPI_Group_incl(group, 1, (int[]){rank}, &part);
    MPI_Group_free(&group);
    MPI_Group_free(&win_group);
    MPI_Group_free(&part);
    MPI_Type_commit(&uncommitted);
    MPI_Type_size(uncommitted, &bytes);
    CHECK(bytes == 2 * (int)sizeof(int));
    MPI_Type_vector(2, 1, 3, type, &made);
    MPI_Type_commit(&made);
    MPI_Type_get_contents(type, 2, 0, 1, numbers, addresses, parts);
    CHECK(parts[0] == MPI_INT && numbers[0] == 3);
    MPI_Type_free(&made);
    MPI_Type_create_f90_real(6, 30, &made);
    MPI_Cart_get(grid, 1, dims, periods, coords);
    CHECK(dims[0] == size && coords[0] == rank);
}

static void add_up(void *in, void *inout, int *count, MPI_Datatype *of)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Type_get_name(*of, name, &length);
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void operations(struct worker *worker)
{
    int in[2] = {1, worker->number}, inout[2] = {2, 3};
    MPI_Op op;
    MPI_Op_create(add_up, 1, &op);
    MPI_Reduce_local(in, inout, 2, MPI_INT, op);
    CHECK(inout[0] == 3 && inout[1] == 3 + worker->number);
    MPI_Op_free(&op);
}

// ---- requests

static int query(void *extra_state, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_INT, *(int *)extra_state);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int free_state(void *extra_state)
{
    *(int *)extra_state = -1;
    return MPI_SUCCESS;
}

static int cancel(void *extra_state, int complete)
{
    (void)extra_state, (void)complete;
    return MPI_SUCCESS;
}

static void *complete_it(void *request)
{
    MPI_Grequest_complete(*(MPI_Request *)request);
    return NULL;
}

static void generalized_requests(struct worker *worker)
{
    pthread_t other;
    MPI_Request request, same;
    MPI_Status status;
    int state = worker->number + 1, count = -1;
    MPI_Grequest_start(query, free_state, cancel, &state, &request);
    same = request;
    CHECK(pthread_create(&other, NULL, complete_it, &same) == 0);
    MPI_Wait(&request, &status);
    pthread_join(other, NULL);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == worker->number + 1 && state == -1);
}

// One buffer for all: who attaches it sends to itself, while others flush it.
static void buffers(struct worker *worker)
{
    char memory[256 + MPI_BSEND_OVERHEAD];
    int attached = MPI_Comm_attach_buffer(grid, memory, sizeof memory);
    int sent = MPI_Bsend(&worker->number, 1, MPI_INT, rank, worker->number, grid);
    int received = -1, bytes;
    MPI_Comm_flush_buffer(grid);
    if (sent == MPI_SUCCESS)
        MPI_Recv(&received, 1, MPI_INT, rank, worker->number, grid, MPI_STATUS_IGNORE);
    CHECK(sent != MPI_SUCCESS || received == worker->number);
    if (attached != MPI_SUCCESS)
        return;
    void *detached = NULL;
    CHECK(MPI_Comm_detach_buffer(grid, &detached, &bytes) == MPI_SUCCESS);
    CHECK(detached == memory);
}

// ---- tools

static void variables(struct worker *worker)
{
    int provided, count;
    (void)worker;
    MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
    MPI_T_cvar_get_num(&count);
    CHECK(count > 0);
    MPI_T_finalize();
}

// ---- all of it

static void sessions(struct worker *worker)
{
    MPI_Session own;
    int count;
    (void)worker;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &own);
    MPI_Session_get_num_psets(own, MPI_INFO_NULL, &count);
    MPI_Session_finalize(&own);
}

static void *mix(void *argument)
{
    static void (*const steps[])(struct worker *) = {
        own_of_comm,     own_of_win_and_type, shared_attributes,    names,   infos,
        read_by_library, error_codes,         groups_and_datatypes, buffers, variables,
        operations,      error_handlers,      generalized_requests, sessions};
    enum { STEPS = sizeof steps / sizeof *steps };
    struct worker *worker = argument;
    for (int i = 0; i < rounds; i++)
        for (int step = 0; step < STEPS; step++)
            steps[(step + (i % 2) * worker->number) % STEPS](worker);
    return NULL;
}

static void make_objects(void)
{
    void *base;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){1}, 0, &grid);
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_vector(2, 1, 2, MPI_INT, &uncommitted);
    MPI_Info_create(&info);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
    return_errors(win);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop_of_comm, &shared_key[0], NULL);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, drop_of_win, &shared_key[1], NULL);
    MPI_Type_create_keyval(copy_of_type, drop_of_type, &shared_key[2], NULL);
}

static void free_objects(void)
{
    may_fail(MPI_Comm_delete_attr(MPI_COMM_WORLD, shared_key[0]));
    MPI_Comm_free_keyval(&shared_key[0]);
    MPI_Win_free_keyval(&shared_key[1]);
    MPI_Type_free_keyval(&shared_key[2]);
    MPI_Comm_free(&grid);
    MPI_Win_free(&win);
    MPI_Type_free(&type);
    MPI_Type_free(&uncommitted);
    MPI_Info_free(&info);
    MPI_Session_finalize(&session);
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK(provided == MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1)
        rounds = atoi(argv[1]);
    make_objects();
    for (int i = 0; i < THREADS; i++) {
        workers[i].number = i;
        memset(workers[i].text, 'a' + i, (size_t)(10 + 20 * i % 50));
        CHECK(pthread_create(&workers[i].thread, NULL, mix, &workers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    free_objects();
    CHECK(values_made == values_dropped);
    CHECK(errors_handled == errors_raised);
    return finish();
}
