// SPDX-License-Identifier: BSD-3-Clause
// Requests of operations that the program carries out itself (MPI-4.1 13.2). The
// functions run in the calls that MPI prescribes, never with the message lock held.
#include "pt2pt/pt2pt.h"

#include <oriel_core.h>
#include <stdlib.h>

struct generalized {
    struct request request;
    generic_function *query, *free, *cancel;
    MPI_Aint state;     // a pointer of C or an integer of Fortran
    MPI_Aint *variable; // in which a Fortran program has it; NULL: C
    struct grequest_invokers invoke;
};

// ---- C's functions

static int invoke_query(generic_function *function, MPI_Aint *state, MPI_Status *status)
{
    return ((MPI_Grequest_query_function *)function)((void *)*state, status);
}

static int invoke_free(generic_function *function, MPI_Aint *state)
{
    return ((MPI_Grequest_free_function *)function)((void *)*state);
}

static int invoke_cancel(generic_function *function, MPI_Aint *state, int complete)
{
    return ((MPI_Grequest_cancel_function *)function)((void *)*state, complete);
}

// ---- what requests do

// A function of Fortran may change the state for the next one. Programs also read it
// from their variable, which MPI knows by reference: the variable follows unless the
// program has given it another value meanwhile.
static void share_state(const struct generalized *own, MPI_Aint before)
{
    if (own->variable != NULL && own->state != before && *own->variable == before)
        *own->variable = own->state;
}

static int check_function(int code, const char *function)
{
    return code ? fail(code, "the %s function of a generalized request returned %d",
                       function, code)
                : 0;
}

// The function may leave fields as they are, so they begin as those of an empty status.
static int generalized_query(struct request *request, MPI_Status *status)
{
    struct generalized *own = (struct generalized *)request;
    MPI_Status nobody_s;
    if (status == MPI_STATUS_IGNORE)
        status_set_empty(status = &nobody_s);
    MPI_Aint before = own->state;
    int code = own->invoke.query(own->query, &own->state, status);
    share_state(own, before);
    return check_function(code, "query");
}

static int generalized_cancel(struct request *request)
{
    struct generalized *own = (struct generalized *)request;
    bool is_complete = request_is_complete(request);
    MPI_Aint before = own->state;
    int code = own->invoke.cancel(own->cancel, &own->state, is_complete);
    share_state(own, before);
    return check_function(code, "cancel");
}

static int generalized_dispose(struct request *request)
{
    struct generalized *own = (struct generalized *)request;
    MPI_Aint before = own->state;
    int code = own->invoke.free(own->free, &own->state);
    share_state(own, before);
    return check_function(code, "free");
}

static const struct request_kind generalized_kind = {.cancel = generalized_cancel,
                                                     .result = generalized_query,
                                                     .dispose = generalized_dispose};

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
    made->state = (MPI_Aint)extra_state;
    made->variable = NULL;
    made->invoke = (struct grequest_invokers){invoke_query, invoke_free, invoke_cancel};
    int err = object_open(&made->request.object, KIND_REQUEST);
    if (!err)
        *request = &made->request;
    return err;
}

// A request that the program has freed meanwhile ends here.
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

void oriel_request_invokers(uintptr_t request, const struct grequest_invokers *invoke,
                            MPI_Aint *variable)
{
    struct request *found = handle_object(KIND_REQUEST, request);
    if (found == NULL || found->kind != &generalized_kind)
        return;
    struct generalized *own = (struct generalized *)found;
    own->invoke = *invoke;
    own->variable = variable;
}
