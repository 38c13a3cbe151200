// SPDX-License-Identifier: BSD-3-Clause
// Requests of operations that the program carries out itself (MPI-4.1 13.2). The
// functions run in the calls that MPI prescribes, never with the message lock held.
#include "pt2pt/pt2pt.h"

#include <oriel_core.h>
#include <stdlib.h>

struct generalized {
    struct request request;
    generic_function *query, *free, *cancel;
    void *extra_state;
    struct grequest_invokers invoke;
};

// ---- C's functions

static int invoke_query(generic_function *function, void *extra_state,
                        MPI_Status *status)
{
    return ((MPI_Grequest_query_function *)function)(extra_state, status);
}

static int invoke_free(generic_function *function, void *extra_state)
{
    return ((MPI_Grequest_free_function *)function)(extra_state);
}

static int invoke_cancel(generic_function *function, void *extra_state, int complete)
{
    return ((MPI_Grequest_cancel_function *)function)(extra_state, complete);
}

// ---- what requests do

static int checked(int code, const char *function)
{
    return code ? fail(code, "the %s function of a generalized request returned %d",
                       function, code)
                : 0;
}

// The function may leave fields as they are, so they begin as those of an empty status.
static int query(struct request *request, MPI_Status *status)
{
    struct generalized *own = (struct generalized *)request;
    MPI_Status nobody_s;
    if (status == MPI_STATUS_IGNORE)
        status_set_empty(status = &nobody_s);
    return checked(own->invoke.query(own->query, own->extra_state, status), "query");
}

static int cancel(struct request *request)
{
    struct generalized *own = (struct generalized *)request;
    bool is_complete = request_is_complete(request);
    return checked(own->invoke.cancel(own->cancel, own->extra_state, is_complete),
                   "cancel");
}

static int dispose(struct request *request)
{
    struct generalized *own = (struct generalized *)request;
    return checked(own->invoke.free(own->free, own->extra_state), "free");
}

static const struct request_kind generalized_kind = {
    .cancel = cancel, .result = query, .dispose = dispose};

static void generalized_destroy(struct object *object)
{
    request_clear((struct request *)object);
    free(object);
}

int oriel_grequest_start(generic_function *query_fn, generic_function *free_fn,
                         generic_function *cancel_fn, void *extra_state,
                         struct request **request)
{
    struct generalized *made = malloc(sizeof *made);
    if (made == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for a request");
    request_init(&made->request, &generalized_kind, NULL, generalized_destroy);
    made->query = query_fn;
    made->free = free_fn;
    made->cancel = cancel_fn;
    made->extra_state = extra_state;
    made->invoke = (struct grequest_invokers){invoke_query, invoke_free, invoke_cancel};
    int err = object_open(&made->request.object, KIND_REQUEST);
    if (!err)
        *request = &made->request;
    return err;
}

// One that has been freed meanwhile ends here.
int oriel_grequest_complete(struct request *request)
{
    if (request->kind != &generalized_kind)
        return fail(MPI_ERR_REQUEST, "the request is not a generalized one");
    message_lock();
    bool is_complete = request_is_complete(request);
    bool is_abandoned = request->is_abandoned;
    if (!is_complete)
        request_complete(request, 0);
    message_wake();
    message_unlock();
    if (is_complete)
        return fail(MPI_ERR_REQUEST, "the request is complete already");
    return is_abandoned ? request_close(request) : 0;
}

void oriel_request_invokers(uintptr_t request, const struct grequest_invokers *invoke)
{
    struct request *found = handle_object(KIND_REQUEST, request);
    if (found != NULL && found->kind == &generalized_kind)
        ((struct generalized *)found)->invoke = *invoke;
}
