// SPDX-License-Identifier: BSD-3-Clause
// Error handlers (MPI-4.1 9.3): made, attached to objects, freed; raise.c calls them.
#include "object/object.h"

#include <oriel_core.h>
#include <stdlib.h>

struct errhandler errors_are_fatal, errors_abort, errors_return;

// Sessions are given one of them before anything has started (11.3.1).
static __attribute__((constructor)) void open_predefined(void)
{
    object_open_predefined(&errors_are_fatal.object, KIND_ERRHANDLER,
                           (uintptr_t)MPI_ERRORS_ARE_FATAL);
    object_open_predefined(&errors_abort.object, KIND_ERRHANDLER,
                           (uintptr_t)MPI_ERRORS_ABORT);
    object_open_predefined(&errors_return.object, KIND_ERRHANDLER,
                           (uintptr_t)MPI_ERRORS_RETURN);
}

static void errhandler_destroy(struct object *object)
{
    free(object);
}

// Handles of all kinds are pointers, so one type of function stands for the callbacks
// of communicators, windows and sessions.
static void errhandler_invoke_in_c(generic_function *function, uintptr_t handle,
                                   int code)
{
    typedef void errhandler_function(uintptr_t * handle, int *code, ...);
    ((errhandler_function *)function)(&handle, &code);
}

static int errhandler_create(enum object_kind applies_to, generic_function *function,
                             struct errhandler **errhandler)
{
    struct errhandler *made = malloc(sizeof *made);
    if (made == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for an error handler");
    *made = (struct errhandler){.applies_to = applies_to,
                                .function = function,
                                .invoke = errhandler_invoke_in_c};
    object_init(&made->object, errhandler_destroy);
    *errhandler = made;
    return object_open(&made->object, KIND_ERRHANDLER);
}

int errhandler_check(const struct errhandler *errhandler, enum object_kind kind)
{
    return errhandler->applies_to == 0 || errhandler->applies_to == kind
               ? 0
               : fail(MPI_ERR_ERRHANDLER,
                      "errhandler = %#jx: was created for another kind of object",
                      (uintmax_t)object_handle(errhandler));
}

static int errhandler_set(enum object_kind kind, struct object *object,
                          struct errhandler *errhandler)
{
    int err = errhandler_check(errhandler, kind);
    if (err)
        return err;
    object_retain(errhandler);
    pthread_mutex_lock(&objects.errhandlers_lock);
    struct errhandler *old = object->errhandler;
    object->errhandler = errhandler;
    pthread_mutex_unlock(&objects.errhandlers_lock);
    object_release(old);
    return 0;
}

struct errhandler *errhandler_of(const struct object *object)
{
    pthread_mutex_lock(&objects.errhandlers_lock);
    struct errhandler *found = object->errhandler;
    object_retain(found);
    pthread_mutex_unlock(&objects.errhandlers_lock);
    return found;
}

void errhandler_inherit(void *object, const void *from)
{
    ((struct object *)object)->errhandler = errhandler_of(from);
}

void errhandler_give(void *object, struct errhandler *errhandler)
{
    object_retain(errhandler);
    ((struct object *)object)->errhandler = errhandler;
}

// The handle is the program's to free, also one that it has freed before (9.3.4).
static int errhandler_get(struct object *object, struct errhandler **errhandler)
{
    struct errhandler *found = errhandler_of(object);
    int err = object_open(&found->object, KIND_ERRHANDLER);
    if (!err)
        *errhandler = found;
    return err;
}

int oriel_comm_create_errhandler(generic_function *comm_errhandler_fn,
                                 struct errhandler **errhandler)
{
    return errhandler_create(KIND_COMM, comm_errhandler_fn, errhandler);
}

int oriel_win_create_errhandler(generic_function *win_errhandler_fn,
                                struct errhandler **errhandler)
{
    return errhandler_create(KIND_WIN, win_errhandler_fn, errhandler);
}

int oriel_session_create_errhandler(generic_function *session_errhandler_fn,
                                    struct errhandler **errhandler)
{
    return errhandler_create(KIND_SESSION, session_errhandler_fn, errhandler);
}

int oriel_comm_set_errhandler(struct communicator *comm, struct errhandler *errhandler)
{
    return errhandler_set(KIND_COMM, &comm->object, errhandler);
}

int oriel_win_set_errhandler(struct window *win, struct errhandler *errhandler)
{
    return errhandler_set(KIND_WIN, (struct object *)win, errhandler);
}

int oriel_session_set_errhandler(struct session *session, struct errhandler *errhandler)
{
    return errhandler_set(KIND_SESSION, &session->object, errhandler);
}

int oriel_comm_get_errhandler(struct communicator *comm, struct errhandler **errhandler)
{
    return errhandler_get(&comm->object, errhandler);
}

int oriel_win_get_errhandler(struct window *win, struct errhandler **errhandler)
{
    return errhandler_get((struct object *)win, errhandler);
}

int oriel_session_get_errhandler(struct session *session,
                                 struct errhandler **errhandler)
{
    return errhandler_get(&session->object, errhandler);
}

int oriel_comm_call_errhandler(struct communicator *comm, int errorcode)
{
    static const struct call call = {"MPI_Comm_call_errhandler", KIND_COMM};
    raise_error(&call, comm, errorcode);
    return 0;
}

int oriel_win_call_errhandler(struct window *win, int errorcode)
{
    static const struct call call = {"MPI_Win_call_errhandler", KIND_WIN};
    raise_error(&call, win, errorcode);
    return 0;
}

int oriel_session_call_errhandler(struct session *session, int errorcode)
{
    static const struct call call = {"MPI_Session_call_errhandler", KIND_SESSION};
    raise_error(&call, session, errorcode);
    return 0;
}

int oriel_errhandler_free(struct errhandler *errhandler)
{
    object_close(&errhandler->object);
    return 0;
}

void oriel_errhandler_invoker(uintptr_t errhandler, errhandler_invoker *invoke)
{
    struct errhandler *found = handle_object(KIND_ERRHANDLER, errhandler);
    if (found != NULL)
        found->invoke = invoke;
}
