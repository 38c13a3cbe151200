// SPDX-License-Identifier: BSD-3-Clause
// The life of requests, and statuses.
#include "object/request.h"

#include <assert.h>
#include <string.h>

static const struct request_kind nothing;

#define REQUEST_OF_NOTHING                                                             \
    {                                                                                  \
        .object = {.references = 1}, .kind = &nothing, .is_complete = true,            \
        .is_active = true, .source = MPI_ANY_SOURCE, .tag = MPI_ANY_TAG,               \
    }
struct request request_done = REQUEST_OF_NOTHING;
struct request request_leaving = REQUEST_OF_NOTHING;

const struct request request_begun = {
    .is_active = true, .source = MPI_ANY_SOURCE, .tag = MPI_ANY_TAG};

static int request_open_shared(struct request *request)
{
    int err = object_open(&request->object, KIND_REQUEST);
    if (!err)
        object_protect(&request->object);
    return err;
}

static void request_close_shared(struct request *request)
{
    if (request->object.is_predefined)
        object_close_predefined(&request->object);
}

int requests_start(void)
{
    int err = request_open_shared(&request_done);
    return err ? err : request_open_shared(&request_leaving);
}

void requests_stop(void)
{
    request_close_shared(&request_done);
    request_close_shared(&request_leaving);
}

bool request_is_valid(const struct request *request)
{
    bool is_complete = request_is_complete(request);
    return request->object.references > 0 && request->kind != NULL &&
           (request->is_active || request->is_persistent) &&
           (!request->is_told || (is_complete && request->kind->must_end)) &&
           (request->error == 0 || (is_complete && is_error_class(request->error)));
}

void request_clear(struct request *request)
{
    object_release(request->owner);
}

void request_set_kind(struct request *request, const struct request_kind *kind)
{
    request->kind = kind;
}

void request_make_persistent(struct request *request)
{
    request->is_persistent = true;
    request->is_active = false;
}

int request_start_persistent(struct request *request)
{
    if (request == NULL || !request->is_persistent)
        return fail(MPI_ERR_REQUEST, "the request is not persistent");
    if (request->is_active) {
        raise_on(request->owner);
        return fail(MPI_ERR_REQUEST, "the request is active already");
    }
    atomic_store_explicit(&request->is_complete, false, memory_order_relaxed);
    request->is_told = false;
    request->is_active = true;
    request->error = 0;
    assert(request_is_valid(request));
    int err = request->kind->start(request);
    if (err) {
        request->is_active = false;
        raise_on(request->owner);
    }
    return err;
}

void request_complete(struct request *request, int error)
{
    bool is_ours = request->is_abandoned && request->kind->dispose == NULL;
    assert(request_is_valid(request) && !request_is_complete(request));
    request->error = error;
    atomic_store_explicit(&request->is_complete, true, memory_order_release);
    if (is_ours)
        object_release(request);
}

// ---- statuses

enum { WORD_BYTES = 0, WORD_CANCELLED = 2 };

void status_set(MPI_Status *status, int source, int tag, uint64_t bytes,
                bool is_cancelled)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag;
    memset(status->MPI_internal, 0, sizeof status->MPI_internal);
    memcpy(&status->MPI_internal[WORD_BYTES], &bytes, sizeof bytes);
    status->MPI_internal[WORD_CANCELLED] = is_cancelled;
}

void status_set_empty(MPI_Status *status)
{
    status_set(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, false);
    if (status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = MPI_SUCCESS;
}

uint64_t status_bytes(const MPI_Status *status)
{
    uint64_t bytes;
    memcpy(&bytes, &status->MPI_internal[WORD_BYTES], sizeof bytes);
    return bytes;
}

bool status_is_cancelled(const MPI_Status *status)
{
    return status->MPI_internal[WORD_CANCELLED] != 0;
}

// ---- the end

int request_result(struct request *request, MPI_Status *status)
{
    status_set(status, request->source, request->tag, request->bytes,
               request->is_cancelled);
    return request->kind->result ? request->kind->result(request, status)
                                 : request->error;
}

void request_look(struct request *request, MPI_Status *status)
{
    if (!request_is_active(request)) {
        status_set_empty(status);
        return;
    }
    request_result(request, status);
    if (request->kind->must_end)
        request->is_told = true;
}

bool request_abandon(struct request *request)
{
    bool has_ended = !request->is_active || request_is_complete(request);
    request->is_abandoned = !has_ended;
    if (!has_ended && request->kind->dispose == NULL)
        object_retain(request); // until it is complete
    return !has_ended;
}

int request_close(struct request *request)
{
    assert(request_is_valid(request));
    int err = request->kind->dispose ? request->kind->dispose(request) : 0;
    object_close(&request->object);
    return err;
}

int request_finish(struct request *request, MPI_Request *handle, MPI_Status *status)
{
    assert(request_is_valid(request) && request_is_active(request));
    int err = request_result(request, status);
    if (err)
        raise_on(request->owner);
    if (request->is_persistent) {
        request->is_active = false;
        return err;
    }
    *handle = MPI_REQUEST_NULL;
    int close_err = request_close(request);
    return close_err ? close_err : err;
}
