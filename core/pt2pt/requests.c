// SPDX-License-Identifier: BSD-3-Clause
// Completion of requests in an array (MPI-4.1 3.7.5), and calls on one request.
#include "pt2pt/requests.h"

#include <oriel_core.h>

bool are_complete(int count, const MPI_Request requests[])
{
    for (int i = 0; i < count; i++) {
        const struct request *request = request_of_handle(requests[i]);
        if (request_is_active(request) && !request_is_complete(request))
            return false;
    }
    return true;
}

int find_complete(int count, const MPI_Request requests[])
{
    int found = NONE_ACTIVE;
    for (int i = 0; i < count; i++) {
        const struct request *request = request_of_handle(requests[i]);
        if (!request_is_active(request))
            continue;
        if (request_is_complete(request))
            return i;
        found = NONE_COMPLETE;
    }
    return found;
}

// The requests of an array that have been completed, and their first error.
struct finished {
    MPI_Status *statuses;
    int count, error;
};

// The error fields are only used when some request has failed (3.2.5): until then they
// stay as they are.
static inline void finished_add(struct finished *finished, int error)
{
    int index = finished->count++;
    if (likely(!error && !finished->error))
        return;
    MPI_Status *statuses = finished->statuses;
    bool is_first = error && !finished->error;
    if (is_first)
        finished->error = error;
    if (statuses == MPI_STATUSES_IGNORE)
        return;
    for (int i = 0; i < index && is_first; i++)
        statuses[i].MPI_ERROR = MPI_SUCCESS;
    statuses[index].MPI_ERROR = error;
}

static void finish_next(struct finished *finished, MPI_Request *handle)
{
    struct request *request = request_of_handle(*handle);
    MPI_Status *status = status_at(finished->statuses, finished->count);
    if (request_is_active(request)) {
        finished_add(finished, request_finish(request, handle, status));
    } else {
        status_set_empty(status);
        finished_add(finished, 0);
    }
}

static int result_of(const struct finished *finished)
{
    if (!finished->error)
        return 0;
    int class;
    const char *detail = error_detail(&class);
    return fail(MPI_ERR_IN_STATUS, "a request has failed with error %d%s%s",
                finished->error, class == finished->error ? ": " : "",
                class == finished->error ? detail : "");
}

int finish_all(int count, MPI_Request requests[], MPI_Status statuses[])
{
    struct finished finished = {.statuses = statuses};
    for (int i = 0; i < count; i++)
        finish_next(&finished, &requests[i]);
    return result_of(&finished);
}

int finish_one(MPI_Request requests[], int found, int *index, MPI_Status *status)
{
    if (found == NONE_ACTIVE) {
        *index = MPI_UNDEFINED;
        status_set_empty(status);
        return 0;
    }
    *index = found;
    return request_finish(request_of_handle(requests[found]), &requests[found], status);
}

int finish_complete(int count, MPI_Request requests[], int *outcount, int indices[],
                    MPI_Status statuses[])
{
    struct finished finished = {.statuses = statuses};
    bool is_active = false;
    for (int i = 0; i < count; i++) {
        const struct request *request = request_of_handle(requests[i]);
        if (!request_is_active(request))
            continue;
        is_active = true;
        if (!request_is_complete(request))
            continue;
        indices[finished.count] = i;
        finish_next(&finished, &requests[i]);
    }
    *outcount = is_active ? finished.count : MPI_UNDEFINED;
    return result_of(&finished);
}

// ---- one request

int oriel_request_free(struct request *request)
{
    if (request->kind->must_end && request->is_active && !request->is_told) {
        raise_on(request->owner);
        return fail(MPI_ERR_REQUEST, "a collective operation that is active must be "
                                     "completed, not freed");
    }
    if (races_are_checked()) // the program will not learn when it is complete
        races_return_buffers_of(request);
    message_lock();
    bool is_under_way = request_abandon(request);
    message_unlock();
    if (!is_under_way)
        return request_close(request);
    if (request->kind->dispose == NULL)
        object_close(&request->object);
    return 0;
}

int oriel_cancel(struct request *request)
{
    int err = 0;
    if (!request->is_active)
        err = fail(MPI_ERR_REQUEST, "the request is not active");
    else if (request->kind->must_end)
        err = fail(MPI_ERR_REQUEST, "a collective operation cannot be cancelled");
    else if (request->kind->cancel != NULL)
        err = request->kind->cancel(request);
    if (err)
        raise_on(request->owner);
    return err;
}

int oriel_start(MPI_Request *request)
{
    return request_start_persistent(request_of_handle(*request));
}

int oriel_startall(int count, MPI_Request array_of_requests[])
{
    int err = 0;
    for (int i = 0; !err && i < count; i++)
        err = request_start_persistent(request_of_handle(array_of_requests[i]));
    return err;
}
